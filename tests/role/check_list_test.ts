/** Checks that a server answers as a list find what each finds alone. */
import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { maskOf } from "../../src/graph/rights.ts";
import { PROBE_RIGHT } from "../../src/role/role_queries.ts";
import { execute, query, testApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { idsFrom } from "./many_relations.ts";

/** A role, roles below and above it, and their user's membership: with few others, or with many. */
const [TOP, MIDDLE, LOW, FIRST_OTHER] = [1_000_000, 1_000_001, 1_000_002, 2_000_000];
const MANY = 41;

/** Each in the columns of `member` besides user and role; the session meets 1. */
const MEMBERSHIPS = {
  plain: "63, NULL, 0, 0, NULL",
  narrowed: "2, NULL, 0, 0, NULL",
  ended: "63, 1, 0, 0, NULL",
  awake: "63, NULL, 1, 0, NULL",
  dormant: "63, NULL, 2, 0, NULL",
  "dormant later": "63, NULL, 2, 1, 99999999999999",
  many: "63, NULL, 0, 0, NULL",
};

async function build({ database, createUser }: TestApp) {
  await execute({ database }, [
    `INSERT INTO role (id, name, self_rights) VALUES (${TOP}, 'top', 1), (${MIDDLE}, 'middle', 5), (${LOW}, 'low', 63)`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights)
      VALUES (${MIDDLE}, ${TOP}, 7), (${LOW}, ${TOP}, 6), (${LOW}, ${MIDDLE}, 14)`,
  ]);
  const callers: { readonly name: string; readonly actorId: number; readonly sessionId: string }[] = [];
  for (const [name, columns] of Object.entries(MEMBERSHIPS)) {
    const { userId } = await createUser(`${name.replace(" ", "-")}@example.com`);
    await execute({ database }, [
      `UPDATE session SET meets = 1 WHERE user_id = ${userId}`,
      `INSERT INTO member (role_id, user_id, rights, ends_at, needs, needs_before, needs_from)
        VALUES (${MIDDLE}, ${userId}, ${columns})`,
      ...(name === "many"
        ? [`INSERT INTO member (role_id, user_id) SELECT id, ${userId} FROM ${idsFrom(FIRST_OTHER, MANY)}`]
        : []),
    ]);
    const [session] = await query<{ id: string }>(
      { database },
      `SELECT id FROM session WHERE user_id = ${userId}`,
    );
    callers.push({ name, actorId: userId, sessionId: session?.id ?? "" });
  }
  return [...callers, { ...callers[0], name: "signed out", sessionId: "unknown" }] as typeof callers;
}

testApp("checks that go to a server as a list find what each finds alone", async (target) => {
  const { database, clock } = target.deps;
  const callers = await build(target);
  const rights = ["roleManagement", "userManagement", "viewManagement", "alarmManagement"] as const;
  const asked = callers.flatMap(({ name, ...principal }) =>
    [TOP, MIDDLE, LOW].flatMap((roleId) =>
      rights.map((right) => ({ name, args: { ...principal, now: clock(), roleId, mask: maskOf(right) } }))
    )
  );
  const alone = await Promise.all(
    asked.map(async ({ args }) => (await database.readAll([bind(PROBE_RIGHT.user, args)]))[0]),
  );
  const probes = JSON.stringify(
    asked.map((
      { args: { actorId, sessionId, now, roleId, mask } },
    ) => [actorId, sessionId, now, roleId, mask]),
  );
  const listed = await database.read<{ place: number }>({
    sql: PROBE_RIGHT.user.asList?.() ?? "",
    args: { probes },
  });
  for (const [i, rows] of alone.entries()) {
    const ofPlace = listed.filter(({ place }) => place === i).map(({ place: _, ...row }) => row);
    assert.deepEqual(ofPlace, rows, JSON.stringify(asked[i]));
  }
  const heldBy = (name: string): unknown[] =>
    alone.filter((_, i) => asked[i]?.name === name).map((rows) => rows?.[0]?.["isHeld"] ?? rows?.length);
  const all = [0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0];
  const none = all.map(() => 0);
  assert.deepEqual(heldBy("plain"), all);
  assert.deepEqual(heldBy("narrowed"), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  assert.deepEqual(heldBy("ended"), none);
  assert.deepEqual(heldBy("awake"), all);
  assert.deepEqual(heldBy("dormant"), none);
  assert.deepEqual(heldBy("dormant later"), all);
  // Not answered: null in one row.
  assert.deepEqual(heldBy("many"), all.map(() => 1));
  // No row.
  assert.deepEqual(heldBy("signed out"), none);
});
