import { type AppDeps, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { type Clock, systemClock } from "./core/clock.ts";
import { describeError, type Log } from "./core/log.ts";
import { createSecrets } from "./core/secrets.ts";
import type { Database } from "./db/database.ts";
import { type Migration, pendingMigrations } from "./db/migrations.ts";
import type { ServiceKeys } from "./development_keys.ts";
import { parseTrustedProxies } from "./http/client_address.ts";
import { createAccessTokens } from "./identity/access_token.ts";
import { importTokenKeys } from "./identity/token_keys.ts";
import { createBreachedPasswordCheck } from "./password/breached_passwords.ts";
import { createPasswordHasher } from "./password/hasher.ts";

const PWNED_PASSWORDS_URL = "https://api.pwnedpasswords.com";

export interface ServiceInput {
  readonly config: Config;
  readonly keys: ServiceKeys;
  readonly database: Database;
  readonly migrations: readonly Migration[];
  readonly log: Log;
  readonly clock?: Clock;
}

/** Puts together what the app needs from its configuration and its database. */
export async function createAppDeps(input: ServiceInput): Promise<AppDeps> {
  const { config, keys, database, log, clock = systemClock } = input;
  const [secrets, tokenKeys] = await Promise.all([
    createSecrets(keys.secretKeys),
    importTokenKeys(keys.tokenKeys),
  ]);
  const hasher = createPasswordHasher();
  return {
    database,
    clock,
    log,
    secrets,
    tokenKeys,
    accessTokens: createAccessTokens({ keys: tokenKeys, publicUrl: config.publicUrl, clock }),
    passwords: hasher,
    hasher,
    isBreached: createBreachLookup(config, log),
    issuerName: config.issuerName,
    publicUrl: config.publicUrl,
    maxClosureChange: config.closureMaxChange,
    mailBrands: new Set(config.mailBrands.keys()),
    refuseQuerySecrets: config.refuseQuerySecrets,
    development: config.mode === "development",
    corsOrigins: config.corsOrigins,
    trustedProxies: parseTrustedProxies(config.trustedProxies),
    isReady: () => isReady(database, input.migrations, log),
  };
}

function createBreachLookup(config: Config, log: Log): ((password: string) => Promise<boolean>) | undefined {
  if (config.breachedPasswords === "off") return undefined;
  const baseUrl = config.breachedPasswords === "on" ? PWNED_PASSWORDS_URL : config.breachedPasswords;
  return createBreachedPasswordCheck({ baseUrl, fetch, log });
}

async function isReady(database: Database, migrations: readonly Migration[], log: Log): Promise<boolean> {
  try {
    const pending = await pendingMigrations(database, migrations);
    if (pending.length > 0) log.warn("readiness.pending_migrations", { pending: pending.join(", ") });
    return pending.length === 0;
  } catch (error) {
    log.warn("readiness.database_away", describeError(error));
    return false;
  }
}

/** Serves until SIGINT or SIGTERM: then answers what is under way, and closes the database. */
export async function serve(input: ServiceInput): Promise<void> {
  const { config, database, log } = input;
  const app = createApp(await createAppDeps(input));
  const server = Deno.serve({
    hostname: config.host,
    port: config.port,
    onListen: ({ hostname, port }) => log.info("listening", { hostname, port, publicUrl: config.publicUrl }),
  }, (request, info) => app.fetch(request, { remoteAddr: info.remoteAddr }));
  const stop = (): void => {
    log.info("stopping");
    server.shutdown().catch((error) => log.error("stopping.failed", describeError(error)));
  };
  Deno.addSignalListener("SIGINT", stop);
  Deno.addSignalListener("SIGTERM", stop);
  await server.finished;
  Deno.removeSignalListener("SIGINT", stop);
  Deno.removeSignalListener("SIGTERM", stop);
  await database.close();
  log.info("stopped");
}
