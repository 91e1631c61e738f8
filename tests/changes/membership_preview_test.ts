/** Previews of changes to members and keys, and changes on condition of the previewed effect. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { recordRows } from "../db/bounds/rows_recorder.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, DENIED, execute, query, queryNumber, type Sent, testApp } from "../helpers/http.ts";
import { administrator, bootstrap, type Member, Person } from "../helpers/person.ts";
import { testKind } from "../helpers/databases.ts";
import { openTestApp, requestsTo, type TestApp } from "../helpers/test_app.ts";
import { makeProgram } from "../key/key_scene.ts";
import { effectIn, ifEffect, NOTHING, preview } from "./effect_scene.ts";

const VIEW = rights("viewManagement");
const INVITATIONS = "SELECT count FROM throttle WHERE scope = 'invitation.caller'";
const WITHOUT_MEMBER = "The root role would be left without a member";

/** Root above site above room; the room has no rights on itself. */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site", ALL, VIEW);
  const roomId = await admin.create(siteId, "Room", rights("roleManagement", "viewManagement"), rights());
  return { admin, rootId, siteId, roomId };
}

/** All that a change of members could touch, except the log and the throttles. */
async function readState(target: TestApp): Promise<string> {
  const tables = ["member", "role_key", "user_account", "id_sequence", "outbox", "password_link"];
  return JSON.stringify(await Promise.all(tables.map((table) => query(target, `SELECT * FROM ${table}`))));
}

testApp("a preview shows what a new member gets, for known and unknown addresses", async (target) => {
  const { admin, siteId, roomId } = await setScene(target);
  await target.createUser("known@example.com");
  const before = await readState(target);
  const pathOf = (email: string) => `/v1/role/${siteId}/member?userEmail=${email}`;
  const unknown = await admin.ask("PUT", `${pathOf("new@example.com")}&dryRun=true`);
  const { tag, revision: _, ...effect } = effectIn(unknown);
  const { tag: __, revision: ___, ...ofKnown } = await preview(admin, "PUT", pathOf("known@example.com"));
  assert.deepEqual(JSON.parse(JSON.stringify(ofKnown).replace("known@", "new@")), effect);
  assert.deepEqual((unknown.body as { member: unknown }).member, {
    id: null,
    roleId: siteId,
    userEmail: "new@example.com",
  });
  assert.deepEqual([effect.people, effect.unmanaged, effect.hidden], [{ gained: 1, lost: 0 }, [], 0]);
  assert.deepEqual(effect.changes, [
    { actingRoleId: siteId, roleId: siteId, gained: ["viewManagement"], lost: [] },
    { actingRoleId: siteId, roleId: roomId, gained: ["roleManagement", "viewManagement"], lost: [] },
  ]);
  assert.equal(await readState(target), before, "an invitation was made");
  assert.equal(await queryNumber(target, INVITATIONS), 2);

  const path = pathOf("new@example.com");
  const made = await admin.ask("PUT", path, undefined, ifEffect(tag));
  assert.equal(made.status, 200, made.text);
  assert.ok((made.body as { member: Member }).member.id > 0);
  const mails = "SELECT count(*) FROM outbox WHERE recipient = 'new@example.com'";
  assert.equal(await queryNumber(target, mails), 1);
  const again = await admin.ask("PUT", path, undefined, ifEffect(tag));
  assert.equal(again.text, made.text, "it is done already");
  assertError(await admin.ask("PUT", path, { rights: VIEW }, ifEffect(tag)), 409, "EFFECT_CHANGED");
});

testApp("a preview of a new member counts as an invitation", async (target) => {
  const { admin, siteId, roomId } = await setScene(target);
  const path = `/v1/role/${siteId}/member?userEmail=`;
  for (let i = 0; i < 50; i++) {
    assert.equal((await admin.ask("PUT", `${path}user${i}@example.com&dryRun=true`)).status, 200);
  }
  for (const query of ["&dryRun=true", ""]) {
    assertError(await admin.ask("PUT", `${path}more@example.com${query}`), 429, "TOO_MANY_INVITATIONS");
  }
  // What concerns a member who is there does not count.
  const { userId } = await target.createUser("member@example.com");
  await execute(target, `INSERT INTO member (id, role_id, user_id) VALUES (1000000, ${roomId}, ${userId})`);
  const change = `/v1/role/${roomId}/member?userEmail=member@example.com&dryRun=true`;
  assert.equal((await admin.ask("PUT", change, { rights: VIEW })).status, 200);
});

testApp("a preview and its change are one invitation, also as the day's last", async (target) => {
  const { admin, siteId } = await setScene(target);
  const path = `/v1/role/${siteId}/member?userEmail=new@example.com`;
  const { tag } = await preview(admin, "PUT", path);
  assert.equal(await queryNumber(target, INVITATIONS), 1);
  await execute(target, "UPDATE throttle SET count = 50 WHERE scope = 'invitation.caller'");
  assert.equal((await admin.ask("PUT", path, undefined, ifEffect(tag))).status, 200);
  assert.equal(await queryNumber(target, INVITATIONS), 50);
  // A tag that is not of this change lets no more be tried than the limit does.
  const next = `/v1/role/${siteId}/member?userEmail=next@example.com`;
  assertError(await admin.ask("PUT", `${next}&dryRun=true`), 429, "TOO_MANY_INVITATIONS");
  assertError(await admin.ask("PUT", next, undefined, ifEffect(tag)), 429, "TOO_MANY_INVITATIONS");
});

testApp("a tag saves no invitation when its member is added again, or on a later day", async (target) => {
  const { admin, siteId } = await setScene(target);
  const path = `/v1/role/${siteId}/member`;
  const ask = async (query: string, sent: Sent = {}) =>
    (await administrator(target)).ask("PUT", `${path}?userEmail=new@example.com${query}`, undefined, sent);
  const condition = ifEffect(effectIn(await ask("&dryRun=true")).tag);
  await ask("&dryRun=true");
  assert.equal(await queryNumber(target, INVITATIONS), 1, "previews of one addition count once");
  for (const count of [1, 2]) {
    const { member } = (await ask("", condition)).body as { member: Member };
    assert.equal(await queryNumber(target, INVITATIONS), count);
    await admin.delete(`${path}/${member.id}`);
  }
  await ask("&dryRun=true");
  assert.equal(await queryNumber(target, INVITATIONS), 3);
  target.clock.advance(86_400);
  assert.equal((await ask("", condition)).status, 200);
  assert.equal(await queryNumber(target, INVITATIONS), 1);
});

testApp("only people whom the caller sees in no list of access count as invited", async (target) => {
  const { admin, siteId, roomId } = await setScene(target);
  const roomMember = await target.createUser("room@example.com");
  await target.bootstrapRoot("foreign@example.com", "Elsewhere");
  const ended = await target.createUser("ended@example.com");
  const members: [number, number, string][] = [
    [roomId, roomMember.userId, "NULL"],
    [roomId, ended.userId, String(target.clock.now())],
  ];
  for (const [roleId, userId, endsAt] of members) {
    const id = 1_000_000 + userId;
    await execute(
      target,
      `INSERT INTO member (id, role_id, user_id, ends_at) VALUES (${id}, ${roleId}, ${userId}, ${endsAt})`,
    );
  }
  const counts: [string, number][] = [
    ["room@example.com", 0],
    // The administrator manages neither the other root nor a role that they are still a member of.
    ["foreign@example.com", 1],
    ["ended@example.com", 2],
    ["nobody@example.com", 3],
  ];
  for (const [email, count] of counts) {
    const path = `/v1/role/${siteId}/member?userEmail=${email}`;
    const { tag } = await preview(admin, "PUT", path);
    assert.equal((await admin.ask("PUT", path, undefined, ifEffect(tag))).status, 200);
    const [row] = await query<{ count: number }>(target, INVITATIONS);
    assert.equal(row?.count ?? 0, count, email);
  }
  await execute(target, "UPDATE throttle SET count = 50 WHERE scope = 'invitation.caller'");
  await target.createUser("second@example.com");
  const more = await admin.create(siteId, "More");
  assert.equal((await admin.ask("PUT", `/v1/role/${more}/member?userEmail=room@example.com`)).status, 200);
  const unseen = await admin.ask("PUT", `/v1/role/${more}/member?userEmail=second@example.com`);
  assertError(unseen, 429, "TOO_MANY_INVITATIONS");
});

testKind("remote", "an addition reads as many rows for a known address as for another", async () => {
  await using target = await openTestApp("remote");
  const { admin, rootId } = await bootstrap(target);
  const recorder = recordRows();
  const database = await openDatabase(target.url, { fetch: recorder.fetch });
  const { userId } = await target.createUser("stranger@example.com");
  for (let i = 0; i < 31; i++) {
    const siteId = await admin.create(rootId, "Site");
    await execute(target, [
      `INSERT INTO member (id, role_id, user_id) VALUES (${1_000_000 + i}, ${siteId}, 1)`,
      `INSERT INTO role (id, name, self_rights) VALUES (${1_000_000 + i}, 'Room', 63)`,
      `INSERT INTO member (id, role_id, user_id) VALUES (${2_000_000 + i}, ${1_000_000 + i}, ${userId})`,
    ]);
  }
  const request = requestsTo(createApp({ ...target.deps, database }));
  const rowsOf = async (name: string): Promise<number> => {
    const path = `/v1/role/${rootId}/member?userEmail=${name}@example.com`;
    await preview(new Person({ request }, admin.accessToken), "PUT", path);
    return recorder.take().reduce((sum, { rows }) => sum + rows, 0);
  };
  const [known, unknown] = [await rowsOf("stranger"), await rowsOf("unknown")];
  await database.close();
  assert.ok(Math.abs(known - unknown) < 150, `${known} rows with an account, ${unknown} without`);
});

testApp("previews of a narrowed or removed member name roles without a manager", async (target) => {
  const { admin, rootId, siteId, roomId } = await setScene(target);
  const path = `/v1/role/${siteId}/member`;
  const member = await admin.addMember(siteId, "one@example.com");
  const sight = `${path}?userEmail=one@example.com`;
  const narrowed = await admin.ask("PUT", `${sight}&dryRun=true`, { rights: VIEW });
  assert.deepEqual((narrowed.body as { member: unknown }).member, { ...member, rights: VIEW });
  assert.deepEqual(effectIn(narrowed).changes, [
    { actingRoleId: siteId, roleId: roomId, gained: [], lost: ["roleManagement"] },
  ]);
  assert.deepEqual(effectIn(narrowed).unmanaged, [], "the root's member manages the room");
  const until = new Date(target.clock.now() + 1000).toISOString();
  const prolonged = await preview(admin, "PUT", sight, { until });
  assert.deepEqual([prolonged.people, prolonged.changes], [NOTHING, []]);

  // Without the root's member, whose membership is limited, the site's member is the last who manages the room.
  await execute(target, `UPDATE member SET rights = 62 WHERE role_id = ${rootId}`);
  const removal = `${path}/${member.id}`;
  const last = await preview(admin, "DELETE", removal);
  assert.deepEqual([last.unmanaged, last.people], [[roomId], { gained: 0, lost: 1 }]);
  // A key is no person.
  await execute(target, `INSERT INTO member (id, role_id, user_id) VALUES (1000001, ${siteId}, -1000001)`);
  assert.deepEqual((await preview(admin, "DELETE", removal)).unmanaged, [roomId]);
  const { userId } = await target.createUser("two@example.com");
  await execute(
    target,
    `INSERT INTO member (id, role_id, user_id, ends_at) VALUES (1000002, ${siteId}, ${userId}, NULL)`,
  );
  assert.deepEqual((await preview(admin, "DELETE", removal)).unmanaged, []);
  assertError(await admin.ask("DELETE", removal, undefined, ifEffect(last.tag)), 409, "EFFECT_CHANGED");
  await execute(target, `UPDATE member SET rights = 4 WHERE id = 1000002`);
  const made = await admin.ask("DELETE", removal, undefined, ifEffect(last.tag));
  assert.deepEqual(made.body, { deletedNodeIds: [], deletedRelationIds: [member.id] });
});

testApp("a preview about members and keys is refused like the change itself", async (target) => {
  const { admin, rootId, siteId } = await setScene(target);
  const { userId, accessToken } = await target.createUser("guest@example.com");
  const sql = `INSERT INTO member (id, role_id, user_id, rights) VALUES (1000000, ${siteId}, ${userId}, 4)`;
  await execute(target, sql);
  const guest = new Person(target, accessToken);
  const rootMemberId = await queryNumber(target, `SELECT id FROM member WHERE role_id = ${rootId}`);
  const cases = [
    [guest, "PUT", `/v1/role/${siteId}/member?userEmail=x@example.com`, undefined, 403, DENIED],
    [guest, "DELETE", `/v1/role/${rootId}/member/${rootMemberId}`, undefined, 403, DENIED],
    [guest, "POST", `/v1/role/${siteId}/key`, { name: "Gateway" }, 403, DENIED],
    [guest, "DELETE", `/v1/role/${siteId}/key/5`, undefined, 403, DENIED],
    [admin, "DELETE", `/v1/role/${siteId}/key/5`, undefined, 403, DENIED],
    [admin, "DELETE", `/v1/role/${rootId}/member/${rootMemberId}`, undefined, 409, WITHOUT_MEMBER],
  ] as const;
  for (const [person, method, path, body, status, message] of cases) {
    for (const query of ["dryRun=true", ""]) {
      const answer = await person.ask(method, `${path}${path.includes("?") ? "&" : "?"}${query}`, body);
      assertError(answer, status, message, `${method} ${path} ${query}`);
    }
  }
  const leave = await preview(guest, "DELETE", `/v1/role/${siteId}/member/1000000`);
  assert.equal(leave.people.lost, 1);
});

testApp("a key is previewed without a secret and counts among the people", async (target) => {
  const { admin, siteId, roomId } = await setScene(target);
  await target.createUser("aaron@example.com");
  const path = `/v1/role/${siteId}/key`;
  const before = await readState(target);
  const body = { name: "Gateway", rights: VIEW };
  const previewed = await admin.ask("POST", `${path}?dryRun=true`, body);
  const { tag, ...effect } = effectIn(previewed);
  const { key, ...rest } = previewed.body as { key: Record<string, unknown> };
  assert.deepEqual(Object.keys(rest), ["effect"]);
  assert.deepEqual([key["id"], key["prefix"], key["rights"], key["lastUsedAt"]], [null, null, VIEW, null]);
  assert.deepEqual(effect.people, { gained: 1, lost: 0 });
  const gains = { actingRoleId: siteId, gained: ["viewManagement"], lost: [] };
  assert.deepEqual(effect.changes, [{ ...gains, roleId: siteId }, { ...gains, roleId: roomId }]);
  assert.equal(await readState(target), before);
  const made = await admin.ask("POST", path, body, ifEffect(tag));
  const { key: own, secret } = made.body as { key: { id: number }; secret: string };
  assert.match(secret, /^rgk_/);
  assert.deepEqual({ ...own, id: null, prefix: null }, key);

  // It is one of those that a change of its role concerns.
  const rightless = { name: "Site", selfRights: rights() };
  const renamed = await preview(admin, "PUT", `/v1/role/${siteId}`, rightless);
  assert.deepEqual(renamed.people, { gained: 0, lost: 1 });
  const gone = await preview(admin, "DELETE", `${path}/${own.id}`);
  assert.deepEqual([gone.people, gone.unmanaged], [{ gained: 0, lost: 1 }, []]);
  assert.equal((await admin.ask("DELETE", `${path}/${own.id}`, undefined, ifEffect(gone.tag))).status, 200);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 0);

  // Keys preview what they may change.
  const { program } = await makeProgram(target, admin, siteId, { name: "Other" });
  const ofProgram = await preview(program, "PUT", `/v1/role/${roomId}`, { name: "Room", selfRights: VIEW });
  assert.equal(ofProgram.changes.length, 1);
});
