/** Previews of changes to relations and roles, and changes on condition of the previewed effect. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { EFFECT_OF_GROWING } from "../../src/changes/preview/effect_queries.ts";
import { SEEN_ROLES, STANDING_OF_PEOPLE } from "../../src/changes/preview/affected_queries.ts";
import {
  assertError,
  DENIED,
  execute,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import { bootstrap, type Manages, Person } from "../helpers/person.ts";
import { openQuickApp, type TestApp } from "../helpers/test_app.ts";
import { ALL, type Rights, rights } from "../every_operation/request_catalogue.ts";
import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import { createDevice } from "../device/device_people.ts";
import { type Effect, effectIn, ifEffect, NOTHING, preview } from "./effect_scene.ts";
import { FAILURES, NONE, passwordSceneAlone, RIGHT } from "../role/role_password_scene.ts";

const CYCLE = "The proposed manages relation cannot be added since it would create a cycle in the role graph";
const UNMANAGED = "The role would be left without a role that manages it";
const VIEW = rights("viewManagement");

/**
 * Root above left and right, left above leaf by the relation `relationId`. The guest is a member of the right role alone;
 * `path` makes a relation from it to the leaf.
 */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const leftId = await admin.create(rootId, "Left", ALL, NONE);
  const rightId = await admin.create(rootId, "Right", ALL, NONE);
  const leafId = await admin.create(leftId, "Leaf", ALL, NONE);
  const { userId, accessToken } = await target.createUser("guest@example.com");
  await join(target, rightId, userId);
  const relationId = await queryNumber(target, `SELECT id FROM manages WHERE child_id = ${leafId}`);
  const guest = new Person(target, accessToken);
  const path = `/v1/role/${rightId}/manages?childRoleId=${leafId}`;
  return { admin, guest, rootId, leftId, rightId, leafId, relationId, path };
}

async function join(target: TestApp, roleId: number, userId: number): Promise<void> {
  await execute(
    target,
    "INSERT INTO member (id, role_id, user_id) SELECT 1000000 + count(*), :roleId, :userId FROM member",
    { roleId, userId },
  );
}

/** All that a change could touch, except the log and the throttles. */
async function readGraph(target: TestApp): Promise<string> {
  const tables = ["role", "manages", "member", "role_closure", "id_sequence", "user_account", "outbox"];
  return JSON.stringify(await Promise.all(tables.map((table) => query(target, `SELECT * FROM ${table}`))));
}

testApp("a preview shows what a new relation gives and changes nothing", async (target) => {
  const { admin, rightId, leafId, path } = await setScene(target);
  const before = await readGraph(target);
  const previewed = await admin.ask("PUT", `${path}&dryRun=true`, VIEW);
  const { tag, revision, ...effect } = effectIn(previewed);
  assert.deepEqual((previewed.body as { manages: unknown }).manages, {
    id: null,
    parentRoleId: rightId,
    childRoleId: leafId,
    ...VIEW,
  });
  assert.match(tag, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(previewed.headers.get("X-Rolegrid-Revision"), String(revision));
  assert.deepEqual(effect, {
    rights: {
      ...Object.fromEntries(Object.keys(ALL).map((name) => [name, NOTHING])),
      viewManagement: { gained: 1, lost: 0 },
    },
    people: { gained: 1, lost: 0 },
    named: [{
      userEmail: "guest@example.com",
      on: [{ roleIds: [leafId], gained: ["viewManagement"], lost: [], kept: [], through: [], hidden: false }],
      others: 0,
    }],
    keeps: [],
    unmanaged: [],
    hiddenUnmanaged: 0,
    deletes: { roles: 0, devices: 0 },
    reading: { roles: NOTHING, people: NOTHING, changes: [], hidden: 0 },
    changes: [{ actingRoleId: rightId, roleId: leafId, gained: ["viewManagement"], lost: [] }],
    hidden: 0,
    truncated: false,
  });
  assert.equal(await readGraph(target), before);

  const made = await admin.ask("PUT", path, VIEW, ifEffect(tag));
  assert.equal(made.status, 200, made.text);
  const { manages, ...others } = made.body as { manages: Manages };
  assert.deepEqual(others, {});
  assert.ok(manages.id > 0);
  const again = await admin.ask("PUT", path, VIEW, ifEffect(tag));
  assert.equal(again.text, made.text, "what is done already is a success");
  const noop = await preview(admin, "PUT", path, VIEW);
  assert.deepEqual([noop.people, noop.changes], [NOTHING, []]);
});

testApp("a preview is refused like the change itself", async (target) => {
  const { admin, guest, rootId, leftId, rightId, leafId, relationId, path } = await setScene(target);
  const cases = [
    [admin, "PUT", `/v1/role/${leafId}/manages?childRoleId=${leftId}`, 409, CYCLE],
    [admin, "PUT", `/v1/role/${leftId}/manages/${relationId}`, 409, UNMANAGED],
    [admin, "PUT", `/v1/role/${leftId}/manages/${999_999}`, 403, DENIED],
    [guest, "PUT", path, 403, DENIED],
    [guest, "PUT", `/v1/role/${leftId}/manages/${relationId}`, 403, DENIED],
    [guest, "DELETE", `/v1/role/${leftId}/manages/${relationId}`, 403, DENIED],
    [guest, "PUT", `${path}&replaces=${relationId}`, 403, DENIED],
    [admin, "PUT", `${path}&replaces=${relationId}`, 409, UNMANAGED],
    [admin, "PUT", `${path}&replaces=999999`, 403, DENIED],
    [admin, "PUT", `/v1/role/${rootId}/manages?childRoleId=${rightId}&replaces=${relationId}`, 403, DENIED],
  ] as const;
  for (const [person, method, asked, status, message] of cases) {
    const body = method === "DELETE" ? undefined : VIEW;
    for (const query of ["dryRun=true", ""]) {
      const answer = await person.ask(method, `${asked}${asked.includes("?") ? "&" : "?"}${query}`, body);
      assertError(answer, status, message, `${method} ${asked} ${query}`);
    }
    assertError(await person.ask(method, asked, body, ifEffect("A".repeat(43))), status, message);
  }
  const role = { name: "X", selfRights: ALL };
  assertError(await guest.ask("PUT", `/v1/role/${rightId}?dryRun=true`, role), 403, DENIED);
  assertError(await admin.ask("PUT", `/v1/role/${rootId}?dryRun=true`, role), 403, DENIED);
  await execute(target, "UPDATE session SET ended_at = 1");
  assertError(await admin.ask("PUT", `/v1/role/${leafId}?dryRun=true`, role), 401, UNVERIFIED);
});

Deno.test("a preview has the cost of the change and is refused beyond the bound", async () => {
  await using target = await openQuickApp({ maxClosureChange: 1 });
  const { admin, rootId } = await bootstrap(target);
  const first = await admin.create(rootId, "First");
  const second = await admin.create(rootId, "Second");
  for (const query of ["", "&dryRun=true"]) {
    const answer = await admin.ask("PUT", `/v1/role/${first}/manages?childRoleId=${second}${query}`, ALL);
    assert.equal(answer.status, 422, answer.text);
  }
});

testApp("a malformed tag, one with a preview and one without an effect get a 400", async (target) => {
  const { admin, rootId, leafId, leftId, relationId } = await setScene(target);
  const tag = "A".repeat(43);
  const role = { name: "X", selfRights: ALL };
  const requests: [string, string, unknown, string][] = [
    ...["", "x", `${tag}A`, `"${tag}"`, `${tag.slice(1)}=`]
      .map((given): typeof requests[number] => ["PUT", `/v1/role/${leafId}`, role, given]),
    ["PUT", `/v1/role/${leafId}?dryRun=true`, role, tag],
    ["DELETE", `/v1/role/${leftId}/manages/${relationId}?dryRun=true`, undefined, tag],
    ["POST", `/v1/role?parentRoleId=${rootId}`, { manages: ALL, role }, tag],
    ["POST", "/v1/role/query", {}, tag],
    ["PUT", `/v1/role/${leafId}/password`, { password: null }, tag],
    ["GET", "/user/session", undefined, tag],
  ];
  const before = await readGraph(target);
  for (const [method, path, body, given] of requests) {
    const answer = await admin.ask(method, path, body, ifEffect(given));
    assertError(answer, 400, MALFORMED, `${method} ${path} ${given}`);
  }
  const byPassword = { headers: { "X-Child-Role-Password": RIGHT } };
  const move = `/v1/role/${rootId}/manages?childRoleId=${leafId}&replaces=${relationId}`;
  assertError(await admin.ask("PUT", move, ALL, byPassword), 400, MALFORMED);
  assert.equal(await readGraph(target), before);
});

testApp("a tag is valid for one request of one user with one effect", async (target) => {
  const { admin, rootId, leftId, rightId, path } = await setScene(target);
  const { tag } = await preview(admin, "PUT", path, VIEW);
  const { userId, accessToken } = await target.createUser("second@example.com");
  await join(target, rootId, userId);
  const before = await readGraph(target);
  for (
    const [person, other, body] of [
      [admin, path, ALL],
      [admin, `/v1/role/${leftId}`, { name: "Other", selfRights: ALL }],
      [new Person(target, accessToken), path, VIEW],
    ] as const
  ) {
    assertError(await person.ask("PUT", other, body, ifEffect(tag)), 409, "EFFECT_CHANGED", other);
  }
  assert.equal(await readGraph(target), before);

  // Another person joins the role, so that the change would concern more people.
  const { userId: thirdId } = await target.createUser("third@example.com");
  await join(target, rightId, thirdId);
  assertError(await admin.ask("PUT", path, VIEW, ifEffect(tag)), 409, "EFFECT_CHANGED");
  // What does not matter for the effect does not void the tag.
  const latest = await preview(admin, "PUT", path, VIEW);
  assert.deepEqual(latest.people, { gained: 2, lost: 0 });
  await admin.create(rightId, "Elsewhere");
  assert.equal((await admin.ask("PUT", path, VIEW, ifEffect(latest.tag))).status, 200);
});

testApp("a preview of a deletion names the roles left without a manager", async (target) => {
  const { admin, rootId, leftId, leafId, relationId } = await setScene(target);
  const belowId = await admin.create(leafId, "Below");
  const path = `/v1/role/${leftId}/manages/${relationId}`;
  const previewed = await admin.ask("DELETE", `${path}?dryRun=true`);
  const { effect, ...planned } = previewed.body as { effect: Effect };
  assert.deepEqual(effect.unmanaged, [], "a deleted role is not left without a person");
  assert.deepEqual(effect.rights["roleManagement"], { gained: 0, lost: 6 });
  assert.deepEqual(
    effect.changes.map(({ actingRoleId, roleId }) => [actingRoleId, roleId]),
    [[rootId, leafId], [rootId, belowId], [leftId, leafId], [leftId, belowId], [leafId, belowId], [
      belowId,
      belowId,
    ]],
  );

  // A root below it stays and loses its last manager.
  await execute(target, `UPDATE role SET is_root = 1 WHERE id = ${belowId}`);
  const kept = await preview(admin, "DELETE", path);
  assert.deepEqual(kept.unmanaged, [belowId]);
  assertError(await admin.ask("DELETE", path, undefined, ifEffect(effect.tag)), 409, "EFFECT_CHANGED");
  assert.equal((await admin.ask("DELETE", path, undefined, ifEffect(kept.tag))).status, 200);
  assert.deepEqual((planned as { deletedNodeIds: number[] }).deletedNodeIds, [leafId, belowId]);
});

testApp("a move takes a role with its rights in one change", async (target) => {
  const { admin, rootId, leftId, rightId, leafId, relationId } = await setScene(target);
  const path = `/v1/role/${rightId}/manages?childRoleId=${leafId}&replaces=${relationId}`;
  const effect = await preview(admin, "PUT", path, ALL);
  assert.deepEqual(effect.changes, [
    { actingRoleId: leftId, roleId: leafId, gained: [], lost: RIGHT_NAMES },
    { actingRoleId: rightId, roleId: leafId, gained: RIGHT_NAMES, lost: [] },
  ]);
  const moved = await admin.ask("PUT", path, ALL, ifEffect(effect.tag));
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual(
    await query(target, `SELECT parent_id AS parent, rights FROM manages WHERE child_id = ${leafId}`),
    [{ parent: rightId, rights: 63 }],
  );
  assert.deepEqual(await admin.holds(leafId, "roleManagement", "alarmManagement"), [true, true]);
  const repeated = await admin.ask("PUT", path, ALL);
  assert.deepEqual([repeated.status, repeated.text], [moved.status, moved.text], "it is done already");
  assertError(await admin.ask("PUT", path, VIEW), 403, DENIED, "there is nothing left to replace");
  const log = await query(
    target,
    "SELECT kind, details, gone_relation_ids AS deleted FROM change_log WHERE kind = 'manages.move' AND decision = 'ok'",
  );
  assert.deepEqual(log[0], {
    kind: "manages.move",
    details: JSON.stringify({ replacedParentId: leftId, replacedRights: 63 }),
    deleted: JSON.stringify([relationId]),
  });

  // To a parent that it has already, with fewer rights: the one relation is left.
  const toRoot = `/v1/role/${rootId}/manages?childRoleId=${leafId}`;
  const other = await admin.put<{ manages: Manages }>(toRoot, VIEW);
  const ownId = await queryNumber(target, `SELECT id FROM manages WHERE parent_id = ${rightId}`);
  const merged = await admin.put<{ manages: Manages }>(
    `${toRoot}&replaces=${ownId}`,
    rights("roleManagement"),
  );
  assert.equal(merged.manages.id, other.manages.id);
  assert.deepEqual(await admin.holds(leafId, "roleManagement", "viewManagement"), [true, false]);
});

testApp("a preview shows the gain and loss of self rights", async (target) => {
  const { admin, guest, rightId } = await setScene(target);
  // A membership that does not carry the right does not count.
  const { userId } = await target.createUser("limited@example.com");
  await join(target, rightId, userId);
  await execute(target, `UPDATE member SET rights = 1 WHERE user_id = ${userId}`);
  // Nor does one that has ended.
  const { userId: formerId } = await target.createUser("former@example.com");
  await join(target, rightId, formerId);
  const end = target.clock.now();
  await execute(target, `UPDATE member SET ends_at = ${end} WHERE user_id = ${formerId}`);
  const path = `/v1/role/${rightId}`;
  const body = { name: "Renamed", selfRights: VIEW };
  const previewed = await admin.ask("PUT", `${path}?dryRun=true`, body);
  const effect = effectIn(previewed);
  assert.deepEqual(effect.people, { gained: 1, lost: 0 });
  assert.deepEqual(effect.changes, [
    { actingRoleId: rightId, roleId: rightId, gained: ["viewManagement"], lost: [] },
  ]);
  assert.deepEqual(await guest.holds(rightId, "viewManagement"), [false]);
  const made = await admin.ask("PUT", path, body, ifEffect(effect.tag));
  assert.deepEqual(made.body, { role: (previewed.body as { role: unknown }).role });
  assert.deepEqual(await guest.holds(rightId, "viewManagement"), [true]);
});

testApp("a preview counts pairs with a hidden role without showing them", async (target) => {
  const { admin, rootId, leftId, rightId, leafId } = await setScene(target);
  // A member of the left role manages the leaf, and sees neither the root nor the right role.
  const { userId, accessToken } = await target.createUser("left@example.com");
  await join(target, leftId, userId);
  const left = new Person(target, accessToken);
  await admin.put(`/v1/role/${rightId}/manages?childRoleId=${leafId}`, VIEW);
  const belowId = await left.create(leafId, "Below", ALL, NONE);
  const id = await queryNumber(target, `SELECT id FROM manages WHERE child_id = ${belowId}`);
  const path = `/v1/role/${leafId}/manages/${id}`;
  const narrowed = rights("roleManagement");
  const effect = await preview(left, "PUT", path, narrowed);
  assert.deepEqual(effect.changes.map(({ actingRoleId }) => actingRoleId), [leftId, leafId]);
  assert.equal(effect.hidden, 2);
  const text = JSON.stringify(effect.changes);
  assert.ok(!text.includes(`:${rootId},`) && !text.includes(`:${rightId},`));
  const seen = await preview(admin, "PUT", path, narrowed);
  assert.deepEqual([seen.changes.length, seen.hidden], [4, 0]);
  assert.deepEqual(seen.rights, effect.rights);
});

passwordSceneAlone("a preview with a role's password counts as a guess", async (scene) => {
  const { target, stranger, upper, foreignId, midId, setPassword, takeCompared, ask } = scene;
  await setPassword(upper, midId, RIGHT, VIEW);
  const path = `/v1/role/${foreignId}/manages?childRoleId=${midId}`;
  const attempt = (password: string, query = "&dryRun=true", headers = {}) =>
    ask(stranger, "PUT", `${path}${query}`, {
      body: VIEW,
      headers: { "X-Child-Role-Password": password, ...headers },
    });
  const before = await readGraph(target);
  const effect = effectIn(await attempt(RIGHT));
  assert.equal(await queryNumber(target, FAILURES), 0, "a right password is no failure");
  assert.equal(effect.changes.length + effect.hidden > 0, true);
  assertError(await attempt("not the password"), 403, DENIED);
  assert.ok(await queryNumber(target, FAILURES) > 0);
  assert.equal(await readGraph(target), before);
  assert.equal(takeCompared(), 2);
  const made = await attempt(RIGHT, "", { "If-Effect": effect.tag });
  assert.equal(made.status, 200, made.text);
  assert.equal(takeCompared(), 1, "a request that is previewed and applied compares once");
  assert.equal(await queryNumber(target, "SELECT count FROM throttle WHERE scope = 'role_password'"), 1);
});

const PARTS = { pairs: EFFECT_OF_GROWING, roles: SEEN_ROLES, people: STANDING_OF_PEOPLE };

/** Runs `before` and `after` around each read with this statement. */
function aroundReads(
  database: Database,
  { sql }: { readonly sql: string },
  { before, after }: Partial<Record<"before" | "after", () => Promise<void>>>,
): Disposable {
  const { read, readAll } = database;
  const around = async <R>(isMeant: boolean, run: () => Promise<R>): Promise<R> => {
    if (isMeant) await before?.();
    const rows = await run();
    if (isMeant) await after?.();
    return rows;
  };
  database.read = (statement) =>
    around(statement.sql === sql, () => read.call(database, statement) as Promise<never[]>);
  database.readAll = (statements) =>
    around(statements.some((each) => each.sql === sql), () => readAll.call(database, statements));
  return { [Symbol.dispose]: () => void Object.assign(database, { read, readAll }) };
}

for (const [part, statement] of Object.entries(PARTS)) {
  forEachApp(`an effect is not shown if the session has ended when its ${part} are read`, async (target) => {
    const { admin, path } = await setScene(target);
    const { database } = target;
    const setEnd = (end: string) => execute({ database }, `UPDATE session SET ended_at = ${end}`);
    // Each part asks for itself.
    using _ = aroundReads(database, statement, { before: () => setEnd("1"), after: () => setEnd("NULL") });
    assertError(await admin.ask("PUT", `${path}&dryRun=true`, VIEW), 401, UNVERIFIED);
  });
}

/** Calls `between` after this read of an effect, by default the last: what others do between a preview and its change. */
function interfere(
  database: Database,
  between: () => Promise<void>,
  statement: { readonly sql: string } = STANDING_OF_PEOPLE,
): Disposable {
  let isBusy = false;
  const after = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    await between();
    isBusy = false;
  };
  return aroundReads(database, statement, { after });
}

testApp("a change is refused if other changes keep coming after its effect was read", async (target) => {
  const { admin, rightId, leafId, path } = await setScene(target);
  const { tag } = await preview(admin, "PUT", path, VIEW);
  let calls = 0;
  {
    using _ = interfere(target.database, async () => {
      calls++;
      await admin.create(rightId, `Elsewhere ${calls}`);
    });
    const answer = await admin.ask("PUT", path, VIEW, ifEffect(tag));
    assertError(answer, 503, "The service is temporarily unavailable, try again later");
    assert.equal(answer.headers.get("Retry-After"), "1");
    assert.equal(calls, 3);
  }
  assert.equal(await queryNumber(target, `SELECT count(*) FROM manages WHERE child_id = ${leafId}`), 1);
  {
    // One that comes once is overcome.
    using _ = interfere(target.database, async () => {
      if (calls++ === 3) await admin.create(rightId, "Once");
    });
    assert.equal((await admin.ask("PUT", path, VIEW, ifEffect(tag))).status, 200);
    assert.equal(calls, 5);
  }
});

forEachApp("a change is refused if an intervening change alters its effect", async (target) => {
  const { admin, leafId, rightId, path } = await setScene(target);
  const { tag } = await preview(admin, "PUT", path, VIEW);
  using _ = interfere(target.database, async () => {
    await admin.create(leafId, "Also concerned");
  });
  assertError(await admin.ask("PUT", path, VIEW, ifEffect(tag)), 409, "EFFECT_CHANGED");
  assert.equal(await queryNumber(target, `SELECT count(*) FROM manages WHERE parent_id = ${rightId}`), 0);
});

forEachApp("a membership's end in between refuses a change, and a new device does not", async (target) => {
  const { admin, rightId, path } = await setScene(target);
  const { tag } = await preview(admin, "PUT", path, VIEW);
  {
    let isFirst = true;
    using _ = interfere(target.database, async () => {
      if (isFirst) await createDevice(admin, rightId, "meter");
      isFirst = false;
    });
    const { tag: own } = await preview(admin, "PUT", path, VIEW);
    assert.equal(own, tag);
  }
  const end = target.clock.now() + 1000;
  await execute(target, `UPDATE member SET ends_at = ${end} WHERE role_id = ${rightId}`);
  using _ = interfere(target.database, () => Promise.resolve(target.clock.advance(1)));
  assertError(await admin.ask("PUT", path, VIEW, ifEffect(tag)), 409, "EFFECT_CHANGED");
});

testApp("devices that others keep making do not refuse a change of a relation", async (target) => {
  const { admin, rightId, path } = await setScene(target);
  const { tag } = await preview(admin, "PUT", path, VIEW);
  let calls = 0;
  using _ = interfere(target.database, async () => {
    await createDevice(admin, rightId, `meter ${++calls}`);
  });
  assert.equal((await admin.ask("PUT", path, VIEW, ifEffect(tag))).status, 200);
  assert.equal(calls, 1);
});

testApp("a change is refused if a set-back clock revives a membership", async (target) => {
  const { admin, rightId, path } = await setScene(target);
  const sql = `UPDATE member SET ends_at = ${target.clock.now()} WHERE role_id = ${rightId}`;
  await execute(target, sql);
  const { tag } = await preview(admin, "PUT", path, VIEW);
  // Before, no person gains, so there are no people to read.
  using _ = interfere(target.database, () => Promise.resolve(target.clock.advance(-1)), SEEN_ROLES);
  assertError(await admin.ask("PUT", path, VIEW, ifEffect(tag)), 409, "EFFECT_CHANGED");
});

forEachApp("previews share one row of the log and leave no other trace", async (target) => {
  const { admin, rightId, path } = await setScene(target);
  const before = await queryNumber(target, "SELECT count(*) FROM change_log");
  for (let i = 0; i < 5; i++) {
    const answer = await admin.ask("PUT", `${path}&dryRun=true`, i % 2 === 0 ? VIEW : ALL);
    assert.equal((answer.body as { manages: Rights }).manages["alarmManagement"], i % 2 !== 0);
  }
  const sql = "SELECT kind, decision, step, attempts FROM change_log ORDER BY rev DESC LIMIT 1";
  const [last = {}] = await query(target, sql);
  assert.deepEqual(Object.values(last), ["manages.put.dry_run", "ok", "none", 5]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log"), before + 1);
  // However many roles are tried, a minute has a limited number of rows.
  for (let i = 0; i < 70; i++) {
    await admin.ask("PUT", `/v1/role/${rightId}?dryRun=true`, { name: `N${i}`, selfRights: ALL });
    await admin.ask("PUT", `/v1/role/${900_000 + i}?dryRun=true`, { name: `N${i}`, selfRights: ALL });
  }
  assert.ok(await queryNumber(target, "SELECT count(*) FROM change_log") <= before + 65);
});
