/** The log of changes: who sees which change and what of it, filters and pages. */
import assert from "node:assert/strict";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, DENIED, execute, query, queryNumber, testApp, UNVERIFIED } from "../helpers/http.ts";
import { bootstrap, type Deletion, invite, type Manages, type Member, Person } from "../helpers/person.ts";
import { makeProgram } from "../key/key_scene.ts";
import { type Change, type ChangePage, changesOf, fieldsOf, readLog } from "./log_scene.ts";
import { passwordScene, RIGHT } from "../role/role_password_scene.ts";

/** What the person sees, each change in short. */
async function seen(person: Person, body: object = {}): Promise<string[]> {
  return (await readLog(person, body)).change.map(({ kind, decision }) => `${kind} ${decision}`);
}

/** The last change that the person sees. */
async function lastSeen(person: Person, filter: object = {}): Promise<Change> {
  const last = (await changesOf(person, filter)).at(-1);
  assert.ok(last);
  return last;
}

/** The address or name of a change's actor. */
function nameOf({ actor }: Change): string | null | undefined {
  return actor?.type === "key" ? actor.name : actor?.email;
}

const VIEW = rights("viewManagement");
const MINE = { name: "Mine", selfRights: ALL };

testApp(
  "a key that asks, without a right, reads the changes about its role and those below",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const siteId = await admin.create(rootId, "Site", ALL, rights());
    const belowId = await admin.create(siteId, "Below", rights("roleManagement"), rights());
    const { program: asking } = await makeProgram(target, admin, siteId, { rights: rights(), asks: true });
    const { program: other } = await makeProgram(target, admin, siteId, { rights: rights() });
    const after = (await readLog(asking)).nextRevision;
    await admin.create(rootId, "Hidden");
    await admin.put(`/v1/role/${belowId}/member?userEmail=reader@example.com`, {});
    const { change } = await readLog(asking, { after });
    assert.deepEqual(fieldsOf(change, "kind", "roleId", "memberEmail", "viaRoleId"), [
      ["member.add", belowId, "reader@example.com", null],
    ]);
    assert.deepEqual(await seen(asking, { filter: { roleId: rootId } }), []);
    assert.deepEqual(await seen(other), []);
    // What the log shows is no right to undo it.
    assertError(await asking.ask("POST", `/v1/change/${change[0]?.revision}/undo`), 403, DENIED);
  },
);

testApp("managers of a role and of its parent see a change, and others do not", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const upperId = await admin.create(rootId, "Upper", ALL, rights("userManagement"));
  const lowerId = await admin.create(rootId, "Lower", ALL, rights("userManagement"));
  const upper = await invite(target, admin, upperId, "upper@example.com");
  const lower = await invite(target, admin, lowerId, "lower@example.com");
  const viewer = await invite(target, admin, upperId, "viewer@example.com");
  await admin.put(`/v1/role/${upperId}/member?userEmail=viewer@example.com`, { rights: VIEW });
  const after = (await readLog(admin)).nextRevision;
  const path = `/v1/role/${upperId}/manages?childRoleId=${lowerId}`;
  const { manages } = await admin.put<{ manages: Manages }>(path, VIEW);
  const [{ revision, at, ...change } = assert.fail(), ...others] = (await readLog(admin, { after })).change;
  assert.deepEqual(others, []);
  assert.equal(revision, after + 1);
  assert.equal(at, new Date(target.clock.now()).toISOString());
  assert.deepEqual(change, {
    kind: "manages.put",
    decision: "ok",
    actor: { type: "user", id: 1, email: ADMIN },
    viaRoleId: rootId,
    viaRoleName: "Energy Inc",
    roleId: lowerId,
    roleName: "Lower",
    oldName: null,
    newName: null,
    parentRoleId: upperId,
    parentRoleName: "Upper",
    managesId: manages.id,
    memberId: null,
    memberEmail: null,
    oldFrom: null,
    oldUntil: null,
    from: null,
    importRun: null,
    until: null,
    keyId: null,
    keyName: null,
    deviceId: null,
    devices: null,
    deviceIds: [],
    nodeId: null,
    oldRights: null,
    newRights: VIEW,
    oldAuthenticationPolicy: null,
    newAuthenticationPolicy: null,
    undoes: null,
    deletedNodeIds: [],
    deletedRoles: 0,
    deletedDevices: 0,
    deletedRelationIds: [],
  });
  // They do not see the root, and so neither through which role it was done nor the address.
  const actor = { type: "user", id: 1, email: null };
  const whole = { revision, at, ...change, actor, viaRoleId: null, viaRoleName: null };
  assert.deepEqual((await readLog(upper, { after })).change, [whole]);
  const hidden = { parentRoleId: null, parentRoleName: null };
  assert.deepEqual((await readLog(lower, { after })).change, [{ ...whole, ...hidden }]);
  assert.deepEqual(await readLog(viewer, { after }), { change: [], nextRevision: revision });
});

testApp("managers of a role see a refusal, and its actor only if the actor has access", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { userId } = await target.createUser("stranger@example.com");
  const stranger = new Person(target, await target.accessToken(userId));
  const foreign = await target.bootstrapRoot("foreign@example.com", "Foreign");
  const owner = new Person(target, await target.accessToken(foreign.userId));
  const after = (await readLog(admin)).nextRevision;
  for (const person of [stranger, owner]) {
    assertError(await person.ask("PUT", `/v1/role/${rootId}`, MINE), 403, DENIED);
  }
  const path = `/v1/role/${foreign.roleId}/manages?childRoleId=`;
  assertError(await owner.ask("PUT", `${path}${rootId}`, ALL), 403, DENIED);
  const { change } = await readLog(admin, { after });
  const unnamed = (id: number) => ({ type: "user", id, email: null });
  assert.deepEqual(fieldsOf(change, "kind", "decision", "actor", "viaRoleId", "roleId", "parentRoleId"), [
    ["role.update", "denied", unnamed(userId), null, rootId, null],
    ["role.update", "denied", unnamed(foreign.userId), null, rootId, null],
    ["manages.put", "denied", unnamed(foreign.userId), null, rootId, null],
  ]);
  assert.deepEqual(await seen(stranger), [], "who manages nothing sees nothing");
  // Of a role that they do not see, they learn not even the id that they sent: whether it exists would show.
  const own = await lastSeen(owner);
  assert.deepEqual(fieldsOf([own], "kind", "roleId", "parentRoleId"), [[
    "manages.put",
    null,
    foreign.roleId,
  ]]);
  assert.equal(nameOf(own), "foreign@example.com");
  await owner.ask("PUT", `${path}987654`, ALL);
  assert.equal((await lastSeen(owner)).roleId, null);
  for (const roleId of [rootId, 987_654]) assert.deepEqual(await seen(owner, { filter: { roleId } }), []);
});

testApp("a refused invitation does not reveal whether the address has an account", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const guest = await invite(target, admin, await admin.create(roleId, "Low"), "guest@example.com");
  await target.createUser("known@example.com");
  for (const address of ["known@example.com", "unknown@example.com"]) {
    target.clock.advance(60);
    assertError(await guest.ask("PUT", `/v1/role/${roleId}/member?userEmail=${address}`), 403, DENIED);
    const change = await lastSeen(admin);
    assert.deepEqual(fieldsOf([change], "kind", "decision", "memberEmail"), [["member.add", "denied", null]]);
    assert.equal(nameOf(change), null);
  }
  // Earlier versions stored whose address it was.
  await execute(
    target,
    `UPDATE change_log SET subject_id = (SELECT id FROM user_account WHERE email = 'known@example.com')
      WHERE kind = 'member.add' AND decision = 'denied'`,
  );
  assert.equal((await lastSeen(admin)).memberEmail, null);
});

testApp("refused invitations share a row, for addresses with and without an account", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const path = `/v1/role/${roleId}/member?userEmail=`;
  const limited = await invite(target, admin, roleId, "limited@example.com");
  await admin.put(`${path}limited@example.com`, { rights: rights("userManagement") });
  await target.createUser("known@example.com");
  await admin.put(`${path}former@example.com`, { until: new Date(target.clock.now() + 1000).toISOString() });
  const { nextRevision: after } = await readLog(limited);
  for (const names of [["unknown", "known", "former", "other"], ["former"]]) {
    target.clock.advance(60);
    for (const name of names) {
      assertError(await limited.ask("PUT", `${path}${name}@example.com`, { rights: ALL }), 403, DENIED);
    }
  }
  const { change } = await readLog(limited, { after });
  const refusals = fieldsOf(change, "decision", "memberEmail", "deletedRelationIds");
  assert.deepEqual(refusals, [["denied", null, []], ["denied", null, []]]);
});

testApp("the log names whose membership began, changed or ended, and what was deleted", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const path = `/v1/role/${roleId}/member`;
  const { member } = await admin.put<{ member: Member }>(`${path}?userEmail=guest@example.com`);
  const until = new Date(target.clock.now() + 60_000).toISOString();
  await admin.put(`${path}?userEmail=guest@example.com`, { rights: VIEW, until });
  await admin.delete(`${path}/${member.id}`);
  const rows = await changesOf(admin, { roleId });
  const names = ["memberEmail", "oldRights", "newRights", "oldUntil", "until", "deletedRelationIds"] as const;
  assert.deepEqual(fieldsOf(rows, "kind", ...names), [
    ["role.create", null, null, ALL, null, null, []],
    ["member.add", "guest@example.com", null, ALL, null, null, []],
    ["member.update", "guest@example.com", ALL, VIEW, null, until, []],
    ["member.remove", "guest@example.com", VIEW, null, until, null, [member.id]],
  ]);
});

testApp("changes of a deleted role are shown to the managers of its former parent", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const areaId = await admin.create(rootId, "Area", ALL, rights("userManagement"));
  const otherId = await admin.create(rootId, "Other", ALL, rights("userManagement"));
  const area = await invite(target, admin, areaId, "area@example.com");
  const other = await invite(target, admin, otherId, "other@example.com");
  const siteId = await admin.create(areaId, "Site", rights("roleManagement"));
  const path = `/v1/role/${siteId}/member?userEmail=guest@example.com`;
  const { member } = await admin.put<{ member: Member }>(path);
  const filter = { roleId: siteId };
  assert.deepEqual(await seen(other, { filter }), []);
  const { managesId } = await lastSeen(admin, { roleId: siteId, kind: "role.create" });
  const deletion = await admin.delete<Deletion>(`/v1/role/${areaId}/manages/${managesId}`);
  const expected = ["role.create ok", "member.add ok", "manages.delete ok"];
  for (const person of [admin, area]) {
    assert.deepEqual(await seen(person, { filter }), expected);
    const last = await lastSeen(person, filter);
    const { deletedNodeIds, deletedRelationIds } = last;
    assert.deepEqual(
      fieldsOf([last], "roleId", "roleName", "parentRoleId", "deletedRoles", "deletedDevices"),
      [
        [siteId, "Site", areaId, 1, 0],
      ],
    );
    assert.deepEqual({ deletedNodeIds, deletedRelationIds }, deletion);
    assert.ok(last.deletedRelationIds.includes(member.id));
  }
  assert.deepEqual(await seen(other, { filter }), []);
  // Only they who managed the role knew its members.
  assert.equal((await lastSeen(area, { kind: "member.add", roleId: siteId })).memberEmail, null);
});

testApp("pages follow the log to its end in order, without gap or repetition", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  for (let i = 0; i < 7; i++) await admin.create(rootId, `Role ${i}`);
  const { change: all, nextRevision: end } = await readLog(admin);
  const revisions = all.map(({ revision }) => revision);
  assert.deepEqual(revisions, revisions.toSorted((a, b) => a - b));
  for (const filter of [{}, { roleId: rootId }]) {
    const read: number[] = [];
    let after = 0;
    for (;;) {
      const page = await readLog(admin, { filter, after, limit: 2 });
      read.push(...page.change.map(({ revision }) => revision));
      assert.equal(page.change.length < 2, page.nextRevision === end && page.change.at(-1)?.revision !== end);
      if (page.change.length < 2) break;
      assert.equal(page.nextRevision, page.change.at(-1)?.revision);
      after = page.nextRevision;
    }
    assert.deepEqual(read, revisions);
  }
});

testApp("a reader beyond the end, as after a restore, continues from the end", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { nextRevision: end } = await readLog(admin);
  const inTheFuture = new Date(target.clock.now() + 1000).toISOString();
  const filters = [{}, { roleId: rootId }, { from: inTheFuture }, { to: new Date(0).toISOString() }];
  for (const filter of filters) {
    assert.deepEqual(
      await readLog(admin, { filter, after: end + 1000 }),
      { change: [], nextRevision: end },
      JSON.stringify(filter),
    );
    // A reader at the end never goes back, for any period.
    assert.equal((await readLog(admin, { filter, after: end })).nextRevision, end);
  }
});

testApp("a page reads a limited number of rows and says how far it came", async (target) => {
  const { admin } = await bootstrap(target);
  const { nextRevision: after } = await readLog(admin);
  await execute(
    target,
    `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
      SELECT 'hidden ' || value, 0, 0, 's', 'role.update', 'ok', 'none'
      FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 25000) SELECT value FROM n)`,
  );
  const first = await readLog(admin, { after });
  assert.deepEqual(first, { change: [], nextRevision: after + 20_000 });
  const second = await readLog(admin, { after: first.nextRevision });
  assert.deepEqual(second, { change: [], nextRevision: after + 25_000 });
  // Many purged rows are no rows to look at.
  await execute(target, `DELETE FROM change_log WHERE rev < ${after + 25_000}`);
  assert.equal((await readLog(admin)).nextRevision, after + 25_000);
});

testApp("filters by kind, decision, time and actor narrow the log", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const guest = await invite(target, admin, roleId, "guest@example.com");
  target.clock.advance(100);
  const begun = new Date(target.clock.now()).toISOString();
  assertError(await guest.ask("PUT", `/v1/role/${rootId}`, MINE), 403, DENIED);
  await guest.create(roleId, "Theirs");
  target.clock.advance(100);
  const ended = new Date(target.clock.now() - 1).toISOString();
  await admin.create(rootId, "Later");
  const between = { from: begun, to: ended };
  assert.deepEqual(await seen(admin, { filter: between }), ["role.update denied", "role.create ok"]);
  assert.deepEqual(await seen(admin, { filter: { ...between, kind: "role.create" } }), ["role.create ok"]);
  assert.deepEqual(await seen(admin, { filter: { ...between, decision: "denied" } }), ["role.update denied"]);
  const from = new Date(target.clock.now() + 1).toISOString();
  assert.deepEqual(await seen(admin, { filter: { from } }), []);
  assert.deepEqual(await seen(admin, { filter: { to: "1999-01-01T00:00:00+01:00" } }), []);
  // The guest has no access to the root, so the refused attempt names no actor, and a filter by actor omits it.
  assert.deepEqual(await seen(admin, { filter: { actorEmail: "Guest@example.com" } }), ["role.create ok"]);
  assert.deepEqual(await seen(admin, { filter: { actorEmail: "nobody@example.com" } }), []);
  assert.deepEqual(await seen(guest, { filter: { actorEmail: "guest@example.com" } }), ["role.create ok"]);
  const { actor } = await lastSeen(admin, { decision: "denied" });
  assert.deepEqual(await seen(admin, { filter: { actorId: actor?.id } }), [
    "role.update denied",
    "role.create ok",
  ]);
});

testApp("a filter by member finds a person's memberships, also once they have left", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const otherId = await admin.create(rootId, "Others");
  const guest = await invite(target, admin, roleId, "guest@example.com");
  const other = await invite(target, admin, otherId, "other@example.com");
  const filter = { memberEmail: "Guest@example.com" };
  const { member: [{ id } = { id: 0 }] } = await admin.post<{ member: { id: number }[] }>(
    `/v1/role/${roleId}/member/query`,
    { filter: { userEmail: ["guest@example.com"] } },
  );
  target.clock.advance(100);
  await admin.ask("DELETE", `/v1/role/${roleId}/member/${id}`);
  assert.deepEqual(await seen(admin, { filter }), ["member.add ok", "member.remove ok"]);
  assert.deepEqual(await seen(admin, { filter: { ...filter, roleId } }), [
    "member.add ok",
    "member.remove ok",
  ]);
  assert.deepEqual(await seen(admin, { filter: { memberEmail: "nobody@example.com" } }), []);
  // Refusals do not reveal whether an address has an account.
  assertError(
    await other.ask("PUT", `/v1/role/${roleId}/member?userEmail=guest@example.com`, {}),
    403,
    DENIED,
  );
  assert.deepEqual(await seen(admin, { filter: { ...filter, decision: "refused" } }), []);
  assert.deepEqual(await seen(admin, { filter: { decision: "refused" } }), ["member.add denied"]);
  for (const person of [guest, other]) assert.deepEqual(await seen(person, { filter }), []);
});

passwordScene("an attempt with a role's password is shown after its decision", async (scene) => {
  const { target, upper, stranger, midId, foreignId, setPassword, put, hook, ask } = scene;
  await setPassword(upper, midId, RIGHT);
  const changes = async (after: number): Promise<ChangePage> =>
    (await ask(upper, "POST", "/v1/change/query", { body: { filter: { roleId: midId }, after } }))
      .body as ChangePage;
  let { nextRevision: after } = await changes(0);
  for (const [password, decision] of [["not the password", "denied"], [RIGHT, "ok"]] as const) {
    let passed = 0;
    hook.compare = async () => {
      const page = await changes(after);
      assert.deepEqual(page.change, [], "while the password is compared");
      passed = page.nextRevision;
    };
    await put(stranger, foreignId, midId, password, VIEW);
    const page = await changes(passed);
    assert.deepEqual(page.change.map(({ kind, decision }) => [kind, decision]), [["manages.put", decision]]);
    after = page.nextRevision;
  }
  // What was not compared was no attempt.
  hook.compare = () => Promise.reject(new Error("no room"));
  await put(stranger, foreignId, midId, RIGHT, ALL);
  assert.deepEqual((await changes(after)).change, []);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log WHERE step = 'compare'"), 0);
});

testApp("a preview does not appear in the log", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const { managesId } = await lastSeen(admin, { roleId });
  await admin.delete(`/v1/role/${rootId}/manages/${managesId}?dryRun=true`);
  assert.equal((await lastSeen(admin)).kind, "role.create");
});

testApp("refusals that share a row are shown once, as the first of them", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const guest = await invite(target, admin, await admin.create(rootId, "Guests"), "guest@example.com");
  const { nextRevision: after } = await readLog(admin);
  for (let i = 0; i < 3; i++) {
    await guest.ask("PUT", `/v1/role/${rootId}`, { name: `Mine ${i}`, selfRights: ALL });
  }
  const { change, nextRevision } = await readLog(admin, { after });
  assert.deepEqual(change.map(({ decision }) => decision), ["denied"]);
  await guest.ask("PUT", `/v1/role/${rootId}`, MINE);
  assert.deepEqual((await readLog(admin, { after: nextRevision })).change, []);
});

testApp("an account's deletion is logged as leaving roles, and its id is never reused", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleIds = [await admin.create(rootId, "One"), await admin.create(rootId, "Two")];
  for (const roleId of roleIds) await admin.put(`/v1/role/${roleId}/member?userEmail=guest@example.com`);
  const before = await target.createUser("guest@example.com");
  await target.setPassword(before.userId, "eleven purple staplers");
  const { nextRevision: after } = await readLog(admin);
  await new Person(target, before.accessToken).delete("/user");
  const { userId: next } = await target.createUser("guest@example.com");
  const { change } = await readLog(admin, { after });
  assert.deepEqual(
    fieldsOf(change, "kind", "actor", "roleId", "memberEmail"),
    roleIds.map((
      roleId,
    ) => ["member.leave", { type: "user", id: before.userId, email: null, erased: true }, roleId, null]),
  );
  const people = await query<{ id: number }>(
    target,
    "SELECT DISTINCT user_id AS id FROM member_history ORDER BY id",
  );
  assert.ok(people.some(({ id }) => id === before.userId) && people.every(({ id }) => id < next));
});

testApp("a key reads the log of the roles it manages and is named as the actor", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Site");
  const hiddenId = await admin.create(rootId, "Hidden");
  const { key, secret } = await admin.post<{ key: { id: number }; secret: string }>(
    `/v1/role/${roleId}/key`,
    { name: "gateway" },
  );
  const { nextRevision: after } = await readLog(admin);
  const program = new Person(target, secret);
  await program.ask("PUT", `/v1/role/${roleId}`, MINE);
  await program.create(roleId, "Below");
  await program.ask("PUT", `/v1/role/${hiddenId}`, MINE);
  const named = { type: "key", id: key.id, name: "gateway", email: null };
  const shown = async (person: Person) =>
    fieldsOf((await readLog(person, { after })).change, "kind", "decision", "actor", "roleId");
  const belowId = (await lastSeen(admin, { kind: "role.create" })).roleId;
  assert.deepEqual(await shown(program), [
    ["role.update", "denied", named, roleId],
    ["role.create", "ok", named, belowId],
  ]);
  const before = await shown(admin);
  assert.deepEqual(before.at(-1), ["role.update", "denied", { ...named, name: null }, hiddenId]);
  await admin.delete(`/v1/role/${roleId}/key/${key.id}`);
  const { keyName, deletedRelationIds } = await lastSeen(admin);
  assert.deepEqual([keyName, deletedRelationIds], ["gateway", [key.id]]);
  // The name of a deleted key stays. Of a refusal, it was shown for the access that the key had.
  const [refused, ...made] = before;
  assert.deepEqual((await shown(admin)).slice(1, before.length), made);
  assert.deepEqual(
    (await shown(admin))[0],
    refused?.map((field) => field === refused[2] ? { ...named, name: null } : field),
  );
  assert.deepEqual(await seen(admin, { filter: { keyId: key.id } }), [
    "key.create ok",
    "role.update denied",
    "role.create ok",
    "role.update denied",
    "key.delete ok",
  ]);
  assertError(await program.ask("POST", "/v1/change/query"), 401, UNVERIFIED);
});

testApp("managers of the former parent see that a role was moved away", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [fromId, toId] = [await admin.create(rootId, "From"), await admin.create(rootId, "To")];
  const from = await invite(target, admin, fromId, "from@example.com");
  const to = await invite(target, admin, toId, "to@example.com");
  const siteId = await admin.create(fromId, "Site");
  const { managesId: oldId } = await lastSeen(admin, { roleId: siteId });
  const { nextRevision: after } = await readLog(admin);
  const path = `/v1/role/${toId}/manages?childRoleId=${siteId}&replaces=${oldId}`;
  const { manages } = await admin.put<{ manages: Manages }>(path, ALL);
  const names = ["kind", "roleId", "parentRoleId", "managesId", "deletedRelationIds"] as const;
  const shown = async (person: Person) => fieldsOf((await readLog(person, { after })).change, ...names);
  const move = ["manages.move", siteId, toId, manages.id, [oldId]];
  const loss = (...ids: (number | null)[]) => ["manages.delete", ...ids, oldId, [oldId]];
  assert.deepEqual(await shown(admin), [move, loss(siteId, fromId)]);
  // They do not see any more where the role is, and the others not where it was.
  assert.deepEqual(await shown(from), [loss(null, fromId)]);
  assert.deepEqual(await shown(to), [move, loss(siteId, null)]);
});
