import { KEEP_FOREVER } from "../../src/telemetry/retention.ts";
import type { Hono } from "hono";
import { type AppDeps, createApp } from "../../src/app.ts";
import { DAY_MS, SECOND_MS } from "../../src/core/clock.ts";
import { randomToken } from "../../src/core/encoding.ts";
import { CONSOLE_FOLDER } from "../../src/console/console_build.ts";
import { openConsoleFiles } from "../../src/console/console_files.ts";
import { createLog } from "../../src/core/log.ts";
import { createSecrets } from "../../src/core/secrets.ts";
import type { Database } from "../../src/db/database.ts";
import { bind, bindBatch } from "../../src/db/statement.ts";
import type { AppEnv } from "../../src/http/env.ts";
import { createAccessTokens, createAudienceTokens } from "../../src/identity/token/access_token.ts";
import { createKeyUses } from "../../src/identity/key_uses.ts";
import { createPartialTokens } from "../../src/identity/token/partial_token.ts";
import { createSudoTokens } from "../../src/identity/token/sudo_token.ts";
import { SESSION_SECONDS } from "../../src/identity/lifetimes.ts";
import { generateFamily, hashFamily, makeRefreshToken } from "../../src/identity/token/refresh_token.ts";
import { generateTokenKeys, importTokenKeys } from "../../src/identity/token/token_keys.ts";
import { createForeignCosts } from "../../src/accounts/password/foreign_costs.ts";
import { createPasswordHasher } from "../../src/accounts/password/hasher.ts";
import { noteKeyUses } from "../../src/key/key_service.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { DEFAULT_STORE_LIMITS } from "../../src/changes/store_limits.ts";
import { DEFAULT_BUCKET } from "../../src/telemetry/bucket/bucket.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { createSpyHasher } from "./spy_hasher.ts";
import { withSudo } from "./sudo.ts";
import { ANY_KIND, type DatabaseKind, deleteAllRows, openTestDatabase } from "./databases.ts";
import { defineStatement } from "./text_statement.ts";

/** A clock that stands still until a test moves it. */
export interface TestClock {
  now(): number;
  advance(seconds: number): void;
}

/** The app on a fresh database, and helpers that set a scene without HTTP. */
export interface TestApp extends AsyncDisposable {
  readonly app: Hono<AppEnv>;
  readonly deps: AppDeps;
  readonly database: Database;
  readonly url: string;
  readonly clock: TestClock;
  /** Lines of the log so far. */
  readonly logLines: string[];
  /** Sends a request like `app.request`, by default from one client address, with fresh proof where it needs it. */
  request(path: string, init?: RequestInit & { from?: string }): Promise<Response>;
  /** Deletes every row; the app keeps running. */
  reset(): Promise<void>;
  /** A root role with all six self rights, and its first member. */
  bootstrapRoot(
    email: string,
    roleName: string,
  ): Promise<{ userId: number; roleId: number; memberId: number }>;
  createUser(email: string): Promise<{ userId: number; accessToken: string }>;
  /** Opens a session for the user and returns an access token for it. */
  accessToken(userId: number): Promise<string>;
  /** Opens a session for the user and returns its tokens. */
  openSession(userId: number): Promise<{ accessToken: string; refreshToken: string; sessionId: string }>;
  /** Gives a user a password, without checking the rules. */
  setPassword(userId: number, password: string): Promise<void>;
}

export const TEST_URL = "https://rolegrid.test";
/** Services that access tokens may be made for. */
export const SIBLING_URL = "https://sibling.test";
export const OTHER_SIBLING_URL = "https://other.test/api";
export const START_MS = Date.UTC(2026, 0, 1);

/**
 * Opens the app on a fresh database of this kind, with a hasher that takes no time. `change` replaces some of its
 * dependencies. A file is in memory, where programs with limited permissions cannot open it, unless it is `onDisk`.
 */
export async function openTestApp(
  kind: DatabaseKind,
  change: Partial<AppDeps> = {},
  { onDisk = false }: { onDisk?: boolean } = {},
): Promise<TestApp> {
  const opened = await openTestDatabase(kind, { inMemory: !onDisk });
  const { database, url } = opened;
  const logLines: string[] = [];
  let deletions = 0;
  const deps = { ...await testDeps(database, logLines), ...change };
  const app = createApp(deps);
  const clock = {
    now: deps.clock,
    advance: (seconds: number): void => void (offset.get(deps.clock)?.(seconds)),
  };
  return {
    app,
    deps,
    database,
    url,
    clock,
    logLines,
    request: async (path, init = {}) => await requestsTo(app)(path, await withSudo(deps, path, init)),
    async reset(): Promise<void> {
      await deleteAllRows(database);
      // The app remembers series and rights by numbers that are given again. Each count of deletions makes it forget.
      await database.write([bind(COUNT_DELETIONS, { deletions: --deletions })]);
    },
    bootstrapRoot: async (email, roleName) => {
      const { userId, roleId, memberId } = await bootstrapRoot(deps, { email, roleName });
      return { userId, roleId, memberId };
    },
    createUser: async (email) => {
      const [row] = await database.write(
        [bind(INSERT_USER, { email, now: deps.clock() }), bind(FIND_USER, { email })],
      ).then((results) => results[1] ?? []);
      const userId = Number(row?.["id"]);
      return { userId, accessToken: (await openSession(deps, userId)).accessToken };
    },
    accessToken: async (userId) => (await openSession(deps, userId)).accessToken,
    openSession: (userId) => openSession(deps, userId),
    setPassword: async (userId, password) => {
      const passwordHash = await deps.hasher.hash(password);
      await database.write([bind(SET_PASSWORD, { userId, passwordHash })]);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await deps.keyUses.flush();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Sends requests to an app, by default from one client address. */
export function requestsTo(app: Hono<AppEnv>): TestApp["request"] {
  return async (path, { from = "192.0.2.1", ...init } = {}) =>
    await app.request(path, init, { remoteAddr: { hostname: from } });
}

/** Opens the app like `openTestApp`, with the hasher of other processes, for tests that need its work or its hashes. */
export async function openHashingApp(
  kind: DatabaseKind,
  change: Partial<AppDeps> = {},
  options: { onDisk?: boolean } = {},
): Promise<TestApp> {
  // Concurrency tests send everything from one address and must not exhaust its share of the hasher.
  const hasher = createPasswordHasher({
    limits: { size: 4, waiting: 1000 },
    foreignCosts: { covering: (hash) => costs.covering(hash) },
  });
  const target = await openTestApp(kind, { hasher, passwords: hasher, ...change }, options);
  const costs = createForeignCosts(target.database, target.clock.now);
  return target;
}

/** Opens the app on a fresh database: a file, unless this run has servers alone. */
export function openQuickApp(change: Partial<AppDeps> = {}): Promise<TestApp> {
  return openTestApp(ANY_KIND, change);
}

const offset = new WeakMap<() => number, (seconds: number) => void>();

async function testDeps(database: Database, logLines: string[]): Promise<AppDeps> {
  let now = START_MS;
  const clock = (): number => now;
  offset.set(clock, (seconds) => {
    now += seconds * SECOND_MS;
  });
  const [secrets, tokenKeys] = await Promise.all([
    createSecrets([{ id: "test", bytes: new Uint8Array(32).fill(7) }]),
    testKeys ??= generateTokenKeys().then(importTokenKeys),
  ]);
  const tokenDeps = { keys: tokenKeys, publicUrl: TEST_URL, clock };
  const log = createLog("info", (line) => logLines.push(line));
  const hasher = createSpyHasher();
  return {
    database,
    clock,
    log,
    secrets,
    tokenKeys,
    accessTokens: createAccessTokens(tokenDeps),
    audienceTokens: createAudienceTokens(tokenDeps, [SIBLING_URL, OTHER_SIBLING_URL]),
    sudoTokens: createSudoTokens(tokenDeps),
    partialTokens: createPartialTokens(tokenDeps),
    passwords: hasher,
    hasher,
    issuerName: "Rolegrid",
    relyingParty: { id: new URL(TEST_URL).hostname, name: "Rolegrid", origins: [TEST_URL] },
    publicUrl: TEST_URL,
    maxClosureChange: 40_000,
    storeLimits: DEFAULT_STORE_LIMITS,
    // Written by `flush` alone: a timer of the machine would change responses in the middle of a slow test.
    keyUses: createKeyUses({ clock, log, write: noteKeyUses.bind(null, database), gatheredMs: DAY_MS }),
    mailBrands: new Set(["acme"]),
    refuseQuerySecrets: false,
    refusalMs: 0,
    corsOrigins: [],
    trustedProxies: () => false,
    telemetryStore: createSqliteStore({ database, clock }),
    telemetryBucket: DEFAULT_BUCKET,
    telemetryRetention: KEEP_FOREVER,
    historyDays: 400,
    rightPresets: [],
    readinessParts: {},
    optionalParts: {},
    consoleFiles: openConsoleFiles(CONSOLE_FOLDER),
  };
}

let testKeys: ReturnType<typeof importTokenKeys> | undefined;

const COUNT_DELETIONS = defineStatement(
  `INSERT OR REPLACE INTO setting (name, value) VALUES ('deleted_series', CAST(:deletions AS TEXT))`,
);
const INSERT_USER = defineStatement(
  `INSERT INTO user_account (email, created_at) SELECT :email, :now WHERE true ON CONFLICT (email) DO NOTHING`,
);
const FIND_USER = defineStatement(`SELECT id FROM user_account WHERE email = :email`);
const SET_PASSWORD = defineStatement(
  `UPDATE user_account SET password_hash = :passwordHash WHERE id = :userId`,
);
const INSERT_SESSION = defineStatement(`
  INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
    client)
  VALUES (:sessionId, :userId, :familyHash, :now, :now, :expiresAt, :expiresAt, :now, 'test')`);

/** Opens a session for a user, without a password. */
export async function openSession(
  deps: AppDeps,
  userId: number,
): Promise<{ accessToken: string; refreshToken: string; sessionId: string }> {
  const family = generateFamily();
  const sessionId = randomToken(16);
  const now = deps.clock();
  await deps.database.write(bindBatch([INSERT_SESSION], {
    sessionId,
    userId,
    familyHash: await hashFamily(family),
    now,
    expiresAt: now + SESSION_SECONDS * SECOND_MS,
  }));
  const claims = { userId, sessionId, authenticatedAtMs: now, assuranceLevel: 1 } as const;
  return {
    sessionId,
    accessToken: await deps.accessTokens.sign(claims),
    refreshToken: await makeRefreshToken(deps.secrets, family, 1),
  };
}
