import { changeLog, manages, roleClosure } from "../../db/schema/role.ts";
import {
  assigned,
  bare,
  excluded,
  int,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { DELETED_ROLES } from "./cascade_queries.ts";
import { unionOfMasks } from "../rules/rule_queries.ts";
import { ALL_RIGHTS } from "../rights.ts";
import { hasStep, type Step, stepFor, whenStep } from "../step_queries.ts";

/**
 * Statements that update the closure in the batch that changes a relation P -> C, as the step in the change log row
 * says. Anc*(P) is P with its ancestors, Desc*(C) is C with its descendants. Only rows of the rectangle Anc*(P) x
 * Desc*(C) change; of a move also those of Anc*(P') x Desc*(C), and of a deletion also the rows below deleted roles. An
 * _entry_ is a relation into Desc*(C) from outside. CROSS JOIN, IN and scalar subqueries keep SQLite from scanning the
 * whole closure.
 */

const COLUMNS = bare(roleClosure.descendantId, roleClosure.ancestorId, roleClosure.rights);
const PAIR = bare(roleClosure.descendantId, roleClosure.ancestorId);
const EXCLUDED_RIGHTS = excluded(roleClosure.rights);

type LogColumn = "parentId" | "roleId" | "newRights";

/** Selects a column of the change and `further`, or no row if the change has none of the steps. */
function ofChange(column: LogColumn, steps: readonly Step[], further?: Value): SQL {
  const made = row(changeLog, "made");
  const columns = further === undefined ? sql`${made[column]}` : sql`${made[column]}, ${further}`;
  return sql`SELECT ${columns} FROM ${made} WHERE ${hasStep(made, ...steps)}`;
}

/** Returns P of the change as a scalar. SQLite would copy and prepare a CTE once per use. */
function parentOf(...steps: Step[]): SQL {
  return sql`(${ofChange("parentId", steps)})`;
}

function childOf(...steps: Step[]): SQL {
  return sql`(${ofChange("roleId", steps)})`;
}

const replacing = row(changeLog, "replacing");
/** P' of a relation P' -> C that the change's P -> C replaces, as a scalar. */
const REPLACED_PARENT = sql`(SELECT ${replacing.details} ->> 'replacedParentId' FROM ${replacing}
    WHERE ${hasStep(replacing, "write")})`;

/** Selects Anc*(P), or no rows if the change has none of the steps. */
function parentAndAncestors(...steps: Step[]): SQL {
  const above = row(roleClosure, "above");
  const parent = parentOf(...steps);
  return sql`SELECT ${above.ancestorId} AS role_id FROM ${above} WHERE ${above.descendantId} = ${parent}
    UNION ALL ${ofChange("parentId", steps)}`;
}

/** Selects Desc*(C), or no rows if the change has none of the steps. */
function childAndDescendants(...steps: Step[]): SQL {
  const below = row(roleClosure, "below");
  const child = childOf(...steps);
  return sql`SELECT ${below.descendantId} AS role_id FROM ${below} WHERE ${below.ancestorId} = ${child}
    UNION ALL ${ofChange("roleId", steps)}`;
}

/** A relation P -> C with its rights: of a change log row, or of arguments. */
export interface ChangedRelation {
  /** Scalars; null if there is nothing to do. */
  readonly parent: Value;
  readonly child: Value;
  readonly rights: Value;
  /** Selects P or C with `further`, or no row if there is nothing to do. */
  readonly parentRow: (further: Value) => SQL;
  readonly childRow: (further: Value) => SQL;
}

const GROWN_IN_LOG: ChangedRelation = {
  parent: parentOf("grow"),
  child: childOf("grow"),
  rights: sql`(${ofChange("newRights", ["grow"])})`,
  parentRow: (further) => ofChange("parentId", ["grow"], further),
  childRow: (further) => ofChange("roleId", ["grow"], further),
};

/** Returns the CTEs of `grownRows`. */
export function growing({ parent, child, parentRow, childRow }: ChangedRelation): SQL {
  const { above, below } = rowsOf({ above: roleClosure, below: roleClosure });
  return sql`up(role_id, rights) AS MATERIALIZED (
    SELECT ${above.ancestorId}, ${above.rights} FROM ${above} WHERE ${above.descendantId} = ${parent}
    UNION ALL ${parentRow(ALL_RIGHTS)}),
  down(role_id, rights) AS MATERIALIZED (
    SELECT ${below.descendantId}, ${below.rights} FROM ${below} WHERE ${below.ancestorId} = ${child}
    UNION ALL ${childRow(ALL_RIGHTS)})`;
}

/** Selects the rights that a relation lets through, for each pair of Anc*(P) x Desc*(C). */
export function grownRows(relation: Value): SQL {
  return sql`SELECT down.role_id AS descendant_id, up.role_id AS ancestor_id,
    up.rights & down.rights & ${relation} AS rights
  FROM down CROSS JOIN up`;
}

const UNITED = sql`${roleClosure.rights} | ${EXCLUDED_RIGHTS}`;

/**
 * Notes in the row of a change with this step the rows that the statement before has added or removed, for the bill of
 * the change. A wider relation adds none. Of a new one, rows that it widens count as added.
 */
export function noteRows(sign: "+" | "-", step: Step): Statement {
  const { closureRows, oldRights } = changeLog;
  const count = sign === "+" ? sql`changes()` : sql`-changes()`;
  const isNew = step === "grow" ? sql` AND ${oldRights} IS NULL` : sql``;
  return stepFor([step], () =>
    sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { closureRows: sql`coalesce(${closureRows}, 0) + ${count}` })}
  WHERE ${whenStep(step)}${isNew}`);
}

const GROW = stepFor(["grow"], () =>
  sql`
  WITH ${growing(GROWN_IN_LOG)}
  INSERT INTO ${roleClosure} (${COLUMNS})
  ${grownRows(GROWN_IN_LOG.rights)} WHERE true
  ON CONFLICT (${PAIR}) DO UPDATE SET ${assigned(roleClosure, { rights: UNITED })}
    WHERE (${UNITED}) <> ${roleClosure.rights}`);
/** Adds the rights that a new or widened relation lets through. */
export const GROW_CLOSURE: readonly Statement[] = [GROW, noteRows("+", "grow")];

const ADD_LEAF = stepFor(["grow"], () => {
  const { made, above } = rowsOf({ made: changeLog, above: roleClosure });
  const { roleId, parentId, newRights } = changeLog;
  return sql`
  INSERT INTO ${roleClosure} (${COLUMNS})
  SELECT ${made.roleId}, ${above.ancestorId}, ${above.rights} & ${made.newRights}
  FROM ${made} CROSS JOIN ${above} ON ${above.descendantId} = ${made.parentId}
  WHERE ${hasStep(made, "grow")}
  UNION ALL SELECT ${roleId}, ${parentId}, ${newRights} FROM ${changeLog} WHERE ${whenStep("grow")}`;
});
/** Adds the rows of a new role. No role is below it, and none of its rows exist. */
export const ADD_LEAF_TO_CLOSURE: readonly Statement[] = [ADD_LEAF, noteRows("+", "grow")];

const CLEAR = stepFor(["delete"], () =>
  sql`
  DELETE FROM ${roleClosure}
  WHERE ${roleClosure.descendantId} IN (${childAndDescendants("delete")})
    AND ${roleClosure.ancestorId} IN (${parentAndAncestors("delete")})`);
/** Empties the rectangle of a deleted relation. `RECOMPUTE_RECTANGLE` then adds the rights of the other paths. */
export const CLEAR_RECTANGLE: readonly Statement[] = [CLEAR, noteRows("-", "delete")];

const UNION_OF_RIGHTS = unionOfMasks(sql`rights`);

/** A rectangle to recompute. */
export interface Rectangle {
  /** The roles above, as rows: Anc*(P), for example. */
  readonly up: SQL;
  /** Desc*(C) as rows. */
  readonly down: SQL;
  /** Whether an entry counts as it is stored. By default, each does; a preview leaves out those that would change. */
  readonly onlyIf?: (entering: typeof manages) => SQL;
  /** Selects further entries: of a preview, those that would change, with their new rights. */
  readonly besides?: SQL;
}

/**
 * Returns the CTEs of `RECOMPUTED_ROWS`: the rectangle as the entries give it. Rows above and below an entry cannot have
 * changed: without cycles, no path between two roles on the same side passes P -> C. So paths need not be counted.
 * `entry_below` has each entry once for each ancestor above it, `entered_role` the roles that an ancestor enters, with
 * their number.
 */
export function recomputing({ up, down, onlyIf, besides }: Rectangle): SQL {
  const entering = row(manages, "entering");
  const { above, below } = rowsOf({ above: roleClosure, below: roleClosure });
  const outside = sql`${entering.parentId} NOT IN (SELECT role_id FROM down)`;
  const isEntry = onlyIf === undefined ? outside : sql`${outside} AND (${onlyIf(entering)})`;
  const relations = sql`SELECT ${entering.parentId}, ${entering.childId}, ${entering.rights} FROM ${entering}
    WHERE ${entering.childId} IN (SELECT role_id FROM down) AND ${isEntry}`;
  return sql`up(role_id) AS MATERIALIZED (${up}),
  down(role_id) AS MATERIALIZED (${down}),
  entry(parent_id, child_id, rights) AS MATERIALIZED (
    ${besides === undefined ? relations : sql`${relations} UNION ALL ${besides}`}),
  entry_below(ancestor_id, child_id, rights) AS MATERIALIZED (
    SELECT up.role_id, entry.child_id, entry.rights & CASE WHEN up.role_id = entry.parent_id THEN ${ALL_RIGHTS}
      ELSE (SELECT ${above.rights} FROM ${above}
        WHERE ${above.descendantId} = entry.parent_id AND ${above.ancestorId} = up.role_id) END
    FROM entry CROSS JOIN up),
  entered_role(ancestor_id, child_id, rights, entered_roles) AS MATERIALIZED (
    SELECT ancestor_id, child_id, ${UNION_OF_RIGHTS}, count(*) OVER (PARTITION BY ancestor_id) FROM entry_below
    WHERE rights IS NOT NULL GROUP BY ancestor_id, child_id),
  reached(descendant_id, ancestor_id, rights, entered_roles) AS MATERIALIZED (
    SELECT child_id, ancestor_id, rights, entered_roles FROM entered_role
    UNION ALL
    SELECT ${below.descendantId}, entered_role.ancestor_id, entered_role.rights & ${below.rights}, entered_roles
    FROM entered_role CROSS JOIN ${below} ON ${below.ancestorId} = entered_role.child_id)`;
}

/**
 * The rows of the rectangle. Ancestors that enter a single role reach each role below it exactly once. They are most
 * ancestors, and skip the union over paths, which takes longer than all the rest.
 */
export const RECOMPUTED_ROWS: SQL =
  sql`SELECT descendant_id, ancestor_id, rights FROM reached WHERE entered_roles = 1
  UNION ALL
  SELECT descendant_id, ancestor_id, ${UNION_OF_RIGHTS} FROM reached WHERE entered_roles > 1
  GROUP BY descendant_id, ancestor_id`;

function recompute(steps: readonly Step[], rectangle: Rectangle): Statement {
  return stepFor(steps, () =>
    sql`
  WITH ${recomputing(rectangle)}
  INSERT INTO ${roleClosure} (${COLUMNS})
  ${RECOMPUTED_ROWS}
  ON CONFLICT (${PAIR}) DO UPDATE SET ${takenOver(roleClosure.rights)}
    WHERE ${roleClosure.rights} <> ${EXCLUDED_RIGHTS}`);
}

/**
 * Recomputes the rectangle after rights were taken away. Of a narrowed relation, all rows stay, perhaps without rights:
 * it still leads from P to C.
 */
export const RECOMPUTE_RECTANGLE: readonly Statement[] = [
  recompute(["shrink", "delete"], {
    up: parentAndAncestors("shrink", "delete"),
    down: childAndDescendants("shrink", "delete"),
  }),
  noteRows("+", "delete"),
];

const replaced = row(roleClosure, "replaced");
/** Anc*(P) and Anc*(P') of a relation P' -> C that P -> C replaces. The log row's details name P'. */
const BOTH_PARENTS_AND_ANCESTORS = sql`${parentAndAncestors("write")}
    UNION SELECT ${replaced.ancestorId} FROM ${replaced} WHERE ${replaced.descendantId} = ${REPLACED_PARENT}
    UNION SELECT ${REPLACED_PARENT} WHERE ${REPLACED_PARENT} IS NOT NULL`;

/** Empties and recomputes the rectangle of a relation that replaces another one into the same role. */
export const RECOMPUTE_MOVED: readonly Statement[] = [
  stepFor(["write"], () =>
    sql`
    DELETE FROM ${roleClosure} WHERE ${roleClosure.descendantId} IN (${childAndDescendants("write")})
      AND ${roleClosure.ancestorId} IN (${BOTH_PARENTS_AND_ANCESTORS})`),
  noteRows("-", "write"),
  recompute(["write"], { up: BOTH_PARENTS_AND_ANCESTORS, down: childAndDescendants("write") }),
  noteRows("+", "write"),
];

const DROP_BELOW = stepFor(["delete"], () => {
  const below = row(roleClosure, "below");
  return sql`
  DELETE FROM ${roleClosure} WHERE (${roleClosure.descendantId}, ${roleClosure.ancestorId}) IN (
    SELECT ${below.descendantId}, ${below.ancestorId}
    FROM json_each(${DELETED_ROLES}) deleted
    CROSS JOIN ${below} ON ${below.ancestorId} = deleted.value)`;
});
/** Removes the rows below the deleted roles. Must run after `RECOMPUTE_RECTANGLE`, which reads them. */
export const DROP_ROWS_BELOW_DELETED_ROLES: readonly Statement[] = [DROP_BELOW, noteRows("-", "delete")];

/** A row that is only joined costs a fraction of one that is written. */
const JOINED_ROWS_PER_COST = 4;

export interface CostedChange {
  /** The change is made, unless it costs too much. The cost of a refused change would tell that the relation exists. */
  readonly isAllowed: SQL;
  /** It takes rights away. */
  readonly shrinks: SQL;
  /** It replaces a relation P' -> C. Anc*(P') counts like Anc*(P). */
  readonly replaces?: boolean;
}

const { maxCost } = placeholdersOf({ maxCost: int });

/**
 * Returns the CTE `costed`: `verdict` (parent_id, child_id, and replaced_parent_id for a move) with the cost of an
 * allowed change. That is |Anc*(P)| x |Desc*(C)|, the closure rows that it can touch. Taking rights away also costs
 * |Anc*(P)| x (the relations into all roles of Desc*(C) + a quarter of the rows below those that entries enter).
 */
export function costedVerdict({ isAllowed, shrinks, replaces = false }: CostedChange): SQL {
  const { entering, below, inside } = rowsOf({ entering: manages, below: roleClosure, inside: roleClosure });
  const [child, sizedChild] = [sql`verdict.child_id`, sql`sized.child_id`];
  const countOfAbove = countAbove(sql`verdict.parent_id`);
  const upSize = replaces
    ? sql`1 + ${countOfAbove} + 1 + ${countAbove(sql`verdict.replaced_parent_id`)}`
    : sql`1 + ${countOfAbove}`;
  const isFromInside = sql`EXISTS (SELECT 1 FROM ${inside}
            WHERE ${inside.descendantId} = ${entering.parentId} AND ${inside.ancestorId} = ${sizedChild})`;
  const isEntered = sql`EXISTS (SELECT 1 FROM ${entering} WHERE ${entering.childId} = reached.role_id
          AND ${entering.parentId} <> ${sizedChild} AND NOT ${isFromInside})`;
  const rowsBelowEntered = sql`SELECT 1 FROM ${childAndBelow(sizedChild)}
        CROSS JOIN ${below} ON ${below.ancestorId} = reached.role_id
        WHERE ${isEntered}
        LIMIT ${JOINED_ROWS_PER_COST} * ${maxCost}`;
  // Even a small rectangle is slow to recompute if each role has hundreds of parents, or a long chain is entered at
  // every role. Counting relations, and rows below, stops at the bound; ancestors and descendants are counted to the end.
  // Each size occurs once: a server takes longer to parse the text than to run it.
  return sql`sized AS MATERIALIZED (SELECT *,
      CASE WHEN ${isAllowed} THEN ${upSize} END AS up_size,
      CASE WHEN ${isAllowed} THEN 1 + ${countBelow(child)} END AS down_size,
      CASE WHEN ${isAllowed} AND ${shrinks} THEN ${countIncoming(child)} END AS incoming
      FROM verdict),
    costed AS MATERIALIZED (SELECT *, up_size * down_size + CASE WHEN incoming IS NULL THEN 0
      WHEN up_size * incoming > ${maxCost} THEN up_size * incoming
      ELSE up_size * (incoming + (SELECT count(*) FROM (${rowsBelowEntered})) / ${JOINED_ROWS_PER_COST}) END AS cost
      FROM sized)`;
}

function countAbove(on: Value): SQL {
  const above = row(roleClosure, "above");
  return sql`(SELECT count(*) FROM ${above} WHERE ${above.descendantId} = ${on})`;
}

function countBelow(on: Value): SQL {
  const below = row(roleClosure, "below");
  return sql`(SELECT count(*) FROM ${below} WHERE ${below.ancestorId} = ${on})`;
}

/** Returns Desc*(C) for FROM, as `reached`. */
function childAndBelow(child: Value): SQL {
  const below = row(roleClosure, "below");
  return sql`(SELECT ${child} AS role_id
    UNION ALL SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${child}) AS reached`;
}

/** Counts the relations into roles of Desc*(C), also those from inside, up to the bound. */
function countIncoming(child: Value): SQL {
  const entering = row(manages, "entering");
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${childAndBelow(child)}
        CROSS JOIN ${entering} ON ${entering.childId} = reached.role_id LIMIT +${maxCost}))`;
}
