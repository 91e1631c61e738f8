import { SECOND_MS } from "../core/clock.ts";
import { changeLog, idempotencyKey } from "../db/schema/role.ts";
import {
  bare,
  type Declared,
  define,
  inserted,
  placeholdersOf,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { CHANGE } from "./change_queries.ts";
import { nested, one, whether } from "./facts.ts";
import { and, eq, gt, select } from "../db/builder.ts";
import { whenStep } from "../graph/step_queries.ts";

/**
 * The parts of a batch that let one `Idempotency-Key` create only one thing. Requests without a key have a batch
 * without these parts, which a server prepares faster.
 */
export interface KeyParts {
  /** The arguments that the decision takes for them. */
  readonly declared: Declared;
  /** Joins the actor's live key, and the change log row of the first request. */
  readonly join: SQL;
  /** The first branches of the decision's CASE; see `REPEATED_REQUEST`. */
  readonly branches: SQL;
  /** Returns a column of that row, null for a first request. */
  readonly ofFirst: (column: keyof typeof changeLog["_"]["columns"]) => Value;
  /** Whether the batch may return what an earlier one created. */
  readonly mayRepeat: boolean;
  /** Stores the key of a change that is made. */
  readonly keep: readonly Statement[];
}

/** Lifetime of a key, in seconds. */
export const KEY_SECONDS = 86_400;

/** The arguments of a request with an `Idempotency-Key`. */
export const ASKED_ONCE = { idempotencyKey: text, fingerprint: text };
const args = placeholdersOf(ASKED_ONCE);
const { actorId, now } = placeholdersOf(CHANGE);

const { kept, first } = rowsOf({ kept: idempotencyKey, first: changeLog });
const JOIN_FIRST_REQUEST =
  sql`LEFT JOIN ${kept} ON ${kept.userId} = ${actorId} AND ${kept.key} = ${args.idempotencyKey}
      AND ${kept.expiresAt} > ${now}
    LEFT JOIN ${first} ON ${first.opId} = ${kept.opId}`;

/** The fact of the request that used the key before: whether it was the same, and what it made. */
export const FIRST_REQUEST = one(
  select({
    isSame: nested(whether(sql`${kept.fingerprint} = ${args.fingerprint}`)),
    roleId: first.roleId,
    relationId: first.relationId,
    demand: nested<unknown>({ json: sql`coalesce(${first.details} -> 'demand', 'null')` }),
  }).from(kept).leftJoin(first, eq(first.opId, kept.opId))
    .where(and(eq(kept.userId, actorId), eq(kept.key, args.idempotencyKey), gt(kept.expiresAt, now))),
);

/**
 * Decides `noop` for a retry, whose row copies the ids of the first request, and `key_reused` for another request with
 * the same key.
 */
const REPEATED_REQUEST = sql`WHEN ${kept.fingerprint} <> ${args.fingerprint} THEN 'key_reused'
      WHEN ${kept.opId} IS NOT NULL THEN 'noop'`;

/** An expired key may be used again. */
const KEEP_KEY = define({ ...ASKED_ONCE, opId: text, now: CHANGE.now }, () => {
  const { userId, key, opId, fingerprint, expiresAt } = idempotencyKey;
  const { names, values } = inserted(idempotencyKey, {
    userId: changeLog.actorId,
    key: args.idempotencyKey,
    opId: changeLog.opId,
    fingerprint: args.fingerprint,
    expiresAt: sql`${now} + ${KEY_SECONDS * SECOND_MS}`,
  });
  return sql`
  INSERT INTO ${idempotencyKey} (${names})
  SELECT ${values}
  FROM ${changeLog} WHERE ${whenStep("grow", "write")}
  ON CONFLICT (${bare(userId, key)}) DO UPDATE SET ${takenOver(opId, fingerprint, expiresAt)}`;
});

const KEYED: KeyParts = {
  declared: ASKED_ONCE,
  join: JOIN_FIRST_REQUEST,
  branches: REPEATED_REQUEST,
  ofFirst: (column) => first[column],
  mayRepeat: true,
  keep: [KEEP_KEY],
};

const KEYLESS: KeyParts = {
  declared: {},
  join: sql``,
  branches: sql``,
  ofFirst: () => sql`NULL`,
  mayRepeat: false,
  keep: [],
};

/** The two variants of a batch that creates something. */
export interface CreatingBatch {
  readonly keyed: readonly Statement[];
  readonly keyless: readonly Statement[];
}

/** Puts the parts into a batch. */
export function withAndWithoutKey(batch: (key: KeyParts) => readonly Statement[]): CreatingBatch {
  return { keyed: batch(KEYED), keyless: batch(KEYLESS) };
}
