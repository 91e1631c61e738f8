import { manages, managesHistory, roleHistory } from "../../db/schema/role.ts";
import { quoted, row, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { ALL_RIGHTS, RIGHT_NAMES } from "../rights.ts";
import { LAST_REVISION, MOMENT_IS_KEPT, selfRightsThen, validAt, type Validity } from "./moment_queries.ts";

/**
 * The lineage of a role is the roles above it with the relations among them: all that gives rights on it. For now, the
 * closure holds the result; for a past moment, the lineage has to be walked.
 */

/** Maximum number of relations that a request walks. */
export const MAX_LINEAGE = 10_000;

/** Maximum number of roles that a walk may start from. */
const MAX_STARTS = 1000;

/**
 * The relations that a lineage follows: of now, of the moment (needs the CTE `MOMENT`), or all that were valid in the
 * period (needs `PERIOD`).
 */
export type LineageTime = "now" | "then" | "during";

/**
 * How a walk finds relations. A walk through the past carries the revision along, since SQLite parses the text of
 * `moment` again wherever it is named.
 */
interface Relations {
  readonly revision: SQL;
  /** The source of the revision, for FROM, unless the starts have it. */
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

function relationsThen(last?: Value): Relations & { readonly entering: Validity } {
  const { entering, scanned } = rowsOf({ entering: managesHistory, scanned: managesHistory });
  return {
    revision: sql`moment.revision`,
    moment: sql` CROSS JOIN moment`,
    entering: { ...entering, id: entering.relationId },
    into: (roleId, revision) =>
      sql`${entering} ON ${entering.childId} = ${roleId} AND ${validAt(revision, entering, last)}`,
    scanned: (roleId, revision) =>
      sql`${scanned} WHERE ${scanned.childId} = ${roleId} AND ${scanned.toRev} > ${revision}`,
  };
}

/** All relations between the same roles are one: `reachedDuring` counts them. The starts have the revision. */
function pairsDuring(): Relations {
  const { entering, ...during } = relationsThen(LAST_REVISION);
  return {
    ...during,
    revision: sql`start.revision`,
    moment: sql``,
    entering: { ...entering, id: entering.childId, rights: sql`0` },
  };
}

const RELATIONS: Readonly<Record<LineageTime, () => Relations>> = {
  now: relationsNow,
  then: () => relationsThen(),
  during: pairsDuring,
};

/**
 * Returns the CTEs `lineage`, which walks up from the roles of `starts` (up to 1,000 ids), nearest first, and `extent`:
 * whether there are more than `most` relations, how many roles, and the revision. A row of `lineage` is a role
 * (`relation_id` null), a relation from `role_id` to `child_id`, or a role to which one led (0, without a child).
 */
export function lineageOf(starts: SQL, time: LineageTime, most = MAX_LINEAGE): SQL {
  const { revision, moment, entering, into, scanned } = RELATIONS[time]();
  const isWide = (roleId: Value, at: Value): SQL =>
    sql`(SELECT 1 FROM ${scanned(roleId, at)} LIMIT 1 OFFSET ${most}) IS NOT NULL`;
  const [roleId, at] = [sql`lineage.role_id`, sql`lineage.revision`];
  // Roles and relations alternate, so each role is expanded once, and the limit bounds what is read, however many
  // relations lead to a role. Those that lead from one role become one row before that is found to be wide or not.
  return sql`lineage(role_id, relation_id, child_id, rights, is_wide, revision) AS MATERIALIZED (
    SELECT start.id, NULL, NULL, NULL, ${isWide(sql`start.id`, revision)}, ${revision}
    FROM (${starts}) start${moment}
    UNION
    SELECT ${entering.parentId}, ${entering.id}, ${entering.childId}, ${entering.rights}, NULL, ${at}
    FROM lineage CROSS JOIN ${into(roleId, at)}
    WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
    UNION
    SELECT lineage.role_id, 0, NULL, NULL, NULL, ${at} FROM lineage WHERE lineage.child_id IS NOT NULL
    UNION
    SELECT lineage.role_id, NULL, NULL, NULL, ${isWide(roleId, at)}, ${at}
    FROM lineage WHERE lineage.relation_id = 0
    LIMIT ${MAX_STARTS + 3 * (most + 1)}),
  extent(is_cut, roles, revision) AS MATERIALIZED (
    SELECT count(child_id) > ${most} OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
    FROM lineage)`;
}

/** The walk was cut, as 0 or 1. */
export const IS_CUT: SQL = sql`(SELECT is_cut FROM extent)`;

/** Up to `MAX_LINEAGE` relations of `lineage`, nearest first, as a JSON list of `LineageRelation`. */
export const LINEAGE_RELATIONS: SQL =
  sql`(SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
  FROM (SELECT * FROM lineage WHERE child_id IS NOT NULL LIMIT ${MAX_LINEAGE}))`;

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

/** Maximum number of relations that a walk through a period follows, each as often as it changed. */
const MAX_VERSIONS = 5000;

/** Maximum number of spans of revisions, with different rights, in which one role was reached in a period. */
export const MAX_SPANS = 1000;

/** Maximum number of rows of a walk through a period: enough for `MAX_VERSIONS` relations that do not change in it. */
const MAX_REACH = (RIGHT_NAMES.length + 1) * 2 * (MAX_VERSIONS + 1);

/**
 * Returns CTEs that end with `reached(role_id, rights)`: the roles whose members had access to one role at any revision
 * of the period, with the number of their `spans` in place of rights. `spans(role_id, rights, from_rev, to_rev)` tells
 * when, and with which rights; they may overlap, and those of the role itself go beyond the period. No rows if
 * `condition` fails, none of other roles if history is not kept, and not all if the walk is cut (`IS_CUT_DURING`). Needs
 * `PERIOD` before it.
 */
export function reachedDuring(roleId: Value, condition: Value): SQL {
  const start =
    sql`SELECT CAST(${roleId} AS INTEGER) AS id, revision FROM moment WHERE verdict = 'kept' AND ${condition}`;
  const { entering, into } = relationsThen(sql`period.last_revision`);
  const own = row(roleHistory, "own");
  const ownIsValid = validAt(sql`period.revision`, own, sql`period.last_revision`);
  // A right that one role gives another without a break is one edge, however often the relation between them changes:
  // while its versions follow without a break, their end less how long they have lasted so far is their `island`.
  // Kinds of `reach`: 1 a role that was reached in a span, and 0 a step from it over an edge. Steps come first, and are
  // rows even where the spans do not meet, so the limit bounds what is read.
  return sql`${lineageOf(start, "during", MAX_VERSIONS)},
  version(child_id, parent_id, rights, from_rev, to_rev) AS MATERIALIZED (
    SELECT lineage.role_id, ${entering.parentId}, ${entering.rights}, ${entering.fromRev}, ${entering.toRev}
    FROM period CROSS JOIN lineage CROSS JOIN ${into(sql`lineage.role_id`, sql`period.revision`)}
    WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
    LIMIT ${MAX_VERSIONS + 1}),
  edge(child_id, parent_id, bit, from_rev, to_rev) AS MATERIALIZED (
    SELECT child_id, parent_id, bit, min(from_rev), max(to_rev)
    FROM (SELECT version.*, CAST(bit.value AS INTEGER) AS bit, to_rev - sum(to_rev - from_rev) OVER (
        PARTITION BY parent_id, child_id, bit.value ORDER BY from_rev) AS island
      FROM version CROSS JOIN json_each(${REACHED_BITS}) bit ON (rights | ${PATH}) & bit.value)
    GROUP BY parent_id, child_id, bit, island),
  reach(kind, role_id, bit, from_rev, to_rev, over_id, over_from, over_to) AS MATERIALIZED (
    SELECT 1, CAST(${roleId} AS INTEGER), bit.value, period.revision, period.last_revision + 1, NULL, NULL, NULL
    FROM period CROSS JOIN json_each(${REACHED_BITS}) bit
    UNION
    SELECT 0, edge.parent_id, edge.bit, max(reach.from_rev, edge.from_rev), min(reach.to_rev, edge.to_rev),
      reach.role_id, reach.from_rev, reach.to_rev
    FROM reach CROSS JOIN edge ON edge.child_id = reach.role_id AND edge.bit = reach.bit
    WHERE reach.kind = 1
    UNION
    SELECT 1, role_id, bit, from_rev, to_rev, NULL, NULL, NULL
    FROM reach WHERE reach.kind = 0 AND from_rev < to_rev
    ORDER BY 1 LIMIT ${MAX_REACH}),
  spans(role_id, rights, from_rev, to_rev) AS MATERIALIZED (
    SELECT CAST(role_id AS INTEGER), sum(bit) & ${ALL_RIGHTS}, from_rev, to_rev
    FROM reach WHERE kind = 1 AND role_id <> ${roleId} GROUP BY role_id, from_rev, to_rev
    UNION ALL
    SELECT * FROM (SELECT ${own.roleId}, ${own.selfRights}, ${own.fromRev}, ${own.toRev}
      FROM period CROSS JOIN ${own} ON ${own.roleId} = ${roleId} AND ${ownIsValid}
      WHERE ${condition} LIMIT ${MAX_SPANS + 1})),
  reached(role_id, rights) AS MATERIALIZED (SELECT role_id, count(*) FROM spans GROUP BY role_id)`;
}

/** The walk through the period was cut, as 0 or 1. Of the role itself, up to `MAX_SPANS` + 1 spans are known. */
export const IS_CUT_DURING: SQL = sql`(${IS_CUT} OR (SELECT count(*) FROM version) > ${MAX_VERSIONS}
      OR (SELECT count(*) FROM reach) >= ${MAX_REACH})`;
