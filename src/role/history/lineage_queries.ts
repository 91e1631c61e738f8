import { ALL_RIGHTS, RIGHT_NAMES } from "../rights.ts";
import { MOMENT_IS_KEPT, selfRightsThen, validAt } from "./moment_queries.ts";

/**
 * The lineage of a role is the roles above it with the relations among them: all that gives rights on it. For now, the
 * closure says what comes of it; for a moment in the past, the lineage has to be walked.
 */

/** Maximum number of relations that a request walks. */
export const MAX_LINEAGE = 10_000;

/** Maximum number of roles that a walk may start from. */
const MAX_STARTS = 1000;

/** The relations that a lineage follows: those of now, or those of the moment (`MOMENT` is among the CTEs). */
export type LineageTime = "now" | "then";

/**
 * SQL for relations that enter a role, as `entering`; and for those that a look-up of them scans, as `scanned`. A walk through
 * the past takes the revision along, since SQLite reads the text of `moment` anew wherever it is named.
 */
const ENTERING = {
  now: {
    revision: "NULL",
    moment: "",
    id: "entering.id",
    rows: (from: string) => `manages entering ON entering.child_id = ${from}.role_id`,
    scanned: (role: string) => `manages scanned WHERE scanned.child_id = ${role}`,
  },
  then: {
    revision: "moment.revision",
    moment: " CROSS JOIN moment",
    id: "entering.relation_id",
    rows: (from: string) =>
      `manages_history entering ON entering.child_id = ${from}.role_id AND ${
        validAt(`${from}.revision`, "entering")
      }`,
    scanned: (role: string, revision: string) =>
      `manages_history scanned WHERE scanned.child_id = ${role} AND scanned.to_rev > ${revision}`,
  },
} as const;

/**
 * CTEs: `lineage`, the lineage of the roles that `starts` selects (up to 1,000 ids), nearest first, and `extent`.
 *
 * A row of `lineage` is a role (`relation_id` null), or a relation from `role_id` to `child_id` with its `rights`. The
 * walk alternates between them, so each role is expanded once, and the limit bounds what is read, however many relations
 * lead to a role. `extent` has one row: whether there are more relations than `MAX_LINEAGE`, how many roles there are, and
 * the revision of the moment.
 */
export function lineageOf(starts: string, time: LineageTime): string {
  const { revision, moment, id, rows, scanned } = ENTERING[time];
  const isWide = (role: string, at: string): string =>
    `(SELECT 1 FROM ${scanned(role, at)} LIMIT 1 OFFSET ${MAX_LINEAGE}) IS NOT NULL`;
  return `lineage(role_id, relation_id, child_id, rights, is_wide, revision) AS MATERIALIZED (
    SELECT start.id, NULL, NULL, NULL, ${
    isWide("start.id", revision)
  }, ${revision} FROM (${starts}) start${moment}
    UNION
    SELECT entering.parent_id, ${id}, entering.child_id, entering.rights, NULL, lineage.revision
    FROM lineage CROSS JOIN ${rows("lineage")}
    WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
    UNION
    SELECT lineage.role_id, NULL, NULL, NULL, ${
    isWide("lineage.role_id", "lineage.revision")
  }, lineage.revision
    FROM lineage WHERE lineage.relation_id IS NOT NULL
    LIMIT ${MAX_STARTS + 2 * (MAX_LINEAGE + 1)}),
  extent(is_cut, roles, revision) AS MATERIALIZED (
    SELECT count(relation_id) > ${MAX_LINEAGE} OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
    FROM lineage)`;
}

/** SQL: the walk was cut, as 0 or 1. */
export const IS_CUT = "(SELECT is_cut FROM extent)";

/** SQL: up to `MAX_LINEAGE` relations of `lineage`, nearest first, as a JSON list of `LineageRelation`. */
export const LINEAGE_RELATIONS = `(SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
  FROM (SELECT * FROM lineage WHERE relation_id IS NOT NULL LIMIT ${MAX_LINEAGE}))`;

/** A path of relations, whatever their rights: what membership of either kind is made of. */
const PATH = ALL_RIGHTS + 1;

const REACHED_BITS = JSON.stringify([...RIGHT_NAMES.map((_, bit) => 1 << bit), PATH]);

/**
 * CTEs: `reached(role_id, rights)`, the roles whose members had access to `role` at the moment: each role above it with
 * the rights that its members had on it through relations, 0 included, and the role itself with its self rights.
 * Memberships limit these further. No rows if the walk is cut (`IS_CUT`), history is not kept, or `condition` does not
 * hold. For one role: rights on several would be united. Needs `MOMENT` before it.
 *
 * Each right is a reachability of its own: masks would multiply where many paths join. The id is cast, since SQLite makes
 * no index over values that have no type: what joins `reached` would look through all of it for each row.
 */
export function reachedThen(role: string, condition: string): string {
  return `${lineageOf(`SELECT ${role} AS id WHERE ${MOMENT_IS_KEPT} AND ${condition}`, "then")},
  reach(role_id, bit, revision) AS MATERIALIZED (
    SELECT CAST(${role} AS INTEGER), bit.value, extent.revision FROM extent CROSS JOIN json_each('${REACHED_BITS}') bit
    WHERE extent.roles AND NOT extent.is_cut
    UNION
    SELECT entering.parent_id, reach.bit, reach.revision FROM reach CROSS JOIN ${ENTERING.then.rows("reach")}
      AND (entering.rights | ${PATH}) & reach.bit),
  reached(role_id, rights) AS MATERIALIZED (
    SELECT role_id, CASE role_id WHEN ${role} THEN ${
    selfRightsThen(role)
  } ELSE sum(bit) & ${ALL_RIGHTS} END AS rights
    FROM reach GROUP BY role_id HAVING rights IS NOT NULL)`;
}
