/** Relations by the child role's password: what it allows, what a guess costs, and what each attempt leaves. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import {
  assertError,
  assertWait,
  DENIED,
  dumpState,
  execute,
  MALFORMED,
  query,
  queryNumber,
  UNVERIFIED,
} from "../helpers/http.ts";
import { ALL, type Created, rights } from "../every_operation/request_catalogue.ts";
import {
  FAILURES,
  NONE,
  type PasswordScene,
  passwordScene,
  passwordSceneAlone,
  RIGHT,
} from "./role_password_scene.ts";

const WRONG = "not the password";
const VIEW = rights("viewManagement");
const TOO_MANY =
  "The provided childRolePassword query parameter cannot be checked, since too many successive failed role query " +
  "calls occured";
const CYCLE = "The proposed manages relation cannot be added since it would create a cycle in the role graph";
const WITHOUT_MANAGER = "The role would be left without a role that manages it";

/** Wait in seconds after the nth failure in a row. */
const SCHEDULE = [0, 0, 0, 30, 60, 120, 300, 900, 3600, 3600, 3600];

interface MadeRelation {
  readonly id: number;
  readonly rights: number;
  readonly byPassword: number;
}

/** The relation of a pair, if there is one. */
async function findRelation(
  { target }: PasswordScene,
  parentId: number,
  childId: number,
): Promise<MadeRelation | undefined> {
  const [row] = await query<MadeRelation>(
    target,
    `SELECT id, rights, by_password AS byPassword FROM manages
     WHERE parent_id = :parentId AND child_id = :childId`,
    { parentId, childId },
  );
  return row;
}

/** Makes the relation of the foreign root and the middle role by its password. */
async function attach(scene: PasswordScene, asked = VIEW): Promise<number> {
  const { stranger, upper, foreignId, midId, setPassword, put } = scene;
  assert.equal((await setPassword(upper, midId, RIGHT)).status, 200);
  const answer = await put(stranger, foreignId, midId, RIGHT, asked);
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { manages: { id: number } }).manages.id;
}

passwordSceneAlone("a manager takes a role in by its password, with at most its rights", async (scene) => {
  const { stranger, upper, foreignId, midId, setPassword, put, takeCompared } = scene;
  await setPassword(upper, midId, RIGHT, rights("viewManagement", "deviceManagement"));
  for (const beyond of [ALL, rights("userManagement"), rights("viewManagement", "roleManagement")]) {
    assertError(await put(stranger, foreignId, midId, RIGHT, beyond), 403, DENIED);
  }
  assert.equal(await findRelation(scene, foreignId, midId), undefined);
  const made = await put(stranger, foreignId, midId, RIGHT, VIEW);
  const relation = await findRelation(scene, foreignId, midId);
  assert.deepEqual(made.body, {
    manages: { id: relation?.id, parentRoleId: foreignId, childRoleId: midId, ...VIEW },
  });
  assert.deepEqual([relation?.rights, relation?.byPassword], [4, 1]);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, VIEW)).text, made.text, "PUT is idempotent");
  assert.equal((await put(stranger, foreignId, midId, RIGHT, rights("deviceManagement"))).status, 200);
  assert.deepEqual(await findRelation(scene, foreignId, midId), { ...relation, rights: 8 });
  assert.equal(takeCompared(), 6);
  assert.equal(await queryNumber(scene.target, FAILURES), 0, "a right password is no failure");
});

passwordScene("a wrong or empty password is refused even if the caller needs none", async (scene) => {
  const { upper, rootId, lowId, setPassword, put, takeCompared } = scene;
  await setPassword(upper, lowId, RIGHT);
  for (const password of [WRONG, "", RIGHT.toUpperCase(), `${RIGHT} `.repeat(200)]) {
    scene.target.clock.advance(3600);
    assertError(await put(upper, rootId, lowId, password, ALL), 403, DENIED, password);
    assert.equal(takeCompared(), 1, "each takes one hash");
  }
  assert.equal((await put(upper, rootId, lowId, undefined, ALL)).status, 200);
});

passwordSceneAlone("without roleManagement on the parent, nothing is counted or compared", async (scene) => {
  const { target, upper, member, stranger, rootId, lowId, midId, foreignId, setPassword, put } = scene;
  await setPassword(upper, lowId, RIGHT);
  const before = await dumpState(target);
  for (const password of [RIGHT, WRONG, ""]) {
    assertError(await put(stranger, rootId, lowId, password), 403, DENIED);
    assertError(await put(stranger, 999_999, lowId, password), 403, DENIED);
    assertError(await put(member, foreignId, midId, password), 403, DENIED);
  }
  assert.equal(scene.takeCompared(), 0);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM throttle WHERE scope <> 'notice.made'"), 0);
  assert.equal(await dumpState(target), before);
});

passwordSceneAlone("wrong, missing and void passwords and unknown roles leave one trace", async (scene) => {
  const { target, admin, upper, stranger, rootId, foreignId, midId, lowId, setPassword, put, ask } = scene;
  await setPassword(admin, midId, RIGHT);
  const body = { manages: ALL, role: { name: "Void", selfRights: NONE } };
  const created = (await ask(admin, "POST", `/v1/role?parentRoleId=${rootId}`, { body })).body as Created;
  const voidId = created.role.id;
  await setPassword(upper, voidId, RIGHT);
  await execute(target, "DELETE FROM member WHERE user_id = :userId", { userId: upper.userId });
  const traces: unknown[] = [];
  for (
    const [childId, password] of [[midId, WRONG], [lowId, WRONG], [987_654, WRONG], [
      voidId,
      RIGHT,
    ]] as const
  ) {
    const lastRevision = await queryNumber(target, "SELECT max(rev) FROM change_log");
    const statuses: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const { status, body, headers } = await put(stranger, foreignId, childId, password, VIEW);
      statuses.push([status, body, headers.get("Retry-After")]);
    }
    const changes = await query(
      target,
      `SELECT at, actor_id, session_id, kind, decision, step, attempts, parent_id, relation_id, subject_id, old_rights,
         new_rights, cost, blocked_role_id, gone_role_ids, gone_relation_ids, details
       FROM change_log WHERE role_id = :childId AND rev > :lastRevision ORDER BY rev`,
      { childId, lastRevision },
    );
    const counters = await query(
      target,
      `SELECT scope, replace(key, :childId, 'child') AS key, count, next_at, started_at, expires_at FROM throttle
       WHERE scope LIKE 'role%' AND (key = CAST(:childId AS TEXT) OR key LIKE :childId || ' %') ORDER BY scope`,
      { childId },
    );
    traces.push(JSON.stringify([statuses, changes, counters]));
    assert.equal(scene.takeCompared(), 4, "each attempt but the last, which waits, takes one hash");
    assert.equal(changes.length, 5);
    assert.equal(counters.length, 2);
  }
  assert.deepEqual(traces, traces.map(() => traces[0]));
});

passwordScene("two simultaneous attempts have their own rows in the log and responses", async (scene) => {
  const { target, upper, stranger, foreignId, midId, setPassword, put, hook } = scene;
  await setPassword(upper, midId, RIGHT);
  const bothCompare = Promise.withResolvers<void>();
  let comparing = 0;
  hook.compare = () => {
    if (++comparing === 2) bothCompare.resolve();
    return bothCompare.promise;
  };
  const answers = await Promise.all([1, 2].map(() => put(stranger, foreignId, midId, RIGHT, VIEW)));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200]);
  const decisions = await query(
    target,
    `SELECT decision FROM change_log WHERE role_id = :midId AND kind = 'manages.put' AND parent_id = :foreignId
     ORDER BY decision`,
    { midId, foreignId },
  );
  assert.deepEqual(decisions.map(({ decision }) => decision), ["noop", "ok"]);
});

passwordScene("wrong passwords of one caller wait by the schedule, to the second", async (scene) => {
  const { target, upper, stranger, other, foreignId, midId, setPassword, put, takeCompared } = scene;
  await setPassword(upper, midId, RIGHT);
  for (const [i, wait] of SCHEDULE.entries()) {
    assertError(await put(stranger, foreignId, midId, WRONG), 403, DENIED, `failure ${i + 1}`);
    if (wait === 0) continue;
    assertWait(await put(stranger, foreignId, midId, RIGHT), TOO_MANY, wait, `after failure ${i + 1}`);
    if (i === 3) assertError(await put(other, foreignId, midId, WRONG), 403, DENIED, "another caller");
    target.clock.advance(wait - 1);
    assertWait(await put(stranger, foreignId, midId, RIGHT), TOO_MANY, 1, `a second too early, ${i + 1}`);
    target.clock.advance(1);
  }
  assert.equal(takeCompared(), SCHEDULE.length + 1, "nothing is compared while waiting");
  assert.equal((await put(stranger, foreignId, midId, RIGHT)).status, 200);
  for (let i = 0; i < 3; i++) assertError(await put(stranger, foreignId, midId, WRONG), 403, DENIED);
  assertError(await put(stranger, foreignId, midId, WRONG), 403, DENIED, "a success sets the schedule back");
  assertWait(await put(stranger, foreignId, midId, WRONG), TOO_MANY, 30);
});

passwordSceneAlone("a role's password allows 20 failures a day, over all callers", async (scene) => {
  const { target, upper, stranger, other, foreignId, midId, lowId, setPassword, put, takeCompared } = scene;
  await setPassword(upper, midId, RIGHT);
  for (let i = 0; i < 20; i++) {
    const caller = i % 2 === 0 ? stranger : other;
    assertError(await put(caller, foreignId, midId, WRONG), 403, DENIED, `failure ${i + 1}`);
    // The waits of all callers would not fit into the day, and this test is not about waits.
    await execute(target, "DELETE FROM throttle WHERE scope = 'role_password.caller'");
    target.clock.advance(60);
  }
  assert.equal(takeCompared(), 20);
  for (const caller of [stranger, other]) {
    assertWait(await put(caller, foreignId, midId, RIGHT), TOO_MANY, 86_400 - 20 * 60);
  }
  assertError(await put(stranger, foreignId, lowId, WRONG), 403, DENIED, "another role");
  target.clock.advance(86_400 - 20 * 60 - 1);
  assertWait(await put(other, foreignId, midId, RIGHT), TOO_MANY, 1);
  target.clock.advance(1);
  assert.equal((await put(other, foreignId, midId, RIGHT)).status, 200);
});

passwordScene("a caller has fifty failures an hour, over all roles", async (scene) => {
  const { upper, stranger, other, foreignId, midId, target, setPassword, put, takeCompared } = scene;
  await setPassword(upper, midId, RIGHT);
  for (let i = 1; i <= 50; i++) {
    assertError(await put(stranger, foreignId, 100_000 + i, WRONG), 403, DENIED, `failure ${i}`);
  }
  assert.equal(takeCompared(), 50);
  assertWait(await put(stranger, foreignId, midId, RIGHT), TOO_MANY, 3600);
  assert.equal(takeCompared(), 0);
  assert.equal((await put(other, foreignId, midId, RIGHT)).status, 200, "another caller");
  target.clock.advance(3599);
  assertWait(await put(stranger, foreignId, midId, RIGHT), TOO_MANY, 1);
  target.clock.advance(1);
  assert.equal((await put(stranger, foreignId, midId, RIGHT)).status, 200);
});

passwordSceneAlone("of 50 simultaneous wrong passwords, four are compared", async (scene) => {
  const { target, upper, stranger, foreignId, midId, setPassword, put, takeCompared } = scene;
  await setPassword(upper, midId, RIGHT);
  const answers = await Promise.all(Array.from({ length: 50 }, () => put(stranger, foreignId, midId, WRONG)));
  const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
  assert.deepEqual([count(403), count(429), takeCompared()], [4, 46, 4]);
  const counts = await query(
    target,
    "SELECT scope, count FROM throttle WHERE scope LIKE 'role%' ORDER BY scope",
  );
  assert.deepEqual(counts.map(Object.values), [
    ["role_password", 4],
    ["role_password.all", 4],
    ["role_password.caller", 4],
  ]);
});

passwordSceneAlone("50 simultaneous right passwords make one relation and no failure", async (scene) => {
  const { target, upper, stranger, foreignId, midId, setPassword, put } = scene;
  await setPassword(upper, midId, RIGHT);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => put(stranger, foreignId, midId, RIGHT, VIEW)),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  statuses.delete(429);
  assert.deepEqual([...statuses], [200]);
  assert.equal(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1);
  const made = await query(
    target,
    "SELECT decision FROM change_log WHERE parent_id = :foreignId AND decision = 'ok'",
    { foreignId },
  );
  assert.equal(made.length, 1);
  assert.equal(await queryNumber(target, FAILURES), 0, "each took its failure back");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log WHERE step = 'compare'"), 0);
});

passwordSceneAlone("an attempt that a full hasher refuses counts as no failure", async (scene) => {
  const { target, upper, stranger, foreignId, midId, setPassword, put, hook } = scene;
  await setPassword(upper, midId, RIGHT);
  const before = await dumpState(target);
  hook.compare = () => {
    throw new AppError("UNAVAILABLE", { retryAfterSeconds: 1 });
  };
  for (let i = 0; i < 6; i++) assert.equal((await put(stranger, foreignId, midId, RIGHT)).status, 503);
  assert.deepEqual([await queryNumber(target, FAILURES), await dumpState(target)], [0, before]);
  const attempts = "SELECT count(*) FROM change_log WHERE step = 'abandoned'";
  assert.equal(await queryNumber(target, attempts), 6, "each stays on record");
  hook.compare = () => {};
  assert.equal((await put(stranger, foreignId, midId, RIGHT)).status, 200);
});

passwordSceneAlone("a password that ends while it is compared counts as wrong", async (scene) => {
  const { target, upper, stranger, foreignId, midId, setPassword, put, hook } = scene;
  const ends = [
    () => setPassword(upper, midId, "another password"),
    () => setPassword(upper, midId, null),
    () => execute(target, "DELETE FROM member WHERE user_id = :userId", { userId: upper.userId }),
  ];
  for (const end of ends) {
    await setPassword(upper, midId, RIGHT);
    hook.compare = async () => {
      hook.compare = () => {};
      await end();
    };
    assertError(await put(stranger, foreignId, midId, RIGHT), 403, DENIED);
  }
  assert.equal(await findRelation(scene, foreignId, midId), undefined);
  const counts = await query(
    target,
    "SELECT count FROM throttle WHERE scope LIKE 'role@_password%' ESCAPE '@'",
  );
  assert.deepEqual(counts, [{ count: 3 }, { count: 3 }, { count: 3 }]);
});

passwordScene("an attempt fails if the right on the parent ends during the comparison", async (scene) => {
  const { target, upper, stranger: { userId }, stranger, foreignId, midId, setPassword, put, hook } = scene;
  await setPassword(upper, midId, RIGHT);
  hook.compare = () => execute(target, "DELETE FROM member WHERE user_id = :userId", { userId });
  assertError(await put(stranger, foreignId, midId, RIGHT), 403, DENIED);
  assert.equal(await findRelation(scene, foreignId, midId), undefined);
});

passwordScene("an attempt whose session ends during the comparison fails and is logged", async (scene) => {
  const { target, upper, stranger: { userId }, stranger, foreignId, midId, setPassword, put, hook } = scene;
  await setPassword(upper, midId, RIGHT);
  const args = { userId, now: target.clock.now() };
  hook.compare = () => execute(target, "UPDATE session SET ended_at = :now WHERE user_id = :userId", args);
  assertError(await put(stranger, foreignId, midId, RIGHT), 401, UNVERIFIED);
  assert.equal(await findRelation(scene, foreignId, midId), undefined);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log WHERE step = 'compare'"), 1);
  assertError(await put(stranger, foreignId, midId, RIGHT), 401, UNVERIFIED);
});

passwordSceneAlone("a right password allows no cycle and no loss of the last manager", async (scene) => {
  const { target, admin, upper, member, foreignId, midId, lowId, rootId, setPassword, put, stranger } = scene;
  await setPassword(upper, lowId, RIGHT);
  await setPassword(upper, midId, RIGHT);
  assertError(await put(member, midId, midId, RIGHT), 409, CYCLE);
  await setPassword(admin, rootId, RIGHT);
  assertError(await put(member, midId, rootId, RIGHT), 409, CYCLE);
  assertError(await put(upper, rootId, lowId, RIGHT, VIEW), 409, WITHOUT_MANAGER);
  assert.equal((await put(stranger, foreignId, lowId, RIGHT, rights("roleManagement"))).status, 200);
  assert.equal((await put(upper, rootId, lowId, RIGHT, VIEW)).status, 200);
  assert.equal(await queryNumber(target, FAILURES), 0, "a right password is no failure, whatever came of it");
});

passwordScene("only a relation that needed the password is flagged, also after updates", async (scene) => {
  const { upper, stranger, rootId, foreignId, midId, lowId, setPassword, put, ask } = scene;
  await setPassword(upper, lowId, RIGHT);
  assert.equal((await put(upper, midId, lowId, RIGHT, VIEW)).status, 200);
  const made = await findRelation(scene, midId, lowId);
  assert.equal(made?.byPassword, 0, "an update of one made without");
  assert.equal((await ask(upper, "DELETE", `/v1/role/${midId}/manages/${made.id}`)).status, 200);
  assert.equal((await put(upper, midId, lowId, RIGHT, VIEW)).status, 200);
  assert.equal((await findRelation(scene, midId, lowId))?.byPassword, 0, "a new one that could do without");
  assert.equal((await put(upper, rootId, lowId, RIGHT, ALL)).status, 200);
  assert.equal((await findRelation(scene, rootId, lowId))?.byPassword, 0);
  const id = await attach(scene);
  assert.deepEqual(await findRelation(scene, foreignId, midId), { id, rights: 4, byPassword: 1 });
  assert.equal((await put(stranger, foreignId, midId, RIGHT, NONE)).status, 200);
  assert.equal((await findRelation(scene, foreignId, midId))?.byPassword, 1);
});

passwordScene("the child's members can delete or narrow a relation made by password", async (scene) => {
  const { member, foreignId, ask } = scene;
  const id = await attach(scene, rights("viewManagement", "deviceManagement"));
  const path = `/v1/role/${foreignId}/manages/${id}`;
  assertError(await ask(member, "PUT", path, { body: ALL }), 403, DENIED);
  assertError(await ask(member, "PUT", path, { body: rights("alarmManagement") }), 403, DENIED);
  assert.equal((await ask(member, "PUT", path, { body: VIEW })).status, 200);
  const previewed = await ask(member, "DELETE", `${path}?dryRun=true`);
  const { effect, ...planned } = previewed.body as { effect: unknown };
  assert.notEqual(effect, undefined);
  assert.deepEqual(planned, { deletedNodeIds: [], deletedRelationIds: [id] });
  assert.deepEqual((await ask(member, "DELETE", path)).body, planned);
});

passwordScene("members of the child cannot delete the only relation of their role", async (scene) => {
  const { target, upper, member, rootId, foreignId, midId, ask } = scene;
  const id = await attach(scene, ALL);
  const path = `/v1/role/${foreignId}/manages/${id}`;
  const own = await findRelation(scene, rootId, midId);
  assert.equal((await ask(upper, "DELETE", `/v1/role/${rootId}/manages/${own?.id}`)).status, 200);
  const before = await dumpState(target);
  for (const sent of [["DELETE", path], ["DELETE", `${path}?dryRun=true`], ["PUT", path]] as const) {
    const body = sent[0] === "PUT" ? { body: VIEW } : {};
    assertError(await ask(member, sent[0], sent[1], body), 403, DENIED, sent.join(" "));
  }
  assert.equal(await dumpState(target), before);
});

passwordScene("a root that was put below another by its password can leave again", async (scene) => {
  const { upper, stranger, other, rootId, foreignId, setPassword, put, ask } = scene;
  assert.equal((await setPassword(stranger, foreignId, RIGHT)).status, 200);
  assertError(await put(upper, rootId, foreignId, RIGHT, ALL), 403, DENIED, "never with roleManagement");
  assert.equal((await put(upper, rootId, foreignId, RIGHT, VIEW)).status, 200);
  const relation = await findRelation(scene, rootId, foreignId);
  assert.equal(relation?.byPassword, 1);
  const answer = await ask(other, "DELETE", `/v1/role/${rootId}/manages/${relation?.id}`);
  assert.deepEqual(answer.body, { deletedNodeIds: [], deletedRelationIds: [relation?.id] });
});

passwordScene("members of the child cannot delete a relation made without the password", async (scene) => {
  const { upper, member, rootId, midId, setPassword, put, ask } = scene;
  await setPassword(upper, midId, RIGHT);
  assert.equal((await put(upper, rootId, midId, RIGHT, ALL)).status, 200);
  const relation = await findRelation(scene, rootId, midId);
  const path = `/v1/role/${rootId}/manages/${relation?.id}`;
  assertError(await ask(member, "DELETE", path), 403, DENIED);
  await attach(scene, VIEW);
  assertError(await ask(member, "DELETE", path), 403, DENIED, "another relation keeps the role");
});

passwordScene("the password is accepted in the query, the header, or both if they agree", async (scene) => {
  const { upper, stranger, foreignId, midId, setPassword, ask, takeCompared } = scene;
  const secret = "ouvre-toi, sésame";
  await setPassword(upper, midId, secret);
  const path = `/v1/role/${foreignId}/manages?childRoleId=${midId}`;
  const inQuery = `${path}&childRolePassword=${encodeURIComponent(secret)}`;
  const utf8 = String.fromCharCode(...new TextEncoder().encode(secret));
  const header = (value: string): { headers: Record<string, string> } => ({
    headers: { "X-Child-Role-Password": value },
  });
  const ways = [[inQuery, {}], [path, header(utf8)], [path, header(secret)], [
    inQuery,
    header(utf8),
  ]] as const;
  for (const [sentTo, headers] of ways) {
    assert.equal((await ask(stranger, "PUT", sentTo, { body: VIEW, ...headers })).status, 200);
  }
  takeCompared();
  assertError(await ask(stranger, "PUT", inQuery, { body: VIEW, ...header(WRONG) }), 400, MALFORMED);
  const twice = `${inQuery}&childRolePassword=${secret}`;
  assertError(await ask(stranger, "PUT", twice, { body: VIEW }), 400, MALFORMED);
  assert.equal(takeCompared(), 0);
  assertError(await ask(stranger, "PUT", `${path}&childRolePassword=`, { body: VIEW }), 403, DENIED);
  assert.equal(takeCompared(), 1);
});

passwordScene("neither log nor change log contains a password, right or wrong", async (scene) => {
  const { target, stranger, foreignId, midId, put, ask } = scene;
  await attach(scene);
  await put(stranger, foreignId, midId, WRONG);
  for (const password of [RIGHT, WRONG]) {
    const query = `childRoleId=${midId}&childRolePassword=${encodeURIComponent(password)}`;
    await ask(stranger, "PUT", `/v1/role/${foreignId}/manages?${query}`, { body: VIEW });
    await ask(stranger, "PUT", `/v1/role/${foreignId}/manages?${query}`, { body: {} });
  }
  const tables = ["change_log", "security_event", "throttle", "outbox", "manages"];
  const kept = await Promise.all(tables.map((table) => query(target, `SELECT * FROM ${table}`)));
  const told = target.logLines.join("\n") + JSON.stringify(kept);
  for (const secret of [RIGHT, WRONG]) {
    for (const spelt of [secret, encodeURIComponent(secret), `plain:${secret}`]) {
      assert.ok(!told.includes(spelt), spelt);
    }
  }
});

passwordScene("deleting a role deletes its password", async (scene) => {
  const { target, upper, stranger, rootId, midId, foreignId, setPassword, put, ask } = scene;
  await setPassword(upper, midId, RIGHT);
  const relation = await findRelation(scene, rootId, midId);
  const { body } = await ask(upper, "DELETE", `/v1/role/${rootId}/manages/${relation?.id}`);
  assert.deepEqual((body as { deletedNodeIds: number[] }).deletedNodeIds, [midId]);
  assertError(await put(stranger, foreignId, midId, RIGHT), 403, DENIED);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role WHERE password_hash IS NOT NULL"), 0);
});

passwordScene("if secrets in queries are refused, the password is accepted in the header", async (scene) => {
  const { upper, stranger, foreignId, midId, setPassword, put, ask, takeCompared } = scene;
  await setPassword(upper, midId, RIGHT);
  const path = `/v1/role/${foreignId}/manages?childRoleId=${midId}&childRolePassword=`;
  for (const password of [RIGHT, ""]) {
    const headers = { "X-Child-Role-Password": RIGHT };
    for (const sent of [{ body: VIEW }, { body: VIEW, headers }]) {
      const answer = await ask(stranger, "PUT", path + encodeURIComponent(password), sent);
      assert.equal(answer.status, 400);
      assert.ok(answer.text.includes("X-Child-Role-Password") && !answer.text.includes(RIGHT));
    }
  }
  assert.equal(takeCompared(), 0);
  assert.equal((await put(stranger, foreignId, midId, RIGHT, VIEW)).status, 200);
}, { refuseQuerySecrets: true });
