import { FRESH_SIGN_IN_SECONDS } from "../core/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../core/clock.ts";
import { and, compile, eq, isNull, ne, select, update } from "../db/builder.ts";
import {
  oneTimeCode,
  partialLogin,
  passwordLink,
  secondFactor,
  securityEvent,
  session,
  userAccount,
} from "../db/schema/identity.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
  type ValuesBy,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import type { MessageTemplate } from "../mail/message_content.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { FACTORS, MAIN_FACTORS } from "./factors.ts";
import { endPasswordLinks } from "./password_link_queries.ts";
import { sessionLives } from "./session_life_queries.ts";
import type { SecurityResult, SessionEnd } from "./security_result.ts";

/**
 * Statements shared by all security writes. A batch's first statement inserts the security event of `opId`, whose
 * result is the decision; all later statements depend on it. `declared`: the arguments of the parts given to a
 * function.
 */

const { opId, now, address, mailExpiresAt } = placeholdersOf({
  opId: text,
  now: int,
  address: text,
  mailExpiresAt: int,
});
const { sessionId, sudoVersion } = placeholdersOf({ sessionId: text, sudoVersion: nullable(int) });

/** The event of this operation, for statements that read no other. */
const IS_OWN = sql`${securityEvent.opId} = ${opId}`;

/** The event of this operation is not decided yet. */
const IS_STARTED = sql`${IS_OWN} AND ${securityEvent.result} = 'started'`;

const REPEATED = bare(securityEvent.opId, securityEvent.at, securityEvent.event, securityEvent.result);

/** Fails if this operation is recorded already; see `writeOnce`. */
export const REFUSE_REPEATED_EVENT = define({ opId: text }, () =>
  sql`
  INSERT INTO ${securityEvent} (${REPEATED})
  SELECT ${REPEATED} FROM ${securityEvent} WHERE ${IS_OWN}`);

/** The same for a batch that decides a recorded attempt: fails if it is decided already. */
export const REFUSE_REPEATED_VERDICT = define({ opId: text }, () =>
  sql`
  INSERT INTO ${securityEvent} (${REPEATED})
  SELECT ${REPEATED} FROM ${securityEvent} WHERE ${IS_OWN} AND ${securityEvent.result} <> 'started'`);

/** The user has an active second factor. Recovery codes do not count; they only stand in for one. */
export function hasActiveFactor(user: Value): SQL {
  const active = row(secondFactor, "active");
  return sql`EXISTS (SELECT 1 FROM ${active} WHERE ${active.userId} = ${user}
    AND ${active.kind} IN (${quoted(...MAIN_FACTORS)}) AND ${active.activatedAt} IS NOT NULL)`;
}

/** Results that get an event row of their own: they changed or sent something, or count as a guess. */
const OWN_ROW_RESULTS: readonly SecurityResult[] = ["ok", "started", "wrong", "copied", "activation"];

/** Events per user and minute, beyond which successes share a row. */
const OWN_ROWS_PER_MINUTE = 60;

/**
 * Inserts the event of this operation. `decided` selects result, user_id and session_id in one row, or none if the
 * token is void.
 *
 * So that callers cannot fill the log, refusals without a check share a row per user, event, result and minute. It
 * keeps its id and time, counts attempts, and takes operation id (by which the batch reads its result), session and
 * address from the latest. Beyond `OWN_ROWS_PER_MINUTE` so do successes, many of which change nothing. Guesses never
 * do.
 */
export function recordEvent(declared: Declared, event: string, decided: SQL): Statement {
  return define({ ...declared, opId: text, now: int, address: text }, () => {
    const crowd = row(securityEvent, "crowd");
    const minute = sql`${now} / ${MINUTE_MS}`;
    const isCrowded = sql`(SELECT ${crowd.at} / ${MINUTE_MS} = ${minute} FROM ${crowd}
          WHERE ${crowd.userId} = decided.user_id ORDER BY ${crowd.id} DESC
          LIMIT 1 OFFSET ${OWN_ROWS_PER_MINUTE - 1})`;
    const mergeKey = sql`CASE
      WHEN result NOT IN (${quoted(...OWN_ROW_RESULTS)}) OR (result = 'ok' AND ${isCrowded})
      THEN user_id || ' ' || (${minute}) || ${quoted(` ${event} `)} || result END`;
    const { names, values } = inserted(securityEvent, {
      opId,
      at: now,
      event: quoted(event),
      result: sql`result`,
      actorId: sql`user_id`,
      userId: sql`user_id`,
      sessionId: sql`session_id`,
      address,
      mergeKey,
    });
    const key = bare(securityEvent.mergeKey);
    const latest = takenOver(securityEvent.opId, securityEvent.sessionId, securityEvent.address);
    return sql`
    WITH decided AS MATERIALIZED (${decided})
    INSERT INTO ${securityEvent} (${names})
    SELECT ${values}
    FROM decided WHERE true
    ON CONFLICT (${key}) WHERE ${key} IS NOT NULL DO UPDATE SET
      ${latest}, ${ONE_ATTEMPT_MORE}`;
  });
}

const ONE_ATTEMPT_MORE = assigned(securityEvent, { attempts: sql`${securityEvent.attempts} + 1` });

/** The proof that an operation requires besides a live session. */
export type Proof =
  /** No proof; a sudo token is not accepted. */
  | "none"
  /** No proof; a current sudo token is accepted. */
  | "any"
  /** A sudo token. Without a second factor, an access token if the session's login is recent. */
  | "fresh"
  /** A sudo token. Without a second factor, any access token. */
  | "factor";

/** The actor's session and account. */
export interface ActorRows {
  readonly acting: typeof session;
  readonly account: typeof userAccount;
}

/** The actor lacks the proof. `sudoVersion` is null for an access token. */
function lacksProof(proof: "fresh" | "factor", { acting }: ActorRows): SQL {
  const hasFactor = hasActiveFactor(acting.userId);
  const isStale = sql`${acting.authenticatedAt} <= ${now} - ${FRESH_SIGN_IN_SECONDS * SECOND_MS}`;
  const isUnproven = proof === "fresh" ? sql`(${hasFactor} OR ${isStale})` : hasFactor;
  return sql`(${sudoVersion} IS NULL AND ${isUnproven})`;
}

export interface ActorVerdict {
  readonly proof: Proof;
  /** The result; `'ok'` leads to the change. */
  readonly verdict: (actor: ActorRows) => SQL;
  /** Further joins for the verdict. */
  readonly joins?: (actor: ActorRows) => SQL;
}

export interface ActorDecision extends ActorVerdict {
  /** Name of the event in the security log: `area.verb`. */
  readonly event: string;
}

/**
 * Selects from the actor's live session and account, unless their sudo token is outdated. The result is the verdict,
 * or `proof_required`.
 */
export function selectForActor(
  { proof, verdict, joins = () => sql`` }: ActorVerdict,
  columns: (result: SQL, actor: ActorRows) => SQL,
): SQL {
  const actor = rowsOf({ acting: session, account: userAccount });
  const { acting, account } = actor;
  const result = proof === "none" || proof === "any"
    ? verdict(actor)
    : sql`CASE WHEN ${lacksProof(proof, actor)} THEN 'proof_required' ELSE ${verdict(actor)} END`;
  const isCurrent = proof === "none"
    ? sql``
    : sql`AND (${sudoVersion} IS NULL OR ${account.securityVersion} = ${sudoVersion})`;
  return sql`SELECT ${columns(result, actor)}
    FROM ${acting} CROSS JOIN ${account} ON ${account.id} = ${acting.userId} ${joins(actor)}
    WHERE ${sessionLives(acting)} ${isCurrent}`;
}

/** The arguments of `selectForActor`, without those of its parts. */
function declaredFor({ proof }: ActorVerdict): Declared {
  return { actorId: int, sessionId: text, now: int, ...(proof !== "none" && { sudoVersion: nullable(int) }) };
}

/**
 * Decides a change of the actor's account: inserts an event row if their session is live and their sudo token, if
 * any, is current; `proof_required` if proof is missing. No row if the token is void.
 */
export function decideForActor(declared: Declared, { event, ...parts }: ActorDecision): Statement {
  const decided = selectForActor(
    parts,
    (result, { acting }) => sql`${result} AS result, ${acting.userId}, ${acting.id} AS session_id`,
  );
  return recordEvent({ ...declared, ...declaredFor(parts) }, event, decided);
}

/**
 * Decides an attempt that `decideForActor` left as `started` while a secret was compared, and repeats its conditions.
 * The result is `void` if the token has become void.
 */
export function confirmForActor(declared: Declared, parts: ActorVerdict): Statement {
  return confirmEvent({ ...declared, ...declaredFor(parts) }, selectForActor(parts, (result) => result));
}

/** The same with a query for the verdict, which selects no row if the token is void. */
export function confirmEvent(declared: Declared, verdict: SQL): Statement {
  return define({ ...declared, opId: text }, () =>
    sql`
    UPDATE ${securityEvent} SET ${bare(securityEvent.result)} = coalesce((${verdict}), 'void')
    WHERE ${IS_STARTED}`);
}

/** Closes a `started` attempt whose secret was wrong. The counters stay as they are. */
export const FAIL_ATTEMPT = define(
  { opId: text, result: text },
  ({ result }) => sql`UPDATE ${securityEvent} SET ${assigned(securityEvent, { result })} WHERE ${IS_STARTED}`,
);

const attempt = row(securityEvent, "attempt");
/** The merge key of this attempt once abandoned; null if it is not `started`. */
const ABANDONED = sql`(SELECT coalesce(${attempt.userId}, '-') || ' ' || (${attempt.at} / ${MINUTE_MS}) || ' '
    || ${attempt.event} || ' abandoned'
    FROM ${attempt} WHERE ${attempt.opId} = ${opId} AND ${attempt.result} = 'started')`;

/**
 * Closes a `started` attempt whose secret could not be compared. Equal ones share the row of the first, like other
 * refusals without a check.
 */
export const ABANDON_ATTEMPT: readonly Statement[] = [
  define(
    { opId: text },
    () => sql`UPDATE ${securityEvent} SET ${ONE_ATTEMPT_MORE} WHERE ${securityEvent.mergeKey} = ${ABANDONED}`,
  ),
  define({ opId: text }, () => {
    const merged = row(securityEvent, "merged");
    return sql`
    DELETE FROM ${securityEvent} WHERE ${IS_STARTED}
      AND EXISTS (SELECT 1 FROM ${merged} WHERE ${merged.mergeKey} = ${ABANDONED})`;
  }),
  define({ opId: text }, () =>
    sql`
    UPDATE ${securityEvent} SET ${assigned(securityEvent, { result: sql`'abandoned'`, mergeKey: ABANDONED })}
    WHERE ${IS_STARTED}`),
];

/** This operation has one of these results. */
export function whenResult(...results: SecurityResult[]): SQL {
  const decided = row(securityEvent, "decided");
  return sql`EXISTS (SELECT 1 FROM ${decided} WHERE ${decided.opId} = ${opId}
    AND ${decided.result} IN (${quoted(...results)}))`;
}

const changed = row(securityEvent, "changed");
/** The id of the user whose operation has this result; otherwise null, which equals no id. */
export function userWhen(result: SecurityResult): SQL {
  return sql`(SELECT ${changed.userId} FROM ${changed}
    WHERE ${changed.opId} = ${opId} AND ${changed.result} = ${quoted(result)})`;
}

/** The id of the user whose change was decided `ok`; otherwise null. */
export const CHANGED_USER: SQL = userWhen("ok");

/** The last statement of a batch: reads the result. */
export const READ_RESULT = compile(
  { opId: text },
  () => select({ result: securityEvent.result }).from(securityEvent).where(IS_OWN),
);

/** Ends the changed user's pending logins. */
export const END_PARTIAL_LOGINS = compile(
  { opId: text, now: int },
  () =>
    update(partialLogin, { endedAt: now })
      .where(and(eq(partialLogin.userId, CHANGED_USER), isNull(partialLogin.endedAt))),
);

/** Returns NULL for each of these columns of `second_factor`. */
export function emptied(
  ...columns: readonly (keyof ValuesBy<typeof secondFactor>)[]
): ValuesBy<typeof secondFactor> {
  return Object.fromEntries(columns.map((column) => [column, sql`NULL`]));
}

const PENDING_COLUMNS = Object.values(FACTORS)
  .flatMap((factor) => "pending" in factor ? [factor.pending] : []);

/** Cancels setups of second factors that meet the condition. `returning`: columns to return. */
export function dropSetups(declared: Declared, condition: SQL, returning?: SQL): Statement {
  const cancelled = assigned(secondFactor, emptied(...PENDING_COLUMNS, "pendingUntil"));
  return define(declared, () =>
    sql`
    UPDATE ${secondFactor} SET ${cancelled}
    WHERE ${condition} ${returning === undefined ? sql`` : sql`RETURNING ${returning}`}`);
}

/**
 * The effects of every change of a password, address, factor or recovery codes: voids earlier sudo and partial
 * tokens, and ends pending codes and links, except links that undo a transfer.
 */
export const END_EARLIER_PROOFS: readonly Statement[] = [
  compile({ opId: text }, () => {
    const { id, securityVersion } = userAccount;
    return update(userAccount, { securityVersion: sql`${securityVersion} + 1` }).where(eq(id, CHANGED_USER));
  }),
  END_PARTIAL_LOGINS,
  compile({ opId: text, now: int }, () =>
    update(oneTimeCode, { endedAt: now })
      .where(and(eq(oneTimeCode.userId, CHANGED_USER), isNull(oneTimeCode.endedAt)))),
  endPasswordLinks({ opId: text }, sql`${passwordLink.userId} = ${CHANGED_USER}`),
  // A setup from before the change must start again with new proof.
  dropSetups({ opId: text }, sql`${secondFactor.userId} = ${CHANGED_USER}`),
];

/** What a session has that ends in this operation. */
function endedFor(endedReason: SessionEnd) {
  return { endedAt: now, endedReason, endedOp: opId };
}

/** The session of the changed user is live. */
const IS_CHANGED_USERS = and(eq(session.userId, CHANGED_USER), isNull(session.endedAt));

/** Ends all sessions of the changed user except the acting one. */
export function endOtherSessions(reason: SessionEnd): Statement {
  return compile(
    { opId: text, now: int, sessionId: text },
    () => update(session, endedFor(reason)).where(and(IS_CHANGED_USERS, ne(session.id, sessionId))),
  );
}

/** Ends all sessions of the changed user. */
export function endAllSessions(reason: SessionEnd): Statement {
  return compile({ opId: text, now: int }, () => update(session, endedFor(reason)).where(IS_CHANGED_USERS));
}

/** Queues a notice for the changed user, or another one. `detail` may use their row of `user_account`. */
export function mailChangedUser(
  template: MessageTemplate,
  detail: Value = sql`NULL`,
  user: SQL = CHANGED_USER,
): Statement {
  return queueMail({ mailExpiresAt: int }, {
    template,
    language: userAccount.language,
    recipient: userAccount.email,
    detail,
    expiresAt: mailExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${userAccount.id} = ${user}`,
  });
}
