/** A role's password carries at most what its setter could still give. */
import assert from "node:assert/strict";
import { type Answer, assertError, DENIED, execute, query, queryNumber, send } from "../helpers/http.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  type Caller,
  FAILURES,
  NONE,
  type PasswordScene,
  passwordScene,
  passwordSceneAlone,
  RIGHT,
} from "./role_password_scene.ts";

const VIEW = rights("viewManagement");
const DEVICES = rights("deviceManagement");

function known({ ask }: PasswordScene, caller: Caller, roleId: number): Promise<Answer> {
  return ask(caller, "GET", `/v1/role/${roleId}/password`);
}

async function works(scene: PasswordScene, roleId: number): Promise<boolean> {
  const { body } = await known(scene, scene.admin, roleId);
  return (body as { works: boolean }).works;
}

/** Removes a member as the administrator. */
async function removeFrom(scene: PasswordScene, roleId: number, who: Caller): Promise<void> {
  const sql = `SELECT id FROM member WHERE role_id = ${roleId} AND user_id = ${who.userId}`;
  const path = `/v1/role/${roleId}/member/${await queryNumber(scene.target, sql)}`;
  assert.equal((await scene.ask(scene.admin, "DELETE", path)).status, 200);
}

passwordScene("a removed member does not come back by a password that they set", async (scene) => {
  const { target, upper, stranger, rootId, midId, foreignId, setPassword, put } = scene;
  assert.equal((await setPassword(upper, midId, RIGHT)).status, 200);
  const { body } = await known(scene, scene.admin, midId);
  const shown = {
    set: true,
    rights: ALL,
    setBy: upper.userId,
    setAt: new Date(target.clock.now()).toISOString(),
    works: true,
  };
  assert.deepEqual(body, shown);
  await removeFrom(scene, rootId, upper);
  assert.deepEqual((await known(scene, scene.admin, midId)).body, { ...shown, works: false });
  for (const asked of [NONE, VIEW, ALL]) {
    assertError(await put(stranger, foreignId, midId, RIGHT, asked), 403, DENIED);
  }
  assert.equal(await queryNumber(target, `SELECT count(*) FROM manages WHERE parent_id = ${foreignId}`), 0);
  // With the right to give comes the password back: nothing was deleted.
  const path = `/v1/role/${rootId}/member?userEmail=upper@example.com`;
  assert.equal((await scene.ask(scene.admin, "PUT", path)).status, 200);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, ALL)).status, 200);
});

passwordScene("a relation made by a password stays when the password becomes void", async (scene) => {
  const { target, upper, stranger, rootId, midId, foreignId, setPassword, put } = scene;
  await setPassword(upper, midId, RIGHT);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, VIEW)).status, 200);
  await removeFrom(scene, rootId, upper);
  assert.equal(await queryNumber(target, `SELECT rights FROM manages WHERE parent_id = ${foreignId}`), 4);
  assertError(await put(stranger, foreignId, midId, RIGHT, VIEW), 403, DENIED, "not even an equal one");
});

passwordSceneAlone("a password carries what its setter's rights on the role allow", async (scene) => {
  const { target, admin, member, stranger, midId, foreignId, setPassword, put, ask } = scene;
  // The member of the role itself has direct roleManagement alone, and gives at most its own rights.
  const own = rights("userManagement", "viewManagement");
  assert.equal((await setPassword(member, midId, RIGHT, own)).status, 200);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, rights("userManagement"))).status, 200);
  const update = async (selfRights: unknown): Promise<void> => {
    const { status } = await ask(admin, "PUT", `/v1/role/${midId}`, { body: { name: "Mid", selfRights } });
    assert.equal(status, 200);
  };
  await update(rights("roleManagement", "viewManagement"));
  assertError(await put(stranger, foreignId, midId, RIGHT, rights("userManagement")), 403, DENIED);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, VIEW)).status, 200);
  assert.equal(await works(scene, midId), true);
  // They may still set one, which gives nothing; a right that they gain is not what they set.
  await update(rights("roleManagement", "deviceManagement"));
  assert.equal(await works(scene, midId), true);
  assertError(await put(stranger, foreignId, midId, RIGHT, VIEW), 403, DENIED);
  assertError(await put(stranger, foreignId, midId, RIGHT, DEVICES), 403, DENIED);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, NONE)).status, 200);
  await update(DEVICES);
  assert.equal(await works(scene, midId), false);
  assertError(await put(stranger, foreignId, midId, RIGHT, NONE), 403, DENIED);
  assert.equal(await queryNumber(target, "SELECT max(count) FROM throttle WHERE scope = 'role_password'"), 1);
});

passwordScene("a password works through any role of its setter and no one else's", async (scene) => {
  const { target, admin, upper, stranger, rootId, midId, lowId, foreignId, setPassword, put, ask } = scene;
  await setPassword(upper, lowId, RIGHT);
  // The middle role's relation to the low role carries no roleManagement.
  assert.equal((await ask(admin, "PUT", `/v1/role/${midId}/member?userEmail=upper@example.com`)).status, 200);
  await removeFrom(scene, rootId, upper);
  assert.equal(await works(scene, lowId), false);
  const path = `/v1/role/${midId}/manages?childRoleId=${lowId}`;
  assert.equal((await ask(admin, "PUT", path, { body: rights("roleManagement") })).status, 200);
  assert.equal(await works(scene, lowId), true);
  assert.equal((await put(stranger, foreignId, lowId, RIGHT, VIEW)).status, 200);
  const sql = `SELECT id FROM manages WHERE parent_id = ${midId} AND child_id = ${lowId}`;
  const relation = `/v1/role/${midId}/manages/${await queryNumber(target, sql)}`;
  assert.equal((await ask(admin, "DELETE", relation)).status, 200);
  assert.equal(await works(scene, lowId), false);
  assertError(await put(stranger, foreignId, lowId, RIGHT, DEVICES), 403, DENIED);
});

passwordScene("a password without a known setter is void", async (scene) => {
  const { target, upper, stranger, midId, foreignId, setPassword, put } = scene;
  await setPassword(upper, midId, RIGHT);
  await execute(target, "UPDATE role SET password_set_by = NULL WHERE id = :midId", { midId });
  assertError(await put(stranger, foreignId, midId, RIGHT, VIEW), 403, DENIED);
  assert.equal(await works(scene, midId), false);
});

passwordSceneAlone("a change that ends the setter's right counts as no failure", async (scene) => {
  const { target, upper, stranger, rootId, midId, foreignId, setPassword, put, ask } = scene;
  // The setter's only way to the role is the relation that the password makes and then narrows.
  await setPassword(upper, midId, RIGHT);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, ALL)).status, 200);
  const upperMember = `/v1/role/${foreignId}/member?userEmail=upper@example.com`;
  assert.equal((await ask(stranger, "PUT", upperMember)).status, 200);
  await removeFrom(scene, rootId, upper);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, VIEW)).status, 200);
  assert.equal(await works(scene, midId), false);
  assert.equal(await queryNumber(target, FAILURES), 0);
});

passwordScene("an account's deletion voids the passwords that it set", async (scene) => {
  const { target, upper, stranger, midId, foreignId, setPassword, put } = scene;
  await setPassword(upper, midId, RIGHT);
  const token = await target.deps.accessTokens.sign({
    ...upper,
    authenticatedAtMs: target.clock.now(),
    assuranceLevel: 1,
  });
  assert.equal((await send(target, "DELETE", "/user", { token })).status, 200);
  assert.equal(await works(scene, midId), false);
  assertError(await put(stranger, foreignId, midId, RIGHT, VIEW), 403, DENIED);
});

passwordScene("only those who may set a password read about it; unknown roles look alike", async (scene) => {
  const { upper, member, stranger, rootId, midId, lowId, setPassword } = scene;
  const none = { set: false, rights: null, setBy: null, setAt: null, works: false };
  assert.deepEqual((await known(scene, upper, midId)).body, none);
  assert.equal((await known(scene, member, midId)).status, 200, "direct roleManagement");
  await setPassword(upper, lowId, RIGHT, VIEW);
  const refused = [[stranger, lowId], [member, lowId], [member, rootId], [upper, 987_654]] as const;
  for (const [caller, roleId] of refused) {
    assertError(await known(scene, caller, roleId), 403, DENIED);
  }
  await setPassword(upper, lowId, null);
  assert.deepEqual((await known(scene, upper, lowId)).body, none);
});

passwordScene("the change log names the setter of a password, their role and each use", async (scene) => {
  const { target, admin, upper, member, stranger, rootId, midId, lowId, foreignId, setPassword, put, ask } =
    scene;
  await setPassword(upper, midId, RIGHT);
  await put(stranger, foreignId, midId, RIGHT, VIEW);
  await put(stranger, foreignId, midId, "not the password", VIEW);
  await setPassword(member, midId, RIGHT);
  // Without a password: no use of one.
  const path = `/v1/role/${rootId}/manages?childRoleId=${lowId}`;
  assert.equal((await ask(upper, "PUT", path, { body: rights("roleManagement") })).status, 200);
  const rows = await query<{ kind: string; actorId: number; parentId: number; details: string | null }>(
    target,
    `SELECT kind, actor_id AS actorId, parent_id AS parentId, decision, details FROM change_log
     WHERE kind IN ('role.password_set', 'manages.put') AND actor_id <> :adminId ORDER BY rev`,
    { adminId: admin.userId },
  );
  assert.deepEqual(rows.map(({ kind, ...row }) => [kind, ...Object.values(row)]), [
    ["role.password_set", upper.userId, rootId, "ok", null],
    ["manages.put", stranger.userId, foreignId, "ok", JSON.stringify({ passwordSetBy: upper.userId })],
    ["manages.put", stranger.userId, foreignId, "denied", null],
    ["role.password_set", member.userId, midId, "ok", null],
    ["manages.put", upper.userId, rootId, "ok", null],
  ]);
});
