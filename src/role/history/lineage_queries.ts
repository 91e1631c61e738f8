import { manages, managesHistory } from "../../db/schema/role.ts";
import { quoted, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
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
 * How a walk finds relations. A walk through the past takes the revision along, since SQLite reads the text of `moment`
 * anew wherever it is named.
 */
interface Relations {
  readonly revision: SQL;
  /** For FROM, what the revision needs. */
  readonly moment: SQL;
  /** A relation that enters a role. */
  readonly entering: Readonly<Record<"id" | "parentId" | "childId" | "rights", Value>>;
  /** For FROM: those that enter the role. */
  readonly into: (roleId: Value, revision: Value) => SQL;
  /** For FROM: those that a look-up of them scans. */
  readonly scanned: (roleId: Value, revision: Value) => SQL;
}

function relationsNow(): Relations {
  const { entering, scanned } = rowsOf({ entering: manages, scanned: manages });
  return {
    revision: sql`NULL`,
    moment: sql``,
    entering,
    into: (roleId) => sql`${entering} ON ${entering.childId} = ${roleId}`,
    scanned: (roleId) => sql`${scanned} WHERE ${scanned.childId} = ${roleId}`,
  };
}

function relationsThen(): Relations {
  const { entering, scanned } = rowsOf({ entering: managesHistory, scanned: managesHistory });
  return {
    revision: sql`moment.revision`,
    moment: sql` CROSS JOIN moment`,
    entering: { ...entering, id: entering.relationId },
    into: (roleId, revision) =>
      sql`${entering} ON ${entering.childId} = ${roleId} AND ${validAt(revision, entering)}`,
    scanned: (roleId, revision) =>
      sql`${scanned} WHERE ${scanned.childId} = ${roleId} AND ${scanned.toRev} > ${revision}`,
  };
}

/**
 * CTEs: `lineage`, the lineage of the roles that `starts` selects (up to 1,000 ids), nearest first, and `extent`.
 *
 * A row of `lineage` is a role (`relation_id` null), or a relation from `role_id` to `child_id` with its `rights`. The
 * walk alternates between them, so each role is expanded once, and the limit bounds what is read, however many relations
 * lead to a role. `extent` has one row: whether there are more relations than `MAX_LINEAGE`, how many roles there are, and
 * the revision of the moment.
 */
export function lineageOf(starts: SQL, time: LineageTime): SQL {
  const { revision, moment, entering, into, scanned } = time === "now" ? relationsNow() : relationsThen();
  const isWide = (roleId: Value, at: Value): SQL =>
    sql`(SELECT 1 FROM ${scanned(roleId, at)} LIMIT 1 OFFSET ${MAX_LINEAGE}) IS NOT NULL`;
  const [roleId, at] = [sql`lineage.role_id`, sql`lineage.revision`];
  return sql`lineage(role_id, relation_id, child_id, rights, is_wide, revision) AS MATERIALIZED (
    SELECT start.id, NULL, NULL, NULL, ${isWide(sql`start.id`, revision)}, ${revision}
    FROM (${starts}) start${moment}
    UNION
    SELECT ${entering.parentId}, ${entering.id}, ${entering.childId}, ${entering.rights}, NULL, ${at}
    FROM lineage CROSS JOIN ${into(roleId, at)}
    WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
    UNION
    SELECT lineage.role_id, NULL, NULL, NULL, ${isWide(roleId, at)}, ${at}
    FROM lineage WHERE lineage.relation_id IS NOT NULL
    LIMIT ${MAX_STARTS + 2 * (MAX_LINEAGE + 1)}),
  extent(is_cut, roles, revision) AS MATERIALIZED (
    SELECT count(relation_id) > ${MAX_LINEAGE} OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
    FROM lineage)`;
}

/** The walk was cut, as 0 or 1. */
export const IS_CUT: SQL = sql`(SELECT is_cut FROM extent)`;

/** Up to `MAX_LINEAGE` relations of `lineage`, nearest first, as a JSON list of `LineageRelation`. */
export const LINEAGE_RELATIONS: SQL =
  sql`(SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
  FROM (SELECT * FROM lineage WHERE relation_id IS NOT NULL LIMIT ${MAX_LINEAGE}))`;

/** A path of relations, whatever their rights: what membership of either kind is made of. */
const PATH = ALL_RIGHTS + 1;

const REACHED_BITS = quoted(JSON.stringify([...RIGHT_NAMES.map((_, bit) => 1 << bit), PATH]));

/**
 * CTEs: `reached(role_id, rights)`, the roles whose members had access to the role at the moment: each role above it with
 * the rights that its members had on it through relations, 0 included, and the role itself with its self rights.
 * Memberships limit these further. No rows if the walk is cut (`IS_CUT`), history is not kept, or `condition` does not
 * hold. For one role: rights on several would be united. Needs `MOMENT` before it.
 *
 * Each right is a reachability of its own: masks would multiply where many paths join. The id is cast, since SQLite makes
 * no index over values that have no type: what joins `reached` would look through all of it for each row.
 */
export function reachedThen(roleId: Value, condition: Value): SQL {
  const start = sql`SELECT ${roleId} AS id WHERE ${MOMENT_IS_KEPT} AND ${condition}`;
  const { entering, into } = relationsThen();
  return sql`${lineageOf(start, "then")},
  reach(role_id, bit, revision) AS MATERIALIZED (
    SELECT CAST(${roleId} AS INTEGER), bit.value, extent.revision FROM extent CROSS JOIN json_each(${REACHED_BITS}) bit
    WHERE extent.roles AND NOT extent.is_cut
    UNION
    SELECT ${entering.parentId}, reach.bit, reach.revision
    FROM reach CROSS JOIN ${into(sql`reach.role_id`, sql`reach.revision`)}
      AND (${entering.rights} | ${PATH}) & reach.bit),
  reached(role_id, rights) AS MATERIALIZED (
    SELECT role_id, CASE role_id WHEN ${roleId} THEN ${selfRightsThen(roleId)}
      ELSE sum(bit) & ${ALL_RIGHTS} END AS rights
    FROM reach GROUP BY role_id HAVING rights IS NOT NULL)`;
}
