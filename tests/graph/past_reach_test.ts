/** The roles that reached a role at a revision are those of the closure of that time. */
import assert from "node:assert/strict";
import { int, rows, sql } from "../../src/db/sql.ts";
import { bind } from "../../src/db/statement.ts";
import { reachedThen } from "../../src/graph/history/lineage_queries.ts";
import { AS_OF, MOMENT } from "../../src/graph/history/moment_queries.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { query, testApp } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

interface Reached {
  readonly roleId: number;
  readonly rights: number;
}

const REACHED = rows<Reached>()(
  { roleId: int, isAsked: int, ...AS_OF, now: int },
  ({ roleId, isAsked }) =>
    sql`
  WITH RECURSIVE ${MOMENT}, ${reachedThen(roleId, isAsked)}
  SELECT role_id AS roleId, rights FROM reached ORDER BY role_id`,
);

function readReached(
  { database, clock }: TestApp,
  roleId: number,
  asOfRevision: number,
  isAsked = 1,
): Promise<Reached[]> {
  const args = { roleId, asOfRevision, asOfMs: null, now: clock.now(), isAsked };
  return database.read(bind(REACHED, args));
}

testApp("the roles that reached a role at a revision equal the closure at that revision", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  // Three layers of three roles, each below all of the layer above, with rights that differ.
  let layer = [rootId];
  const roleIds = [rootId];
  for (let depth = 0; depth < 3; depth++) {
    const next: number[] = [];
    for (let i = 0; i < 3; i++) {
      const selfRights = rights("viewManagement", ...(i === 0 ? ["alarmManagement"] : []));
      const roleId = await admin.create(layer[0] ?? rootId, `Role ${depth} ${i}`, ALL, selfRights);
      for (const parentId of layer.slice(1)) {
        const mask = rights(...["userManagement", "viewManagement"].slice((parentId + roleId) % 3));
        await admin.put(`/v1/role/${parentId}/manages?childRoleId=${roleId}`, mask);
      }
      next.push(roleId);
    }
    roleIds.push(...next);
    layer = next;
  }
  const closures = new Map<number, string>();
  const noteClosures = async (): Promise<void> => {
    const [row] = await query<{ revision: number }>(target, "SELECT max(rev) AS revision FROM change_log");
    const found = [];
    for (const roleId of roleIds) {
      found.push(
        await query<Reached>(
          target,
          `SELECT ancestor_id AS roleId, rights FROM role_closure WHERE descendant_id = :roleId
          UNION ALL SELECT id, self_rights FROM role WHERE id = :roleId ORDER BY 1`,
          { roleId },
        ),
      );
    }
    closures.set(row?.revision ?? 0, JSON.stringify(found));
  };
  await noteClosures();
  for (const parentId of roleIds.slice(5, 7)) {
    for (const childId of layer) {
      const mask = rights("roleManagement", ...childId % 2 === 0 ? ["reportManagement"] : []);
      await admin.put(`/v1/role/${parentId}/manages?childRoleId=${childId}`, mask);
      await noteClosures();
    }
  }
  await admin.put(`/v1/role/${roleIds[2]}`, { name: "Role", selfRights: rights() });
  await noteClosures();
  assert.equal(new Set(closures.values()).size, closures.size);
  for (const [revision, expected] of closures) {
    const found = [];
    for (const roleId of roleIds) found.push(await readReached(target, roleId, revision));
    assert.equal(JSON.stringify(found), expected, `revision ${revision}`);
  }
  const [revision = 0] = closures.keys();
  assert.deepEqual(await readReached(target, rootId, revision, 0), [], "not asked");
  assert.deepEqual(await readReached(target, 123_456, revision), [], "an unknown role");
  assert.deepEqual(await readReached(target, rootId, revision + 1000), [], "a future revision");
});
