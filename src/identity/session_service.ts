import type { Actor, SudoActor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { countToPrincipal, countToSession } from "../core/request_scope.ts";
import { bind, type SqlArgs, type Statement } from "../db/statement.ts";
import { NOTICE_LIFE_SECONDS } from "../mail/outbox.ts";
import type { AccessTokens, AssuranceLevel } from "./token/access_token.ts";
import type { IdentityDeps } from "./deps.ts";
import { SUDO_SECONDS } from "./lifetimes.ts";
import { readOwn } from "./own_reading.ts";
import type { Meets } from "./session_proof.ts";
import {
  makeRefreshToken,
  networkMac,
  readRefreshToken,
  type RefreshTokenParts,
} from "./token/refresh_token.ts";
import {
  END_OTHER_SESSIONS,
  END_SESSION,
  FIND_LIVE_SESSION,
  LIST_SESSIONS,
  LOG_OUT,
  READ_CURRENT_TOKEN,
  ROTATE_REFRESH_TOKEN,
  USE_REFRESH_TOKEN,
} from "./session_queries.ts";
import { type ResultRow, writeEvent } from "./security_service.ts";

interface SessionRow {
  readonly id: string;
  readonly userId: number;
  readonly generation: number;
  readonly authenticatedAt: number;
  readonly assuranceLevel: AssuranceLevel;
  readonly methods: number;
  readonly meets: Meets;
}

/**
 * Returns the access tokens for an audience, by default this service. Throws `MALFORMED_REQUEST` for one that is not
 * configured.
 */
export function tokensFor(deps: IdentityDeps, audience: string | undefined): AccessTokens {
  if (audience === undefined) return deps.accessTokens;
  const tokens = deps.audienceTokens.get(audience);
  if (tokens !== undefined) return tokens;
  throw new AppError("MALFORMED_REQUEST", {
    details: [{ path: "query.audience", message: "Expected a configured audience" }],
  });
}

/**
 * Returns a new access token, by default for this service. Throws `TOKEN_INVALID`, and for an audience that is not
 * configured `MALFORMED_REQUEST`, if the token was made here: strangers do not learn which are. That leaves the token
 * unused. Reuse of a replaced refresh token ends its session.
 */
export async function issueAccessToken(
  deps: IdentityDeps,
  refreshToken: string,
  address: string,
  audience?: string,
): Promise<string> {
  const parts = await readParts(deps, refreshToken);
  const tokens = tokensFor(deps, audience);
  const session = await useRefreshToken(deps, parts, address);
  return await tokens.sign({
    userId: session.userId,
    sessionId: session.id,
    authenticatedAtMs: session.authenticatedAt,
    assuranceLevel: session.assuranceLevel,
    methods: session.methods,
    meets: session.meets,
  });
}

/**
 * Returns the successor of a refresh token: the same one if repeated within seconds from the same network. Throws
 * `TOKEN_INVALID`. A token that was replaced, or whose successor was used, ends its session.
 */
export async function rotateRefreshToken(
  deps: IdentityDeps,
  refreshToken: string,
  address: string,
): Promise<string> {
  const parts = await readParts(deps, refreshToken);
  const network = await networkMac(deps.secrets, parts.family, address);
  const session = await runTokenBatch(deps, ROTATE_REFRESH_TOKEN, parts, address, { network });
  return await makeRefreshToken(deps.secrets, parts.family, session.generation);
}

/** Returns the user of a valid refresh token. Throws `TOKEN_INVALID`. */
export async function validateRefreshToken(
  deps: IdentityDeps,
  refreshToken: string,
  address: string,
): Promise<number> {
  return (await useRefreshToken(deps, await readParts(deps, refreshToken), address)).userId;
}

/** Whether two refresh tokens belong to the same session. Neither needs to be valid. */
export async function isSameSession(deps: IdentityDeps, one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((token) => readRefreshToken(deps.secrets, token)),
  );
  return first?.family === second?.family;
}

/** Ends the session of a refresh token and all its tokens. Throws `TOKEN_INVALID`. */
export async function logOut(deps: IdentityDeps, refreshToken: string, address: string): Promise<void> {
  const { familyHash, generation } = await readParts(deps, refreshToken);
  const args = { opId: crypto.randomUUID(), now: deps.clock(), familyHash, generation, address };
  const row = await writeEvent<{ sessionId: string }>(deps.database, LOG_OUT, args);
  if (row === undefined) throw new AppError("TOKEN_INVALID");
}

/** Returns the actor's user, if the session is live. Throws `TOKEN_INVALID`. */
export async function validateAccess(deps: IdentityDeps, actor: Actor): Promise<number> {
  const args = { actorId: actor.userId, sessionId: actor.sessionId, now: deps.clock() };
  const [row] = await deps.database.read(bind(FIND_LIVE_SESSION, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row.userId;
}

/** A live session, as its owner sees it. Times are ISO 8601. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: string;
  readonly lastTokenAt: string;
  readonly client: string;
  readonly current: boolean;
}

export interface SessionPage {
  readonly session: ListedSession[];
  /** The cursor of the next page, or null at the end. Absent without paging. */
  readonly nextCursor?: string | null;
}

/** `limit` and `cursor` of a listing; without either, all sessions. */
export interface SessionPageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** SQLite's `LIMIT` for all rows. A user has few sessions. */
const ALL_ROWS = -1;

/** Reads the live sessions of the actor's user, newest first: all, or a page. Throws `TOKEN_INVALID`. */
export async function listSessions(
  deps: IdentityDeps,
  actor: Actor,
  { limit, cursor }: SessionPageRequest,
): Promise<SessionPage> {
  const [listed] = await readOwn(deps, actor, [LIST_SESSIONS], {
    ...readCursor(cursor),
    limit: limit === undefined ? ALL_ROWS : limit + 1,
  });
  const page = listed.slice(0, limit);
  const session = page.map(({ id, createdAt, lastTokenAt, client }) => ({
    id,
    createdAt: new Date(createdAt).toISOString(),
    lastTokenAt: new Date(lastTokenAt).toISOString(),
    client,
    current: id === actor.sessionId,
  }));
  if (limit === undefined && cursor === undefined) return { session };
  const last = page.at(-1);
  const isLast = last === undefined || page.length === listed.length;
  return { session, nextCursor: isLast ? null : `${last.createdAt}.${last.id}` };
}

/** Reads a cursor: sign-in time and id of a page's last session. */
function readCursor(cursor: string | undefined): { beforeAt: number; beforeId: string } {
  if (cursor === undefined) return { beforeAt: Number.MAX_SAFE_INTEGER, beforeId: "" };
  const [at = "", id = ""] = cursor.split(".");
  return { beforeAt: Number(at), beforeId: id };
}

/** Ends one session of the actor's user. Throws `FORBIDDEN` if it does not exist or belongs to another user. */
export function endSession(
  deps: IdentityDeps,
  actor: Actor,
  sessionId: string,
  address: string,
): Promise<void> {
  return runEndBatch(deps, actor, END_SESSION, { endedSessionId: sessionId, address });
}

/** Dependencies of ending all other sessions. */
export interface SessionDeps extends IdentityDeps {
  /** Deletes the keys that the actor made and may delete. Throws `SUDO_TOKEN_REQUIRED`. */
  readonly endKeys: (actor: SudoActor) => Promise<void>;
}

/**
 * Ends all sessions of the actor's user except the current one, and with `keys` all keys that they made and may
 * delete. Then throws `SUDO_TOKEN_REQUIRED` without a sudo token, and ends nothing. Safe to repeat.
 */
export async function endOtherSessions(
  deps: SessionDeps,
  actor: SudoActor,
  address: string,
  { keys = false }: { readonly keys?: boolean | undefined } = {},
): Promise<void> {
  const { sudoVersion } = actor;
  await runEndBatch(deps, actor, END_OTHER_SESSIONS, { address, sudoVersion, keys: keys ? 1 : 0 });
  if (keys) await deps.endKeys(actor);
}

async function runEndBatch(
  deps: IdentityDeps,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<void> {
  const row = await writeEvent<ResultRow>(deps.database, batch, {
    opId: crypto.randomUUID(),
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    ...args,
  });
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result === "proof_required") {
    throw new AppError("SUDO_TOKEN_REQUIRED", { maxAgeSeconds: SUDO_SECONDS });
  }
  if (row.result !== "ok") throw new AppError("FORBIDDEN");
}

/**
 * Uses a refresh token other than for rotation. If the use cannot be stored, the current token works all the same, so that
 * sessions go on reading: it is the one whose use tells nothing about a theft.
 */
async function useRefreshToken(
  deps: IdentityDeps,
  parts: RefreshTokenParts,
  address: string,
): Promise<SessionRow> {
  try {
    return await runTokenBatch(deps, USE_REFRESH_TOKEN, parts, address);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CANNOT_STORE")) throw error;
    const { familyHash, generation } = parts;
    const current = bind(READ_CURRENT_TOKEN, { familyHash, generation, now: deps.clock() });
    const [session] = await deps.database.read<SessionRow>(current);
    if (session === undefined) throw error;
    return session;
  }
}

/** Returns what the requests of a session are known by, before its row is read. */
function credentialOf({ familyHash }: Pick<RefreshTokenParts, "familyHash">): string {
  return `refresh family ${familyHash}`;
}

async function readParts(deps: IdentityDeps, refreshToken: string): Promise<RefreshTokenParts> {
  const parts = await readRefreshToken(deps.secrets, refreshToken);
  if (parts === undefined) throw new AppError("TOKEN_INVALID");
  countToSession(credentialOf(parts));
  return parts;
}

async function runTokenBatch(
  deps: IdentityDeps,
  batch: readonly Statement[],
  { familyHash, generation }: RefreshTokenParts,
  address: string,
  more: SqlArgs = {},
): Promise<SessionRow> {
  const now = deps.clock();
  const mailExpiresAt = now + NOTICE_LIFE_SECONDS * SECOND_MS;
  const args = { opId: crypto.randomUUID(), now, familyHash, generation, address, mailExpiresAt, ...more };
  const row = await writeEvent<SessionRow>(deps.database, batch, args);
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  countToPrincipal(row.userId, credentialOf({ familyHash }));
  return row;
}
