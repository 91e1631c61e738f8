/** An administrator builds, reshapes and prunes a hierarchy, and its members hold what its relations carry. */
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
  const orphan = { manages: rights("viewManagement"), role: { name: "Orphan", selfRights: ALL } };
  assertError(await admin.ask("POST", `/v1/role?parentRoleId=${rootId}`, orphan), 409, UNMANAGED);
  const deId = await admin.create(rootId, "Germany");
  const installerId = await admin.create(nlId, "Installer", dm, rights("userManagement"));
  const siteId = await admin.create(installerId, "Site");

  // Attaching: PUT makes a second relation to the site. Repeated it changes nothing; with other rights it updates.
  const attach = `/v1/role/${deId}/manages?childRoleId=${siteId}`;
  const view = rights("viewManagement");
  const attached = await admin.put<{ manages: Manages }>(attach, view);
  const { id: attachedId } = attached.manages;
  assert.deepEqual(attached.manages, { id: attachedId, parentRoleId: deId, childRoleId: siteId, ...view });
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
  const managedBy = `/v1/role/${siteId}/managed-by/query`;
  const { manages: entering } = await admin.post<{ manages: Manages[] }>(managedBy);
  assert.deepEqual(entering.map(({ parentRoleId }) => parentRoleId), [installerId, deId]);
  const upperId = entering[0]?.id;
  assertError(await admin.ask("PUT", `/v1/role/${installerId}/manages/${upperId}`, view), 409, UNMANAGED);

  // The rights that get through: the installer's relation is narrower than the country's.
  const held = await admin.holds(siteId, "roleManagement", "deviceManagement", "viewManagement");
  assert.deepEqual(held, [true, true, true]);
  assert.deepEqual(await admin.holds(siteId, "alarmManagement", "reportManagement"), [false, false]);
  assert.deepEqual(await admin.holds(999_999, "roleManagement"), [false]);

  // A dry run returns what would be deleted. The deletion takes the same, including what only this relation connected.
  const kid = await admin.create(installerId, "Only here");
  await admin.put(`/v1/role/${kid}/member?userEmail=kid@example.com`);
  const path = `/v1/role/${nlId}/manages/${await admin.relationIdOf(nlId, installerId)}`;
  const refused = await admin.ask("DELETE", `${path}?dryRun=true`);
  const blocked = { roles: { count: 1, first: [{ id: siteId, name: "Site 1" }] } };
  assert.deepEqual(refused.body, { statusCode: 409, error: "Conflict", message: UNMANAGED, ...blocked });
  await admin.put(attach, ALL);
  const { effect: _, ...planned } = await admin.delete<Deletion & { effect: unknown }>(`${path}?dryRun=true`);
  assert.deepEqual(planned.deletedNodeIds, [installerId, kid]);
  assert.equal(planned.deletedRelationIds.length, 4, "the relation, the two below it, and the membership");
  const all = [rootId, nlId, deId, installerId, siteId, kid];
  assert.deepEqual(await admin.roleIds(), all, "a dry run changes nothing");
  assert.deepEqual(await admin.delete(path), planned);
  assert.deepEqual(await admin.roleIds(), [rootId, nlId, deId, siteId]);
  assertError(await admin.ask("DELETE", path), 403, DENIED, "it is gone");
  assert.deepEqual(await admin.holds(siteId, "alarmManagement"), [true]);

  // Ids are never reused.
  const next = await admin.create(nlId, "Next");
  assert.ok(next > kid);
});

forEachApp("distributor, installer and customer hold what their relations carry", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const own = rights("roleManagement", "userManagement");
  const carried = rights("roleManagement", "deviceManagement");
  const installerId = await admin.create(rootId, "Installer", ALL, own);
  const customerId = await admin.create(installerId, "Customer", carried, ALL);
  const customer = await invite(target, admin, customerId, "customer@example.com");
  const installer = await invite(target, admin, installerId, "installer@example.com");

  assert.deepEqual(await customer.roleIds(), [customerId]);
  assert.deepEqual(await installer.roleIds(), [installerId, customerId]);
  const rightsOn = async (person: Person, id: number): Promise<Rights | undefined> =>
    (await person.post<{ role: Role[] }>("/v1/role/query", { filter: { id: [id] } })).role[0]?.userRights;
  assert.deepEqual(await rightsOn(customer, customerId), ALL);
  assert.deepEqual(await rightsOn(installer, installerId), own);
  assert.deepEqual(await rightsOn(installer, customerId), carried);
  assert.equal(await rightsOn(customer, installerId), undefined);

  // The customer sees which roles manage theirs. Only members of roles above can take that away.
  const managedBy = `/v1/role/${customerId}/managed-by/query`;
  const { manages } = await customer.post<{ manages: Manages[] }>(managedBy);
  assert.deepEqual(manages.map(({ parentRoleId }) => parentRoleId), [installerId]);
  const path = `/v1/role/${installerId}/manages/${manages[0]?.id}`;
  assertError(await customer.ask("DELETE", path), 403, DENIED);
  // Taking rights away needs the rights for deleting the relation. Adding one needs rights on the child as well.
  await installer.put(path, rights("roleManagement"));
  assert.deepEqual(await rightsOn(installer, customerId), rights("roleManagement"));
  await installer.put(path, ALL);
  assert.deepEqual(await rightsOn(installer, customerId), ALL);
  assertError(await customer.ask("PUT", path, rights("roleManagement")), 403, DENIED);
});
