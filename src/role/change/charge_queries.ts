import { defineStatement, type Statement } from "../../db/statement.ts";
import { memberLives } from "../guard_text.ts";
import { maskOf } from "../rights.ts";
import { BYTES_PER_CHANGE, BYTES_PER_COST, COPIES_OF_TEXT, SHARES } from "./store_limits.ts";

/**
 * The payer of a change, as parts of its batch. The root is that of the membership that the actor acts with: its role,
 * or the least root above that manages this role. A direct member of the root has no share of their own.
 *
 * A bucket is stored as the time at which it is empty if nothing is added, so no job drains it. Parameters besides
 * those of every change: `:payer`, `:quotaRoles` or `:quotaDevices`; `:fullAt`, the time at which a bucket that is full
 * now is empty, and `:msPerByte`, the time in which a byte drains.
 */

export interface ChargedChange {
  /** SQL: the membership `acting` can authorize the change. */
  readonly by: string;
  /** The count to which the change adds one. */
  readonly counts?: "roles" | "devices";
  /** SQL: the change only takes away. A full bucket does not refuse it, so access can always be ended. */
  readonly takesAway?: string;
}

/**
 * The root role that acting in the role `acted` counts to: itself, or the least root above that manages it. There is
 * one, since each role is managed from above. Roots that were let in above with less do not count: their full buckets
 * are not to stop the roles below.
 */
export const ROOT_OF_ACTED = `CASE WHEN acted.is_root THEN acted.role_id ELSE (
      SELECT above.ancestor_id FROM role_closure above CROSS JOIN role root ON root.id = above.ancestor_id AND root.is_root
      WHERE above.descendant_id = acted.role_id AND above.rights & ${maskOf("roleManagement")}
      ORDER BY above.ancestor_id LIMIT 1) END`;

const QUOTAS = {
  roles: { parameter: ":quotaRoles", refusal: "too_many_roles" },
  devices: { parameter: ":quotaDevices", refusal: "too_many_devices" },
} as const;

/** CTE `acted`: the role of the membership that the actor acts with; a root comes first. No row if they have none. */
export function actedFor({ by }: ChargedChange): string {
  return `acted AS MATERIALIZED (
    SELECT acting.role_id, own.is_root FROM member acting CROSS JOIN role own ON own.id = acting.role_id
    WHERE acting.user_id = :actorId AND ${memberLives("acting")} AND (${by})
    ORDER BY own.is_root DESC, acting.role_id LIMIT 1)`;
}

/** SQL: the actor has no membership that authorizes the change; see `actedFor`. */
export const NOBODY_ACTS = "NOT EXISTS (SELECT 1 FROM acted)";

/**
 * SQL: the time at which a bucket of the root is empty that is full for this actor. For a member of the root it holds
 * half as much again, so the members below, however many, never stop them.
 */
const ROOT_IS_FULL_AT = "(:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0))";

/**
 * CTEs that end with `judged`: the row of `decided` with the decision, and with counted_to and counted_for, the root
 * and the payer that the change is charged to. Both are null without a root, and for a change that is not made. For a
 * full bucket, `wait_ms` is the time until there is room.
 */
export function judgedWithCharge({ counts, takesAway }: ChargedChange): string {
  const limits = [];
  if (counts !== undefined) {
    const { parameter, refusal } = QUOTAS[counts];
    limits.push(
      `WHEN whole.${counts} >= ${parameter} OR ${SHARES} * own.${counts} >= ${parameter} THEN '${refusal}'`,
    );
  }
  const adds = takesAway === undefined ? "" : `NOT (${takesAway}) AND `;
  limits.push(
    `WHEN ${adds}(whole.free_at > ${ROOT_IS_FULL_AT} OR own.free_at > :fullAt) THEN 'too_much_stored'`,
  );
  return `paying AS MATERIALIZED (
    SELECT ${ROOT_OF_ACTED} AS counted_to, CASE WHEN NOT acted.is_root THEN :payer END AS counted_for
    FROM decided CROSS JOIN acted WHERE ruling = 'ok'),
  judged AS MATERIALIZED (
    SELECT decided.*, counted_to, counted_for, max(whole.free_at - ${ROOT_IS_FULL_AT}, coalesce(own.free_at, 0) - :fullAt) AS wait_ms,
      CASE WHEN ruling <> 'ok' THEN ruling ${limits.join(" ")} ELSE ruling END AS decision
    FROM decided LEFT JOIN paying ON true
      LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.payer = ''
      LEFT JOIN root_usage own ON own.root_id = counted_to AND own.payer = counted_for)`;
}

/**
 * Charges the bytes that the change of `:opId` stores to its root, and to the payer below it. `further` is an SQL
 * expression: bytes besides those in the row of the change.
 */
export function chargeChange(further = "0"): Statement {
  const stored = `${BYTES_PER_CHANGE} + ${BYTES_PER_COST} * coalesce(made.cost, 0)
      + ${COPIES_OF_TEXT} * coalesce(octet_length(made.details), 0) + ${further}`;
  return defineStatement(`
    INSERT INTO root_usage (root_id, payer, free_at)
    SELECT made.counted_to, charged.payer, :now + charged.times * :msPerByte * (${stored})
    FROM change_log made CROSS JOIN (SELECT '' AS payer, 1 AS times UNION ALL SELECT :payer, ${SHARES}) charged
    WHERE made.op_id = :opId AND made.decision = 'ok' AND made.counted_to IS NOT NULL
      AND charged.payer IN ('', made.counted_for)
    ON CONFLICT (root_id, payer) DO UPDATE SET free_at = max(free_at, :now) + excluded.free_at - :now`);
}
