import { randomBytes } from "node:crypto";
import type { AppDeps } from "../../src/app.ts";
import type { Actor } from "../../src/core/actor.ts";
import { generateSecretKeys } from "../../src/core/keys.ts";
import { createLog } from "../../src/core/log.ts";
import type { Database } from "../../src/db/database.ts";
import { logIn } from "../../src/identity/login_service.ts";
import { issueAccessToken } from "../../src/identity/session_service.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { type ProductionConfig, readConfig } from "../../src/service/config.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { type DatabaseKind, openTestDatabase, testMigrations } from "./databases.ts";
import { freePort } from "./sqld.ts";

/** The credentials of all users here. */
export const CLIENT = { address: "127.0.0.1", name: "bench" };
const ADMIN_EMAIL = "admin@example.com";

/** The service's parts on a fresh database, assembled as in production, with an administrator logged in. */
export interface ProductionService extends AsyncDisposable {
  readonly deps: AppDeps;
  readonly database: Database;
  /** The environment of a process of the same service on the same database. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly rootId: number;
  readonly actor: Actor;
  readonly accessToken: string;
  readonly credentials: { readonly username: string; readonly password: string };
}

/** Opens a database of the kind and creates a root role with a logged-in member. */
export async function openProductionService(kind: DatabaseKind): Promise<ProductionService> {
  const opened = await openTestDatabase(kind, { isLarge: true });
  const port = freePort();
  const env = {
    TURSO_DATABASE_URL: opened.url,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    // Clients may come from many networks.
    TRUSTED_PROXIES: "127.0.0.1",
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    // Nothing listens there: mails stay in the outbox.
    MAIL_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "grid@rolegrid.test",
  };
  const deps = await makeDeps(readConfig(env, "production"), opened.database);
  const password = randomBytes(16).toString("base64url");
  const { roleId } = await bootstrapRoot(deps, {
    email: ADMIN_EMAIL,
    roleName: "root",
    passwordHash: await deps.hasher.hash(password),
  });
  const credentials = { username: ADMIN_EMAIL, password };
  const accessToken = await issueAccessToken(deps, await logIn(deps, CLIENT, credentials), CLIENT.address);
  const { userId, sessionId } = await deps.accessTokens.verify(accessToken);
  return {
    deps,
    database: opened.database,
    env,
    port,
    rootId: roleId,
    actor: { userId, sessionId },
    accessToken,
    credentials,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function makeDeps(config: ProductionConfig, database: Database): Promise<AppDeps> {
  const migrations = await testMigrations();
  return await createAppDeps({
    config,
    keys: config,
    database,
    migrations,
    log: createLog("silent", () => {}),
  });
}
