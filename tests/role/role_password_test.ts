import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import type { Row } from "../../src/db/database.ts";
import { FIND_ROLE_PASSWORD } from "../../src/role/password/role_password_queries.ts";
import {
  assertError,
  DENIED,
  dumpState,
  execute,
  MALFORMED,
  query,
  queryNumber,
  succeed,
  testApp,
} from "../helpers/http.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { NONE, type PasswordScene, passwordScene, passwordSceneAlone, RIGHT } from "./role_password_scene.ts";
import { openHashingApp } from "../helpers/test_app.ts";

/** Setting and removing a role's password. `password_relation_test.ts` tests its use. */

async function stored({ target }: PasswordScene, roleId: number): Promise<Row | undefined> {
  const sql = "SELECT password_hash AS hash, password_rights AS rights FROM role WHERE id = :roleId";
  return (await query(target, sql, { roleId }))[0];
}

passwordScene("by a password, indirect roleManagement gives any rights, by default all", async (scene) => {
  const { upper, midId, setPassword } = scene;
  assert.deepEqual((await setPassword(upper, midId, RIGHT)).body, null);
  assert.deepEqual(await stored(scene, midId), { hash: `plain:${RIGHT}`, rights: 63 });
  assert.equal((await setPassword(upper, midId, "another password", rights("viewManagement"))).status, 200);
  assert.deepEqual(await stored(scene, midId), { hash: "plain:another password", rights: 4 });
  assert.equal((await setPassword(upper, midId, null)).status, 200);
  assert.deepEqual(await stored(scene, midId), { hash: null, rights: null });
  assert.equal((await setPassword(upper, midId, null)).status, 200, "nothing to remove is a success");
});

passwordSceneAlone("direct roleManagement gives at most the role's own other rights", async (scene) => {
  const { member, midId, setPassword, hasher } = scene;
  for (const asked of [rights("roleManagement"), rights("deviceManagement"), ALL]) {
    assertError(await setPassword(member, midId, RIGHT, asked), 403, DENIED);
  }
  assert.deepEqual(await stored(scene, midId), { hash: null, rights: null });
  assert.equal(hasher.calls.hash, 0, "nothing is hashed for who may not");
  assert.equal((await setPassword(member, midId, RIGHT)).status, 200);
  assert.deepEqual(await stored(scene, midId), { hash: `plain:${RIGHT}`, rights: 2 | 4 });
  assert.equal((await setPassword(member, midId, RIGHT, NONE)).status, 200);
  assert.deepEqual(await stored(scene, midId), { hash: `plain:${RIGHT}`, rights: 0 });
  assert.equal((await setPassword(member, midId, null, ALL)).status, 200, "a removal gives nothing away");
  assert.deepEqual(await stored(scene, midId), { hash: null, rights: null });
});

passwordSceneAlone("the password of an unknown, foreign or unmanaged role cannot be set", async (scene) => {
  const { target, stranger, member, lowId, midId, setPassword, hasher } = scene;
  const before = await dumpState(target);
  for (const roleId of [lowId, 999_999]) {
    for (const password of [RIGHT, null]) {
      assertError(await setPassword(stranger, roleId, password), 403, DENIED);
    }
  }
  // The relation from the middle role carries no roleManagement.
  assertError(await setPassword(member, lowId, RIGHT, NONE), 403, DENIED);
  assertError(await setPassword(stranger, midId, RIGHT), 403, DENIED);
  assert.deepEqual([await dumpState(target), hasher.calls.hash], [before, 0]);
});

passwordScene("the change log names who set a password, and neither it nor its hash", async (scene) => {
  const { target, upper, stranger, midId, setPassword } = scene;
  await setPassword(upper, midId, RIGHT, rights("viewManagement"));
  await setPassword(stranger, midId, "the stranger's own");
  await setPassword(upper, midId, null);
  await setPassword(upper, midId, null);
  const rows = await query(
    target,
    `SELECT kind, role_id AS roleId, old_rights AS old, new_rights AS new, decision, step, details
     FROM change_log WHERE kind LIKE 'role.password%' ORDER BY rev`,
  );
  const row = { roleId: midId, details: null };
  assert.deepEqual(rows, [
    { ...row, kind: "role.password_set", old: null, new: 4, decision: "ok", step: "write" },
    { ...row, kind: "role.password_set", old: 4, new: null, decision: "denied", step: "none" },
    { ...row, kind: "role.password_removed", old: 4, new: null, decision: "ok", step: "write" },
    { ...row, kind: "role.password_removed", old: null, new: null, decision: "noop", step: "none" },
  ]);
  const logs = JSON.stringify(await query(target, "SELECT * FROM change_log")) + target.logLines.join("\n");
  for (const secret of [RIGHT, "plain:", "the stranger's own"]) assert.ok(!logs.includes(secret), secret);
});

const LENGTHS: readonly (readonly [string, string, number])[] = [
  ["11 characters", "x".repeat(11), 400],
  ["12 characters", "x".repeat(12), 200],
  ["128 characters", "x".repeat(128), 200],
  ["129 characters", "x".repeat(129), 400],
  ["12 characters beyond the basic plane", "😀".repeat(12), 200],
  ["128 characters beyond the basic plane", "😀".repeat(128), 200],
  ["6 characters of two code units", "😀".repeat(6), 400],
  ["12 letters with separate accents", "e\u0301".repeat(12), 200],
  ["11 letters with separate accents", "e\u0301".repeat(11), 400],
  ["more than is worth normalizing", "e\u0301".repeat(5000), 400],
  ["12 spaces", " ".repeat(12), 200],
  ["nothing", "", 400],
];

passwordScene("a role's password has 12 to 128 characters in its normalized form", async (scene) => {
  for (const [name, password, status] of LENGTHS) {
    const answer = await scene.setPassword(scene.upper, scene.midId, password);
    if (status === 400) assertError(answer, 400, MALFORMED, name);
    else assert.equal(answer.status, status, `${name}: ${answer.text}`);
  }
});

const BAD_BODIES: readonly unknown[] = [
  {},
  [],
  { rights: ALL },
  { password: 123456789012 },
  { password: RIGHT, rights: { roleManagement: true } },
  { password: RIGHT, rights: null },
  { password: RIGHT, rights: { ...ALL, other: true } },
  { password: RIGHT, hash: "plain:x" },
];

passwordScene("a malformed request for a password changes nothing and is not repeated", async (scene) => {
  const { target, upper, midId, ask } = scene;
  const before = await dumpState(target);
  for (const body of BAD_BODIES) {
    const sent = { body, headers: { "X-Error-Details": "true" } };
    const answer = await ask(upper, "PUT", `/v1/role/${midId}/password`, sent);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.ok(!answer.text.includes(RIGHT) && !answer.text.includes("123456789012"));
  }
  assert.equal((await ask(upper, "PUT", "/v1/role/x/password", { body: { password: null } })).status, 400);
  assert.equal(await dumpState(target), before);
});

passwordScene("the permission to set a password is checked again when it is written", async (scene) => {
  const { target, upper, midId, rootId, setPassword, hook } = scene;
  const memberOfRoot = `SELECT id FROM member WHERE role_id = ${rootId} AND user_id = ${upper.userId}`;
  const path = `/v1/role/${rootId}/member/${await queryNumber(target, memberOfRoot)}`;
  hook.hash = async () => {
    hook.hash = () => {};
    assert.equal((await scene.ask(upper, "DELETE", path)).status, 200);
  };
  assertError(await setPassword(upper, midId, RIGHT), 403, DENIED);
  assert.deepEqual(await stored(scene, midId), { hash: null, rights: null });
});

passwordScene("the rights of a password are checked again when it is written", async (scene) => {
  const { target, admin, upper, midId, setPassword, hook } = scene;
  const path = `/v1/role/${midId}/member?userEmail=upper@example.com`;
  assert.equal((await scene.ask(admin, "PUT", path)).status, 200);
  hook.hash = async () => {
    await execute(target, "DELETE FROM member WHERE user_id = :userId AND role_id <> :roleId", {
      roleId: midId,
      userId: upper.userId,
    });
  };
  assertError(await setPassword(upper, midId, RIGHT, ALL), 403, DENIED);
  assert.deepEqual(await stored(scene, midId), { hash: null, rights: null });
});

passwordScene("a caller without rights reads no more of a role than of an unknown one", async (scene) => {
  const { target, stranger, upper, midId, setPassword } = scene;
  assert.equal((await setPassword(upper, midId, RIGHT)).status, 200);
  const { userId: actorId, sessionId } = stranger;
  const args = { actorId, sessionId, now: target.deps.clock() };
  const [hidden, unknown] = await Promise.all(
    [midId, UNKNOWN_ID].map((roleId) => target.database.read(bind(FIND_ROLE_PASSWORD, { ...args, roleId }))),
  );
  assert.deepEqual(hidden, unknown);
});

const UNKNOWN_ID = 999_999;

testApp("a stored role password is an Argon2id hash", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "Root");
  const sent = { token: await target.accessToken(userId), body: { password: RIGHT } };
  assert.equal(await succeed(target, "PUT", `/v1/role/${roleId}/password`, sent), null);
  const [row] = await query<{ hash: string }>(target, "SELECT password_hash AS hash FROM role");
  assert.match(row?.hash ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await queryNumber(target, "SELECT password_rights FROM role"), 62);
}, openHashingApp);
