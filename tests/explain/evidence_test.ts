/** What stays in the log of people, keys and roles that have left. */
import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { execute, forEachApp, testApp } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import { changesOf, fieldsOf } from "./log_scene.ts";

/** Kinds of changes with the addresses of their actors. */
async function deedsOf(person: Person, filter: object = {}): Promise<unknown[][]> {
  return (await changesOf(person, filter)).map(({ kind, actor }) => [kind, actor?.email]);
}

/** An installer with a boss and an employee, and a household below that the installer manages. */
async function openInstaller(target: Parameters<typeof bootstrap>[0]) {
  const { admin, rootId } = await bootstrap(target);
  const installerId = await admin.create(
    rootId,
    "Installer",
    ALL,
    rights("userManagement", "roleManagement"),
  );
  const boss = await invite(target, admin, installerId, "boss@example.com");
  const eve = await invite(target, admin, installerId, "eve@example.com");
  const houseId = await boss.create(installerId, "House", ALL, rights("userManagement"));
  const owner = await invite(target, boss, houseId, "owner@example.com");
  return { admin, rootId, installerId, boss, eve, houseId, owner };
}

forEachApp(
  "a dismissed employee stays named to their organisation, and is a number to others",
  async (target) => {
    const { admin, installerId, boss, eve, houseId, owner } = await openInstaller(target);
    await eve.put(`/v1/role/${houseId}/member?userEmail=friend@example.com`);
    const memberId = await boss.memberIdOf(installerId, "eve@example.com");
    await boss.delete(`/v1/role/${installerId}/member/${memberId}`);
    const let_in = ["member.add", "eve@example.com"];
    for (const reader of [admin, boss]) {
      assert.deepEqual(await deedsOf(reader, { actorEmail: "Eve@example.com" }), [let_in]);
      const [deed] = await changesOf(reader, { actorEmail: "eve@example.com" });
      assert.deepEqual(
        [deed?.memberEmail, deed?.viaRoleId, deed?.viaRoleName],
        ["friend@example.com", installerId, "Installer"],
      );
    }
    // The household sees what was done, by the same number each time, without the staff's addresses.
    const [deed] = await changesOf(boss, { actorEmail: "eve@example.com" });
    assert.deepEqual(await changesOf(owner, { actorEmail: "eve@example.com" }), []);
    const [seen] = await changesOf(owner, { actorId: deed?.actor?.id });
    assert.deepEqual([seen?.revision, seen?.memberEmail], [deed?.revision, "friend@example.com"]);
    assert.deepEqual([seen?.actor?.email, seen?.viaRoleId, seen?.viaRoleName], [null, null, null]);
    // An address without rows, and one without an account, answer alike.
    for (const actorEmail of ["friend@example.com", "nobody@example.com"]) {
      assert.deepEqual(await changesOf(boss, { actorEmail }), []);
    }
  },
);

testApp("of several roles that authorize a change, the log names the oldest", async (target) => {
  const { admin, rootId, installerId, eve, houseId } = await openInstaller(target);
  const lateRoot = await target.bootstrapRoot("late@example.com", "Late root");
  const late = new Person(target, await target.accessToken(lateRoot.userId));
  await admin.put(`/v1/role/${rootId}/manages?childRoleId=${await admin.create(rootId, "Other")}`, ALL);
  await late.put(`/v1/role/${lateRoot.roleId}/member?userEmail=eve@example.com`);
  await eve.put(`/v1/role/${houseId}/member?userEmail=friend@example.com`);
  assert.equal((await changesOf(admin, { actorEmail: "eve@example.com" }))[0]?.viaRoleId, installerId);
  // A membership that is too narrow does not authorize.
  await admin.put(`/v1/role/${installerId}/member?userEmail=eve@example.com`, {
    rights: rights("viewManagement"),
  });
  await admin.put(`/v1/role/${houseId}/member?userEmail=eve@example.com`);
  await eve.put(`/v1/role/${houseId}/member?userEmail=other@example.com`);
  assert.equal((await changesOf(admin, { actorEmail: "eve@example.com" })).at(-1)?.viaRoleId, houseId);
});

testApp(
  "deleting a role, and one parent after the other, does not hide who acted through it from those above",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const depth = 150;
    const chain = [rootId];
    for (let i = 0; i < depth; i++) chain.push(await admin.create(chain[i] ?? 0, `Level ${i}`));
    const lowestId = chain.at(-1) ?? 0;
    const eve = await invite(target, admin, lowestId, "eve@example.com");
    await eve.put(`/v1/role/${lowestId}/member?userEmail=friend@example.com`);
    for (let i = depth; i > 0; i--) {
      const [parentId = 0, childId = 0] = [chain[i - 1], chain[i]];
      await admin.delete(`/v1/role/${parentId}/manages/${await admin.relationIdOf(parentId, childId)}`);
    }
    const deed = ["member.add", "eve@example.com"];
    assert.deepEqual(await deedsOf(admin, { actorEmail: "eve@example.com" }), [deed]);
    const ofRole = await changesOf(admin, { roleId: lowestId });
    const kinds = ["role.create", "member.add", "member.add", "manages.delete"];
    assert.deepEqual(ofRole.map(({ kind }) => kind), kinds);
    assert.deepEqual(
      [ofRole[2]?.viaRoleId, ofRole[2]?.viaRoleName, ofRole[2]?.actor?.email],
      [lowestId, `Level ${depth - 1}`, "eve@example.com"],
    );
  },
);

testApp("an erased account keeps its number in the log", async (target) => {
  const { installerId, boss, eve, houseId } = await openInstaller(target);
  await eve.put(`/v1/role/${houseId}/member?userEmail=friend@example.com`);
  const id = (await changesOf(boss, { actorEmail: "eve@example.com" }))[0]?.actor?.id ?? assert.fail();
  await target.setPassword(id, "eleven purple staplers");
  await new Person(target, (await target.createUser("eve@example.com")).accessToken).delete("/user");
  assert.deepEqual(await changesOf(boss, { actorEmail: "eve@example.com" }), []);
  const actor = { type: "user", id, email: null, erased: true };
  assert.deepEqual(fieldsOf(await changesOf(boss, { actorId: id }), "kind", "actor", "viaRoleId"), [
    ["member.add", actor, installerId],
    ["member.leave", actor, installerId],
  ]);
});

testApp("rows tell the names of then, and a renaming both names", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "First");
  await admin.put(`/v1/role/${siteId}`, { name: "Second", selfRights: ALL });
  await admin.put(`/v1/role/${siteId}/member?userEmail=guest@example.com`);
  await admin.put(`/v1/role/${siteId}`, { name: "Third", selfRights: rights() });
  await admin.put(`/v1/role/${siteId}`, { name: "Third", selfRights: ALL });
  const rows = await changesOf(admin, { roleId: siteId });
  assert.deepEqual(fieldsOf(rows, "kind", "roleName", "oldName", "newName"), [
    ["role.create", "First", null, null],
    ["role.update", "Second", "First", "Second"],
    ["member.add", "Second", null, null],
    ["role.update", "Third", "Second", "Third"],
    ["role.update", "Third", null, null],
  ]);
});

testApp("the log is a file for a spreadsheet, with names beside ids", async (target) => {
  const { installerId, boss, eve, houseId } = await openInstaller(target);
  await eve.put(`/v1/role/${houseId}/member?userEmail=%3Dfriend@example.com`, {
    rights: rights("viewManagement"),
  });
  const ask = (body: object) =>
    boss.ask("POST", "/v1/change/query", body, { headers: { Accept: "text/csv" } });
  const answer = await ask({ filter: { actorEmail: "eve@example.com" } });
  assert.equal(answer.headers.get("Content-Disposition"), 'attachment; filename="changes.csv"');
  const [row] = await changesOf(boss, { actorEmail: "eve@example.com" });
  const [header, ...lines] = answer.text.trimEnd().split("\r\n");
  assert.ok(
    header?.startsWith(
      "revision,at,actorType,actorId,actor,viaRoleId,viaRoleName,kind,decision,roleId,roleName,",
    ),
  );
  const line =
    `${row?.revision},${new Date(target.clock.now()).toISOString()},user,${row?.actor?.id},eve@example.com,` +
    `${installerId},Installer,member.add,ok,${houseId},House,,,,,,'=friend@example.com,,,,,,viewManagement,,,,,,0,0,,,,,,${row?.memberId}`;
  assert.deepEqual(lines, [line]);
  assert.equal((await ask({})).text.trimEnd().split("\r\n").length, 1 + (await changesOf(boss)).length);
  for (const body of [{ limit: 5 }, { wait: 1 }]) assert.equal((await ask(body)).status, 400);
});

testApp("before a role was imported, who had access to it is a 410 with the time", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const guest = await invite(target, admin, await admin.create(rootId, "Elsewhere"), "guest@example.com");
  const before = new Date(target.clock.now()).toISOString();
  target.clock.advance(60);
  const siteId = await admin.create(rootId, "Site");
  const since = new Date(target.clock.now()).toISOString();
  target.clock.advance(60);
  const list = `/v1/role/${siteId}/access/query`;
  assert.deepEqual((await admin.post<{ access: unknown[] }>(list, { asOf: before })).access, []);
  await execute(target, "UPDATE change_log SET kind = 'hierarchy.import' WHERE role_id = :siteId", {
    siteId,
  });
  for (
    const [path, body] of [
      [list, {}],
      ["/v1/rights/explain", { roleId: siteId, right: "viewManagement" }],
    ] as const
  ) {
    const answer = await admin.ask("POST", path, { ...body, asOf: before });
    assert.deepEqual(answer.body, { statusCode: 410, error: "Gone", message: "BEFORE_HISTORY", since });
    assert.equal((await admin.ask("POST", path, { ...body, asOf: since })).status, 200);
    // To others, the role answers like an unknown one.
    const unknown = { ...body, ...("roleId" in body ? { roleId: 987_654 } : {}), asOf: before };
    const other = await guest.ask("POST", path.replace(String(siteId), "987654"), unknown);
    assert.equal((await guest.ask("POST", path, { ...body, asOf: before })).text, other.text);
  }
});

forEachApp("a refused change of the role 0, which no role is, does not hold up the log", async (target) => {
  const { admin } = await bootstrap(target);
  assert.equal((await admin.ask("PUT", "/v1/role/0", { name: "Nothing", selfRights: ALL })).status, 403);
  assert.deepEqual(await deedsOf(admin, { roleId: 0 }), []);
  assert.equal((await deedsOf(admin)).length, 1);
});
