import { isAhead } from "../db/ahead.ts";
import { changeLog, member, role, rootUsage } from "../db/schema/role.ts";
import {
  bare,
  type Declared,
  define,
  int,
  join,
  placeholdersOf,
  quoted,
  real,
  row,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
} from "../db/sql.ts";
import { onSteps, type Statement } from "../db/statement.ts";
import { memberIsAwake, PRINCIPAL } from "../graph/rules/principal_queries.ts";
import { rootAbove, rootOf, topOf } from "./chain_queries.ts";
import {
  BYTES_PER_CHANGE,
  BYTES_PER_CLOSURE_ROW,
  BYTES_PER_REMOVED,
  COPIES_OF_NAME,
  MOST_DRAINS,
  SHARES,
} from "./store_limits.ts";
import { STEPS } from "../graph/step_queries.ts";

/**
 * Parts of a batch that bill a change to a root, and to the top branch below it whose membership the actor acts through
 * (`chain_queries.ts`). The root is the role that the membership is of, or the root with the lowest id that manages that
 * role. A direct member of the root has no share of their own. A bucket is stored as the time at which it will be empty,
 * so no job drains it.
 */

export interface ChargedChange {
  /** Whether the membership can authorize the change; or selects the row of `acted`, if a command decided it. */
  readonly by: ((acting: typeof member) => SQL) | SQL;
  /** The count to which the change adds one, or `amount`. */
  readonly counts?: keyof typeof QUOTAS;
  readonly amount?: SQL;
  /** The change only takes away. A full bucket does not refuse it, so access can always be ended. */
  readonly takesAway?: SQL;
}

/** The time at which a bucket that is full now is empty. */
const { latestFreeAt } = placeholdersOf({ latestFreeAt: int });
/** What `charging` takes. `msPerByte` is the time in which a byte drains. */
export const CHARGE = { opId: text, msPerByte: real, latestFreeAt: int, now: int };
const { opId, msPerByte, now } = placeholdersOf(CHARGE);
const { actorId } = placeholdersOf(PRINCIPAL);
const MOST_MS = sql`${MOST_DRAINS} * (${latestFreeAt} - ${now})`;

/** When the bucket is empty. */
function freeAtOf({ freeAt }: typeof rootUsage): SQL {
  return sql`iif(${isAhead(freeAt, now, MOST_MS)}, 0, ${freeAt})`;
}

const { quotaRoles, quotaDevices } = placeholdersOf({ quotaRoles: int, quotaDevices: int });

const QUOTAS = {
  roles: { quota: quotaRoles, refusal: "too_many_roles" },
  devices: { quota: quotaDevices, refusal: "too_many_devices" },
} as const;

/** Returns the further arguments that the decision about a charged change takes. */
export function declaredFor({ counts }: ChargedChange): Declared {
  return { latestFreeAt: int, ...(counts && { [QUOTAS[counts].quota.name]: int }) };
}

/**
 * The root that a change made through the role `acted` counts to: that role, or the lowest root above that manages it.
 * Each role has one: a chain of relations with roleManagement leads to it from a root. Roots above without
 * roleManagement do not count: when full, they must not stop roles below.
 */
const ROOT_OF_ACTED = sql`CASE WHEN acted.is_root THEN acted.role_id ELSE ${
  rootAbove(sql`acted.role_id`)
} END`;

const beganAt = rootOf(sql`branch`);
/**
 * CTEs that end with `paying`: the root (`counted_to`) and the branch below it (`counted_for`) that `acted` counts to,
 * read `from` that. Branches that began at another root are one of this root: members of the other one begin as many as
 * they like.
 */
export function payingFor(from: SQL): SQL {
  return sql`owing AS MATERIALIZED (
    SELECT acted.is_root, acted.branch, ${ROOT_OF_ACTED} AS counted_to FROM ${from}),
  paying AS MATERIALIZED (
    SELECT is_root, counted_to, CASE WHEN NOT is_root
      THEN iif(${beganAt} = counted_to || '', branch, 'root ' || ${beganAt}) END AS counted_for FROM owing)`;
}

/**
 * Returns the CTE `acted`: the role and the top branch of a membership that authorizes the change, a root's first. No row
 * without one.
 */
export function actedFor({ by }: Pick<ChargedChange, "by">): SQL {
  if (typeof by !== "function") return sql`acted AS MATERIALIZED (${by})`;
  const { acting, own } = rowsOf({ acting: member, own: role });
  return sql`acted AS MATERIALIZED (
    SELECT ${acting.roleId}, ${own.isRoot}, ${
    topOf(acting.chain)
  } AS branch, min(${acting.roleId}) OVER () AS oldest_role_id FROM ${acting} CROSS JOIN ${own} ON ${own.id} = ${acting.roleId}
    WHERE ${acting.userId} = ${actorId} AND ${memberIsAwake(acting)} AND (${by(acting)})
    ORDER BY ${own.isRoot} DESC, ${acting.roleId} LIMIT 1)`;
}

/** Selects the oldest role whose membership authorizes the change. */
export const OLDEST_ACTED: SQL = sql`(SELECT oldest_role_id FROM acted)`;

/** The actor has no membership that authorizes the change; see `actedFor`. */
export const IS_UNAUTHORIZED: SQL = sql`NOT EXISTS (SELECT 1 FROM acted)`;

/** Returns what a top branch leaves of a limit of the whole root: an eighth, so that branches cannot stop its members. */
function leftToMembers(limit: Value): SQL {
  return sql`iif(counted_for IS NULL, 0, ${limit} / ${SHARES})`;
}

/** The limit of the root's bucket for this actor, as the latest time at which it may be empty. */
const ROOT_LIMIT = sql`(${latestFreeAt} - ${leftToMembers(sql`(${latestFreeAt} - ${now})`)})`;

/**
 * Returns CTEs that end with `decided`: the row of `ruled` with the decision, the root (`counted_to`) and the top
 * branch below it (`counted_for`) that are charged. Both are null if the ruling refuses or no membership authorizes the change.
 * For a full bucket, `wait_ms` is the time until it has room. `refusals`: see `Undoing`.
 */
export function judgedWithCharge({ counts, amount, takesAway }: ChargedChange, refusals = sql``): SQL {
  const { whole, own } = rowsOf({ whole: rootUsage, own: rootUsage });
  const limits: SQL[] = [];
  if (counts !== undefined) {
    const { quota, refusal } = QUOTAS[counts];
    const further = amount === undefined ? sql`` : sql` + ${amount} - 1`;
    // A branch that has created nothing yet has no row.
    const wouldBe = (usage: typeof rootUsage): SQL => sql`(coalesce(${usage[counts]}, 0)${further})`;
    const isUsedUp = sql`(${wouldBe(whole)} >= ${quota} - ${leftToMembers(quota)}
        OR counted_for IS NOT NULL AND ${SHARES} * ${wouldBe(own)} >= ${quota})`;
    limits.push(sql`WHEN ${isUsedUp} THEN ${quoted(refusal)}`);
  }
  const isFull = sql`(${freeAtOf(whole)} > ${ROOT_LIMIT} OR ${freeAtOf(own)} > ${latestFreeAt})`;
  const isRefused = takesAway === undefined ? isFull : sql`NOT (${takesAway}) AND ${isFull}`;
  limits.push(sql`WHEN ${isRefused} THEN 'too_much_stored'`);
  const waits = sql`max(${freeAtOf(whole)} - ${ROOT_LIMIT}, coalesce(${freeAtOf(own)}, 0) - ${latestFreeAt})`;
  return sql`${payingFor(sql`ruled CROSS JOIN acted WHERE ruling = 'ok'`)},
  decided AS MATERIALIZED (
    SELECT ruled.*, counted_to, counted_for, ${waits} AS wait_ms,
      CASE ${refusals}WHEN ruling <> 'ok' THEN ruling ${join(limits, " ")} ELSE ruling END AS decision
    FROM ruled LEFT JOIN paying ON true
      LEFT JOIN ${whole} ON ${whole.rootId} = counted_to AND ${whole.branch} = ''
      LEFT JOIN ${own} ON ${own.rootId} = counted_to AND ${own.branch} = counted_for)`;
}

/** Bills what the change of this operation leaves in the file to its root, and to the top branch below it. */
export function chargeChange(): Statement {
  return onSteps(STEPS, define(CHARGE, () => charging(sql`0`)));
}

/**
 * Bills a change that only takes away to the membership through which the log says that its actor acted. Precedes
 * statements that may delete that.
 */
export const COUNT_TO_ACTED: Statement = define({ opId: text }, () => {
  const { acting, own } = rowsOf({ acting: member, own: role });
  const made = row(changeLog, "made");
  return sql`
    WITH acted AS MATERIALIZED (
      SELECT ${acting.roleId}, ${own.isRoot}, ${topOf(acting.chain)} AS branch
      FROM ${made} CROSS JOIN ${acting} ON ${acting.userId} = ${made.actorId} AND ${acting.roleId} = ${made.viaRoleId}
        CROSS JOIN ${own} ON ${own.id} = ${acting.roleId}
      WHERE ${made.opId} = ${opId} AND ${made.decision} = 'ok'),
  ${payingFor(sql`acted`)}
    UPDATE ${changeLog} SET (${bare(changeLog.countedTo, changeLog.countedFor)}) = (
      SELECT counted_to, counted_for FROM paying)
    WHERE ${changeLog.opId} = ${opId} AND ${changeLog.decision} = 'ok'`;
});

/**
 * Returns the statement of `chargeChange` with `further` bytes besides the rows of the operation in the log, what their
 * changes store, and the closure. A change that removes more than it adds gives that back.
 */
export function charging(further: Value): SQL {
  const { made, logged, before } = rowsOf({ made: changeLog, logged: changeLog, before: rootUsage });
  const names = ["name", "nodeId", "externalId"].map((name) =>
    sql`coalesce(octet_length(${logged.details} ->> ${quoted(name)}), 0)`
  );
  const texts = sql`coalesce(octet_length(${logged.details}), 0)
          + ${COPIES_OF_NAME} * (${join(names, " + ")})`;
  const ofRows = sql`SELECT sum(${BYTES_PER_CHANGE} + ${texts})
        FROM ${logged} WHERE ${logged.opId} >= ${opId} AND ${logged.opId} < ${opId} || '!'`;
  const removed = join(
    [made.deletedRoleIds, made.deletedRelationIds].map((ids) => sql`coalesce(json_array_length(${ids}), 0)`),
    " + ",
  );
  const stored = sql`(${ofRows}) + ${BYTES_PER_CLOSURE_ROW} * coalesce(${made.closureRows}, 0)
      - ${BYTES_PER_REMOVED} * (${removed}) + ${further}`;
  const { rootId, branch, freeAt } = rootUsage;
  const present = sql`max(${now}, coalesce(${freeAtOf(before)}, 0))`;
  // What only takes away is not refused when branches have filled what they may: then it is not billed to the root.
  const most = sql`CASE WHEN charged.value <> '' OR counted_for IS NULL THEN ${now} + ${MOST_MS}
        WHEN ${present} > ${ROOT_LIMIT} THEN 0 ELSE ${latestFreeAt} END`;
  const bill = sql`iif(charged.value = '', 1, ${SHARES}) * ${msPerByte} * (${stored})`;
  return sql`
    INSERT INTO ${rootUsage} (${bare(rootId, branch, freeAt)})
    SELECT ${made.countedTo}, charged.value, min(${present} + ${bill}, max(${present}, ${most}))
    FROM ${made} CROSS JOIN json_each(json_array('', ${made.countedFor})) charged ON charged.value IS NOT NULL
      LEFT JOIN ${before} ON ${before.rootId} = ${made.countedTo} AND ${before.branch} = charged.value
    WHERE ${made.opId} = ${opId} AND ${made.decision} = 'ok' AND ${made.countedTo} IS NOT NULL
    ON CONFLICT (${bare(rootId, branch)}) DO UPDATE SET ${takenOver(freeAt)}`;
}
