/** The catalogue has a request for every route, which succeeds with the documented headers. */
import assert from "node:assert/strict";
import { type ApiDocument, operationsOf } from "../contract/api_document.ts";
import { assertError, queryNumber, send, succeed, testApp } from "../helpers/http.ts";
import { openQuickApp } from "../helpers/test_app.ts";
import { eachInItsScene } from "./kept_scene.ts";
import { ask, catalogue, setScene } from "./request_catalogue.ts";

Deno.test("the catalogue of requests contains every route of the service", async () => {
  await using target = await openQuickApp();
  // That of /docs/ leads to another one.
  const served = target.app.routes.filter(({ method, path }) => method !== "ALL" && path !== "/docs/");
  const routes = catalogue(await setScene(target)).map(({ route }) => route);
  assert.deepEqual(new Set(routes), new Set(served.map(({ method, path }) => `${method} ${path}`)));
});

const LATEST = "SELECT seq FROM sqlite_sequence WHERE name = 'change_log'";

Deno.test("every request of the catalogue succeeds, and has the documented revision and cache control", async () => {
  await using target = await openQuickApp();
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const described = new Map(operationsOf(document).map((operation) => [operation.route, operation]));
  const seen = { read: 0, change: 0 };
  for await (const { scene, request } of eachInItsScene(target)) {
    const { route } = request;
    const before = await queryNumber(target, LATEST);
    const { status, text, headers } = await ask(scene, request);
    const after = await queryNumber(target, LATEST);
    assert.equal(status, WITHOUT_CONTENT.has(route) ? 204 : 200, `${route}: ${text}`);
    const kept = headers.get("Cache-Control") ?? "";
    if (PUBLIC.has(route)) assert.match(kept, /^public, max-age=[1-9]/, route);
    else assert.equal(kept, "no-store", route);
    const revision = headers.get("X-Rolegrid-Revision");
    const success = described.get(route)?.responses[status];
    assert.equal(revision !== null, "X-Rolegrid-Revision" in (success?.headers ?? {}), route);
    if (revision === null) continue;
    assert.equal(revision, String(after), route);
    // A transfer has a further row for the relation that it takes.
    assert.ok(after - before <= (route.endsWith("/transfer") ? 2 : 1), route);
    seen[after === before ? "read" : "change"]++;
  }
  assert.ok(seen.read >= 15 && seen.change >= 14, JSON.stringify(seen));
});

/** Operations whose response is the same for every caller and stays the same for some time. */
const PUBLIC: ReadonlySet<string> = new Set([
  "GET /openapi.json",
  "GET /docs",
  "GET /docs/:file",
  "GET /console/assets/:file",
  "GET /.well-known/jwks.json",
  "GET /.well-known/authzen-configuration",
]);

/** Operations whose success has no body. */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set([
  "POST /auth/logout",
  "PUT /console/session",
  "DELETE /console/session",
  "POST /v1/telemetry",
  "POST /write",
  "POST /v1/telemetry/write",
  "POST /api/v2/write",
  "POST /v1/telemetry/api/v2/write",
  "GET /ping",
  "GET /v1/telemetry/ping",
  "POST /user/password/reset/email",
  "POST /v1/auth/forgot-password",
]);

testApp("an unknown route gets a 404, with and without a token", async (target) => {
  const { accessToken: token } = await setScene(target);
  const unknown = ["POST /", "GET /v1", "POST /v2/role/query", "GET /auth", "GET /v1/role/"];
  for (const route of [...unknown, "GET /v1/role/1/2/3/4", `GET /console${"/a".repeat(30_000)}`]) {
    const [method = "", path = ""] = route.split(" ");
    assertError(await send(target, method, path, { token }), 404, "Resource not found", route);
    assertError(await send(target, method, path), 404, "Resource not found", route);
  }
});
