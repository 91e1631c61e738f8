import {
  partialLogin,
  passkey,
  securityEvent,
  session,
  usedChallenge,
  userAccount,
} from "../../../db/schema/identity.ts";
import {
  columns,
  type Declared,
  define,
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../../db/sql.ts";
import { probing, type Statement } from "../../../db/statement.ts";
import {
  applyChallengeVerdict,
  CHALLENGE,
  CHALLENGED,
  decideGuess,
  startAnew,
} from "../../../identity/factor/challenge_queries.ts";
import { offerConfirmation } from "../../../identity/factor/confirmation_queries.ts";
import {
  activationVerdict,
  afterDeactivation,
  codesMade,
  dropFactors,
  FIRST_CODES,
  MADE_CODES,
  namedInMails,
} from "../../../identity/factor/factor_queries.ts";
import { FACTORS } from "../../../identity/factors.ts";
import { insertPasskey, updatePasskey, useUpChallenge } from "../../../identity/factor/passkey_queries.ts";
import { rememberAddress } from "../../../identity/known_address_queries.ts";
import {
  CHANGED_USER,
  decideForActor,
  END_EARLIER_PROOFS,
  mailChangedUser,
  READ_RESULT,
  recordEvent,
  selectForActor,
  userWhen,
  whenResult,
} from "../../../identity/security_queries.ts";
import { ACTING, isActors } from "../../../identity/session_life_queries.ts";
import { SHOWN } from "../../../identity/session_proof.ts";
import { endSurplusSessions, openSession } from "../../../identity/session_queries.ts";
import {
  DAY_SECONDS,
  HOUR_SECONDS,
  PASSKEY_FAILURES_PER_HOUR,
  PASSKEYS_PER_DAY,
  THROTTLE_SCOPES,
} from "../../../throttle/limits.ts";
import {
  type Budget,
  budgetsFreeAt,
  countInBudgets,
  countInNetworks,
  type NetworkBudget,
  networksFreeAt,
  withinBudgets,
} from "../../../throttle/throttle_queries.ts";
import { PASSKEYS_PER_ACCOUNT } from "./rules.ts";

/** What a right response says; all but `verified` are zero for a wrong one. */
const RESPONSE = { verified: int, counter: int, backupEligible: int, challengeId: text };
const { verified, counter, backupEligible, challengeId } = placeholdersOf(RESPONSE);
/** `passkeyId` is that of the stored passkey, 0 for an unknown one. */
const { userVerified, backedUp, passkeyId } = placeholdersOf({
  userVerified: int,
  backedUp: int,
  passkeyId: int,
});
const { now, opId, actorId } = placeholdersOf({ now: int, opId: text, actorId: int });
const CREATED = {
  credentialId: text,
  publicKey: text,
  userHandle: text,
  transports: text,
  name: text,
  counter: int,
  userVerified: int,
  backupEligible: int,
  backedUp: int,
};
const { credentialId, publicKey, userHandle, transports, name } = placeholdersOf(CREATED);

/** Wrong responses from a network: about one passkey or account, or with unknown passkeys. */
function failuresOf(subject: SQL): NetworkBudget {
  return {
    scope: THROTTLE_SCOPES.passkeyOfNetwork,
    subject,
    windowSeconds: HOUR_SECONDS,
    most: PASSKEY_FAILURES_PER_HOUR,
  };
}

/** Those of a passkey count on their own, so that other clients of its network cannot keep its owner out. */
function failuresOfPasskey(id: Value): NetworkBudget {
  return failuresOf(sql`CASE WHEN ${id} > 0 THEN 'passkey ' || ${id} ELSE 'unknown' END`);
}

/** Whether the client waits after wrong responses. */
function waitsFor(budget: NetworkBudget): SQL {
  return sql`${networksFreeAt([budget])} > ${now}`;
}

function countFailureOf(declared: Declared, budget: NetworkBudget): Statement {
  return countInNetworks({ ...declared, opId: text }, budget, whenResult("wrong", "copied"));
}

const OF_PASSKEY = failuresOfPasskey(passkeyId);
/** New passkeys of an account, each of which is mailed. */
const MADE: Budget = {
  scope: THROTTLE_SCOPES.passkeyMade,
  key: sql`CAST(${actorId} AS TEXT)`,
  windowSeconds: DAY_SECONDS,
  most: PASSKEYS_PER_DAY,
};
const OF_ACTOR = failuresOf(sql`'account ' || ${actorId}`);

const used = row(usedChallenge, "used");
const IS_USED = sql`EXISTS (SELECT 1 FROM ${used} WHERE ${used.id} = ${challengeId})`;

const asserted = row(passkey, "asserted");
/**
 * The verdict on a response of the passkey `asserted`. Where it or the stored counter is not zero, the counter must
 * have increased; otherwise two authenticators have the key (WebAuthn Level 3, 7.2).
 */
const VERDICT = sql`CASE
    WHEN NOT ${verified} OR ${asserted.id} IS NULL OR ${asserted.backupEligible} <> ${backupEligible} OR ${IS_USED}
      THEN 'wrong'
    WHEN max(${counter}, ${asserted.counter}) > 0 AND ${counter} <= ${asserted.counter} THEN 'copied'
    ELSE 'ok' END`;

/** Its authenticator verified the user, as it did when the passkey was made. */
const BY_VERIFIED_USER = sql`(${userVerified} AND ${asserted.uvInitialized})`;

/** The effects of a verdict on the passkey and the challenge. */
const APPLY_TO_PASSKEY: readonly Statement[] = [
  updatePasskey(
    { opId: text, passkeyId: int, counter: int, backedUp: int, now: int },
    { counter, backedUp, lastUsedAt: now },
    sql`${passkey.id} = ${passkeyId} AND ${whenResult("ok")}`,
  ),
  useUpChallenge({ opId: text }, whenResult("ok", "copied", "unconfirmed")),
  countFailureOf({ passkeyId: int }, OF_PASSKEY),
  mailChangedUser("passkey_copied", sql`NULL`, userWhen("copied")),
];

interface PasskeySetupRow {
  readonly result: "ok" | "proof_required";
  readonly email: string;
  readonly userHandle: string | null;
  /** JSON list of `KnownPasskey`. */
  readonly known: string;
}

/** Returns a JSON list of the user's passkeys, as options of browsers name them. */
function knownOf(user: SQL): SQL {
  const known = row(passkey, "known");
  return sql`(SELECT json_group_array(json_object('id', ${known.credentialId}, 'transports', json(${known.transports})))
      FROM ${known} WHERE ${known.userId} = ${user})`;
}

const SETUP = { proof: "fresh", verdict: () => sql`'ok'` } as const;

/**
 * Reads until when the actor waits, before their response is verified; `proof_required` if proof is missing. No row if
 * the token is void.
 */
export const FIND_WAIT = rows<{ readonly result: "ok" | "proof_required"; readonly nextAt: number }>()(
  { ...ACTING, sudoVersion: nullable(int), networks: text },
  () =>
    selectForActor(
      SETUP,
      (result) =>
        sql`${result} AS result, max(${networksFreeAt([OF_ACTOR])}, ${budgetsFreeAt([MADE])}) AS nextAt`,
    ),
);

/** Reads what the options of a new passkey need. No row if the token is void. */
export const FIND_SETUP = rows<PasskeySetupRow>()(
  { ...ACTING, sudoVersion: nullable(int) },
  () => {
    const first = row(passkey, "first");
    return selectForActor(SETUP, (result, { account }) =>
      sql`${result} AS result, ${account.email},
      (SELECT ${first.userHandle} FROM ${first} WHERE ${first.userId} = ${account.id} LIMIT 1) AS userHandle,
      ${knownOf(sql`${account.id}`)} AS known`);
  },
);

/**
 * Stores a new passkey. The last row has `result` and `codesMade`: `in_use` if the service has its credential,
 * `too_many` beyond the limit, `needs_codes` if the account's first recovery codes are missing.
 */
export const ENABLE_PASSKEY: readonly Statement[] = [
  decideForActor({
    ...MADE_CODES,
    verified: int,
    challengeId: text,
    credentialId: text,
    userHandle: text,
    networks: text,
  }, {
    event: "passkey.activate",
    proof: "fresh",
    verdict: ({ account }) => {
      const { own, same } = rowsOf({ own: passkey, same: passkey });
      return sql`CASE WHEN ${waitsFor(OF_ACTOR)} OR NOT ${withinBudgets([MADE])} THEN 'waiting'
      WHEN NOT ${verified} OR ${IS_USED} OR EXISTS (SELECT 1 FROM ${own}
        WHERE ${own.userId} = ${account.id} AND ${own.userHandle} <> ${userHandle}) THEN 'wrong'
      WHEN EXISTS (SELECT 1 FROM ${same} WHERE ${same.credentialId} = ${credentialId}) THEN 'in_use'
      WHEN (SELECT count(*) FROM ${own} WHERE ${own.userId} = ${account.id}) >= ${PASSKEYS_PER_ACCOUNT}
        THEN 'too_many'
      ELSE ${activationVerdict(account.id)} END`;
    },
  }),
  ...insertPasskey(CREATED, {
    credentialId,
    publicKey,
    userHandle,
    name,
    counter,
    transports,
    uvInitialized: userVerified,
    backupEligible,
    backedUp,
  }),
  useUpChallenge({ opId: text }, whenResult("ok")),
  countFailureOf({ actorId: int }, OF_ACTOR),
  ...countInBudgets({ actorId: int, opId: text }, [MADE], whenResult("ok")),
  ...FIRST_CODES,
  ...END_EARLIER_PROOFS,
  mailChangedUser("factor_activated", namedInMails("passkey")),
  ...offerConfirmation({ opId: text, credentialId: text }, {
    kind: "passkey",
    passkeyId: passkey.id,
    meets: passkey.meets,
    source:
      sql`FROM ${passkey} WHERE ${passkey.credentialId} = ${credentialId} AND ${passkey.userId} = ${CHANGED_USER}`,
  }),
  define({ ...MADE_CODES, opId: text, actorId: int, networks: text, now: int }, () => {
    const decided = row(securityEvent, "decided");
    return sql`
    SELECT ${decided.result}, ${codesMade(decided)}, max(${networksFreeAt([OF_ACTOR])}, ${
      budgetsFreeAt([MADE])
    }) AS nextAt FROM ${decided}
    WHERE ${decided.opId} = ${opId}`;
  }),
];

interface ChallengedRow {
  /** JSON list of `KnownPasskey`. */
  readonly known: string;
}

/** Reads the passkeys of the challenged user. No row if the session or login is over. */
export const FIND_KNOWN = rows<ChallengedRow>()(
  CHALLENGE,
  () => sql`SELECT ${knownOf(sql`challenged.user_id`)} AS known FROM ${CHALLENGED}`,
);

const STORED = columns(passkey, "id", "publicKey", "userHandle");

interface StoredRow {
  /** Null for an unknown passkey. */
  readonly id: number | null;
  readonly publicKey: string;
  readonly userHandle: string;
  /** Until when the client waits after wrong responses, in milliseconds since the Unix epoch. */
  readonly nextAt: number;
}

/** Reads a passkey to compare with, if it is the challenged user's. No row if the session or login is over. */
export const FIND_PASSKEY = probing(
  rows<StoredRow>()(
    { ...CHALLENGE, credentialId: text, networks: text },
    () =>
      sql`
  SELECT ${STORED}, ${networksFreeAt([failuresOfPasskey(passkey.id)])} AS nextAt FROM ${CHALLENGED}
  LEFT JOIN ${passkey} ON ${passkey.credentialId} = ${credentialId} AND ${passkey.userId} = challenged.user_id`,
  ),
);

/** Proves a passkey in a session or login. Returns a `GuessRow`. */
export const PROVE_PASSKEY: readonly Statement[] = [
  decideGuess({ ...RESPONSE, passkeyId: int, networks: text }, {
    kind: "passkey",
    event: "passkey.authenticate",
    obstacle: ({ activatedAt }) =>
      sql`CASE WHEN ${
        waitsFor(OF_PASSKEY)
      } THEN 'waiting' WHEN ${activatedAt} IS NULL THEN 'uninitialized' END`,
    verdict: () => VERDICT,
    joins:
      sql`LEFT JOIN ${asserted} ON ${asserted.id} = ${passkeyId} AND ${asserted.userId} = challenged.user_id`,
  }),
  ...APPLY_TO_PASSKEY,
  ...startAnew("passkey"),
  ...applyChallengeVerdict("passkey", {
    methods: sql`(SELECT iif(${BY_VERIFIED_USER}, ${SHOWN.passkey | SHOWN.verifiedUser}, ${SHOWN.passkey})
      FROM ${asserted} WHERE ${asserted.id} = ${passkeyId})`,
    meets: sql`(SELECT ${asserted.meets} FROM ${asserted} WHERE ${asserted.id} = ${passkeyId})`,
  }, { passkeyId: int, userVerified: int }),
  define(
    {
      opId: text,
      now: int,
      partialLoginId: nullable(text),
      newSessionId: text,
      passkeyId: int,
      networks: text,
    },
    ({ partialLoginId, newSessionId }) => {
      const { decided, owner } = rowsOf({ decided: securityEvent, owner: userAccount });
      const { completing, opened } = rowsOf({ completing: partialLogin, opened: session });
      return sql`
    SELECT ${decided.result}, ${owner.securityVersion} AS securityVersion,
      ${completing.authenticatedAt} AS authenticatedAt, 0 AS failures, ${
        networksFreeAt([OF_PASSKEY])
      } AS nextGuessAt,
      ${opened.methods}, ${opened.meets}
    FROM ${decided} CROSS JOIN ${owner} ON ${owner.id} = ${decided.userId}
    LEFT JOIN ${completing} ON ${completing.id} = ${partialLoginId}
    LEFT JOIN ${opened} ON ${opened.id} = ${newSessionId}
    WHERE ${decided.opId} = ${opId}`;
    },
  ),
];

/** Reads a passkey to compare with, and until when the network waits. */
export const FIND_SIGN_IN = probing(
  rows<StoredRow>()({ credentialId: text, networks: text, now: int }, () =>
    sql`
  SELECT ${STORED}, ${networksFreeAt([failuresOfPasskey(passkey.id)])} AS nextAt
  FROM (SELECT 1) LEFT JOIN ${passkey} ON ${passkey.credentialId} = ${credentialId}`),
);

const { newSessionId, client } = placeholdersOf({ newSessionId: text, client: text });
const owner = row(userAccount, "owner");

/**
 * Signs the owner of a passkey in, whose authenticator verified its user: both factors at once. Only a passkey that was
 * made so counts as both, and only a confirmed one replaces the password: a thief who enrols one must not stay when the
 * owner sets a new password. Returns a row with `result` and `userId`, or none while the client waits.
 */
export const SIGN_IN_WITH_PASSKEY: readonly Statement[] = [
  recordEvent(
    { ...RESPONSE, passkeyId: int, userVerified: int, networks: text },
    "passkey.login",
    sql`SELECT CASE WHEN ${owner.id} IS NULL OR NOT ${BY_VERIFIED_USER} THEN 'wrong'
        WHEN ${VERDICT} = 'ok' AND ${asserted.meets} < ${FACTORS.passkey.meets} THEN 'unconfirmed'
        ELSE ${VERDICT} END AS result,
      CASE WHEN ${verified} THEN ${owner.id} END AS user_id, NULL AS session_id
    FROM (SELECT 1) LEFT JOIN ${asserted} ON ${asserted.id} = ${passkeyId}
    LEFT JOIN ${owner} ON ${owner.id} = ${asserted.userId}
    WHERE NOT ${waitsFor(OF_PASSKEY)}`,
  ),
  ...APPLY_TO_PASSKEY,
  openSession({ opId: text, newSessionId: text, passkeyId: int, client: text }, {
    id: newSessionId,
    user: CHANGED_USER,
    authenticatedAt: now,
    assuranceLevel: 2,
    proven: { methods: SHOWN.passkey | SHOWN.verifiedUser, meets: asserted.meets },
    client,
    source: sql`FROM ${asserted} WHERE ${asserted.id} = ${passkeyId} AND ${whenResult("ok")}`,
  }),
  endSurplusSessions({ newSessionId: text }, {
    id: newSessionId,
    user: CHANGED_USER,
    condition: whenResult("ok"),
  }),
  rememberAddress({ opId: text }, CHANGED_USER, sql`WHERE ${whenResult("ok")}`),
  define({ opId: text }, () =>
    sql`
    SELECT ${securityEvent.result}, ${securityEvent.userId} AS userId FROM ${securityEvent}
    WHERE ${securityEvent.opId} = ${opId}`),
];

const LISTED = columns(
  passkey,
  "id",
  "credentialId",
  "name",
  "createdAt",
  "lastUsedAt",
  "meets",
  "backedUp",
  "transports",
  "userHandle",
);
/** Reads the actor's passkeys, the oldest first. */
export const LIST_PASSKEYS = rows(LISTED)(
  ACTING,
  () => sql`SELECT ${LISTED} FROM ${passkey} WHERE ${isActors(passkey.userId)} ORDER BY ${passkey.id}`,
);

const own = row(passkey, "own");
/** The passkey `passkeyId` is the account's. */
function isOwn(account: typeof userAccount): SQL {
  return sql`CASE WHEN EXISTS (SELECT 1 FROM ${own}
    WHERE ${own.id} = ${passkeyId} AND ${own.userId} = ${account.id}) THEN 'ok' ELSE 'unknown' END`;
}

/** Renames a passkey of the actor's: `unknown` if it is none. */
export const RENAME_PASSKEY: readonly Statement[] = [
  decideForActor({ passkeyId: int }, {
    event: "passkey.rename",
    proof: "none",
    verdict: ({ account }) => isOwn(account),
  }),
  updatePasskey(
    { opId: text, passkeyId: int, name: text },
    { name },
    sql`${passkey.id} = ${passkeyId} AND ${passkey.userId} = ${CHANGED_USER}`,
  ),
  READ_RESULT,
];

/** Removes a passkey of the actor's: `unknown` if it is none. */
export const REMOVE_PASSKEY: readonly Statement[] = [
  decideForActor({ passkeyId: int }, {
    event: "passkey.deactivate",
    proof: "fresh",
    verdict: ({ account }) => isOwn(account),
  }),
  ...dropFactors({ passkeyId: int }, (each) => sql`coalesce(${each.passkeyId} = ${passkeyId}, false)`),
  ...afterDeactivation("passkey"),
];
