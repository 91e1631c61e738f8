/** Setting and removing a role's password. `password_relation_test.ts` shows its use. */
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

passwordScene("a role's password has 12 to 128 characters in its normalized form", async (scene) => {
  const accented = "e\u0301";
  for (const right of ["x".repeat(12), accented.repeat(128), " ".repeat(12)]) {
    assert.equal((await scene.setPassword(scene.upper, scene.midId, right)).status, 200, right);
  }
  for (const wrong of ["", accented.repeat(11), "x".repeat(129), accented.repeat(5000)]) {
    assertError(await scene.setPassword(scene.upper, scene.midId, wrong), 400, MALFORMED, wrong);
  }
});

passwordScene("malformed rights of a password change nothing, and it is not repeated", async (scene) => {
  const { target, upper, midId, ask } = scene;
  const before = await dumpState(target);
  for (const rights of [{ roleManagement: true }, null, { ...ALL, other: true }]) {
    const sent = { body: { password: RIGHT, rights }, headers: { "X-Error-Details": "true" } };
    const answer = await ask(upper, "PUT", `/v1/role/${midId}/password`, sent);
    assert.equal(answer.status, 400, JSON.stringify(rights));
    assert.ok(!answer.text.includes(RIGHT));
  }
  assert.equal(await dumpState(target), before);
});

for (const what of ["the right to set it", "the right to give all rights"]) {
  passwordScene(`a password is not written if ${what} ends while it is hashed`, async (scene) => {
    const { target, admin, upper: { userId }, upper, midId, setPassword, hook } = scene;
    await scene.ask(admin, "PUT", `/v1/role/${midId}/member?userEmail=upper@example.com`);
    // A direct member may set a password, too, but give less by it.
    const keptId = what === "the right to set it" ? 0 : midId;
    const end = "DELETE FROM member WHERE user_id = :userId AND role_id <> :keptId";
    hook.hash = () => execute(target, end, { userId, keptId });
    assertError(await setPassword(upper, midId, RIGHT, ALL), 403, DENIED);
    assert.deepEqual(await stored(scene, midId), { hash: null, rights: null });
  });
}

passwordScene("a caller without rights reads no more of a role than of an unknown one", async (scene) => {
  const { target, stranger, upper, midId, setPassword } = scene;
  assert.equal((await setPassword(upper, midId, RIGHT)).status, 200);
  const { userId: actorId, sessionId } = stranger;
  const args = { actorId, sessionId, now: target.deps.clock() };
  const [hidden, unknown] = await Promise.all(
    [midId, 999_999].map((roleId) => target.database.read(bind(FIND_ROLE_PASSWORD, { ...args, roleId }))),
  );
  assert.deepEqual(hidden, unknown);
});

testApp("a stored role password is an Argon2id hash", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "Root");
  const sent = { token: await target.accessToken(userId), body: { password: RIGHT } };
  assert.equal(await succeed(target, "PUT", `/v1/role/${roleId}/password`, sent), null);
  const [row] = await query<{ hash: string }>(target, "SELECT password_hash AS hash FROM role");
  assert.match(row?.hash ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await queryNumber(target, "SELECT password_rights FROM role"), 62);
}, openHashingApp);
