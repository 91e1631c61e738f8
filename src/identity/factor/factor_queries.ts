import {
  passkey,
  recoveryCode,
  secondFactor,
  type securityEvent,
  session,
} from "../../db/schema/identity.ts";
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
  rows,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
  type ValuesBy,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import type { FactorParams } from "../../mail/message_content.ts";
import { CHALLENGE, CHALLENGED, joinFactor } from "./challenge_queries.ts";
import { type Enrolled, offerConfirmation } from "./confirmation_queries.ts";
import { type FactorKind, FACTORS, type MainFactor, type SetUpFactor } from "../factors.ts";
import {
  CHANGED_USER,
  decideForActor,
  emptied,
  END_EARLIER_PROOFS,
  endOtherSessions,
  hasActiveFactor,
  mailChangedUser,
  READ_RESULT,
} from "../security_queries.ts";
import type { SecurityResult } from "../security_result.ts";

/**
 * Statements shared by all factors, for activation, deactivation and listing. `declared`: the arguments of the parts
 * given to a function.
 */

const { now, sessionId, matchedHash, pendingUntil } = placeholdersOf({
  now: int,
  sessionId: text,
  matchedHash: text,
  pendingUntil: int,
});
/** The recovery codes of a batch: a JSON list of PHC strings that share one salt, or null. */
export const MADE_CODES = { recoveryHashes: nullable(text) };
const { recoveryHashes } = placeholdersOf(MADE_CODES);

/** The user has a set of recovery codes, even a used-up one. */
function hasRecoveryCodes(user: Value): SQL {
  const set = row(secondFactor, "code_set");
  return sql`EXISTS (SELECT 1 FROM ${set} WHERE ${set.userId} = ${user}
    AND ${set.kind} = 'recovery_code' AND ${set.activatedAt} IS NOT NULL)`;
}

/** The change was decided `ok`, so a changed user exists. */
export const HAS_CHANGED: SQL = sql`${CHANGED_USER} IS NOT NULL`;

/** The row of `second_factor` is the changed user's. */
const IS_CHANGED = sql`${secondFactor.userId} = ${CHANGED_USER}`;

/** Stores the recovery codes of a first factor. Run `stampCodes` after it. */
function insertCodes(condition: SQL): Statement {
  return define({ ...MADE_CODES, opId: text }, () => {
    const { names, values } = inserted(recoveryCode, {
      userId: CHANGED_USER,
      position: sql`made.key`,
      hash: sql`made.value`,
    });
    return sql`
    INSERT INTO ${recoveryCode} (${names})
    SELECT ${values} FROM json_each(${recoveryHashes}) made
    WHERE ${HAS_CHANGED} AND ${condition}`;
  });
}

const FACTOR_KEY = bare(secondFactor.userId, secondFactor.kind);

/** Records time and session of a new set. `condition`: whether it replaces an existing set. */
function stampCodes(condition: SQL): Statement {
  return define({ opId: text, now: int, sessionId: text }, () => {
    const { names, values } = inserted(secondFactor, {
      userId: CHANGED_USER,
      kind: sql`'recovery_code'`,
      activatedAt: now,
      activatedBy: sessionId,
    });
    return sql`
    INSERT INTO ${secondFactor} (${names})
    SELECT ${values} WHERE ${HAS_CHANGED}
    ON CONFLICT (${FACTOR_KEY}) DO UPDATE SET ${takenOver(secondFactor.activatedAt, secondFactor.activatedBy)}
    WHERE ${condition}`;
  });
}

/** Replaces the changed user's recovery codes with a new set. */
export const REPLACE_RECOVERY_CODES: readonly Statement[] = [
  define(
    { opId: text },
    () => sql`DELETE FROM ${recoveryCode} WHERE ${recoveryCode.userId} = ${CHANGED_USER}`,
  ),
  insertCodes(sql`true`),
  stampCodes(sql`true`),
];

/** Marks the changed user's code with `matchedHash` as used. */
export const USE_RECOVERY_CODE = define({ opId: text, matchedHash: nullable(text), now: int }, () =>
  sql`
  UPDATE ${recoveryCode} SET ${assigned(recoveryCode, { usedAt: now })}
  WHERE ${recoveryCode.userId} = ${CHANGED_USER} AND ${recoveryCode.hash} = ${matchedHash}
    AND ${recoveryCode.usedAt} IS NULL`);

/** Begins a setup for the changed user. An active factor stays active. */
export function beginSetup(declared: Declared, kind: SetUpFactor, value: Value): Statement {
  const { pending } = FACTORS[kind];
  return define({ ...declared, opId: text, pendingUntil: int }, () => {
    const { names, values } = inserted(secondFactor, {
      userId: CHANGED_USER,
      kind: quoted(kind),
      [pending]: value,
      pendingUntil,
    });
    return sql`
    INSERT INTO ${secondFactor} (${names})
    SELECT ${values} WHERE ${HAS_CHANGED}
    ON CONFLICT (${FACTOR_KEY}) DO UPDATE SET ${takenOver(secondFactor[pending], secondFactor.pendingUntil)}`;
  });
}

/** The columns of `second_factor` that only one kind uses, and its own area writes. */
export type FactorColumn =
  | "sealedSecret"
  | "lastStep"
  | "mails"
  | "lastMailAt"
  | "nextMailAt"
  | "mailsOfDay"
  | "strangerMailsOfDay"
  | "strangerNextMailAt"
  | "mailDayStartedAt";

/** Writes a factor's own columns. */
export function updateFactor(
  declared: Declared,
  kind: MainFactor,
  values: Pick<ValuesBy<typeof secondFactor>, FactorColumn>,
  condition: SQL,
): Statement {
  return define(declared, () =>
    sql`
    UPDATE ${secondFactor} SET ${assigned(secondFactor, values)}
    WHERE ${secondFactor.kind} = ${quoted(kind)} AND ${condition}`);
}

/** The code is right, but the activation needs the user's first recovery codes, which this batch lacks. */
export const NEEDS_CODES = "needs_codes" satisfies SecurityResult;

/** The result of an activation whose code is right. */
export function activationVerdict(user: Value): SQL {
  return sql`CASE WHEN ${recoveryHashes} IS NULL AND NOT ${hasRecoveryCodes(user)}
    THEN ${quoted(NEEDS_CODES)} ELSE 'ok' END`;
}

/**
 * The effects of a successful activation. `values`: further columns to write. A first factor also stores its recovery
 * codes.
 */
export function activateFactor(
  declared: Declared,
  kind: SetUpFactor,
  values: Pick<ValuesBy<typeof secondFactor>, FactorColumn> = {},
): readonly Statement[] {
  const { pending, active: [taken] } = FACTORS[kind];
  const replaced = row(secondFactor, "replaced");
  const replaces = sql`EXISTS (SELECT 1 FROM ${replaced} WHERE ${replaced.userId} = ${CHANGED_USER}
      AND ${replaced.kind} = ${quoted(kind)} AND ${replaced.activatedAt} IS NOT NULL)`;
  return [
    // Other sessions may have met it by the factor that is replaced, for example because it was stolen.
    ...(FACTORS[kind].meets > 0
      ? [forgetDemandsMet(sql`${session.id} <> ${sessionId} AND ${replaces}`, { sessionId: text })]
      : []),
    define({ ...declared, opId: text, now: int, sessionId: text }, () => {
      const activated = assigned(secondFactor, {
        [taken]: secondFactor[pending],
        ...values,
        activatedAt: now,
        activatedBy: sessionId,
        meets: metAlready(kind),
      });
      return sql`
      UPDATE ${secondFactor} SET ${activated}
      WHERE ${IS_CHANGED} AND ${secondFactor.kind} = ${quoted(kind)}`;
    }),
    ...FIRST_CODES,
    ...END_EARLIER_PROOFS,
    mailChangedUser("factor_activated", namedInMails(kind)),
    ...(FACTORS[kind].meets > 0 ? offerConfirmation({ opId: text }, activatedNow(kind)) : []),
  ];
}

function activatedNow(kind: MainFactor): Enrolled {
  return {
    kind,
    passkeyId: sql`NULL`,
    meets: secondFactor.meets,
    source: sql`FROM ${secondFactor} WHERE ${IS_CHANGED} AND ${secondFactor.kind} = ${quoted(kind)}`,
  };
}

const enrolling = row(session, "enrolling");
/**
 * The demand that a new factor meets before its owner has confirmed it: at most that which its session meets, because
 * a thief of the password could enrol one.
 */
export function metAlready(kind: MainFactor): SQL {
  return sql`min(${FACTORS[kind].meets}, coalesce(
    (SELECT ${enrolling.meets} FROM ${enrolling} WHERE ${enrolling.id} = ${sessionId}), 0))`;
}

/** Stores the recovery codes of the changed user's first factor. */
export const FIRST_CODES: readonly Statement[] = [
  insertCodes(sql`NOT ${hasRecoveryCodes(CHANGED_USER)}`),
  stampCodes(sql`${secondFactor.activatedAt} IS NULL`),
];

/** Returns the kind as SQL. The compiler requires that mails have words for it. */
export function namedInMails(kind: FactorParams["factor"]): SQL {
  return quoted(kind);
}

/** For the last statement of an activation: whether this batch made the user's recovery codes. */
export function codesMade(decided: typeof securityEvent): SQL {
  const first = row(recoveryCode, "first_code");
  return sql`EXISTS (SELECT 1 FROM ${first}
  WHERE ${first.userId} = ${decided.userId} AND ${first.position} = 0
    AND ${first.hash} = json_extract(${recoveryHashes}, '$[0]')) AS codesMade`;
}

const ACTIVE_COLUMNS = Object.values(FACTORS).flatMap((factor) =>
  "active" in factor ? [...factor.active] : []
);
const DEACTIVATED = { ...emptied("activatedAt", "activatedBy"), meets: 0 };

/** What a removal of factors asks about each of them: a row of `second_factor`, or a passkey. */
export interface RemovableFactor {
  readonly kind: Value;
  readonly activatedAt: Value;
  /** The session that activated it. */
  readonly activatedBy: Value;
  /** Null for other factors. */
  readonly passkeyId: Value;
}

const USER_HAS_PASSKEYS = sql`EXISTS (SELECT 1 FROM ${passkey} WHERE ${passkey.userId} = ${CHANGED_USER})`;

/**
 * Removes the changed user's factors and recovery codes that meet the condition, and the codes also if no factor
 * remains. Their sessions meet no demand until they show a remaining factor. Counters stay, so that a new
 * setup does not reset the guess schedule.
 */
export function dropFactors(
  declared: Declared,
  meets: (factor: RemovableFactor) => SQL,
): readonly Statement[] {
  const { kind, activatedAt, activatedBy } = secondFactor;
  const isDropped = meets({ kind, activatedAt, activatedBy, passkeyId: sql`NULL` });
  const isDroppedPasskey = meets({
    kind: sql`'passkey'`,
    activatedAt: passkey.createdAt,
    activatedBy: passkey.createdBy,
    passkeyId: passkey.id,
  });
  return [
    define({ ...declared, opId: text }, () =>
      sql`
      DELETE FROM ${passkey} WHERE ${passkey.userId} = ${CHANGED_USER} AND ${isDroppedPasskey}`),
    define({ ...declared, opId: text }, () => {
      const dropped = assigned(secondFactor, { ...DEACTIVATED, ...emptied(...ACTIVE_COLUMNS) });
      return sql`
      UPDATE ${secondFactor} SET ${dropped}
      WHERE ${IS_CHANGED}
        AND CASE ${secondFactor.kind} WHEN 'passkey' THEN NOT ${USER_HAS_PASSKEYS} ELSE ${isDropped} END`;
    }),
    define({ opId: text }, () =>
      sql`
      UPDATE ${secondFactor} SET ${assigned(secondFactor, DEACTIVATED)}
      WHERE ${IS_CHANGED} AND ${secondFactor.kind} = 'recovery_code'
        AND NOT ${hasActiveFactor(CHANGED_USER)}`),
    define({ opId: text }, () =>
      sql`
      DELETE FROM ${recoveryCode}
      WHERE ${recoveryCode.userId} = ${CHANGED_USER} AND NOT ${hasRecoveryCodes(CHANGED_USER)}`),
    forgetDemandsMet(sql`true`),
    ...END_EARLIER_PROOFS,
  ];
}

/** Lets open sessions of the changed user meet no demand, until they prove a factor that is left. */
function forgetDemandsMet(which: SQL, declared: Declared = {}): Statement {
  return define({ ...declared, opId: text }, () =>
    sql`
    UPDATE ${session} SET ${assigned(session, { meets: 0 })}
    WHERE ${session.userId} = ${CHANGED_USER} AND ${session.endedAt} IS NULL AND ${which}`);
}

/** Returns the batch of a deactivation of a factor with one row. Its last row has `result`: `inactive` if the factor is not active. */
export function deactivateFactor(kind: SetUpFactor): readonly Statement[] {
  const factor = row(secondFactor, "factor");
  return [
    decideForActor({}, {
      event: `${kind}.deactivate`,
      proof: "fresh",
      verdict: () => sql`CASE WHEN ${factor.activatedAt} IS NULL THEN 'inactive' ELSE 'ok' END`,
      joins: ({ account }) => joinFactor(factor, kind, account.id),
    }),
    ...dropFactors({}, (each) => sql`${each.kind} = ${quoted(kind)}`),
    ...afterDeactivation(kind),
  ];
}

/** The last statements of a deactivation. */
export function afterDeactivation(kind: MainFactor): readonly Statement[] {
  return [
    endOtherSessions("factor_deactivated"),
    mailChangedUser("factor_deactivated", namedInMails(kind)),
    READ_RESULT,
  ];
}

export interface FactorRow {
  /** Null if no factor is active. */
  readonly kind: FactorKind | null;
  readonly activatedAt: number;
  /** The demand that it meets; of passkeys, each has its own. */
  readonly meets: number;
  readonly email: string | null;
  /** The number of unused recovery codes. */
  readonly remaining: number;
}

/** Reads the active factors of the challenged user. No row if the session or login is over. */
export const LIST_FACTORS = rows<FactorRow>()(CHALLENGE, () => {
  const factor = row(secondFactor, "factor");
  return sql`
  SELECT ${factor.kind}, ${factor.activatedAt} AS activatedAt, ${factor.meets}, ${factor.email},
    (SELECT count(*) FROM ${recoveryCode} WHERE ${recoveryCode.userId} = challenged.user_id
      AND ${recoveryCode.usedAt} IS NULL) AS remaining
  FROM ${CHALLENGED} LEFT JOIN ${factor}
    ON ${factor.userId} = challenged.user_id AND ${factor.activatedAt} IS NOT NULL`;
});
