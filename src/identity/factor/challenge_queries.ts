import { partialLogin, secondFactor, securityEvent, session, userAccount } from "../../db/schema/identity.ts";
import {
  assigned,
  type Declared,
  define,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import { GUESS_LOCK_FAILURES } from "../../throttle/limits.ts";
import { guessWait, unlessAhead } from "../../throttle/throttle_queries.ts";
import { rememberAddress } from "../known_address_queries.ts";
import { recordEvent, whenResult } from "../security_queries.ts";
import { sessionLives } from "../session_life_queries.ts";
import { type Proven, provenByCode, raised, withPassword } from "../session_proof.ts";
import type { SecurityResult } from "../security_result.ts";
import { endSurplusSessions, openSession } from "../session_queries.ts";
import type { FactorKind } from "../factors.ts";

/**
 * Proof of a second factor: in a session, to step up, or in a login, to complete it. A factor supplies its verdict on
 * the code. This module has the guess schedule, the limit of wrong codes per login, and the effects of success.
 * `declared`: the arguments of the parts given to a function.
 */

/** The user's row of `second_factor`, which may be absent. */
export type Factor = typeof secondFactor;

/** Wrong codes after which a login ends. */
const PARTIAL_LOGIN_FAILURES = 5;

/** The challenged session or partial login. The id of the other one is null. */
export const CHALLENGE = {
  actorId: int,
  sessionId: nullable(text),
  partialLoginId: nullable(text),
  now: int,
};
const { actorId, sessionId, partialLoginId, now } = placeholdersOf(CHALLENGE);
const { opId, newSessionId, mailExpiresAt } = placeholdersOf({
  opId: text,
  newSessionId: text,
  mailExpiresAt: int,
});

const { acting, pending, account } = rowsOf({
  acting: session,
  pending: partialLogin,
  account: userAccount,
});
/** A FROM clause: `challenged` (user_id, session_id, partial_id). No row if the session or login is over. */
export const CHALLENGED: SQL = sql`(
  SELECT ${acting.userId}, ${acting.id} AS session_id, NULL AS partial_id FROM ${acting}
    WHERE ${sessionLives(acting)}
  UNION ALL
  SELECT ${pending.userId}, NULL, ${pending.id} FROM ${pending}
    CROSS JOIN ${account} ON ${account.id} = ${pending.userId}
    WHERE ${pending.id} = ${partialLoginId} AND ${pending.userId} = ${actorId} AND ${pending.endedAt} IS NULL
      AND ${pending.expiresAt} > ${now} AND ${account.securityVersion} = ${pending.securityVersion}) challenged`;

/** The id of the challenged session or partial login. */
export const ASKER: SQL = sql`coalesce(${sessionId}, ${partialLoginId})`;

const stranger = row(partialLogin, "stranger");
/** The challenged partial login came from an address unknown to the account. A session is never a stranger. */
export const IS_STRANGER: SQL = sql`EXISTS (SELECT 1 FROM ${stranger}
  WHERE ${stranger.id} = ${partialLoginId} AND NOT ${stranger.fromKnownAddress})`;

/** When the factor's next guess is checked; 0 if that lies further ahead than its failures allow. */
export function nextGuessOf({ failures, nextGuessAt }: Factor): SQL {
  return unlessAhead(nextGuessAt, failures);
}

/** The factor's guess schedule allows no guess now. */
function factorWaits(factor: Factor): SQL {
  return sql`(${factor.failures} >= ${GUESS_LOCK_FAILURES} OR ${nextGuessOf(factor)} > ${now})`;
}

/** Joins the user's factor. */
export function joinFactor(factor: Factor, kind: FactorKind, user: Value): SQL {
  return sql`LEFT JOIN ${factor} ON ${factor.userId} = ${user} AND ${factor.kind} = ${quoted(kind)}`;
}

export interface FactorDecision {
  readonly kind: FactorKind;
  /** Name of the event in the security log. */
  readonly event: string;
  /** A result that precedes the check of the code (`inactive`, …), or null. */
  readonly obstacle: (factor: Factor) => SQL;
  /** `ok`, `wrong`, or another result, which does not count as a guess. */
  readonly verdict: (factor: Factor) => SQL;
  /** Further joins for the verdict. */
  readonly joins?: SQL;
}

/** Decides a guess: inserts an event row for the challenged user. Inserts none if the token is void. */
export function decideGuess(
  declared: Declared,
  { kind, event, obstacle, verdict, joins = sql`` }: FactorDecision,
): Statement {
  const factor = row(secondFactor, "factor");
  const checked = sql`CASE WHEN ${factorWaits(factor)} THEN 'waiting' ELSE ${verdict(factor)} END`;
  return recordEvent(
    { ...declared, ...CHALLENGE },
    event,
    sql`SELECT coalesce(${obstacle(factor)}, ${checked}) AS result,
      challenged.user_id, coalesce(challenged.session_id, challenged.partial_id) AS session_id
    FROM ${CHALLENGED}
    ${joinFactor(factor, kind, sql`challenged.user_id`)} ${joins}`,
  );
}

const guess = row(securityEvent, "guess");
/** The user of this operation, regardless of its result. */
export const GUESSER: SQL = sql`(SELECT ${guess.userId} FROM ${guess} WHERE ${guess.opId} = ${opId})`;

/** The row of `second_factor` is the guesser's factor. */
function isGuessed(kind: FactorKind): SQL {
  return sql`${secondFactor.userId} = ${GUESSER} AND ${secondFactor.kind} = ${quoted(kind)}`;
}

/** Advances the guess schedule by one failure if this operation's result is `result`. */
export function countFailure(kind: FactorKind, result: SecurityResult): Statement {
  return define({ opId: text, now: int }, () => {
    const failures = sql`${secondFactor.failures} + 1`;
    const nextGuessAt = sql`${now} + ${guessWait(sql`(${failures})`)}`;
    return sql`
    UPDATE ${secondFactor} SET ${assigned(secondFactor, { failures, nextGuessAt })}
    WHERE ${isGuessed(kind)} AND ${whenResult(result)}`;
  });
}

/** Takes back the failure that `countFailure` counted for `started`, and its wait. */
export function takeFailureBack(kind: FactorKind): Statement {
  return define({ opId: text }, () => {
    const { failures } = secondFactor;
    return sql`
    UPDATE ${secondFactor} SET ${assigned(secondFactor, { failures: sql`${failures} - 1`, nextGuessAt: 0 })}
    WHERE ${isGuessed(kind)} AND ${failures} > 0 AND ${whenResult("started")}`;
  });
}

/** Resets the guess schedule of the factors that meet the condition. */
export function endGuessWaits(declared: Declared, condition: SQL): Statement {
  return define(declared, () =>
    sql`
    UPDATE ${secondFactor} SET ${assigned(secondFactor, { failures: 0, nextGuessAt: 0 })}
    WHERE ${condition}`);
}

/**
 * The effects of success on the schedules: resets those of the factor and of any locked factor. The growing waits
 * between mailed codes start over; a running wait stays.
 */
export function startAnew(kind: FactorKind): readonly Statement[] {
  return [
    endGuessWaits(
      { opId: text },
      sql`${secondFactor.userId} = ${GUESSER} AND ${whenResult("ok")}
      AND (${secondFactor.kind} = ${quoted(kind)} OR ${secondFactor.failures} >= ${GUESS_LOCK_FAILURES})`,
    ),
    define({ opId: text }, () =>
      sql`
      UPDATE ${secondFactor} SET ${assigned(secondFactor, { mails: 0 })}
      WHERE ${isGuessed("email_otp")} AND ${whenResult("ok")}`),
  ];
}

/** The challenged partial login, for statements that read no other. */
const IS_ASKING = sql`${partialLogin.id} = ${partialLoginId}`;

const LOGIN = { opId: text, partialLoginId: nullable(text) };

/**
 * The effects of the verdict on a session or login. Success raises what the session has proved, or opens a session of
 * assurance level 2. A login ends by success or at its fifth failure. The user gets a mail at the login's fifth failure
 * and at the factor's fifth in a row: an attacker with the password can start another login after four. `proven`: what
 * success proves, by default that of a code; `declared` are its arguments.
 */
export function applyChallengeVerdict(
  kind: FactorKind,
  proven: Proven = provenByCode(kind, GUESSER),
  declared: Declared = {},
): readonly Statement[] {
  return [
    raiseSession(proven, declared),
    openProvenSession(proven, declared),
    endSurplusSessions({ ...LOGIN, newSessionId: text }, {
      id: newSessionId,
      user: sql`(SELECT ${partialLogin.userId} FROM ${partialLogin} WHERE ${IS_ASKING})`,
      condition: whenResult("ok"),
    }),
    rememberAddress(
      LOGIN,
      partialLogin.userId,
      sql`FROM ${partialLogin} WHERE ${IS_ASKING} AND ${whenResult("ok")}`,
    ),
    COUNT_LOGIN_FAILURE,
    mailFailures(kind),
  ];
}

function raiseSession(proven: Proven, declared: Declared): Statement {
  return define({ ...declared, opId: text, sessionId: nullable(text) }, () =>
    sql`
    UPDATE ${session} SET ${assigned(session, raised(session, proven))}
    WHERE ${session.id} = ${sessionId} AND ${whenResult("ok")}`);
}

/** Opens the session of a completed login. */
function openProvenSession(proven: Proven, declared: Declared): Statement {
  return openSession({ ...declared, ...LOGIN, newSessionId: text }, {
    id: newSessionId,
    user: partialLogin.userId,
    authenticatedAt: partialLogin.authenticatedAt,
    assuranceLevel: 2,
    proven: { ...proven, methods: withPassword(proven) },
    client: partialLogin.client,
    source: sql`FROM ${partialLogin} WHERE ${IS_ASKING} AND ${whenResult("ok")}`,
  });
}

const COUNT_LOGIN_FAILURE = define({ ...LOGIN, now: int }, () => {
  const { failures } = partialLogin;
  const isLast = sql`${failures} + 1 >= ${PARTIAL_LOGIN_FAILURES}`;
  const counted = assigned(partialLogin, {
    failures: sql`${failures} + ${whenResult("wrong", "copied")}`,
    endedAt: sql`CASE WHEN ${whenResult("ok")} OR ${isLast} THEN ${now} END`,
  });
  return sql`
  UPDATE ${partialLogin} SET ${counted}
  WHERE ${IS_ASKING} AND ${whenResult("ok", "wrong", "copied")}`;
});

function mailFailures(kind: FactorKind): Statement {
  const { failing, owner, factor } = rowsOf({
    failing: partialLogin,
    owner: userAccount,
    factor: secondFactor,
  });
  return queueMail({ ...LOGIN, mailExpiresAt: int }, {
    template: "second_factor_failures",
    language: owner.language,
    recipient: owner.email,
    expiresAt: mailExpiresAt,
    source: sql`FROM ${failing} CROSS JOIN ${owner} ON ${owner.id} = ${failing.userId}
      CROSS JOIN ${factor} ON ${factor.userId} = ${failing.userId} AND ${factor.kind} = ${quoted(kind)}
      WHERE ${failing.id} = ${partialLoginId}
        AND ${PARTIAL_LOGIN_FAILURES} IN (${failing.failures}, ${factor.failures})
        AND ${whenResult("wrong")}`,
  });
}

/** The row of a read of the next guess's time. */
export interface NextGuessRow {
  readonly result: "ok" | "uninitialized";
  readonly failures: number | null;
  readonly nextGuessAt: number | null;
}

/** Returns the last statement of a guess, which reads a `GuessRow`. `more`: further columns from the event. */
export function readGuess(
  declared: Declared,
  kind: FactorKind,
  more?: (decided: typeof securityEvent) => SQL,
): Statement {
  return define({ ...declared, ...LOGIN, now: int }, () => {
    const { decided, owner } = rowsOf({ decided: securityEvent, owner: userAccount });
    const { factor, completing } = rowsOf({ factor: secondFactor, completing: partialLogin });
    const others = more === undefined ? sql`` : sql`, ${more(decided)}`;
    return sql`
    SELECT ${decided.result}, ${owner.securityVersion} AS securityVersion,
      ${completing.authenticatedAt} AS authenticatedAt,
      ${factor.failures}, ${nextGuessOf(factor)} AS nextGuessAt ${others}
    FROM ${decided} CROSS JOIN ${owner} ON ${owner.id} = ${decided.userId}
    ${joinFactor(factor, kind, decided.userId)}
    LEFT JOIN ${completing} ON ${completing.id} = ${partialLoginId}
    WHERE ${decided.opId} = ${opId}`;
  });
}

/** Returns the last statement of a guess that may complete a login: also reads what the opened session has proved. */
export function readProof(kind: FactorKind): Statement {
  const opened = row(session, "opened");
  const proved = (column: "methods" | "meets") =>
    sql`(SELECT ${opened[column]} FROM ${opened} WHERE ${opened.id} = ${newSessionId})`;
  return readGuess(
    { newSessionId: text },
    kind,
    () => sql`${proved("methods")} AS methods, ${proved("meets")} AS meets`,
  );
}
