import type { Hono } from "hono";
import { cors } from "hono/cors";
import type { AccountDeps } from "./accounts/own/deps.ts";
import { createAccountRoutes } from "./accounts/own/routes.ts";
import { FORWARD_PATH } from "./authzen/discovery.ts";
import { createEvaluationRoutes } from "./authzen/evaluation_routes.ts";
import { createForwardRoutes } from "./authzen/forward_routes.ts";
import { createSearchRoutes } from "./authzen/search_routes.ts";
import { createConsoleRoutes } from "./console/console_routes.ts";
import type { ConsoleDeps } from "./console/deps.ts";
import { AppError } from "./core/errors.ts";
import type { Log } from "./core/log.ts";
import type { Chains } from "./core/request_scope.ts";
import { meterQueue } from "./core/metrics.ts";
import { WITH_DEVICES } from "./device/with_devices.ts";
import { createDeviceRoutes } from "./device/device_routes.ts";
import { createMonitorsRoutes } from "./device/monitors_routes.ts";
import type { EmailOtpDeps } from "./accounts/factors/email_otp/deps.ts";
import { createEmailOtpRoutes } from "./accounts/factors/email_otp/routes.ts";
import type { EmailTransferDeps } from "./accounts/address/deps.ts";
import { createEmailTransferRoutes } from "./accounts/address/routes.ts";
import { type BodyRoomOptions, createBodyRoom } from "./http/body_room.ts";
import type { TrustedProxies } from "./http/client_address.ts";
import { createCsvResponder } from "./http/csv.ts";
import { createDocsRoutes } from "./http/openapi/docs_routes.ts";
import { type AppEnv, createRouter } from "./http/env.ts";
import { createNotFoundHandler, respond } from "./http/error_handler.ts";
import { type AdmissionDeps, createFramedApp } from "./http/frame.ts";
import { API_DOCUMENT } from "./http/openapi/openapi_document.ts";
import { createSender, type SenderOptions } from "./http/sender.ts";
import { createReadiness, type ReadinessParts } from "./http/readiness.ts";
import type { FindRequestTrace } from "./http/tracing.ts";
import { createAuthRoutes } from "./identity/auth_routes.ts";
import { createChains } from "./graph/rules/chains.ts";
import type { IdentityDeps } from "./identity/deps.ts";
import { createGraphGuards } from "./identity/graph_guards.ts";
import { createFactorRoutes } from "./identity/factor/factor_routes.ts";
import { createSessionRoutes } from "./identity/session_routes.ts";
import type { PasswordDeps } from "./accounts/password/deps.ts";
import { createPasswordRoutes } from "./accounts/password/routes.ts";
import { createRecoveryCodeRoutes } from "./accounts/factors/recovery_code/routes.ts";
import type { RoleDeps } from "./role/deps.ts";
import { createDemandRoutes } from "./role/demand/demand_routes.ts";
import { createKeyRoutes } from "./key/key_routes.ts";
import { deleteOwnKeys } from "./key/made_key_service.ts";
import { createManagesRoutes } from "./role/manages/manages_routes.ts";
import { createMemberRoutes } from "./role/member/member_routes.ts";
import { refuseStrayIfEffect } from "./changes/preview/preview_middleware.ts";
import { createEndingRoutes } from "./ending/ending_routes.ts";
import { createRoleRoutes } from "./role/role_routes.ts";
import { createPasskeyRoutes } from "./accounts/factors/passkey/routes.ts";
import { createTotpRoutes } from "./accounts/factors/totp/routes.ts";
import type { TelemetryDeps } from "./telemetry/deps.ts";
import type { PurgeDeps } from "./purge/purge_service.ts";
import { createTelemetryRoutes } from "./telemetry/telemetry_routes.ts";
import { networksDown } from "./throttle/networks.ts";
import type { PasskeyDeps } from "./accounts/factors/passkey/deps.ts";
import type { TotpDeps } from "./accounts/factors/totp/service.ts";
import { refuseStrayQuery } from "./http/validation.ts";
import { type ChangeRoutesDeps, createChangeRoutes } from "./explain/log/change_routes.ts";
import { createUndoRoutes } from "./undo/undo_routes.ts";
import { createExplainRoutes } from "./explain/why/explain_routes.ts";
import { createNeighbourhoodRoutes } from "./explain/picture/neighbourhood_routes.ts";
import { createAccessRoutes } from "./lists/access/access_routes.ts";
import { createDeviceListRoutes } from "./lists/device_list_routes.ts";
import { createGrantRoutes } from "./lists/grants/grant_routes.ts";
import { createManagesListRoutes } from "./lists/manages_list_routes.ts";
import { createMemberListRoutes } from "./lists/member_list_routes.ts";
import { createMonitorsListRoutes } from "./lists/monitors_list_routes.ts";
import { createPersonRoutes } from "./lists/person/person_routes.ts";
import { createRoleListRoutes } from "./lists/role_list_routes.ts";
import { createFindRoutes } from "./lists/search/find_routes.ts";
import { createHealthRoutes } from "./http/health_routes.ts";

/** All dependencies of the app; each area declares its own. */
export interface AppDeps
  extends
    AccountDeps,
    ConsoleDeps,
    EmailTransferDeps,
    IdentityDeps,
    PasswordDeps,
    RoleDeps,
    EmailOtpDeps,
    TotpDeps,
    PasskeyDeps,
    Omit<ChangeRoutesDeps, "respondCsv">,
    TelemetryDeps,
    PurgeDeps {
  readonly log: Log;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: TrustedProxies;
  /** Replaces the standard limits of request bodies. */
  readonly bodyRoomOptions?: BodyRoomOptions;
  /** Replaces the standard limits of long responses. */
  readonly senderOptions?: SenderOptions;
  /** Replaces the time that strangers wait for a 503, in milliseconds. */
  readonly refusalMs?: number;
  /** Parts that `/readyz` requires. */
  readonly readinessParts: ReadinessParts;
  /** Parts that `/readyz` only reports. */
  readonly optionalParts: ReadinessParts;
  /** Those of callers, by which shares are divided. Created with the app, unless requests take turns before it. */
  readonly chains?: Chains;
  /** Present if requests are traced. */
  readonly findRequestTrace?: FindRequestTrace;
}

/** Creates the routes of all areas, mounted on one app. */
export function createRoutes(deps: AppDeps) {
  const guards = createGraphGuards(deps);
  const respondCsv = createCsvResponder(meterQueue(deps.metrics, "files"));
  return createRouter()
    .route("/", createHealthRoutes(createReadiness(deps.readinessParts, deps)))
    .route("/", createAuthRoutes(deps))
    .route("/", createSessionRoutes({ ...deps, endKeys: deleteOwnKeys.bind(null, deps) }))
    .route("/", createFactorRoutes(deps))
    .route("/", createEmailOtpRoutes(deps))
    .route("/", createPasskeyRoutes(deps))
    .route("/", createTotpRoutes(deps))
    .route("/", createRecoveryCodeRoutes(deps))
    .route("/", createPasswordRoutes(deps))
    .route("/", createEmailTransferRoutes(deps))
    .route("/", createAccountRoutes(deps))
    .route("/", createRoleListRoutes(deps, guards))
    .route("/", createRoleRoutes(deps, guards))
    .route("/", createDemandRoutes(deps, guards))
    .route("/", createManagesListRoutes(deps, guards))
    .route("/", createManagesRoutes({ ...deps, ...WITH_DEVICES }, guards))
    .route("/", createMemberListRoutes(deps, guards))
    .route("/", createPersonRoutes(deps, guards))
    .route("/", createMemberRoutes(deps, guards))
    .route("/", createKeyRoutes(deps, guards))
    .route("/", createEndingRoutes(deps, guards))
    .route("/", createDeviceListRoutes(deps, guards))
    .route("/", createDeviceRoutes(deps, guards))
    .route("/", createMonitorsListRoutes(deps, guards))
    .route("/", createMonitorsRoutes(deps, guards))
    .route("/", createChangeRoutes({ ...deps, respondCsv }, guards))
    .route("/", createUndoRoutes(deps, guards))
    .route("/", createExplainRoutes(deps, guards))
    .route("/", createNeighbourhoodRoutes(deps, guards))
    .route("/", createFindRoutes(deps, guards))
    .route("/", createTelemetryRoutes(deps, guards))
    .route("/", createEvaluationRoutes(deps, guards))
    .route("/", createSearchRoutes(deps, guards))
    .route("/", createForwardRoutes(deps, guards))
    .route("/", createAccessRoutes({ ...deps, respondCsv }, guards))
    .route("/", createGrantRoutes(deps, guards));
}

/** The type of all routes: `hc<ApiRoutes>(url)` of `hono/client` is a typed client for every operation. */
export type ApiRoutes = ReturnType<typeof createRoutes>;

/** Response headers exposed to other origins, besides those that browsers always expose. */
const EXPOSED_HEADERS = [
  "Link",
  "Retry-After",
  "WWW-Authenticate",
  "X-RateLimit-Cost",
  "X-RateLimit-Remaining",
  "X-RateLimit-Used",
  "X-Request-Id",
  "X-Rolegrid-Revision",
];

/** Creates the service as one Hono app: the frame, the areas' routes, the OpenAPI document, errors. */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const app = createFrame(deps, {
    bodyRoom: createBodyRoom({
      meter: meterQueue(deps.metrics, "bodies"),
      ...deps.bodyRoomOptions,
    }),
    sender: createSender(deps.senderOptions),
    shapeChecks: [refuseStrayQuery, refuseStrayIfEffect],
  });
  app.notFound(createNotFoundHandler());
  app.route("/", createRoutes(deps));
  app.route("/", createConsoleRoutes(deps));
  app.route(
    "/",
    createDocsRoutes({ title: API_DOCUMENT.info.title, describe: () => readDocument(deps) }),
  );
  return app;
}

/** Creates the app that responds during shutdown: a 503 in the usual form, logged like any other response. */
export function createClosedApp(deps: AppDeps): Hono<AppEnv> {
  const app = createFrame(deps);
  app.notFound((c) => {
    // On a kept connection, the client's retry would come here again instead of to another instance.
    c.header("Connection", "close");
    return respond(c, new AppError("UNAVAILABLE"));
  });
  return app;
}

/** Creates an app without routes, whose responses the configured origins may read. */
function createFrame(deps: AppDeps, admission?: AdmissionDeps): Hono<AppEnv> {
  const frameDeps = { ...deps, networksOf: networksDown, chains: deps.chains ?? createChains(deps) };
  if (deps.corsOrigins.length === 0) return createFramedApp(frameDeps, admission);
  const allowOrigins = cors({ origin: [...deps.corsOrigins], exposeHeaders: EXPOSED_HEADERS, maxAge: 600 });
  return createFramedApp({
    ...frameDeps,
    // For a proxy, the 204 of a preflight would mean that the caller may pass.
    allowOrigins: (c, next) => c.req.path === FORWARD_PATH ? next() : allowOrigins(c, next),
  }, admission);
}

/**
 * Reads the checked-in OpenAPI document, and adds the URL of this service. Generating it takes a third of a second,
 * during which no other request would be served.
 */
async function readDocument({ publicUrl }: Pick<AppDeps, "publicUrl">): Promise<unknown> {
  const document: object = JSON.parse(await Deno.readTextFile(new URL("../openapi.json", import.meta.url)));
  return { ...document, servers: [{ url: publicUrl }] };
}
