import { defineStatement, type Statement } from "../../db/statement.ts";
import { DELETED_ROLES } from "../cascade_queries.ts";
import { whenEffect } from "../change/change_queries.ts";
import type { Effect } from "../change/decision.ts";
import { unionOfMasks } from "../guard_text.ts";
import { ALL_RIGHTS } from "../rights.ts";

/**
 * Updates the closure in the batch that changes a relation P -> C. Each statement reads the change log row of `:opId`
 * and does nothing unless that row's effect says so.
 *
 * Anc*(P) is P with its ancestors, Desc*(C) is C with its descendants. Only rows of the rectangle Anc*(P) x Desc*(C)
 * can change. Joins use CROSS JOIN, IN and scalar subqueries, because SQLite may otherwise scan the whole closure.
 */

/** P of the change, as a scalar. SQLite would copy and prepare a CTE once per use. */
function parentOf(...effects: Effect[]): string {
  return `(SELECT parent_id FROM change_log WHERE ${whenEffect(...effects)})`;
}

function childOf(...effects: Effect[]): string {
  return `(SELECT role_id FROM change_log WHERE ${whenEffect(...effects)})`;
}

/** P' of a relation P' -> C that the change's P -> C replaces, as a scalar. */
const REPLACED_PARENT = `(SELECT details ->> 'replacedParentId' FROM change_log WHERE ${
  whenEffect("write")
})`;

/** Anc*(P), or no rows if the change has none of the effects. */
function parentAndAncestors(...effects: Effect[]): string {
  return `SELECT ancestor_id AS role_id FROM role_closure WHERE descendant_id = ${parentOf(...effects)}
    UNION ALL SELECT parent_id FROM change_log WHERE ${whenEffect(...effects)}`;
}

/** Desc*(C), or no rows if the change has none of the effects. */
function childAndDescendants(...effects: Effect[]): string {
  return `SELECT descendant_id AS role_id FROM role_closure WHERE ancestor_id = ${childOf(...effects)}
    UNION ALL SELECT role_id FROM change_log WHERE ${whenEffect(...effects)}`;
}

/** A relation P -> C with its rights, as SQL: of a change log row, or of parameters. */
export interface ChangedRelation {
  /** Scalars; null if there is nothing to do. */
  readonly parent: string;
  readonly child: string;
  readonly rights: string;
  /** P and C as rows, or no row if there is nothing to do. */
  readonly parentRow: (further: string) => string;
  readonly childRow: (further: string) => string;
}

const GROWN_IN_LOG: ChangedRelation = {
  parent: parentOf("grow"),
  child: childOf("grow"),
  rights: `(SELECT new_rights FROM change_log WHERE ${whenEffect("grow")})`,
  parentRow: (further) => `SELECT parent_id, ${further} FROM change_log WHERE ${whenEffect("grow")}`,
  childRow: (further) => `SELECT role_id, ${further} FROM change_log WHERE ${whenEffect("grow")}`,
};

/** The CTEs of `GROWN_ROWS`. */
export function growing({ parent, child, parentRow, childRow }: ChangedRelation): string {
  return `up(role_id, rights) AS MATERIALIZED (
    SELECT ancestor_id, rights FROM role_closure WHERE descendant_id = ${parent}
    UNION ALL ${parentRow(String(ALL_RIGHTS))}),
  down(role_id, rights) AS MATERIALIZED (
    SELECT descendant_id, rights FROM role_closure WHERE ancestor_id = ${child}
    UNION ALL ${childRow(String(ALL_RIGHTS))})`;
}

/** SQL: the rights that a relation lets through, for each pair of Anc*(P) x Desc*(C). */
export function grownRows(rights: string): string {
  return `SELECT down.role_id AS descendant_id, up.role_id AS ancestor_id,
    up.rights & down.rights & ${rights} AS rights
  FROM down CROSS JOIN up`;
}

/** Adds the rights that a new or widened relation lets through. */
export const GROW_CLOSURE: Statement = defineStatement(`
  WITH ${growing(GROWN_IN_LOG)}
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  ${grownRows(GROWN_IN_LOG.rights)} WHERE true
  ON CONFLICT (descendant_id, ancestor_id) DO UPDATE SET rights = rights | excluded.rights
    WHERE (rights | excluded.rights) <> rights`);

/** The same for a relation to a role that is new, so there are no rows below it and none to meet. */
export const ADD_LEAF_TO_CLOSURE: Statement = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT made.role_id, above.ancestor_id, above.rights & made.new_rights
  FROM change_log made CROSS JOIN role_closure above ON above.descendant_id = made.parent_id
  WHERE ${whenEffect("grow")}
  UNION ALL SELECT role_id, parent_id, new_rights FROM change_log WHERE ${whenEffect("grow")}`);

/** Empties the rectangle of a deleted relation. `RECOMPUTE_RECTANGLE` then adds the rights of the other paths. */
export const CLEAR_RECTANGLE: Statement = defineStatement(`
  DELETE FROM role_closure
  WHERE descendant_id IN (${childAndDescendants("delete")})
    AND ancestor_id IN (${parentAndAncestors("delete")})`);

const UNION_OF_RIGHTS = unionOfMasks("rights");

/** A rectangle to recompute, as SQL. */
export interface Rectangle {
  /** The roles above, as rows: Anc*(P), for example. */
  readonly up: string;
  /** Desc*(C) as rows. */
  readonly down: string;
  /** A further condition on the relations that enter Desc*(C), and relations besides them. */
  readonly unless?: string;
  readonly besides?: string;
}

/**
 * The CTEs of `RECOMPUTED_ROWS`: the rectangle as it follows from the relations that enter Desc*(C) from outside it. Rows
 * above those relations lie outside Desc*(C), rows below them inside it. Neither can have changed: in an acyclic graph,
 * no path between two roles on the same side passes P -> C. So paths need not be counted.
 */
export function recomputing({ up, down, unless = "", besides = "" }: Rectangle): string {
  return `up(role_id) AS MATERIALIZED (${up}),
  down(role_id) AS MATERIALIZED (${down}),
  entry(parent_id, child_id, rights) AS MATERIALIZED (
    SELECT parent_id, child_id, rights FROM manages
    WHERE child_id IN (SELECT role_id FROM down) AND parent_id NOT IN (SELECT role_id FROM down)${unless}${besides}),
  candidate(ancestor_id, child_id, rights) AS MATERIALIZED (
    SELECT up.role_id, entry.child_id, entry.rights & CASE WHEN up.role_id = entry.parent_id THEN ${ALL_RIGHTS}
      ELSE (SELECT above.rights FROM role_closure above
        WHERE above.descendant_id = entry.parent_id AND above.ancestor_id = up.role_id) END
    FROM entry CROSS JOIN up),
  entered(ancestor_id, child_id, rights, entries) AS MATERIALIZED (
    SELECT ancestor_id, child_id, ${UNION_OF_RIGHTS}, count(*) OVER (PARTITION BY ancestor_id) FROM candidate
    WHERE rights IS NOT NULL GROUP BY ancestor_id, child_id),
  reached(descendant_id, ancestor_id, rights, entries) AS MATERIALIZED (
    SELECT child_id, ancestor_id, rights, entries FROM entered
    UNION ALL
    SELECT below.descendant_id, entered.ancestor_id, entered.rights & below.rights, entries
    FROM entered CROSS JOIN role_closure below ON below.ancestor_id = entered.child_id)`;
}

/**
 * SQL: the rows of the rectangle. The union over paths takes longer than all the rest. It is left out for ancestors that
 * enter Desc*(C) at a single role, which are most ancestors in a hierarchy: they reach each role below it exactly once.
 */
export const RECOMPUTED_ROWS = `SELECT descendant_id, ancestor_id, rights FROM reached WHERE entries = 1
  UNION ALL
  SELECT descendant_id, ancestor_id, ${UNION_OF_RIGHTS} FROM reached WHERE entries > 1
  GROUP BY descendant_id, ancestor_id`;

function recompute(rectangle: Rectangle): Statement {
  return defineStatement(`
  WITH ${recomputing(rectangle)}
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  ${RECOMPUTED_ROWS}
  ON CONFLICT (descendant_id, ancestor_id) DO UPDATE SET rights = excluded.rights WHERE rights <> excluded.rights`);
}

/** Recomputes the rectangle after rights were taken away. */
export const RECOMPUTE_RECTANGLE: Statement = recompute({
  up: parentAndAncestors("shrink", "delete"),
  down: childAndDescendants("shrink", "delete"),
});

/** Anc*(P) and Anc*(P') of a relation P' -> C that P -> C replaces. The log row's details name P'. */
const BOTH_PARENTS_AND_ANCESTORS = `${parentAndAncestors("write")}
    UNION SELECT ancestor_id FROM role_closure WHERE descendant_id = ${REPLACED_PARENT}
    UNION SELECT ${REPLACED_PARENT} WHERE ${REPLACED_PARENT} IS NOT NULL`;

/** Empties and recomputes the rectangle of a relation that replaces another one into the same role. */
export const RECOMPUTE_MOVED: readonly Statement[] = [
  defineStatement(`
    DELETE FROM role_closure
    WHERE descendant_id IN (${
    childAndDescendants("write")
  }) AND ancestor_id IN (${BOTH_PARENTS_AND_ANCESTORS})`),
  recompute({ up: BOTH_PARENTS_AND_ANCESTORS, down: childAndDescendants("write") }),
];

/** Removes the rows below the deleted roles. Must run after `RECOMPUTE_RECTANGLE`, which reads them. */
export const DROP_ROWS_BELOW_DELETED_ROLES: Statement = defineStatement(`
  DELETE FROM role_closure WHERE (descendant_id, ancestor_id) IN (
    SELECT below.descendant_id, below.ancestor_id
    FROM json_each(${DELETED_ROLES}) deleted
    CROSS JOIN role_closure below ON below.ancestor_id = deleted.value)`);

/** A row that is only joined costs a fraction of one that is written. */
const JOINED_ROWS_PER_COST = 4;

export interface CostedChange {
  /** SQL: P and C, from columns of `verdict`. */
  readonly parent: string;
  readonly child: string;
  /** SQL: P' of a relation P' -> C that is replaced. Anc*(P') counts like Anc*(P). */
  readonly replacedParent?: string;
  /** SQL: the change is made, unless it costs too much. Its cost would tell others that the relation exists. */
  readonly isAllowed: string;
  /** SQL: it takes rights away. */
  readonly shrinks: string;
}

/**
 * SQL: the CTE `costed`, which is the CTE `verdict` with the cost of an allowed change of P -> C.
 *
 * Any change costs |Anc*(P)| x |Desc*(C)|, the closure rows that it can touch. One that takes rights away also costs the
 * recomputing: |Anc*(P)| x (the relations that enter Desc*(C), plus a fraction of the rows below the roles that are
 * entered from outside). Even a small rectangle is expensive if each of its roles has hundreds of parents, or if a long
 * chain is entered at every role. Stops counting at the bound. Each size is counted in one place of the text, because
 * reading it takes a server longer than running it.
 */
export function costedVerdict(
  { parent, child, replacedParent, isAllowed, shrinks }: CostedChange,
): string {
  const alsoUp = replacedParent === undefined
    ? ""
    : ` + 1 + (SELECT count(*) FROM role_closure WHERE descendant_id = ${replacedParent})`;
  const reached = `(SELECT ${child} AS role_id
    UNION ALL SELECT descendant_id FROM role_closure WHERE ancestor_id = ${child}) AS reached`;
  return `sized AS MATERIALIZED (SELECT *,
      CASE WHEN ${isAllowed} THEN 1 + (SELECT count(*) FROM role_closure WHERE descendant_id = ${parent})${alsoUp} END AS up_size,
      CASE WHEN ${isAllowed} THEN 1 + (SELECT count(*) FROM role_closure WHERE ancestor_id = ${child}) END AS down_size,
      CASE WHEN ${isAllowed} AND ${shrinks} THEN (SELECT count(*) FROM (SELECT 1 FROM ${reached}
        CROSS JOIN manages entering ON entering.child_id = reached.role_id LIMIT +:maxCost)) END AS entries
      FROM verdict),
    costed AS MATERIALIZED (SELECT *, up_size * down_size + CASE WHEN entries IS NULL THEN 0
      WHEN up_size * entries > :maxCost THEN up_size * entries
      ELSE up_size * (entries + (SELECT count(*) FROM (SELECT 1 FROM ${reached}
        CROSS JOIN role_closure below ON below.ancestor_id = reached.role_id
        WHERE EXISTS (SELECT 1 FROM manages entering WHERE entering.child_id = reached.role_id
          AND entering.parent_id <> ${child} AND NOT EXISTS (SELECT 1 FROM role_closure inside
            WHERE inside.descendant_id = entering.parent_id AND inside.ancestor_id = ${child}))
        LIMIT ${JOINED_ROWS_PER_COST} * :maxCost)) / ${JOINED_ROWS_PER_COST}) END AS cost FROM sized)`;
}

/** Writes corrected rows, as JSON [[descendant, ancestor, rights or null]], if the graph is still at `:revision`. */
export const REPAIR_UPSERT: Statement = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)
  WHERE value ->> 2 IS NOT NULL AND (SELECT coalesce(max(rev), 0) FROM change_log) = :revision
  ON CONFLICT (descendant_id, ancestor_id) DO UPDATE SET rights = excluded.rights`);

export const REPAIR_DELETE: Statement = defineStatement(`
  DELETE FROM role_closure
  WHERE (SELECT coalesce(max(rev), 0) FROM change_log) = :revision AND (descendant_id, ancestor_id) IN (
    SELECT value ->> 0, value ->> 1 FROM json_each(:rows) WHERE value ->> 2 IS NULL)`);
