import { oneTimeCode, partialLogin } from "../../db/schema/identity.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { whenResult } from "../security_queries.ts";

/** Mailed codes, as parts of a batch. `declared`: the arguments of the parts given to a function. */

const { now, codeMac, codeExpiresAt } = placeholdersOf({ now: int, codeMac: text, codeExpiresAt: int });

/** The argument of `codeVerdict`: a JSON list of the submitted code's HMAC under each key. */
export const SUBMITTED = { codeMacs: text };
const { codeMacs } = placeholdersOf(SUBMITTED);

/** The purpose of a mailed code, which is not valid for any other. */
export type CodePurpose =
  | "password_reset"
  | "email_otp.activation"
  | "email_otp.challenge"
  | "email_transfer";

/** Default number of wrong guesses that void a code. */
const CODE_GUESSES = 5;

/** Maximum number of live codes of a second factor per user, one per session or partial login. */
export const LIVE_CODES = 3;

/** Returns the subject of a user's codes. */
export function subjectOf(user: Value): SQL {
  return sql`CAST(${user} AS TEXT)`;
}

/** Joins the code of a subject. */
export function joinCode(code: typeof oneTimeCode, purpose: CodePurpose, subject: Value): SQL {
  return sql`LEFT JOIN ${code} ON ${code.purpose} = ${quoted(purpose)} AND ${code.subject} = ${subject}`;
}

/** The code is valid. */
export function codeLives(code: typeof oneTimeCode): SQL {
  return sql`(${code.endedAt} IS NULL AND ${code.expiresAt} > ${now} AND ${code.guessesLeft} > 0)`;
}

/**
 * Returns the verdict on a submitted code, from the row of `joinCode`: `ok`, `wrong`, or `no_code` if no code is
 * live, which does not count as a guess.
 */
export function codeVerdict(code: typeof oneTimeCode): SQL {
  return sql`CASE WHEN ${code.mac} IS NULL OR NOT ${codeLives(code)} THEN 'no_code'
  WHEN ${code.mac} IN (SELECT value FROM json_each(${codeMacs})) THEN 'ok' ELSE 'wrong' END`;
}

/** Counts a wrong guess against the code. With `consume`, a right one uses it up. */
export function countGuess(
  declared: Declared,
  purpose: CodePurpose,
  subject: Value,
  { consume }: { consume: boolean },
): Statement {
  return define({ ...declared, opId: text, ...(consume && { now: int }) }, () => {
    const { guessesLeft, endedAt } = oneTimeCode;
    const counted = assigned(oneTimeCode, {
      guessesLeft: sql`${guessesLeft} - ${whenResult("wrong")}`,
      endedAt: consume ? sql`CASE WHEN ${whenResult("ok")} THEN ${now} ELSE ${endedAt} END` : endedAt,
    });
    return sql`
    UPDATE ${oneTimeCode} SET ${counted}
    WHERE ${oneTimeCode.purpose} = ${quoted(purpose)} AND ${oneTimeCode.subject} = ${subject}
      AND ${whenResult("ok", "wrong")}`;
  });
}

export interface NewCode {
  readonly purpose: CodePurpose;
  readonly subject: Value;
  readonly user: Value;
  readonly email?: Value;
  readonly session?: Value;
  /** The code's HMAC; by default `codeMac`. */
  readonly mac?: Value;
  /** Number of wrong guesses that void the code; by default 5. */
  readonly guesses?: number;
  readonly condition: SQL;
}

/** Stores a code, replacing the previous one. */
export function replaceCode(declared: Declared, code: NewCode): Statement {
  const { purpose, subject, user, email = sql`NULL`, session = sql`NULL`, mac = codeMac, condition } = code;
  const own = { now: int, codeExpiresAt: int, ...(mac === codeMac && { codeMac: text }) };
  return define({ ...declared, ...own }, () => {
    const { names, values } = inserted(oneTimeCode, {
      purpose: quoted(purpose),
      subject,
      mac,
      userId: user,
      email,
      sessionId: session,
      createdAt: now,
      expiresAt: codeExpiresAt,
      guessesLeft: code.guesses ?? CODE_GUESSES,
    });
    const replaced = takenOver(
      oneTimeCode.mac,
      oneTimeCode.userId,
      oneTimeCode.email,
      oneTimeCode.sessionId,
      oneTimeCode.createdAt,
      oneTimeCode.expiresAt,
      oneTimeCode.guessesLeft,
    );
    return sql`
    INSERT INTO ${oneTimeCode} (${names})
    SELECT ${values}
    WHERE ${condition}
    ON CONFLICT (${bare(oneTimeCode.purpose, oneTimeCode.subject)}) DO UPDATE SET
      ${replaced}, ${assigned(oneTimeCode, { endedAt: sql`NULL` })}`;
  });
}

export interface CodesOfOthers {
  readonly purpose: CodePurpose;
  readonly user: Value;
  readonly asker: Value;
  /** Number of codes that may stay live. */
  readonly keep: number;
  readonly condition: SQL;
}

/**
 * Ends surplus codes of the user's other sessions and partial logins: those from unknown addresses first, then the
 * oldest, so that an attacker who only has the password cannot end the owner's latest codes.
 */
export function endCodesOfOthers(declared: Declared, codes: CodesOfOthers): Statement {
  const { user, asker, keep, condition } = codes;
  const purpose = quoted(codes.purpose);
  return define({ ...declared, now: int }, () => {
    const { other, pending } = rowsOf({ other: oneTimeCode, pending: partialLogin });
    return sql`
    UPDATE ${oneTimeCode} SET ${assigned(oneTimeCode, { endedAt: now })}
    WHERE ${oneTimeCode.purpose} = ${purpose} AND ${condition} AND ${oneTimeCode.subject} IN (
      SELECT ${other.subject} FROM ${other} LEFT JOIN ${pending} ON ${pending.id} = ${other.subject}
      WHERE ${other.userId} = ${user} AND ${other.purpose} = ${purpose} AND ${other.subject} <> ${asker}
        AND ${codeLives(other)}
      ORDER BY coalesce(${pending.fromKnownAddress}, 1) DESC, ${other.createdAt} DESC LIMIT -1 OFFSET ${keep})`;
  });
}
