import { manages, managesHistory } from "../../db/schema/role.ts";
import { quoted, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { ALL_RIGHTS, RIGHT_NAMES } from "../rights.ts";
import { MOMENT_IS_KEPT, selfRightsThen, validAt } from "./moment_queries.ts";

/**
 * The lineage of a role is the roles above it with the relations among them: all that gives rights on it. For now, the
 * closure holds the result; for a past moment, the lineage has to be walked.
 */

/** Maximum number of relations that a request walks. */
export const MAX_LINEAGE = 10_000;

/** Maximum number of roles that a walk may start from. */
const MAX_STARTS = 1000;

/** The relations that a lineage follows: of now, or of the moment (needs the CTE `MOMENT`). */
export type LineageTime = "now" | "then";

/**
 * How a walk finds relations. A walk through the past carries the revision along, since SQLite parses the text of
 * `moment` again wherever it is named.
 */
interface Relations {
  readonly revision: SQL;
  /** The source of the revision, for FROM. */
  readonly moment: SQL;
  /** A relation that enters a role. */
  readonly entering: Readonly<Record<"id" | "parentId" | "childId" | "rights", Value>>;
  /** Returns the relations that enter the role, for FROM. */
  readonly into: (roleId: Value, revision: Value) => SQL;
  /** Returns the relations that their lookup scans, for FROM. */
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
 * Returns the CTEs `lineage`, which walks up from the roles of `starts` (up to 1,000 ids), nearest first, and `extent`:
 * whether there are more than `most` relations, how many roles, and the revision. A row of `lineage` is a role
 * (`relation_id` null) or a relation from `role_id` to `child_id`.
 */
export function lineageOf(starts: SQL, time: LineageTime, most = MAX_LINEAGE): SQL {
  const { revision, moment, entering, into, scanned } = time === "now" ? relationsNow() : relationsThen();
  const isWide = (roleId: Value, at: Value): SQL =>
    sql`(SELECT 1 FROM ${scanned(roleId, at)} LIMIT 1 OFFSET ${most}) IS NOT NULL`;
  const [roleId, at] = [sql`lineage.role_id`, sql`lineage.revision`];
  // Roles and relations alternate, so each role is expanded once, and the limit bounds what is read, however many
  // relations lead to a role.
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
    LIMIT ${MAX_STARTS + 2 * (most + 1)}),
  extent(is_cut, roles, revision) AS MATERIALIZED (
    SELECT count(relation_id) > ${most} OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
    FROM lineage)`;
}

/** The walk was cut, as 0 or 1. */
export const IS_CUT: SQL = sql`(SELECT is_cut FROM extent)`;

/** Up to `MAX_LINEAGE` relations of `lineage`, nearest first, as a JSON list of `LineageRelation`. */
export const LINEAGE_RELATIONS: SQL =
  sql`(SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
  FROM (SELECT * FROM lineage WHERE relation_id IS NOT NULL LIMIT ${MAX_LINEAGE}))`;

/** A path of relations, even without rights: enough for membership. */
const PATH = ALL_RIGHTS + 1;

const REACHED_BITS = quoted(JSON.stringify([...RIGHT_NAMES.map((_, bit) => 1 << bit), PATH]));

/**
 * Returns CTEs that end with `reached(role_id, rights)`: the roles whose members had access to one role at the moment,
 * with their rights on it through relations (or 0), and the role with its self rights. Memberships limit these. No rows
 * if the walk is cut (`IS_CUT`), history is not kept or `condition` fails. Needs `MOMENT` before it.
 */
export function reachedThen(roleId: Value, condition: Value): SQL {
  const start = sql`SELECT ${roleId} AS id WHERE ${MOMENT_IS_KEPT} AND ${condition}`;
  const { entering, into } = relationsThen();
  // Each right is walked by itself: masks would multiply where many paths join. The id is cast because SQLite makes no
  // index over untyped values, so that joins would scan all of `reached` for each row.
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
