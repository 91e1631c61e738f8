import { FRESH_SIGN_IN_SECONDS } from "../core/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../core/clock.ts";
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
 * The statements that all security writes share. The batch's first statement inserts the security event of
 * `opId`, whose result is the decision. All later statements depend on that result. A function that makes a statement
 * gets as `declared` the arguments of the parts that it is given.
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

/** The event of this operation was not decided yet. */
const IS_STARTED = sql`${IS_OWN} AND ${securityEvent.result} = 'started'`;

const REPEATED = bare(securityEvent.opId, securityEvent.at, securityEvent.event, securityEvent.result);

/** Fails if this operation is already on record; see `writeOnce`. */
export const REFUSE_REPEATED_EVENT = define({ opId: text }, () =>
  sql`
  INSERT INTO ${securityEvent} (${REPEATED})
  SELECT ${REPEATED} FROM ${securityEvent} WHERE ${IS_OWN}`);

/** The same for a batch that decides an attempt on record: fails if the attempt is already decided. */
export const REFUSE_REPEATED_VERDICT = define({ opId: text }, () =>
  sql`
  INSERT INTO ${securityEvent} (${REPEATED})
  SELECT ${REPEATED} FROM ${securityEvent} WHERE ${IS_OWN} AND ${securityEvent.result} <> 'started'`);

/** The user has an active second factor. Recovery codes do not count: they only stand in for one. */
export function hasActiveFactor(user: Value): SQL {
  const active = row(secondFactor, "active");
  return sql`EXISTS (SELECT 1 FROM ${active} WHERE ${active.userId} = ${user}
    AND ${active.kind} IN (${quoted(...MAIN_FACTORS)}) AND ${active.activatedAt} IS NOT NULL)`;
}

/** Results of attempts that have an event of their own: they changed something, sent something, or count as a guess. */
const OWN_ROW_RESULTS: readonly SecurityResult[] = ["ok", "started", "wrong", "activation"];

/** Events of a user in a minute, after which their successes share a row. */
const OWN_ROWS_PER_MINUTE = 60;

/**
 * Inserts the event of this operation. `decided` selects result, user_id and session_id, in one row; no row means that
 * the token is void.
 *
 * Attempts that were refused unseen are merged, so that nobody can fill the log with them: those of one user, event and
 * result within a minute share a row. It keeps its id and time, counts the attempts, and takes on the rest from the
 * latest: the operation id, by which that batch reads its answer back, the session and the address. So are successes once
 * the user has `OWN_ROWS_PER_MINUTE`, since many change nothing. Guesses never are.
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
  /** Nothing. */
  | "none"
  /** None, but a sudo token is accepted, too, if it is current. */
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
  /** The result; `'ok'` makes the change. */
  readonly verdict: (actor: ActorRows) => SQL;
  /** Further joins that the verdict uses. */
  readonly joins?: (actor: ActorRows) => SQL;
}

export interface ActorDecision extends ActorVerdict {
  /** Name of the event in the security log: `area.verb`. */
  readonly event: string;
}

/**
 * Selects from the actor's live session and their account, unless their sudo token is outdated. The result is the
 * verdict, or `proof_required` if proof is missing.
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

/** The arguments of `selectForActor`, besides those of its parts. */
function declaredFor({ proof }: ActorVerdict): Declared {
  return { actorId: int, sessionId: text, now: int, ...(proof !== "none" && { sudoVersion: nullable(int) }) };
}

/**
 * Decides a change of the actor's own account. Inserts one event row if their session is live (and their sudo
 * token carries the account's current `security_version`), with `proof_required` if proof is missing. No row:
 * the token is void.
 */
export function decideForActor(declared: Declared, { event, ...parts }: ActorDecision): Statement {
  const decided = selectForActor(
    parts,
    (result, { acting }) => sql`${result} AS result, ${acting.userId}, ${acting.id} AS session_id`,
  );
  return recordEvent({ ...declared, ...declaredFor(parts) }, event, decided);
}

/**
 * Decides what `decideForActor` left as `started` while a secret was compared: repeats every condition. The
 * result is `void` if the token has become void meanwhile.
 */
export function confirmForActor(declared: Declared, parts: ActorVerdict): Statement {
  return confirmEvent({ ...declared, ...declaredFor(parts) }, selectForActor(parts, (result) => result));
}

/** The same with a verdict that a query selects, or does not if the token is void. */
export function confirmEvent(declared: Declared, verdict: SQL): Statement {
  return define({ ...declared, opId: text }, () =>
    sql`
    UPDATE ${securityEvent} SET ${bare(securityEvent.result)} = coalesce((${verdict}), 'void')
    WHERE ${IS_STARTED}`);
}

/** Closes an attempt that is still `started`: the secret was wrong. */
export const FAIL_ATTEMPT = define(
  { opId: text },
  () =>
    sql`UPDATE ${securityEvent} SET ${assigned(securityEvent, { result: sql`'wrong'` })} WHERE ${IS_STARTED}`,
);

const attempt = row(securityEvent, "attempt");
/** The key under which this attempt is merged if it is abandoned, or null if it is not `started`. */
const ABANDONED = sql`(SELECT coalesce(${attempt.userId}, '-') || ' ' || (${attempt.at} / ${MINUTE_MS}) || ' '
    || ${attempt.event} || ' abandoned'
    FROM ${attempt} WHERE ${attempt.opId} = ${opId} AND ${attempt.result} = 'started')`;

/**
 * Closes an attempt that is still `started`: the secret could not be compared. Like other attempts that were refused
 * unseen, equal ones share a row, here that of the first.
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

/** The result of this operation is one of these. */
export function whenResult(...results: SecurityResult[]): SQL {
  const decided = row(securityEvent, "decided");
  return sql`EXISTS (SELECT 1 FROM ${decided} WHERE ${decided.opId} = ${opId}
    AND ${decided.result} IN (${quoted(...results)}))`;
}

const changed = row(securityEvent, "changed");
/** The id of the user whose change was decided `ok`; otherwise null, which equals no id. */
export const CHANGED_USER: SQL = sql`(SELECT ${changed.userId} FROM ${changed}
    WHERE ${changed.opId} = ${opId} AND ${changed.result} = 'ok')`;

/** For the batch's last statement: the result. */
export const READ_RESULT = define(
  { opId: text },
  () => sql`SELECT ${securityEvent.result} FROM ${securityEvent} WHERE ${IS_OWN}`,
);

/** Ends the changed user's logins that wait for a second factor. */
export const END_PARTIAL_LOGINS = define({ opId: text, now: int }, () =>
  sql`
  UPDATE ${partialLogin} SET ${assigned(partialLogin, { endedAt: now })}
  WHERE ${partialLogin.userId} = ${CHANGED_USER} AND ${partialLogin.endedAt} IS NULL`);

/** NULL for these columns of `second_factor`. */
export function emptied(
  ...columns: readonly (keyof ValuesBy<typeof secondFactor>)[]
): ValuesBy<typeof secondFactor> {
  return Object.fromEntries(columns.map((column) => [column, sql`NULL`]));
}

const PENDING_COLUMNS = Object.values(FACTORS)
  .flatMap((factor) => "pending" in factor ? [factor.pending] : []);

/** Cancels the setups of second factors that meet the condition. `returning`: the columns to return. */
export function dropSetups(declared: Declared, condition: SQL, returning?: SQL): Statement {
  const cancelled = assigned(secondFactor, emptied(...PENDING_COLUMNS, "pendingUntil"));
  return define(declared, () =>
    sql`
    UPDATE ${secondFactor} SET ${cancelled}
    WHERE ${condition} ${returning === undefined ? sql`` : sql`RETURNING ${returning}`}`);
}

/**
 * The effects of every change of a password, address, factor or recovery codes: earlier sudo and partial tokens
 * become void, and pending codes and links end. Links that undo a transfer stay valid.
 */
export const END_EARLIER_PROOFS: readonly Statement[] = [
  define({ opId: text }, () => {
    const nextVersion = sql`${userAccount.securityVersion} + 1`;
    return sql`
    UPDATE ${userAccount} SET ${assigned(userAccount, { securityVersion: nextVersion })}
    WHERE ${userAccount.id} = ${CHANGED_USER}`;
  }),
  END_PARTIAL_LOGINS,
  define({ opId: text, now: int }, () =>
    sql`
    UPDATE ${oneTimeCode} SET ${assigned(oneTimeCode, { endedAt: now })}
    WHERE ${oneTimeCode.userId} = ${CHANGED_USER} AND ${oneTimeCode.endedAt} IS NULL`),
  endPasswordLinks({ opId: text }, sql`${passwordLink.userId} = ${CHANGED_USER}`),
  // A setup that was begun before the change must be begun again with new proof.
  dropSetups({ opId: text }, sql`${secondFactor.userId} = ${CHANGED_USER}`),
];

/** The list of SET that ends a session in this operation. The reason is stored with it. */
function ends(reason: SessionEnd): SQL {
  return assigned(session, { endedAt: now, endedReason: quoted(reason), endedOp: opId });
}

/** Ends all sessions of the changed user but the acting one. */
export function endOtherSessions(reason: SessionEnd): Statement {
  return define({ opId: text, now: int, sessionId: text }, () =>
    sql`
    UPDATE ${session} SET ${ends(reason)}
    WHERE ${session.userId} = ${CHANGED_USER} AND ${session.endedAt} IS NULL AND ${session.id} <> ${sessionId}`);
}

/** Ends all sessions of the changed user. */
export function endAllSessions(reason: SessionEnd): Statement {
  return define({ opId: text, now: int }, () =>
    sql`
    UPDATE ${session} SET ${ends(reason)}
    WHERE ${session.userId} = ${CHANGED_USER} AND ${session.endedAt} IS NULL`);
}

/** Queues the operation's notice for the changed user, who is the row of `user_account` in `detail`. */
export function mailChangedUser(template: MessageTemplate, detail: Value = sql`NULL`): Statement {
  return queueMail({ mailExpiresAt: int }, {
    template,
    language: userAccount.language,
    recipient: userAccount.email,
    detail,
    expiresAt: mailExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${userAccount.id} = ${CHANGED_USER}`,
  });
}
