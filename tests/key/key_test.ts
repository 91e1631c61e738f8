/** Keys of roles: their making and their end, and what a program does with one. */
import assert from "node:assert/strict";
import { drawRoleKey, makeRoleKey } from "../../src/identity/token/role_key.ts";
import { noteKeyUses } from "../../src/key/key_service.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  assertError,
  assertUnchanged,
  DENIED,
  MALFORMED,
  query,
  queryNumber,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import { administrator, bootstrap, invite, type Manages, type Member, Person } from "../helpers/person.ts";
import { type CreatedKey, createKey, daysAfter, type Key, listKeys, makeProgram } from "./key_scene.ts";

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

testApp("a new key tells which of its rights work on no role that it reaches", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site", ALL, rights("viewManagement"));
  await admin.create(siteId, "Room", rights("roleManagement", "reportManagement"), ALL);
  const wanted = rights("viewManagement", "deviceManagement", "reportManagement");
  const path = `/v1/role/${siteId}/key`;
  const body = { name: "Gateway", rights: wanted };
  const { secret, ...made } = await admin.post<{ secret: string; ineffective?: string[] }>(path, body);
  assert.deepEqual(made.ineffective, ["deviceManagement"]);
  const device = { properties: { nodeId: "meter" } };
  const denied = await new Person(target, secret).ask("POST", `/v1/device?roleId=${siteId}`, device);
  assert.equal(denied.status, 403);
  const shown = await admin.post<{ ineffective?: string[] }>(`${path}?dryRun=true`, body);
  assert.deepEqual(shown.ineffective, ["deviceManagement"]);
  const all = await admin.post<{ ineffective?: string[] }>(path, { name: "All" });
  assert.deepEqual(all.ineffective, ["userManagement", "deviceManagement", "alarmManagement"]);
  for (const [name, effective] of [["View", rights("viewManagement")], ["None", rights()]] as const) {
    assert.equal("ineffective" in await admin.post<object>(path, { name, rights: effective }), false, name);
  }
  const { key } = await admin.post<{ key: { name: string; ineffective?: string[] }[] }>(`${path}/query`);
  assert.deepEqual(key.find(({ name }) => name === "All")?.ineffective, all.ineffective);
  assert.equal(key.find(({ name }) => name === "View")?.ineffective, undefined);
});

testApp("a key makes a program a member of its role until it is deleted", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const roomId = await admin.create(siteId, "Room", rights("viewManagement", "roleManagement"));
  const { key, secret, program } = await makeProgram(target, admin, siteId);
  assert.match(secret, /^rgk_[0-9]+_[A-Za-z0-9_-]{54}[0-9a-f]{8}$/);
  assert.deepEqual(key, {
    id: key.id,
    roleId: siteId,
    name: "Gateway",
    prefix: secret.slice(0, `rgk_${key.id}_`.length + 4),
    rights: ALL,
    asks: false,
    provisions: false,
    expiresAt: daysAfter(target.clock.now(), 90),
    createdAt: new Date(target.clock.now()).toISOString(),
    createdBy: ADMIN,
    lastUsedAt: null,
  });
  assert.deepEqual(await listKeys(admin, siteId), [key]);

  assert.deepEqual(await program.roleIds(), [siteId, roomId]);
  assert.deepEqual(await program.holds(siteId, "userManagement", "viewManagement"), [true, true]);
  assert.deepEqual(await program.holds(roomId, "viewManagement", "userManagement"), [true, false]);
  assert.deepEqual(await program.holds(rootId, "viewManagement"), [false]);
  const shedId = await program.create(roomId, "Shed");
  assert.deepEqual(await program.roleIds(), [siteId, roomId, shedId]);

  const path = `/v1/role/${siteId}/key/${key.id}`;
  assert.deepEqual(await admin.delete(path), { deletedNodeIds: [], deletedRelationIds: [] });
  assertError(await program.ask("POST", "/v1/role/query", {}), 401, UNVERIFIED);
  assert.deepEqual(await listKeys(admin, siteId), []);
  assertError(await admin.ask("DELETE", path), 403, DENIED);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 0);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member WHERE user_id < 0"), 0);
});

testApp("the log names a key as the actor, and the users who created and deleted it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { key, program } = await makeProgram(target, admin, rootId, {
    rights: rights("roleManagement"),
    asks: true,
  });
  await program.create(rootId, "Site", rights("roleManagement"));
  await admin.delete(`/v1/role/${rootId}/key/${key.id}`);
  const rows = await query(
    target,
    `SELECT kind, actor_id AS actorId, relation_id AS relationId, subject_id AS subjectId, role_id AS roleId,
       old_rights AS oldRights, new_rights AS newRights, details FROM change_log
     WHERE kind LIKE 'key.%' OR kind = 'role.create' ORDER BY rev`,
  );
  const shared = { actorId: 1, relationId: key.id, subjectId: -key.id, roleId: rootId };
  const endsAt = Date.parse(key.expiresAt);
  assert.deepEqual(rows.map(({ kind, actorId }) => [kind, actorId]), [
    ["key.create", 1],
    ["role.create", -key.id],
    ["key.delete", 1],
  ]);
  assert.deepEqual(rows[0], {
    ...shared,
    kind: "key.create",
    oldRights: null,
    newRights: 1,
    details: JSON.stringify({ name: "Gateway", asks: true, provisions: false, endsAt }),
  });
  assert.deepEqual({ ...rows[2] }, {
    ...shared,
    kind: "key.delete",
    oldRights: 1,
    newRights: null,
    details: JSON.stringify({ name: "Gateway" }),
  });
});

testApp("a key acts with at most its rights", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const { program, key } = await makeProgram(target, admin, rootId, { rights: rights("viewManagement") });
  assert.deepEqual(key.rights, rights("viewManagement"));
  assert.deepEqual(await program.holds(siteId, "viewManagement", "roleManagement"), [true, false]);
  assertError(
    await program.ask("POST", `/v1/role?parentRoleId=${siteId}`, {
      manages: ALL,
      role: { name: "Room", selfRights: ALL },
    }),
    403,
    DENIED,
  );
  const { program: idle } = await makeProgram(target, admin, rootId, { rights: rights() });
  assert.deepEqual(await idle.roleIds(), [rootId, siteId]);
  assert.deepEqual(await idle.holds(siteId, "viewManagement"), [false]);
});

testApp("an expired key counts as absent", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const expiresAt = daysAfter(target.clock.now(), 1);
  const { program, key } = await makeProgram(target, admin, rootId, { expiresAt });
  assert.equal(key.expiresAt, expiresAt);
  target.clock.advance(DAY_SECONDS - 1);
  assert.deepEqual(await program.roleIds(), [rootId]);
  target.clock.advance(1);
  assertError(await program.ask("POST", "/v1/role/query", {}), 401, UNVERIFIED);
  const later = new Person(target, await target.accessToken(1));
  assert.deepEqual(await listKeys(later, rootId), []);
  assertError(await later.ask("DELETE", `/v1/role/${rootId}/key/${key.id}`), 403, DENIED);
});

testApp("keys are deleted with their role and are not among the deleted relations", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const { program } = await makeProgram(target, admin, siteId);
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${rootId}/manages/query`, {});
  const relationId = manages[0]?.id;
  const path = `/v1/role/${rootId}/manages/${relationId}`;
  const deletion = { deletedNodeIds: [siteId], deletedRelationIds: [relationId] };
  const { effect: _, ...seen } = await admin.delete<Record<string, unknown>>(`${path}?dryRun=true`);
  assert.deepEqual(seen, deletion);
  assert.deepEqual(await admin.delete(path), deletion);
  assertError(await program.ask("POST", "/v1/role/query", {}), 401, UNVERIFIED);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 0);
});

testApp("a key outlives the membership and the account of its maker", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const maker = await invite(target, admin, siteId, "maker@example.com");
  const { key, program } = await makeProgram(target, maker, siteId);
  assert.equal(key.createdBy, "maker@example.com");
  await target.setPassword(2, "a password that is right");
  assert.equal((await maker.ask("DELETE", "/user", undefined)).status, 200);
  assert.deepEqual(await program.roleIds(), [siteId]);
  assert.deepEqual(await listKeys(admin, siteId), [{ ...key, createdBy: null }]);
});

testApp("a key names its maker, and is ended with them, for whom the log names them", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const companyId = await admin.create(rootId, "Company");
  const siteId = await admin.create(companyId, "Site");
  const boss = await invite(target, admin, companyId, "boss@example.com");
  const local = await invite(target, admin, siteId, "local@example.com");
  const { key: bosses } = await makeProgram(target, boss, siteId);
  const { key: own } = await makeProgram(target, local, siteId);
  const makers = async (viewer: Person): Promise<readonly (readonly [number, string | null])[]> =>
    (await listKeys(viewer, siteId)).map(({ id, createdBy }) => [id, createdBy]);
  const named = [[bosses.id, "boss@example.com"], [own.id, "local@example.com"]];
  const actorsOf = async (viewer: Person): Promise<unknown[]> => {
    const filter = { roleId: siteId, kind: "key.create" };
    return (await viewer.changes<{ actor: { email: string | null } }>(filter)).map(({ actor }) =>
      actor.email
    );
  };
  // The boss acts through the company, which members of the site do not see.
  assert.deepEqual(await makers(local), [[bosses.id, null], [own.id, "local@example.com"]]);
  assert.deepEqual(await actorsOf(local), [null, "local@example.com"]);
  for (const viewer of [boss, admin]) {
    assert.deepEqual(await makers(viewer), named);
    assert.deepEqual(await actorsOf(viewer), named.map(([, email]) => email));
  }

  // With the membership gone, the address is still that of the company's log, and finds the key.
  const memberId = await admin.memberIdOf(companyId, "boss@example.com");
  await admin.delete(`/v1/role/${companyId}/member/${memberId}`);
  assert.deepEqual(await makers(admin), named);
  const ending = { userEmail: "boss@example.com", under: siteId };
  const { ended } = await admin.post<{ ended: { id: number }[] }>("/v1/access/end?dryRun=true", ending);
  assert.deepEqual(ended.map(({ id }) => id), [bosses.id]);
  const hidden = await local.post<{ ended: unknown[] }>("/v1/access/end?dryRun=true", ending);
  assert.deepEqual(hidden.ended, [], "the address finds what it is shown for");
});

testApp("only managers of a role's members make, see and delete its keys", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const viewers = rights("viewManagement");
  const siteId = await admin.create(rootId, "Site", ALL, viewers);
  const roomId = await admin.create(siteId, "Room", rights("roleManagement"));
  const guest = await invite(target, admin, siteId, "guest@example.com");
  const { key } = await createKey(admin, siteId);
  const body = { name: "Gateway", rights: viewers };
  await assertUnchanged(target, "a guest", async () => {
    for (const roleId of [siteId, rootId, 999_999]) {
      assertError(await guest.ask("POST", `/v1/role/${roleId}/key`, body), 403, DENIED);
      assert.deepEqual(await listKeys(guest, roleId), []);
      assertError(await guest.ask("DELETE", `/v1/role/${roleId}/key/${key.id}`), 403, DENIED);
    }
    // Indirect roleManagement is enough below, but the key is none of that role.
    assertError(await guest.ask("DELETE", `/v1/role/${roomId}/key/${key.id}`), 403, DENIED);
  });
  const room = await createKey(guest, roomId, { rights: rights("roleManagement") });
  assert.deepEqual((await listKeys(guest, roomId)).map(({ id }) => id), [room.key.id]);
  assert.deepEqual((await listKeys(admin, siteId)).map(({ id }) => id), [key.id]);
});

testApp("a key is limited to what one membership of its maker gives", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const roomId = await admin.create(siteId, "Room");
  const start = target.clock.now();
  const maker = await invite(target, admin, roomId, "maker@example.com");
  const limit = (roleId: number, rights: unknown, days: number | null): Promise<unknown> =>
    admin.addMember(roleId, "maker@example.com", {
      rights,
      until: days === null ? null : daysAfter(start, days),
    });
  const manage = rights("userManagement", "viewManagement");
  const path = `/v1/role/${roomId}/key`;
  const refused = async (wishes: unknown): Promise<void> =>
    assertError(await maker.ask("POST", path, { name: "Gateway", ...wishes as object }), 403, DENIED);
  await limit(roomId, manage, 10);

  // What the request leaves out is that of the membership.
  const { key } = await createKey(maker, roomId);
  assert.deepEqual([key.rights, key.expiresAt], [manage, daysAfter(start, 10)]);
  const { key: short } = await createKey(maker, roomId, { expiresAt: daysAfter(start, 5) });
  assert.deepEqual([short.rights, short.expiresAt], [manage, daysAfter(start, 5)]);
  await refused({ rights: ALL });
  await refused({ expiresAt: daysAfter(start, 11) });

  // Two memberships do not add up: one gives all rights, the other all time.
  await limit(siteId, rights("userManagement", "deviceManagement"), 20);
  await refused({ rights: manage, expiresAt: daysAfter(start, 15) });
  const { key: long } = await createKey(maker, roomId);
  assert.deepEqual([long.rights, long.expiresAt], [
    rights("userManagement", "deviceManagement"),
    daysAfter(start, 20),
  ]);
  const { key: view } = await createKey(maker, roomId, { rights: rights("viewManagement") });
  assert.equal(view.expiresAt, daysAfter(start, 10));

  // Without an end the default is 90 days.
  await limit(siteId, rights("userManagement"), null);
  const { key: standard } = await createKey(maker, roomId, { rights: rights() });
  assert.equal(standard.expiresAt, daysAfter(start, 90));
  const { key: longest } = await createKey(maker, roomId, { expiresAt: daysAfter(start, 400) });
  assert.equal(longest.expiresAt, daysAfter(start, 400));
});

testApp("an expired membership makes no keys", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  await admin.addMember(siteId, "maker@example.com", {
    until: daysAfter(target.clock.now(), 1),
  });
  target.clock.advance(DAY_SECONDS);
  const maker = new Person(target, await target.accessToken(2));
  assertError(await maker.ask("POST", `/v1/role/${siteId}/key`, { name: "Gateway" }), 403, DENIED);
});

testApp("a role has at most 100 live keys", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const ending = await createKey(admin, siteId, { expiresAt: daysAfter(target.clock.now(), 0.001) });
  const keys: CreatedKey[] = [];
  for (let i = 1; i < 100; i++) keys.push(await createKey(admin, siteId, { name: `Key ${i}` }));
  const path = `/v1/role/${siteId}/key`;
  const full = "The role has 100 keys already: delete one that is not needed";
  assertError(await admin.ask("POST", path, { name: "One more" }), 409, full);
  await createKey(admin, rootId);
  target.clock.advance(87);
  await createKey(admin, siteId);
  assertError(await admin.ask("POST", path, { name: "One more" }), 409, full);
  await admin.delete(`${path}/${keys[0]?.key.id}`);
  await createKey(admin, siteId);

  const page = await admin.post<{ key: Key[]; nextCursor: string | null }>(`${path}/query`, { limit: 60 });
  assert.equal(page.key.length, 60);
  const rest = await admin.post<{ key: Key[]; nextCursor: string | null }>(`${path}/query`, {
    limit: 60,
    cursor: page.nextCursor,
  });
  assert.equal(rest.nextCursor, null);
  const ids = [...page.key, ...rest.key].map(({ id }) => id);
  assert.deepEqual(ids, (await listKeys(admin, siteId)).map(({ id }) => id));
  assert.equal(ids.length, 100);
  assert.ok(!ids.includes(ending.key.id));
});

testApp("a key adds no members with any rights, but removes them and other keys", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const { program } = await makeProgram(target, admin, rootId);
  const { key } = await createKey(admin, siteId);
  await invite(target, admin, siteId, "known@example.com");
  await assertUnchanged(target, "a key", async () => {
    for (
      const [email, body] of [["new@example.com", {}], ["known@example.com", { rights: rights() }]] as const
    ) {
      const answer = await program.ask("PUT", `/v1/role/${siteId}/member?userEmail=${email}`, body);
      assertError(answer, 403, DENIED, email);
    }
  });
  // It may end keys, and remove members, as its rights allow.
  await program.delete(`/v1/role/${siteId}/key/${key.id}`);
  const { member } = await program.post<{ member: Member[] }>(`/v1/role/${siteId}/member/query`, {});
  await program.delete(`/v1/role/${siteId}/member/${member[0]?.id}`);
});

testApp("a key is no person: it is in no list of members and does not keep a root role", async (target) => {
  const { admin, rootId, memberId } = await bootstrap(target);
  const { key, program } = await makeProgram(target, admin, rootId);
  for (const caller of [admin, program]) {
    for (const roleId of [rootId, "*"]) {
      const { member } = await caller.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, {});
      assert.deepEqual(member.map(({ id }) => id), [memberId]);
    }
    assertError(await caller.ask("DELETE", `/v1/role/${rootId}/member/${key.id}`), 403, DENIED);
    const last = "The root role would be left without a member";
    assertError(await caller.ask("DELETE", `/v1/role/${rootId}/member/${memberId}`), 409, last);
  }
  const { member } = await admin.post<{ member: Member[] }>("/v1/role/*/member/query", {
    filter: { id: [key.id] },
  });
  assert.deepEqual(member, []);
});

testApp("a malformed, deleted or forged key is refused, always in the same way", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { secret, key: kept } = await createKey(admin, rootId);
  const { secret: deleted, key } = await createKey(admin, rootId);
  await admin.delete(`/v1/role/${rootId}/key/${key.id}`);
  const wrong = [
    "rgk_",
    secret.slice(0, -1),
    `${secret}0`,
    secret.slice(0, -8) + "00000000",
    secret.toUpperCase(),
    secret.replace("rgk_", "rgk_0"),
    secret.slice("rgk_".length),
    deleted,
    await makeRoleKey(target.deps.secrets, kept.id, (await drawRoleKey(target.deps.secrets)).random),
  ];
  await assertUnchanged(target, "wrong keys", async () => {
    const bodies = new Set<string>();
    for (const text of wrong) {
      const answer = await new Person(target, text).ask("POST", "/v1/role/query", {});
      assertError(answer, 401, UNVERIFIED, text);
      bodies.add(`${answer.text} ${answer.headers.get("WWW-Authenticate")}`);
    }
    assert.equal(bodies.size, 1);
  });
});

testApp("a key has a name of up to 256 characters and an end within 400 days", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const now = target.clock.now();
  const names = ["", "  ", "a\u0000b", "a".repeat(257)];
  const ends = [
    "tomorrow",
    "2026-02-31T00:00:00Z",
    "2026-02-01T00:00:00",
    "2026-02-01",
    new Date(now).toISOString(),
    new Date(now - 1).toISOString(),
    new Date(now + 400 * DAY_SECONDS * 1000 + 1).toISOString(),
    "9999-12-31T23:59:59Z",
  ];
  await assertUnchanged(target, "malformed", async () => {
    for (
      const body of [
        ...names.map((name) => ({ name })),
        ...ends.map((expiresAt) => ({ name: "a", expiresAt })),
      ]
    ) {
      const answer = await admin.ask("POST", `/v1/role/${rootId}/key`, body);
      assertError(answer, 400, MALFORMED, JSON.stringify(body));
    }
  });
  const { key } = await createKey(admin, rootId, {
    name: " Gate way ",
    expiresAt: "2026-02-01T01:00:00+01:00",
  });
  assert.deepEqual([key.name, key.expiresAt], ["Gate way", "2026-02-01T00:00:00.000Z"]);
});

testApp("the hour of a key's latest use is kept", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { key, program } = await makeProgram(target, admin, rootId);
  const idle = await createKey(admin, rootId);
  const uses = async (): Promise<(string | null)[]> =>
    (await listKeys(await administrator(target), rootId)).map(({ lastUsedAt }) => lastUsedAt);
  target.clock.advance(HOUR_SECONDS / 2);
  await program.roleIds();
  await target.deps.keyUses.flush();
  assert.deepEqual(await uses(), [key.createdAt, null]);
  target.clock.advance(HOUR_SECONDS);
  await program.roleIds();
  await program.roleIds();
  await target.deps.keyUses.flush();
  const nextHour = new Date(Date.parse(key.createdAt) + HOUR_SECONDS * 1000).toISOString();
  assert.deepEqual(await uses(), [nextHour, null]);
  await noteKeyUses(target.database, [key.id], Date.parse(key.createdAt));
  assert.deepEqual(await uses(), [nextHour, null]);
  target.clock.advance(HOUR_SECONDS);
  const expired = new Person(target, idle.secret);
  await (await administrator(target)).delete(`/v1/role/${rootId}/key/${idle.key.id}`);
  await expired.ask("POST", "/v1/role/query", {});
  await target.deps.keyUses.flush();
  assert.equal((await uses()).length, 1);
});
