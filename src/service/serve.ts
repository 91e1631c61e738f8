import { type AppDeps, createApp, createClosedApp } from "../app.ts";
import { CONSOLE_FOLDER } from "../console/console_build.ts";
import { openConsoleFiles } from "../console/console_files.ts";
import type { DemoPeople } from "../console/demo_people.ts";
import type { Config } from "./config.ts";
import { chainOfStranger } from "../core/chain.ts";
import { type Clock, SECOND_MS, systemClock } from "../core/clock.ts";
import { describeError, type Log } from "../core/log.ts";
import { meterQueue, type Metrics } from "../core/metrics.ts";
import { createSecrets } from "../core/secrets.ts";
import { VERSION } from "../core/version.ts";
import type { Database } from "../db/database.ts";
import type { Migration } from "../db/migrations.ts";
import { measureDatabase } from "../db/measured_database.ts";
import { createStorageWatch } from "../db/storage_watch.ts";
import { traceDatabase } from "../db/tracing.ts";
import type { ServiceKeys } from "./development_keys.ts";
import { findClientAddress, parseTrustedProxies } from "../http/client_address.ts";
import type { AppBindings } from "../http/env.ts";
import { createGate } from "../http/gate.ts";
import type { ReadinessParts } from "../http/readiness.ts";
import { createRequestTurns } from "../http/request_turns.ts";
import { createRequestTracing, type TracingApi } from "../http/tracing.ts";
import { createChains } from "../graph/rules/chains.ts";
import { createKeyUses } from "../identity/key_uses.ts";
import { createAccessTokens, createAudienceTokens } from "../identity/token/access_token.ts";
import { createPartialTokens } from "../identity/token/partial_token.ts";
import { createSudoTokens } from "../identity/token/sudo_token.ts";
import { importTokenKeys } from "../identity/token/token_keys.ts";
import { listJobs } from "./jobs.ts";
import { createCourier, wakeOnMail } from "../mail/courier.ts";
import { type DeliveryDeps, findOldestAge } from "../mail/delivery.ts";
import { openTransport } from "../mail/open_transport.ts";
import { parseSender } from "../mail/sender.ts";
import {
  type BreachedPasswordCheck,
  createBreachedPasswordCheck,
} from "../accounts/password/breached_passwords.ts";
import { createForeignCosts } from "../accounts/password/foreign_costs.ts";
import { createPasswordHasher } from "../accounts/password/hasher.ts";
import { listReadinessParts } from "./readiness_parts.ts";
import { describeDecision } from "../changes/decision_tracing.ts";
import { noteKeyUses } from "../key/key_service.ts";
import { startSchedule } from "./schedule.ts";
import { warnOfClearText } from "./clear_text.ts";
import { armHardStop, drain, type Draining, listenForStop } from "./shutdown.ts";
import { openTelemetryStore } from "../telemetry/open_store.ts";
import type { TelemetryStore } from "../telemetry/store.ts";
import { networksDown } from "../throttle/networks.ts";

const PWNED_PASSWORDS_URL = "https://api.pwnedpasswords.com";

export interface ServiceInput {
  readonly config: Config;
  readonly keys: ServiceKeys;
  readonly database: Database;
  /** The points' file, if `TELEMETRY_URL` names one. */
  readonly points?: Database | undefined;
  /** Resolves if a file is found damaged. */
  readonly damaged?: Promise<Error>;
  readonly migrations: readonly Migration[];
  readonly log: Log;
  readonly clock?: Clock;
  /** Present if requests and their database calls are traced. */
  readonly tracing?: TracingApi | undefined;
  /** Present if the service is measured. */
  readonly metrics?: Metrics | undefined;
  /** Only for development: the accounts for one-click sign-in in the console. */
  readonly openDemoPeople?: (
    deps: Pick<AppDeps, "database" | "secrets" | "clock" | "sudoTokens">,
  ) => DemoPeople;
}

/** Builds the app's dependencies from the configuration, the keys and the database. */
export async function createAppDeps(input: ServiceInput): Promise<AppDeps> {
  const { config, keys, log, clock = systemClock, tracing, metrics } = input;
  const storage = createStorageWatch({ clock, log, metrics });
  const observed = (database: Database): Database => {
    const measured = metrics === undefined ? database : measureDatabase(database, metrics);
    return storage.watch(
      tracing === undefined
        ? measured
        : traceDatabase(measured, { api: tracing, describeWrite: describeDecision }),
    );
  };
  const database = observed(input.database);
  const [secrets, tokenKeys] = await Promise.all([
    createSecrets(keys.secretKeys),
    importTokenKeys(keys.tokenKeys),
  ]);
  const tokenDeps = { keys: tokenKeys, publicUrl: config.publicUrl, clock };
  const sudoTokens = createSudoTokens(tokenDeps);
  const hasher = createPasswordHasher({
    meter: meterQueue(metrics, "hashes"),
    foreignCosts: createForeignCosts(database, clock),
  });
  const telemetryStore = await openTelemetryStore(config.telemetryUrl, {
    database,
    points: input.points === undefined ? undefined : observed(input.points),
    clock,
    log,
    memoryBytes: config.telemetryMemoryBytes,
    mostBytes: config.telemetryBytes,
  });
  return {
    database,
    clock,
    log,
    secrets,
    tokenKeys,
    accessTokens: createAccessTokens(tokenDeps),
    audienceTokens: createAudienceTokens(tokenDeps, config.audiences),
    sudoTokens,
    partialTokens: createPartialTokens(tokenDeps),
    passwords: hasher,
    hasher,
    isBreached: createBreachLookup(config, log, clock),
    issuerName: config.issuerName,
    relyingParty: { id: config.passkeyRpId, name: config.issuerName, origins: config.passkeyOrigins },
    publicUrl: config.publicUrl,
    maxClosureChange: config.closureMaxChange,
    storeLimits: config.storeLimits,
    keyUses: createKeyUses({ clock, log, write: noteKeyUses.bind(null, database) }),
    mailBrands: new Set(config.mailBrands.keys()),
    refuseQuerySecrets: config.refuseQuerySecrets,
    corsOrigins: config.corsOrigins,
    trustedProxies: parseTrustedProxies(config.trustedProxies),
    telemetryStore,
    telemetryBucket: config.telemetryBucket,
    telemetryBytes: config.telemetryBytes,
    telemetryRetention: config.telemetryRetention,
    telemetryHourlyRetention: config.telemetryHourlyRetention,
    historyDays: config.historyDays,
    rightPresets: config.rightPresets,
    readinessParts: listReadinessParts(database, input.migrations, log),
    optionalParts: {
      storage: () => storage.isUp(database),
      ...listOptionalParts(config, telemetryStore),
    },
    consoleFiles: openConsoleFiles(CONSOLE_FOLDER),
    demoPeople: input.openDemoPeople?.({ database, secrets, clock, sudoTokens }),
    ...(tracing === undefined ? {} : { findRequestTrace: createRequestTracing(tracing) }),
    metrics,
  };
}

/** A delay of the job that carries points over, in milliseconds, from which on `/readyz` shows it. */
const LATE_MS = 30 * 60_000;

function listOptionalParts(
  { telemetryUrl }: Config,
  telemetryStore: TelemetryStore,
): ReadinessParts {
  return {
    ...(telemetryUrl !== undefined && { telemetry: () => telemetryStore.isReady() }),
    ...(telemetryStore.carryDelay &&
      { points: async () => (await telemetryStore.carryDelay?.() ?? 0) < LATE_MS }),
  };
}

/** Returns the dependencies of mail delivery; undefined without a mail server, when mails stay in the outbox. */
export function createDelivery(
  config: Config,
  { database, clock, log, secrets, issuerName }: AppDeps,
): DeliveryDeps | undefined {
  const { mailUrl, mailFrom, mailName, mailBrands } = config;
  if (mailUrl === undefined || mailFrom === undefined) return undefined;
  const standard = parseSender(mailFrom);
  const brands = new Map([...mailBrands].map(([name, sender]) => [name, parseSender(sender)]));
  return {
    database,
    clock,
    log,
    secrets,
    issuerName,
    transport: openTransport(mailUrl, { name: mailName }),
    senderOf: (brand) => (brand === null ? undefined : brands.get(brand)) ?? standard,
  };
}

function createBreachLookup(config: Config, log: Log, clock: Clock): BreachedPasswordCheck | undefined {
  if (config.breachedPasswords === "off") return undefined;
  const baseUrl = config.breachedPasswords === "on" ? PWNED_PASSWORDS_URL : config.breachedPasswords;
  return createBreachedPasswordCheck({ baseUrl, fetch, log, clock });
}

/** The service without its listener: handling requests, background jobs and shutdown. */
interface Service {
  readonly handle: (request: Request, info: AppBindings) => Response | Promise<Response>;
  /**
   * Refuses new requests, waits for running ones, leaves undelivered mails in the outbox, and closes the databases.
   * Returns whether all requests finished. Ends the process after 4.5 seconds in any case.
   */
  stop(listener: Draining["listener"]): Promise<boolean>;
}

/** Starts the service without its listener. */
async function openService(input: ServiceInput): Promise<Service> {
  const { config, log } = input;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ownDeps = await createAppDeps(input);
  const chains = createChains(ownDeps);
  const deps = { ...ownDeps, stopping: signal, chains };
  const { database } = deps;
  const delivery = createDelivery(config, deps);
  const courier = delivery === undefined ? undefined : createCourier(delivery);
  const app = createApp(
    courier === undefined ? deps : { ...deps, database: wakeOnMail(database, courier.wake) },
  );
  // Without a mail server, mails are not delivered at all.
  if (delivery !== undefined) {
    deps.metrics?.observe("rolegrid.mail.oldest_age", {}, () => findOldestAge(deps));
  }
  const { carryDelay, countedBytes } = deps.telemetryStore;
  if (countedBytes !== undefined) {
    deps.metrics?.observe("rolegrid.telemetry.fullest_root", {}, () => countedBytes());
  }
  if (carryDelay !== undefined) {
    deps.metrics?.observe("rolegrid.telemetry.carry_delay", {}, async () => await carryDelay() / SECOND_MS);
  }
  const closedApp = createClosedApp(deps);
  const gate = createGate();
  const turns = createRequestTurns({
    chainOf: ({ peer, headers }) =>
      chains.ofCredential(headers.get("Authorization") ?? "") ??
        chainOfStranger(networksDown(findClientAddress(deps.trustedProxies, peer, headers))),
    meter: meterQueue(deps.metrics, "turns"),
  });
  // `Deno.cron` must be called before the first request.
  const schedule = startSchedule(listJobs(deps, { courier, signal }), log);
  return {
    handle(request, { remoteAddr }) {
      const bindings = { remoteAddr, arrivedAt: performance.now() };
      const turnAway = (): Response | Promise<Response> => closedApp.fetch(request, bindings);
      const { hostname: peer = "", port } = remoteAddr ?? {};
      const arriving = { headers: request.headers, peer, port };
      return gate.enter(request, {
        handle: () => turns.take(arriving, { handle: () => app.fetch(request, bindings), turnAway }),
        turnAway,
      });
    },
    async stop(listener): Promise<boolean> {
      log.info("stopping");
      armHardStop(log);
      schedule.stop();
      stopping.abort();
      const [isDrained] = await Promise.all([drain({ listener, gate, log }), courier?.stop()]);
      await deps.keyUses.flush();
      await Promise.all([database.close(), input.points?.close()]);
      log.info("stopped");
      return isDrained;
    },
  };
}

/**
 * Serves until SIGINT or SIGTERM, then shuts down within 4.5 seconds. If the server ends by itself, or the database
 * is damaged, shuts down in the same way with exit status 1.
 */
export async function serve(input: ServiceInput): Promise<void> {
  const { config, log } = input;
  const service = await openService(input);
  warnOfClearText(config, log);
  const stop = listenForStop();
  const server = Deno.serve({
    hostname: config.host,
    port: config.port,
    onListen: ({ hostname, port }) =>
      log.info("listening", { version: VERSION, hostname, port, publicUrl: config.publicUrl }),
    // The app handles earlier errors; this one broke off a response.
    onError(error): Response {
      log.warn("answer.broken_off", describeError(error));
      return new Response(null, { status: 500 });
    },
  }, service.handle);
  const { damaged = new Promise<never>(() => {}) } = input;
  const logFault = await Promise.race([
    stop.received.then(() => undefined),
    server.finished.catch(() => {}).then(() => () => log.error("server.ended")),
    damaged.then((error) => () => log.error("database.damaged", describeError(error))),
  ]);
  if (logFault !== undefined) {
    logFault();
    // A supervisor restarts only a process that failed.
    Deno.exitCode = 1;
  }
  const isDrained = await service.stop(server);
  stop.release();
  // A hanging request would keep the process alive.
  if (!isDrained) Deno.exit();
}
