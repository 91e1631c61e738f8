import assert from "node:assert/strict";
import { assertError, DENIED, forEachApp } from "../helpers/http.ts";
import { bootstrap, type Deletion, invite, type Manages, type Person, type Role } from "../helpers/person.ts";
import { ALL, type Rights, rights } from "../every_operation/request_catalogue.ts";

const NONE = rights();
const CYCLE = "The proposed manages relation cannot be added since it would create a cycle in the role graph";
const UNMANAGED = "The role would be left without a role that manages it";

forEachApp("an administrator builds, queries, reshapes and prunes a hierarchy", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const dm = rights("roleManagement", "deviceManagement");

  // A role is created together with the relation that connects it.
  const created = await admin.post<{ role: Role; manages: Manages }>(`/v1/role?parentRoleId=${rootId}`, {
    manages: ALL,
    role: { name: "  Netherlands ", selfRights: NONE },
  });
  const nlId = created.role.id;
  assert.deepEqual(created, {
    manages: { id: created.manages.id, parentRoleId: rootId, childRoleId: nlId, ...ALL },
    role: { id: nlId, name: "Netherlands", selfRights: NONE, userRights: ALL },
  });
  assertError(
    await admin.ask("POST", `/v1/role?parentRoleId=${rootId}`, {
      manages: rights("viewManagement"),
      role: { name: "Orphan", selfRights: ALL },
    }),
    409,
    UNMANAGED,
  );
  const deId = await admin.create(rootId, "Germany");
  const installerId = await admin.create(nlId, "Installer", dm, rights("userManagement"));
  const siteId = await admin.create(installerId, "Site");

  // Attaching: PUT makes a second relation to the site. Repeated it changes nothing; with other rights it updates.
  const attach = `/v1/role/${deId}/manages?childRoleId=${siteId}`;
  const attached = await admin.put<{ manages: Manages }>(attach, rights("viewManagement"));
  const { id: attachedId } = attached.manages;
  const view = rights("viewManagement");
  assert.deepEqual(attached, {
    manages: { id: attachedId, parentRoleId: deId, childRoleId: siteId, ...view },
  });
  assert.deepEqual(await admin.put(attach, view), attached);
  const widened = await admin.put<{ manages: Manages }>(attach, ALL);
  assert.deepEqual(widened, { manages: { ...attached.manages, ...ALL } });

  // A cycle, and a role below itself, are refused.
  for (const [parent, child] of [[siteId, rootId], [siteId, nlId], [siteId, siteId], [rootId, rootId]]) {
    const answer = await admin.ask("PUT", `/v1/role/${parent}/manages?childRoleId=${child}`, ALL);
    // No user holds an indirect right on a root, so the denial comes first.
    if (child === rootId) assertError(answer, 403, DENIED);
    else assertError(answer, 409, CYCLE);
  }

  // Updating a role: name and self rights, nothing else.
  assert.deepEqual(await admin.put(`/v1/role/${siteId}`, { name: "Site 1", selfRights: view }), {
    role: { id: siteId, name: "Site 1", selfRights: view, userRights: ALL },
  });

  // Restricting by id: taking rights away, but never the last roleManagement that enters a role.
  const restricted = await admin.put(`/v1/role/${deId}/manages/${attachedId}`, view);
  assert.deepEqual(restricted, { manages: { ...attached.manages, ...view } });
  const { manages: entering } = await admin.post<{ manages: Manages[] }>(
    `/v1/role/${siteId}/managed-by/query`,
    {},
  );
  assert.deepEqual(entering.map(({ parentRoleId }) => parentRoleId), [installerId, deId]);
  const upperId = entering[0]?.id;
  assertError(await admin.ask("PUT", `/v1/role/${installerId}/manages/${upperId}`, view), 409, UNMANAGED);

  // The rights that get through: the installer's relation is narrower than the country's.
  assert.deepEqual(await admin.holds(siteId, "roleManagement", "deviceManagement", "viewManagement"), [
    true,
    true,
    true,
  ]);
  assert.deepEqual(await admin.holds(siteId, "alarmManagement", "reportManagement"), [false, false]);
  assert.deepEqual(await admin.holds(999_999, "roleManagement"), [false]);

  // A dry run returns what would be deleted. The deletion takes the same, including what only this relation connected.
  const [below] = await admin.post<{ manages: Manages[] }>("/v1/role/*/manages/query", {
    filter: { childRoleId: [installerId] },
  }).then(({ manages }) => manages);
  const kid = await admin.create(installerId, "Only here");
  await admin.put(`/v1/role/${kid}/member?userEmail=kid@example.com`);
  const path = `/v1/role/${nlId}/manages/${below?.id}`;
  const refused = await admin.ask("DELETE", `${path}?dryRun=true`);
  assertError(refused, 409, UNMANAGED, "the site stays, with nobody to manage it");
  await admin.put(attach, ALL);
  const { effect: _, ...planned } = await admin.delete<Deletion & { effect: unknown }>(`${path}?dryRun=true`);
  assert.deepEqual(planned.deletedNodeIds, [installerId, kid]);
  assert.equal(planned.deletedRelationIds.length, 4, "the relation, the two below it, and the membership");
  assert.deepEqual(
    await admin.roleIds(),
    [rootId, nlId, deId, installerId, siteId, kid],
    "a dry run changes nothing",
  );
  assert.deepEqual(await admin.delete(path), planned);
  assert.deepEqual(await admin.roleIds(), [rootId, nlId, deId, siteId]);
  assertError(await admin.ask("DELETE", path), 403, DENIED, "it is gone");
  assert.deepEqual(await admin.holds(siteId, "alarmManagement"), [true]);

  // Ids are never reused.
  const next = await admin.create(nlId, "Next");
  assert.ok(next > kid);
});

forEachApp(
  "a distributor, an installer and a customer hold the rights that the relations between them carry",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const installerId = await admin.create(
      rootId,
      "Installer",
      ALL,
      rights("roleManagement", "userManagement"),
    );
    const customerId = await admin.create(
      installerId,
      "Customer",
      rights("roleManagement", "deviceManagement"),
      ALL,
    );
    const customer = await invite(target, admin, customerId, "customer@example.com");
    const installer = await invite(target, admin, installerId, "installer@example.com");

    assert.deepEqual(await customer.roleIds(), [customerId]);
    assert.deepEqual(await installer.roleIds(), [installerId, customerId]);
    const rightsOn = async (person: Person, id: number): Promise<Rights | undefined> =>
      (await person.post<{ role: Role[] }>("/v1/role/query", { filter: { id: [id] } })).role[0]?.userRights;
    assert.deepEqual(await rightsOn(customer, customerId), ALL);
    assert.deepEqual(await rightsOn(installer, installerId), rights("roleManagement", "userManagement"));
    assert.deepEqual(await rightsOn(installer, customerId), rights("roleManagement", "deviceManagement"));
    assert.equal(await rightsOn(customer, installerId), undefined);

    // The customer sees which roles manage theirs. Only members of roles above can take that away.
    const { manages } = await customer.post<{ manages: Manages[] }>(
      `/v1/role/${customerId}/managed-by/query`,
      {},
    );
    assert.deepEqual(manages.map(({ parentRoleId }) => parentRoleId), [installerId]);
    const [relation] = manages;
    assertError(await customer.ask("DELETE", `/v1/role/${installerId}/manages/${relation?.id}`), 403, DENIED);
    // Taking rights away needs the rights for deleting the relation. Adding one needs rights on the child as well.
    const path = `/v1/role/${installerId}/manages/${relation?.id}`;
    await installer.put(path, rights("roleManagement"));
    assert.deepEqual(await rightsOn(installer, customerId), rights("roleManagement"));
    await installer.put(path, ALL);
    assert.deepEqual(await rightsOn(installer, customerId), ALL);
    assertError(await customer.ask("PUT", path, rights("roleManagement")), 403, DENIED);
  },
);
