import { defineStatement, type Statement } from "../db/statement.ts";
import { unionOfMasks } from "./guard_queries.ts";
import { ALL_RIGHTS } from "./rights.ts";

/**
 * How a change of a relation P -> C reaches the closure, in the batch that changes the relation. Each statement reads
 * what to do from the change log row of `:opId`, and does nothing unless that row's effect says so.
 *
 * Anc*(P) is P with its ancestors, Desc*(C) is C with its descendants. Only rows of that rectangle can change. The
 * joins are written with CROSS JOIN, IN and scalar subqueries because SQLite otherwise may scan the whole closure.
 */

/** The role itself and its ancestors (or descendants), for a role given as an SQL expression. */
function selfAndAncestors(role: string): string {
  return `SELECT ancestor_id AS role_id FROM role_closure WHERE descendant_id = ${role}
    UNION ALL SELECT ${role} WHERE ${role} IS NOT NULL`;
}

function selfAndDescendants(role: string): string {
  return `SELECT descendant_id AS role_id FROM role_closure WHERE ancestor_id = ${role}
    UNION ALL SELECT ${role} WHERE ${role} IS NOT NULL`;
}

function operation(...effects: string[]): string {
  return `operation(parent_id, role_id, rights) AS MATERIALIZED (
    SELECT parent_id, role_id, new_rights FROM change_log
    WHERE op_id = :opId AND effect IN (${effects.map((effect) => `'${effect}'`).join(", ")}))`;
}

const PARENT = "(SELECT parent_id FROM operation)";
const CHILD = "(SELECT role_id FROM operation)";

/** Adds what a new relation, or new rights on one, let through: one row for each pair of Anc*(P) x Desc*(C). */
export const GROW_CLOSURE: Statement = defineStatement(`
  WITH ${operation("grow")},
  up(role_id, rights) AS MATERIALIZED (
    SELECT ancestor_id, rights FROM role_closure WHERE descendant_id = ${PARENT}
    UNION ALL SELECT parent_id, ${ALL_RIGHTS} FROM operation),
  down(role_id, rights) AS MATERIALIZED (
    SELECT descendant_id, rights FROM role_closure WHERE ancestor_id = ${CHILD}
    UNION ALL SELECT role_id, ${ALL_RIGHTS} FROM operation)
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT down.role_id, up.role_id, up.rights & down.rights & (SELECT rights FROM operation)
  FROM down CROSS JOIN up WHERE true
  ON CONFLICT (descendant_id, ancestor_id) DO UPDATE SET rights = rights | excluded.rights
    WHERE (rights | excluded.rights) <> rights`);

/** Empties the rectangle of a relation that went; `RECOMPUTE_RECTANGLE` fills in what other paths still give. */
export const CLEAR_RECTANGLE: Statement = defineStatement(`
  WITH ${operation("delete")}
  DELETE FROM role_closure
  WHERE descendant_id IN (${selfAndDescendants(CHILD)}) AND ancestor_id IN (${selfAndAncestors(PARENT)})`);

/**
 * Computes the rectangle anew after rights were taken away, from the relations that enter Desc*(C) from outside it.
 * Rows above those relations lie outside Desc*(C), rows below them inside it, and neither kind can have changed: no
 * path between two roles of one side leads over P -> C in a graph without cycles. So nothing needs to be counted.
 */
export const RECOMPUTE_RECTANGLE: Statement = defineStatement(`
  WITH ${operation("shrink", "delete")},
  up(role_id) AS MATERIALIZED (${selfAndAncestors(PARENT)}),
  down(role_id) AS MATERIALIZED (${selfAndDescendants(CHILD)}),
  entry(parent_id, child_id, rights) AS MATERIALIZED (
    SELECT parent_id, child_id, rights FROM manages
    WHERE child_id IN (SELECT role_id FROM down) AND parent_id NOT IN (SELECT role_id FROM down)),
  candidate(ancestor_id, child_id, rights) AS MATERIALIZED (
    SELECT up.role_id, entry.child_id, entry.rights & CASE WHEN up.role_id = entry.parent_id THEN ${ALL_RIGHTS}
      ELSE (SELECT above.rights FROM role_closure above
        WHERE above.descendant_id = entry.parent_id AND above.ancestor_id = up.role_id) END
    FROM entry CROSS JOIN up),
  entered(ancestor_id, child_id, rights) AS MATERIALIZED (
    SELECT ancestor_id, child_id, ${unionOfMasks("rights")} FROM candidate
    WHERE rights IS NOT NULL GROUP BY ancestor_id, child_id),
  fresh(descendant_id, ancestor_id, rights) AS MATERIALIZED (
    SELECT descendant_id, ancestor_id, ${unionOfMasks("rights")} FROM (
      SELECT child_id AS descendant_id, ancestor_id, rights FROM entered
      UNION ALL
      SELECT below.descendant_id, entered.ancestor_id, entered.rights & below.rights
      FROM entered CROSS JOIN role_closure below ON below.ancestor_id = entered.child_id)
    GROUP BY descendant_id, ancestor_id)
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT descendant_id, ancestor_id, rights FROM fresh WHERE true
  ON CONFLICT (descendant_id, ancestor_id) DO UPDATE SET rights = excluded.rights WHERE rights <> excluded.rights`);

/** Removes the rows below the roles that a deletion takes with it. Run after `RECOMPUTE_RECTANGLE`, which reads them. */
export const DROP_ROWS_BELOW_GONE_ROLES: Statement = defineStatement(`
  DELETE FROM role_closure WHERE (descendant_id, ancestor_id) IN (
    SELECT below.descendant_id, below.ancestor_id
    FROM json_each((SELECT gone_role_ids FROM change_log WHERE op_id = :opId AND effect = 'delete')) gone
    CROSS JOIN role_closure below ON below.ancestor_id = gone.value)`);

/** SQL for |Anc*(P)| x |Desc*(C)|: the closure rows that a change of P -> C can touch. */
export function rectangleSize(parent: string, child: string): string {
  return `(1 + (SELECT count(*) FROM role_closure WHERE descendant_id = ${parent}))
    * (1 + (SELECT count(*) FROM role_closure WHERE ancestor_id = ${child}))`;
}

/**
 * SQL for |Anc*(P)| x the relations that enter Desc*(C): what recomputing costs on top of the rectangle. A small
 * rectangle below which each role has hundreds of parents is expensive all the same. Counts up to `:maxCost`.
 */
export function recomputeSize(parent: string, child: string): string {
  return `(1 + (SELECT count(*) FROM role_closure WHERE descendant_id = ${parent}))
    * (SELECT count(*) FROM (SELECT 1
        FROM (SELECT ${child} AS role_id UNION ALL SELECT descendant_id FROM role_closure WHERE ancestor_id = ${child})
        AS reached CROSS JOIN manages entering ON entering.child_id = reached.role_id LIMIT :maxCost))`;
}

/** The page of relations after `:afterId`, and of closure rows after a pair, for verification. */
export const RELATIONS_AFTER: Statement = defineStatement(`
  SELECT id, parent_id AS parentId, child_id AS childId, rights FROM manages
  WHERE id > :afterId ORDER BY id LIMIT :limit`);

export const CLOSURE_ROWS_AFTER: Statement = defineStatement(`
  SELECT descendant_id AS descendantId, ancestor_id AS ancestorId, rights FROM role_closure
  WHERE (descendant_id, ancestor_id) > (:descendantId, :ancestorId)
  ORDER BY descendant_id, ancestor_id LIMIT :limit`);

/** The revision of the graph: it moves with every decided change. */
export const CURRENT_REVISION: Statement = defineStatement(
  `SELECT coalesce(max(rev), 0) AS revision FROM change_log`,
);

/** Writes corrected rows, given as JSON [[descendant, ancestor, rights or null]], if the graph has not moved since. */
export const REPAIR_UPSERT: Statement = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)
  WHERE value ->> 2 IS NOT NULL AND (SELECT coalesce(max(rev), 0) FROM change_log) = :revision
  ON CONFLICT (descendant_id, ancestor_id) DO UPDATE SET rights = excluded.rights`);

export const REPAIR_DELETE: Statement = defineStatement(`
  DELETE FROM role_closure
  WHERE (SELECT coalesce(max(rev), 0) FROM change_log) = :revision AND (descendant_id, ancestor_id) IN (
    SELECT value ->> 0, value ->> 1 FROM json_each(:rows) WHERE value ->> 2 IS NULL)`);
