import { execute } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** Inserts many relations into the database. Requests would take too long. */

/** The ids of the roles and relations that are added start here. */
const FIRST_ID = 1_000_000;

/** A table of `count` ids from the first one on, in SQL. */
export function idsFrom(first: number, count: number): string {
  return `(WITH RECURSIVE ids(id) AS (SELECT ${first} UNION ALL SELECT id + 1 FROM ids LIMIT ${count})
    SELECT id FROM ids)`;
}

/**
 * Adds `count` parents of a role, all below a root, with all rights, and their rows of the closure. The closure must
 * already have the row of the root and the role.
 */
export async function addParents(
  { database }: TestApp,
  rootId: number,
  roleId: number,
  count: number,
): Promise<void> {
  const parents = idsFrom(FIRST_ID + 1, count);
  await execute({ database }, [
    `INSERT INTO role (id, name, self_rights) SELECT id, 'Parent', 63 FROM ${parents}`,
    `INSERT INTO manages (id, parent_id, child_id, rights) SELECT id, id, ${roleId}, 63 FROM ${parents}`,
    `INSERT INTO manages (id, parent_id, child_id, rights)
      SELECT id + ${FIRST_ID}, ${rootId}, id, 63 FROM ${parents}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT ${roleId}, id, 63 FROM ${parents}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${rootId}, 63 FROM ${parents}`,
  ]);
}

/** Adds a relation without a right between two of these parents, by their numbers from 1. */
export function addRelation(target: TestApp, upper: number, lower: number): Promise<void> {
  return execute(
    target,
    `INSERT INTO manages (id, parent_id, child_id, rights)
      VALUES (${3 * FIRST_ID + lower}, ${FIRST_ID + upper}, ${FIRST_ID + lower}, 0)`,
  );
}

/**
 * Adds a lattice of `depth` layers of `width` roles, each below all of the layer above, between a root and a new role.
 * Every other relation of a layer carries all rights, the others none. The closure is what visibility needs of it. Returns
 * the id of that role.
 */
export async function addLattice(
  { database }: TestApp,
  rootId: number,
  { width, depth }: { width: number; depth: number },
): Promise<number> {
  const role = (layer: number, place: number): number => FIRST_ID + layer * width + place;
  const last = role(depth, 0);
  const relations: [parent: number, child: number, rights: number][] = [];
  for (let place = 0; place < width; place++) {
    relations.push([rootId, role(0, place), 63], [role(depth - 1, place), last, place % 2 * 63]);
    for (let layer = 1; layer < depth; layer++) {
      for (let above = 0; above < width; above++) {
        relations.push([role(layer - 1, above), role(layer, place), (above + place) % 2 * 63]);
      }
    }
  }
  await database.write([
    {
      sql: `INSERT INTO role (id, name, self_rights) SELECT value, 'Role', 63 FROM json_each(:ids)`,
      args: { ids: JSON.stringify(Array.from({ length: last - FIRST_ID + 1 }, (_, i) => FIRST_ID + i)) },
    },
    {
      sql: `INSERT INTO manages (id, parent_id, child_id, rights)
        SELECT ${FIRST_ID} + key, value ->> 0, value ->> 1, value ->> 2 FROM json_each(:relations)`,
      args: { relations: JSON.stringify(relations) },
    },
    {
      sql: `INSERT INTO role_closure (descendant_id, ancestor_id, rights)
        SELECT id, ${rootId}, 63 FROM role WHERE id BETWEEN ${FIRST_ID} AND ${last}`,
      args: {},
    },
  ]);
  return last;
}
