/** The tables of history, row by row, after each kind of change. */
import assert from "node:assert/strict";
import { purge } from "../../src/purge/purge_service.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { rebuildClosure } from "../../src/graph/closure/closure_service.ts";
import { formatRow } from "../../src/transfer/roles/role_format.ts";
import { GraphReader } from "../../src/transfer/roles/role_graph.ts";
import { importHierarchy } from "../../src/transfer/roles/import_roles.ts";
import { assertError, DENIED, query } from "../helpers/http.ts";
import type { Manages } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import { limitedMembership, NONE, SUBJECT } from "../role/membership_scene.ts";

const TABLES = [
  { table: "role", id: "role_id", columns: "self_rights" },
  { table: "manages", id: "relation_id", columns: "parent_id, child_id, rights" },
  { table: "member", id: "member_id", columns: "role_id, user_id, rights, ends_at" },
] as const;

/** What is stored now, by table. */
async function readNow(target: TestApp): Promise<unknown> {
  return await Promise.all(
    TABLES.map(({ table, columns }) => query(target, `SELECT id, ${columns} FROM ${table} ORDER BY id`)),
  );
}

/** What history says of a revision. */
async function readThen(target: TestApp, revision: number): Promise<unknown> {
  return await Promise.all(TABLES.map(({ table, id, columns }) =>
    query(
      target,
      `SELECT ${id} AS id, ${columns} FROM ${table}_history WHERE from_rev <= :revision AND to_rev > :revision
       ORDER BY ${id}`,
      { revision },
    )
  ));
}

async function lastRevision(target: TestApp): Promise<number> {
  const [row] = await query<{ revision: number }>(target, "SELECT max(rev) AS revision FROM change_log");
  return row?.revision ?? 0;
}

limitedMembership("after each kind of change, history has this state and all earlier ones", async (scene) => {
  const { target, admin, rootId, topId, siteId, lowId, inMs, join, askToJoin, person } = scene;
  const { database } = target;
  const stored = new Map<number, unknown>();
  const step = async (what: string, change: () => Promise<unknown>, moves = true): Promise<void> => {
    const [revision, before] = [await lastRevision(target), await readNow(target)];
    await change();
    const after = await readNow(target);
    if (moves) assert.notDeepEqual(after, before, what);
    else assert.deepEqual(after, before, what);
    if (moves) assert.ok(await lastRevision(target) > revision, `${what}: no revision of its own`);
    stored.set(await lastRevision(target), after);
    assert.deepEqual(await readThen(target, await lastRevision(target)), after, what);
  };
  const relationTo = async (roleId: number): Promise<number> => {
    const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${roleId}/managed-by/query`);
    return manages[0]?.id ?? 0;
  };
  const path = `/v1/role/${siteId}/manages/${await relationTo(lowId)}`;
  let created = 0;
  await step("a role", async () => created = await admin.create(siteId, "Created"));
  await step("self rights", () => admin.put(`/v1/role/${siteId}`, { name: "Site", selfRights: NONE }));
  await step("a name", () => admin.put(`/v1/role/${siteId}`, { name: "Renamed", selfRights: NONE }), false);
  await step("a member", () => join(siteId, SUBJECT));
  await step("the member again", () => join(siteId, SUBJECT), false);
  await step("a mask", () => join(siteId, SUBJECT, { rights: rights("userManagement") }));
  await step("an end", () => join(siteId, SUBJECT, { until: inMs(1) }));
  await step("the same mask", () => join(siteId, SUBJECT, { rights: rights("userManagement") }), false);
  await step(
    "a denied mask",
    async () =>
      assertError(await askToJoin(await person(SUBJECT), rootId, SUBJECT, { rights: null }), 403, DENIED),
    false,
  );
  target.clock.advance(0.001);
  await step(
    "a new membership in place of one that has ended",
    () => join(siteId, SUBJECT, { until: inMs(1) }),
  );
  await step("fewer rights of a relation", () => admin.put(path, rights("roleManagement")));
  await step("more rights of a relation", () => admin.put(path, ALL));
  await step("a second relation", () => admin.put(`/v1/role/${topId}/manages?childRoleId=${created}`, ALL));
  await step("a move", async () =>
    await admin.put(
      `/v1/role/${lowId}/manages?childRoleId=${created}&replaces=${await relationTo(created)}`,
      ALL,
    ));
  await step("a key", () => admin.post(`/v1/role/${lowId}/key`, { name: "key" }));
  await step("a preview", () => admin.delete(`${path}?dryRun=true`), false);
  await step("a purge", async () => {
    target.clock.advance(0.001);
    await purge(target.deps);
  });
  await step("a membership below what goes", () => join(lowId, "gone@example.com"));
  await step("a cascade", () => admin.delete(path));
  await step("a person who leaves", async () => {
    await join(siteId, SUBJECT);
    assert.equal((await (await person(SUBJECT)).ask("DELETE", "/user")).status, 200);
  }, false);
  await step("a removal", async () => {
    const { id } = await join(topId, "other@example.com");
    await admin.delete(`/v1/role/${topId}/member/${id}`);
  }, false);
  await step("a second root", () => bootstrapRoot(target.deps, { email: ADMIN, roleName: "Second" }));
  await step("an import", async () => {
    const reader = new GraphReader();
    const row = { name: "Imported", selfRights: 5 };
    reader.add(2, formatRow({ ...row, key: "a", topRights: 63, parents: new Map() }));
    reader.add(3, formatRow({ ...row, key: "b", topRights: undefined, parents: new Map([["a", 3]]) }));
    const checked = reader.finish({ under: true });
    assert.ok("graph" in checked, JSON.stringify(checked));
    await importHierarchy(target.deps, checked.graph, { underId: siteId });
  });
  await step("a repair", () => rebuildClosure(database), false);

  for (const [revision, expected] of stored) {
    assert.deepEqual(await readThen(target, revision), expected, `revision ${revision}`);
  }
  // An interval is never empty, and those of one row do not overlap.
  for (const { table, id } of TABLES) {
    const wrong = await query(
      target,
      `SELECT one.${id} FROM ${table}_history one WHERE one.from_rev >= one.to_rev OR EXISTS (
         SELECT 1 FROM ${table}_history other WHERE other.${id} = one.${id} AND other.from_rev > one.from_rev
           AND other.from_rev < one.to_rev)`,
    );
    assert.deepEqual(wrong, [], table);
  }
});
