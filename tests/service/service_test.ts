/** Headers and log lines of all responses, CORS, and secrets in queries. */
import assert from "node:assert/strict";
import { ALL } from "../every_operation/request_catalogue.ts";
import { ANY_KIND } from "../helpers/databases.ts";
import { type Answer, send } from "../helpers/http.ts";
import { openTestApp } from "../helpers/test_app.ts";

const ORIGIN = "https://app.example.com";

Deno.test("CORS allows the configured origins only", async () => {
  await using target = await openTestApp(ANY_KIND, { corsOrigins: [ORIGIN] });
  const preflight = (origin: string): Promise<Response> =>
    target.request("/v1/role/query", {
      method: "OPTIONS",
      headers: {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,cache-control,x-sudo-token",
      },
    });
  const allowed = await preflight(ORIGIN);
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("Access-Control-Allow-Origin"), ORIGIN);
  assert.equal(
    allowed.headers.get("Access-Control-Allow-Headers"),
    "authorization,cache-control,x-sudo-token",
  );
  assert.equal(allowed.headers.get("Access-Control-Allow-Credentials"), null);
  assert.equal((await preflight("https://evil.example")).headers.get("Access-Control-Allow-Origin"), null);
  const answer = await target.request("/healthz", { headers: { Origin: ORIGIN } });
  assert.equal(answer.headers.get("Access-Control-Allow-Origin"), ORIGIN);
});

Deno.test("CORS exposes every header of the service to pages of configured origins", async () => {
  await using target = await openTestApp(ANY_KIND, { corsOrigins: [ORIGIN] });
  const answer = await target.request("/healthz", { headers: { Origin: ORIGIN } });
  const exposed = (answer.headers.get("Access-Control-Expose-Headers") ?? "").split(",");
  assert.deepEqual(exposed, [
    "Link",
    "Retry-After",
    "WWW-Authenticate",
    "X-RateLimit-Cost",
    "X-RateLimit-Remaining",
    "X-RateLimit-Used",
    "X-Request-Id",
    "X-Rolegrid-Revision",
  ]);
});

Deno.test("without configured origins, CORS allows no page", async () => {
  await using target = await openTestApp(ANY_KIND);
  const answer = await target.request("/healthz", { headers: { Origin: ORIGIN } });
  assert.equal(answer.headers.get("Access-Control-Allow-Origin"), null);
});

Deno.test("every response has the headers of all and an id that its log line repeats", async () => {
  await using target = await openTestApp(ANY_KIND);
  for (const path of ["/healthz", "/openapi.json", "/no-such-route", "/reset-password", "/"]) {
    const answer = await target.request(path);
    assert.equal(answer.headers.get("X-Content-Type-Options"), "nosniff", path);
    const ofHttps = answer.headers.get("Strict-Transport-Security");
    assert.equal(ofHttps, "max-age=31536000; includeSubDomains", path);
    assert.ok(answer.headers.has("Cache-Control"), path);
    const line = JSON.parse(target.logLines.at(-1) ?? "{}");
    assert.equal(line.requestId, answer.headers.get("X-Request-Id"));
    assert.equal(line.status, answer.status);
  }
});

/** What documents and their files have; the policies of pages are shown where the pages are. */
const OF_DOCUMENTS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};

Deno.test("pages and files have the headers of documents", async () => {
  await using target = await openTestApp(ANY_KIND);
  const pages = ["/console", "/docs", "/reset-password", "/undo-email-transfer", "/confirm-factor"];
  for (const path of [...pages, "/docs/page.css", "/docs/page.js"]) {
    const answer = await target.request(path);
    const { headers } = answer;
    await answer.body?.cancel();
    for (const [name, value] of Object.entries(OF_DOCUMENTS)) {
      assert.equal(headers.get(name), value, `${name} of ${path}`);
    }
    const policy = headers.get("Content-Security-Policy");
    if (!pages.includes(path)) continue;
    for (const directive of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      assert.ok(policy?.split("; ").includes(directive), `${directive} of ${path}`);
    }
  }
});

Deno.test("an answer of the API has no header that only a document needs", async () => {
  await using target = await openTestApp(ANY_KIND);
  const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Root");
  const token = await target.accessToken(userId);
  const body = { checks: [{ roleId, right: "viewManagement" }] };
  const answer = await send(target, "POST", "/v1/rights/check", { token, body });
  assert.deepEqual(answer.body, { allowed: [true] });
  assert.deepEqual([...answer.headers.keys()], [
    "cache-control",
    "content-type",
    "strict-transport-security",
    "x-content-type-options",
    "x-request-id",
    "x-rolegrid-revision",
  ]);
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
});

Deno.test("a log line names the route's pattern, never the path or the query", async () => {
  await using target = await openTestApp(ANY_KIND);
  const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Root");
  const path = `/v1/role/${roleId}/manages?childRoleId=77&childRolePassword=open-sesame-open`;
  await send(target, "PUT", path, { token: await target.accessToken(userId), body: {} });
  const line = target.logLines.at(-1) ?? "";
  assert.match(line, /"route":"\/v1\/role\/:parentRoleId\/manages"/);
  assert.doesNotMatch(line, /sesame|childRole/);
});

Deno.test("a secret in the query is refused if the operator configured it, and the message names the header", async () => {
  await using target = await openTestApp(ANY_KIND, { refuseQuerySecrets: true });
  const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Root");
  const token = await target.accessToken(userId);
  const put = (query: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const path = `/v1/role/${roleId}/manages?childRoleId=77${query}`;
    return send(target, "PUT", path, { token, headers, body: ALL });
  };
  const refused = await put("&childRolePassword=open-sesame-open");
  assert.equal(refused.status, 400);
  assert.match(refused.text, /X-Child-Role-Password/);
  assert.equal((await put("", { "X-Child-Role-Password": "open-sesame-open" })).status, 403);
});
