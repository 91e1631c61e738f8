import type { Actor, Challenged, SudoActor } from "../../../core/actor.ts";
import { countToPrincipal } from "../../../core/request_scope.ts";
import { SECOND_MS } from "../../../core/clock.ts";
import { randomToken } from "../../../core/encoding.ts";
import { AppError } from "../../../core/errors.ts";
import { bind } from "../../../db/statement.ts";
import { addressBucket } from "../../../http/client_address.ts";
import type { Client } from "../../../identity/deps.ts";
import {
  challengeArgs,
  type ChallengeTokens,
  completeChallenge,
  type GuessErrors,
} from "../../../identity/factor/challenge_service.ts";
import { makeFactorLink } from "../../../identity/factor/confirmation_service.ts";
import { NEEDS_CODES } from "../../../identity/factor/factor_queries.ts";
import { makeRecoverySet, type RecoverySet } from "../../../identity/factor/recovery_set.ts";
import { FACTORS } from "../../../identity/factors.ts";
import { readOwn } from "../../../identity/own_reading.ts";
import { type ResultRow, runSecurityBatch, writeEvent } from "../../../identity/security_service.ts";
import { generateFamily, hashFamily, makeRefreshToken } from "../../../identity/token/refresh_token.ts";
import { NOTICE_LIFE_SECONDS } from "../../../mail/outbox.ts";
import { networksOf } from "../../../throttle/networks.ts";
import {
  type Assertion,
  creationOptions,
  namedAccount,
  readChallenge,
  requestOptions,
  type StoredPasskey,
  verifyAssertion,
  verifyCreation,
} from "./ceremony.ts";
import type { PasskeyDeps } from "./deps.ts";
import {
  ENABLE_PASSKEY,
  FIND_KNOWN,
  FIND_PASSKEY,
  FIND_SETUP,
  FIND_SIGN_IN,
  FIND_WAIT,
  LIST_PASSKEYS,
  PROVE_PASSKEY,
  REMOVE_PASSKEY,
  RENAME_PASSKEY,
  SIGN_IN_WITH_PASSKEY,
} from "./queries.ts";
import { PASSKEYS_PER_ACCOUNT } from "./rules.ts";
import { type AssertionResponse, type CreationResponse, DEFAULT_NAME } from "./schemas.ts";
import { openChallenge, type OpenedChallenge, type Purpose, sealChallenge } from "./sealed_challenge.ts";
import { toTransports, type Transport } from "./transports.ts";

const HANDLE_BYTES = 32;
const SESSION_ID_BYTES = 16;

const ERRORS: GuessErrors = {
  tooMany: "TOO_MANY_PASSKEY_CHECKS",
  byResult: { wrong: "PASSKEY_INVALID", copied: "PASSKEY_INVALID", uninitialized: "PASSKEY_UNINITIALIZED" },
};

/** The arguments of a response's batch. A wrong response has no challenge to use up. */
function responseArgs(right: Assertion | undefined, opened: OpenedChallenge | undefined) {
  return {
    verified: right === undefined ? 0 : 1,
    counter: right?.counter ?? 0,
    userVerified: right?.userVerified ? 1 : 0,
    backupEligible: right?.backupEligible ? 1 : 0,
    backedUp: right?.backedUp ? 1 : 0,
    challengeId: opened?.challengeId ?? "",
    challengeExpiresAt: opened?.challengeExpiresAt ?? 0,
  };
}

async function openAnswered(
  deps: PasskeyDeps,
  purpose: Purpose,
  { response }: { readonly response: { readonly clientDataJSON: string } },
): Promise<OpenedChallenge | undefined> {
  const challenge = readChallenge(response.clientDataJSON);
  return challenge === undefined ? undefined : await openChallenge(deps, purpose, challenge);
}

/**
 * Returns the options for a new passkey. Stores nothing. Throws `SUDO_TOKEN_REQUIRED`, or `TOO_MANY_PASSKEYS` beyond
 * the limit of an account.
 */
export async function setUpPasskey(deps: PasskeyDeps, actor: SudoActor) {
  const { userId: actorId, sessionId, sudoVersion } = actor;
  const args = { actorId, sessionId, sudoVersion, now: deps.clock() };
  const [row] = await deps.database.read(bind(FIND_SETUP, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result === "proof_required") throw new AppError("SUDO_TOKEN_REQUIRED");
  const known: { id: string; transports: Transport[] }[] = JSON.parse(row.known);
  if (known.length >= PASSKEYS_PER_ACCOUNT) throw new AppError("TOO_MANY_PASSKEYS");
  const handle = row.userHandle ?? randomToken(HANDLE_BYTES);
  const challenge = await sealChallenge(deps, `create ${sessionId}`, handle);
  return await creationOptions(deps.relyingParty, { challenge, handle, known, email: row.email });
}

interface EnabledRow extends ResultRow {
  readonly codesMade: number;
  /** Until when the client's network waits, in milliseconds since the Unix epoch. */
  readonly nextAt: number;
}

/**
 * Stores a new passkey. Returns the recovery codes if it is the account's first factor, otherwise none. Throws
 * `PASSKEY_INVALID`, `PASSKEY_ALREADY_ACTIVE`, `TOO_MANY_PASSKEYS`, `TOO_MANY_PASSKEY_CHECKS`, `SUDO_TOKEN_REQUIRED`.
 */
export async function enablePasskey(
  deps: PasskeyDeps,
  actor: SudoActor,
  address: string,
  { response, name = DEFAULT_NAME }: { response: CreationResponse; name?: string | undefined },
): Promise<readonly string[]> {
  const networks = JSON.stringify(networksOf(address));
  await requireNoWait(deps, actor, networks);
  const opened = await openAnswered(deps, `create ${actor.sessionId}`, response);
  const created = opened && await verifyCreation(deps.relyingParty, response);
  const link = await makeFactorLink(deps);
  const run = (set?: RecoverySet): Promise<EnabledRow> =>
    runSecurityBatch<EnabledRow>(deps, actor, address, ENABLE_PASSKEY, {
      ...responseArgs(created, opened),
      credentialId: created?.credentialId ?? "",
      publicKey: created?.publicKey ?? "",
      userHandle: opened?.handle ?? "",
      transports: toTransports(response.response.transports ?? []),
      name,
      networks,
      ...link,
      recoveryHashes: set === undefined ? null : JSON.stringify(set.hashes),
    });
  const first = await run();
  if (first.result !== NEEDS_CODES) {
    requireEnabled(first, deps.clock());
    return [];
  }
  // Only hashed for a right response.
  const set = await makeRecoverySet(deps.passwords);
  const second = await run(set);
  requireEnabled(second, deps.clock());
  return second.codesMade ? set.codes : [];
}

/** Throws `SUDO_TOKEN_REQUIRED` or `TOO_MANY_PASSKEY_CHECKS` before the work. The batch decides on both again. */
async function requireNoWait(deps: PasskeyDeps, actor: SudoActor, networks: string): Promise<void> {
  const now = deps.clock();
  const { userId: actorId, sessionId, sudoVersion } = actor;
  const args = { actorId, sessionId, sudoVersion, networks, now };
  const [row] = await deps.database.read(bind(FIND_WAIT, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result === "proof_required") throw new AppError("SUDO_TOKEN_REQUIRED");
  if (row.nextAt > now) throw tooManyChecks(row.nextAt, now);
}

function requireEnabled({ result, nextAt }: EnabledRow, now: number): void {
  switch (result) {
    case "ok":
      return;
    case "in_use":
      throw new AppError("PASSKEY_ALREADY_ACTIVE");
    case "too_many":
      throw new AppError("TOO_MANY_PASSKEYS");
    case "waiting":
      throw tooManyChecks(nextAt, now);
    default:
      throw new AppError("PASSKEY_INVALID", { cause: new Error(result) });
  }
}

function tooManyChecks(nextAt: number, now: number): AppError {
  return new AppError("TOO_MANY_PASSKEY_CHECKS", {
    retryAfterSeconds: Math.max(1, Math.ceil((nextAt - now) / SECOND_MS)),
  });
}

/** Returns the purpose of a challenge for a session or login. */
function proofOf(challenged: Challenged): Purpose {
  const { sessionId, partialLoginId } = challengeArgs(challenged);
  return `prove ${sessionId ?? partialLoginId}`;
}

/** Returns the options for proving a passkey of the account. Throws `PASSKEY_UNINITIALIZED` if it has none. */
export async function challengePasskey(deps: PasskeyDeps, challenged: Challenged) {
  const args = { ...challengeArgs(challenged), now: deps.clock() };
  const [row] = await deps.database.read(bind(FIND_KNOWN, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const known: { id: string; transports: Transport[] }[] = JSON.parse(row.known);
  if (known.length === 0) throw new AppError("PASSKEY_UNINITIALIZED");
  return await requestOptions(
    deps.relyingParty,
    await sealChallenge(deps, proofOf(challenged)),
    known,
  );
}

/**
 * Verifies a passkey as second factor. Returns a sudo token in a session, all tokens in a login. Throws
 * `PASSKEY_INVALID`, `PASSKEY_UNINITIALIZED`, `TOO_MANY_PASSKEY_CHECKS`.
 */
export async function provePasskey(
  deps: PasskeyDeps,
  challenged: Challenged,
  address: string,
  response: AssertionResponse,
): Promise<ChallengeTokens> {
  const now = deps.clock();
  const networks = JSON.stringify(networksOf(address));
  const args = { ...challengeArgs(challenged), now, credentialId: response.id, networks };
  const [stored] = await deps.database.read(bind(FIND_PASSKEY, args));
  if (stored === undefined) throw new AppError("TOKEN_INVALID");
  if (stored.nextAt > now) throw tooManyChecks(stored.nextAt, now);
  const opened = await openAnswered(deps, proofOf(challenged), response);
  const right = opened && await verifyStored(deps, response, stored, false);
  return await completeChallenge(deps, challenged, address, PROVE_PASSKEY, {
    args: {
      ...responseArgs(right, opened),
      passkeyId: stored.id ?? 0,
      networks,
    },
    errors: ERRORS,
  });
}

async function verifyStored(
  { relyingParty }: PasskeyDeps,
  response: AssertionResponse,
  stored: StoredPasskey & { readonly id: number | null },
  requireUserVerification: boolean,
): Promise<Assertion | undefined> {
  if (stored.id === null) return undefined;
  return await verifyAssertion(relyingParty, response, stored, { requireUserVerification });
}

/** Returns the options for a sign-in with any passkey of this service. The same for everyone; stores nothing. */
export async function challengeSignIn(deps: PasskeyDeps) {
  return await requestOptions(deps.relyingParty, await sealChallenge(deps, "login"));
}

/**
 * Signs the owner of a passkey in without address and password, and returns the session's first refresh token. Throws
 * `PASSKEY_UNKNOWN` for a passkey that the service does not have, `PASSKEY_INVALID` for any other wrong response,
 * `PASSKEY_UNCONFIRMED` until its mailed link was opened, and `TOO_MANY_PASSKEY_CHECKS` while the client waits.
 */
export async function signInWithPasskey(
  deps: PasskeyDeps,
  client: Client,
  response: AssertionResponse,
): Promise<string> {
  const now = deps.clock();
  const networks = JSON.stringify(networksOf(client.address));
  const [stored] = await deps.database.read(
    bind(FIND_SIGN_IN, { credentialId: response.id, networks, now }),
  );
  if (stored === undefined || stored.nextAt > now) throw tooManyChecks(stored?.nextAt ?? now, now);
  const opened = await openAnswered(deps, "login", response);
  // Here the authenticator must say whose passkey it is (WebAuthn Level 3, 7.2).
  const isNamed = namedAccount(response) !== undefined;
  const right = isNamed ? opened && await verifyStored(deps, response, stored, true) : undefined;
  const family = generateFamily();
  const row = await writeEvent<ResultRow & { userId: number | null }>(deps.database, SIGN_IN_WITH_PASSKEY, {
    ...responseArgs(right, opened),
    opId: crypto.randomUUID(),
    now,
    passkeyId: stored.id ?? 0,
    newSessionId: randomToken(SESSION_ID_BYTES),
    familyHash: await hashFamily(family),
    networks,
    address: client.address,
    addressBucket: addressBucket(client.address),
    client: client.name,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
  if (row === undefined) throw tooManyChecks(now, now);
  if (row.result === "unconfirmed") throw new AppError("PASSKEY_UNCONFIRMED");
  if (row.result !== "ok" || row.userId === null) {
    // Browsers delete a passkey that is unknown, so it is said of no other, and of none to a stale page.
    throw new AppError(stored.id === null && opened !== undefined ? "PASSKEY_UNKNOWN" : "PASSKEY_INVALID");
  }
  countToPrincipal(row.userId);
  return await makeRefreshToken(deps.secrets, family, 1);
}

/** A passkey, as its owner sees it. Times are ISO 8601. */
export interface ListedPasskey {
  readonly id: number;
  readonly credentialId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly confirmed: boolean;
  readonly synced: boolean;
  readonly transports: Transport[];
}

/** Reads the actor's passkeys, the oldest first, and their account as authenticators know it. Throws `TOKEN_INVALID`. */
export async function listPasskeys(
  deps: PasskeyDeps,
  actor: Actor,
): Promise<{ passkey: ListedPasskey[]; userHandle: string | null }> {
  const [rows] = await readOwn(deps, actor, [LIST_PASSKEYS], {});
  const passkey = rows.map((row) => ({
    id: row.id,
    credentialId: row.credentialId,
    name: row.name,
    createdAt: new Date(row.createdAt).toISOString(),
    lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
    confirmed: row.meets === FACTORS.passkey.meets,
    synced: row.backedUp === 1,
    transports: JSON.parse(row.transports) as Transport[],
  }));
  return { passkey, userHandle: rows[0]?.userHandle ?? null };
}

/** Renames a passkey of the actor's. Throws `FORBIDDEN` if it does not exist or belongs to another user. */
export async function renamePasskey(
  deps: PasskeyDeps,
  actor: Actor,
  address: string,
  change: { readonly passkeyId: number; readonly name: string },
): Promise<void> {
  const { result } = await runSecurityBatch(deps, actor, address, RENAME_PASSKEY, change);
  if (result !== "ok") throw new AppError("FORBIDDEN");
}

/**
 * Removes a passkey of the actor's. Throws `FORBIDDEN` if it does not exist or belongs to another user,
 * `SUDO_TOKEN_REQUIRED`.
 */
export async function removePasskey(
  deps: PasskeyDeps,
  actor: SudoActor,
  address: string,
  passkeyId: number,
): Promise<void> {
  const { result } = await runSecurityBatch(deps, actor, address, REMOVE_PASSKEY, { passkeyId });
  if (result !== "ok") throw new AppError("FORBIDDEN");
}
