/** The keys that a user made: their list, and their end together with the other sessions. */
import assert from "node:assert/strict";
import { ALL, rights } from "../../every_operation/request_catalogue.ts";
import {
  assertDone,
  assertError,
  execute,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
  send,
  succeed,
  testApp,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { pickNamed } from "../../../src/db/statement.ts";
import { deleteOwnKeys } from "../../../src/key/made_key_service.ts";
import { FEW_MEMBERSHIPS } from "../../../src/graph/rules/guard_queries.ts";
import { Person } from "../../helpers/person.ts";
import { liveSessions, makeSudoToken } from "../../helpers/security_scene.ts";
import type { TestApp } from "../../helpers/test_app.ts";
import { defineStatement } from "../../helpers/text_statement.ts";
import { createKey, type Key } from "../../key/key_scene.ts";

interface Listed {
  readonly key: Key[];
  readonly nextCursor: string | null;
}

const NONE = rights();

async function signInAs(target: TestApp, userId: number) {
  const session = { userId, ...await target.openSession(userId) };
  return { ...session, person: new Person(target, session.accessToken) };
}

/** The member of a root. */
async function setScene(target: TestApp) {
  const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Root");
  return { ada: await signInAs(target, userId), userId, roleId };
}

/** Makes Eve a member of these roles, and signs her in. */
async function inviteEve(target: TestApp, admin: Person, ...roleIds: number[]) {
  for (const roleId of roleIds) await admin.put(`/v1/role/${roleId}/member?userEmail=eve@example.com`);
  return await signInAs(target, (await target.createUser("eve@example.com")).userId);
}

async function removeEve(admin: Person, roleId: number): Promise<void> {
  await admin.delete(`/v1/role/${roleId}/member/${await admin.memberIdOf(roleId, "eve@example.com")}`);
}

/** Ends all other sessions, and the keys that the user made. */
async function endAll(target: TestApp, session: { userId: number; sessionId: string }): Promise<void> {
  const token = await makeSudoToken(target, session);
  assertDone(await send(target, "DELETE", "/user/session?keys=true", { token }));
}

async function listKeys(person: Person, query = ""): Promise<Key[]> {
  return (await person.get<Listed>(`/user/key${query}`)).key;
}

function works(target: TestApp, secret: string): Promise<boolean> {
  return send(target, "POST", "/v1/role/query", { token: secret }).then(({ status }) => status === 200);
}

testApp("a user lists the live keys that they made in every role, and no others", async (target) => {
  const { ada, roleId } = await setScene(target);
  const childId = await ada.person.create(roleId, "Child", ALL);
  const eve = await inviteEve(target, ada.person, roleId);
  const expiresAt = new Date(target.clock.now() + 60_000).toISOString();
  await createKey(ada.person, roleId, { name: "ended", rights: NONE, expiresAt });
  const made: Key[] = [];
  for (const [i, where] of [roleId, childId, childId].entries()) {
    target.clock.advance(i === 0 ? 0 : 30);
    made.unshift((await createKey(ada.person, where, { name: `Key ${i}` })).key);
  }
  await createKey(eve.person, roleId, { name: "of another", rights: NONE });
  assert.deepEqual(await ada.person.get<Listed>("/user/key"), { key: made, nextCursor: null });
  const first = await ada.person.get<Listed>("/user/key?limit=2");
  assert.deepEqual(first.key, made.slice(0, 2));
  const second = await ada.person.get<Listed>(`/user/key?limit=2&cursor=${first.nextCursor}`);
  assert.deepEqual(second, { key: made.slice(2), nextCursor: null });
  for (const query of ["limit=0", "limit=1001", "cursor=x", "cursor=1"]) {
    assertError(await ada.person.ask("GET", `/user/key?${query}`), 400, MALFORMED, query);
  }
  await send(target, "DELETE", `/user/session/${ada.sessionId}`, { token: ada.accessToken });
  assertError(await ada.person.ask("GET", "/user/key"), 401, UNVERIFIED);
});

testApp("a user who left a role still sees the keys that they made there", async (target) => {
  const { ada, roleId } = await setScene(target);
  const eve = await inviteEve(target, ada.person, roleId);
  const { key } = await createKey(eve.person, roleId, { rights: NONE });
  await removeEve(ada.person, roleId);
  assert.deepEqual((await listKeys(eve.person)).map(({ id }) => id), [key.id]);
});

forEachApp("only a sudo token ends all other sessions and keys", async (target) => {
  const { ada, userId, roleId } = await setScene(target);
  const phone = await target.openSession(userId);
  const { secret } = await createKey(ada.person, roleId);
  const refused = await send(target, "DELETE", "/user/session?keys=true", { token: ada.accessToken });
  assertError(refused, 401, "SUDO_TOKEN_REQUIRED");
  const asked = refused.headers.get("WWW-Authenticate") ?? "";
  assert.match(asked, /insufficient_user_authentication", max_age=300$/);
  assert.equal((await liveSessions(target, userId)).length, 2);
  assert.ok(await works(target, secret));
  await succeed(target, "DELETE", "/user/session?keys=false", { token: ada.accessToken });
  assert.deepEqual(await liveSessions(target, userId), [ada.sessionId]);
  assertError(await send(target, "GET", "/user", { token: phone.accessToken }), 401, UNVERIFIED);
  assert.ok(await works(target, secret));
  await endAll(target, ada);
  assert.equal(await works(target, secret), false);
  assert.deepEqual(await listKeys(ada.person), []);
});

forEachApp("ending sessions and keys ends only the user's own keys that they may delete", async (target) => {
  const { ada, roleId } = await setScene(target);
  const leftId = await ada.person.create(roleId, "Left", ALL);
  const keptId = await ada.person.create(roleId, "Kept", ALL);
  const eve = await inviteEve(target, ada.person, roleId, leftId, keptId);
  const own = await createKey(eve.person, keptId);
  const left = await createKey(eve.person, leftId);
  const anothers = await createKey(ada.person, keptId);
  await removeEve(ada.person, leftId);
  await removeEve(ada.person, roleId);
  await endAll(target, eve);
  const working = await Promise.all([own, left, anothers].map(({ secret }) => works(target, secret)));
  assert.deepEqual(working, [false, true, true]);
  assert.deepEqual((await listKeys(eve.person)).map(({ roleId }) => roleId), [leftId]);
  const rows = await query(
    target,
    `SELECT actor_id AS actorId, role_id AS roleId, session_id = :sessionId AS isSession FROM change_log
     WHERE kind = 'key.delete'`,
    { sessionId: eve.sessionId },
  );
  assert.deepEqual(rows, [{ actorId: eve.userId, roleId: keptId, isSession: 1 }]);
});

const END_AND_PLANT = [
  `UPDATE member SET ends_at = :now WHERE user_id = :userId AND role_id = :endingId`,
  `INSERT INTO role (id, name, self_rights) SELECT 800000 + key, 'Elsewhere', 0 FROM json_each(:places)`,
  `INSERT INTO member (id, role_id, user_id) SELECT 800000 + key, 800000 + key, :userId FROM json_each(:places)`,
];

for (const elsewhere of [0, FEW_MEMBERSHIPS + 1]) {
  testApp(`with ${elsewhere} memberships elsewhere, a live one here or above ends keys`, async (target) => {
    const { ada, roleId } = await setScene(target);
    const eve = await inviteEve(target, ada.person);
    const below: Record<string, number> = {};
    const joined: number[] = [];
    for (const name of ["live", "ending", "lasting"]) {
      const aboveId = await ada.person.create(roleId, name, ALL);
      below[name] = await ada.person.create(aboveId, `below ${name}`, ALL);
      joined.push(aboveId);
      const until = name === "lasting" ? new Date(target.clock.now() + 60_000).toISOString() : null;
      await ada.person.put(`/v1/role/${aboveId}/member?userEmail=eve@example.com`, { until });
    }
    const secrets: string[] = [];
    for (const where of [...joined, ...Object.values(below)]) {
      secrets.push((await createKey(eve.person, where, { rights: NONE })).secret);
    }
    await execute(target, END_AND_PLANT, {
      now: target.clock.now(),
      userId: eve.userId,
      endingId: joined[1] ?? 0,
      places: JSON.stringify(Array(elsewhere).fill(0)),
    });
    await endAll(target, eve);
    const working = await Promise.all(secrets.map((secret) => works(target, secret)));
    assert.deepEqual(working, [false, true, false, false, true, false]);
  });
}

const VOID_PROOFS: Readonly<Record<string, string>> = {
  "a session that has ended": "UPDATE session SET ended_at = :now WHERE id = :sessionId",
  "a session whose time is up": "UPDATE session SET idle_until = :now WHERE id = :sessionId",
  "a session of another": "UPDATE session SET user_id = user_id + 1 WHERE id = :sessionId",
  "proof from before a change": "UPDATE user_account SET security_version = 9 WHERE id = :userId",
};

for (const [name, change] of Object.entries(VOID_PROOFS)) {
  testApp(`a batch ends no keys for ${name}`, async (target) => {
    const { ada, userId, roleId } = await setScene(target);
    await inviteEve(target, ada.person);
    await signInAs(target, userId);
    const { secret } = await createKey(ada.person, roleId);
    const { sessionId } = ada;
    const known = { sessionId, userId, now: target.clock.now() };
    await execute(target, change, pickNamed([defineStatement(change)], known));
    const proof = { userId, sessionId, sudoVersion: 0 };
    await assert.rejects(deleteOwnKeys(target.deps, proof), /SUDO_TOKEN_REQUIRED/);
    assert.equal(await works(target, secret), true);
  });
}

testApp("keys that stay do not stop the end of keys in later batches", async (target) => {
  const { ada, roleId } = await setScene(target);
  const leftId = await ada.person.create(roleId, "Left", ALL);
  const keptId = await ada.person.create(roleId, "Kept", ALL);
  const eve = await inviteEve(target, ada.person, leftId, keptId);
  for (let i = 0; i < 100; i++) await createKey(eve.person, leftId, { rights: NONE });
  const { secret } = await createKey(eve.person, keptId, { rights: NONE });
  await removeEve(ada.person, leftId);
  await endAll(target, eve);
  assert.equal(await works(target, secret), false);
  assert.equal((await listKeys(eve.person, "?limit=1000")).length, 100);
});

testApp("all keys end, even if they are more than one batch takes", async (target) => {
  const { ada, roleId } = await setScene(target);
  const otherId = await ada.person.create(roleId, "Other", ALL);
  for (let i = 0; i < 130; i++) {
    await createKey(ada.person, i % 2 === 0 ? roleId : otherId, { rights: NONE });
  }
  await endAll(target, ada);
  assert.deepEqual(await listKeys(ada.person), []);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member WHERE user_id < 0"), 0);
});
