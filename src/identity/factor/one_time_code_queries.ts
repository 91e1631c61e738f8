import { defineStatement, type Statement } from "../../db/statement.ts";
import { whenResult } from "../identity_text.ts";

/** The purpose of a mailed code. A code is only valid for its own purpose. */
export type CodePurpose =
  | "password_reset"
  | "email_otp.activation"
  | "email_otp.challenge"
  | "email_transfer";

/** Wrong guesses after which a code is void, unless the code says otherwise. */
const CODE_GUESSES = 5;

/** Codes of a second factor that are live for one user at a time, each of another session or partial login. */
export const LIVE_CODES = 3;

/** SQL: the subject of a user's codes. */
export function subjectOf(user: string): string {
  return `CAST(${user} AS TEXT)`;
}

/** SQL: joins the code of a subject as `code`. */
export function joinCode(purpose: CodePurpose, subject: string): string {
  return `LEFT JOIN one_time_code code ON code.purpose = '${purpose}' AND code.subject = ${subject}`;
}

function isLive(code: string): string {
  return `(${code}.ended_at IS NULL AND ${code}.expires_at > :now AND ${code}.guesses_left > 0)`;
}

/** SQL: the code is valid. */
export const CODE_LIVES = isLive("code");

/**
 * SQL: the verdict on a submitted code, from the row joined by `joinCode`: `ok`, `wrong`, or `no_code` if no
 * code is valid (which does not count as a guess). `:codeMacs` is a JSON list of the submitted code's HMAC
 * under each key.
 */
export const CODE_VERDICT = `CASE WHEN code.mac IS NULL OR NOT ${CODE_LIVES} THEN 'no_code'
  WHEN code.mac IN (SELECT value FROM json_each(:codeMacs)) THEN 'ok' ELSE 'wrong' END`;

/** Counts a wrong guess against the code. With `consume`, a right guess uses the code up. */
export function countGuess(
  purpose: CodePurpose,
  subject: string,
  { consume }: { consume: boolean },
): Statement {
  const end = consume ? `CASE WHEN ${whenResult("ok")} THEN :now ELSE ended_at END` : "ended_at";
  return defineStatement(`
    UPDATE one_time_code SET guesses_left = guesses_left - ${whenResult("wrong")}, ended_at = ${end}
    WHERE purpose = '${purpose}' AND subject = ${subject} AND ${whenResult("ok", "wrong")}`);
}

export interface NewCode {
  readonly purpose: CodePurpose;
  /** SQL expressions. */
  readonly subject: string;
  readonly user: string;
  readonly email?: string;
  readonly session?: string;
  /** The code's HMAC; by default `:codeMac`. */
  readonly mac?: string;
  /** Wrong guesses after which the code is void; by default 5. */
  readonly guesses?: number;
  readonly condition: string;
}

/** Stores a code in place of the previous one. Parameters: `:codeMac`, `:codeExpiresAt`, `:now`. */
export function replaceCode(code: NewCode): Statement {
  const { purpose, subject, user, email = "NULL", session = "NULL", mac = ":codeMac", condition } = code;
  const { guesses = CODE_GUESSES } = code;
  return defineStatement(`
    INSERT INTO one_time_code (purpose, subject, mac, user_id, email, session_id, created_at, expires_at, guesses_left)
    SELECT '${purpose}', ${subject}, ${mac}, ${user}, ${email}, ${session}, :now, :codeExpiresAt, ${guesses}
    WHERE ${condition}
    ON CONFLICT (purpose, subject) DO UPDATE SET mac = excluded.mac, user_id = excluded.user_id,
      email = excluded.email, session_id = excluded.session_id, created_at = excluded.created_at,
      expires_at = excluded.expires_at, guesses_left = excluded.guesses_left, ended_at = NULL`);
}

export interface CodesOfOthers {
  readonly purpose: CodePurpose;
  /** SQL expressions. */
  readonly user: string;
  readonly asker: string;
  /** How many may stay live. */
  readonly keep: number;
  readonly condition: string;
}

/**
 * Ends codes of the user that belong to other sessions and partial logins than the asker. Those asked for from unknown
 * addresses end first, then the oldest, so that whoever has the password alone cannot end the owner's latest ones.
 */
export function endCodesOfOthers({ purpose, user, asker, keep, condition }: CodesOfOthers): Statement {
  return defineStatement(`
    UPDATE one_time_code SET ended_at = :now WHERE purpose = '${purpose}' AND ${condition} AND subject IN (
      SELECT other.subject FROM one_time_code other LEFT JOIN partial_login pending ON pending.id = other.subject
      WHERE other.user_id = ${user} AND other.purpose = '${purpose}' AND other.subject <> ${asker}
        AND ${isLive("other")}
      ORDER BY coalesce(pending.from_known_address, 1) DESC, other.created_at DESC LIMIT -1 OFFSET ${keep})`);
}
