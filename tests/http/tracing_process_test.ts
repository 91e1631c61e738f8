/** A trace names routes, database calls and decisions, and no secret. */
import assert from "node:assert/strict";
import { type ExportedSpan, startOtlpReceiver } from "./otlp.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { productionEnv, type ServiceProcess, startService } from "../helpers/service_process.ts";
import { runScript } from "../scripts/run_script.ts";
import { ANY_KIND, forEachKind, openTestDatabase } from "../helpers/databases.ts";
import { login, logInFully, send } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

const PASSWORD = "a sentence of the administrator";
const WRONG_PASSWORD = "a sentence of another person";
const ROLE_PASSWORD = "open sesame, open wide";
/** The attributes that the runtime itself sets; all others are the service's. */
const RUNTIME_ATTRIBUTES =
  /^(url\..+|error\.type|http\.request\.method|http\.response\.status_code|server\..+|network\..+)$/;

type Service = Pick<TestApp, "request">;

function requestsOf({ url }: ServiceProcess): Service {
  return { request: (path, init) => fetch(url + path, init) };
}

/** Sends each kind of secret in the place where clients send it. Returns the secrets. */
async function useSecrets(service: Service): Promise<string[]> {
  const username = "root@b.example";
  await login(service, username, WRONG_PASSWORD);
  const { refreshToken, accessToken: token } = await logInFully(service, username, PASSWORD);
  const admin = new Person(service, token);
  const roleId = await admin.create(1, "Child");
  const query = `childRolePassword=${encodeURIComponent(ROLE_PASSWORD)}`;
  await admin.ask("PUT", `/v1/role/${roleId}/manages?childRoleId=1&${query}`, ALL);
  await admin.ask("POST", "/v1/role/query", {});
  await admin.askToCreate(77, "Child");
  await send(service, "GET", `/reset-password?token=${refreshToken}&code=7K3M9Q`);
  await send(service, "GET", `/nowhere/${roleId}?otp=482913`);
  return [PASSWORD, WRONG_PASSWORD, ROLE_PASSWORD, refreshToken, token, "7K3M9Q", "482913"];
}

function valueOf({ attributes }: ExportedSpan, key: string): string | number | boolean | undefined {
  const values = attributes.filter(([name]) => name === key).map(([, value]) => value);
  assert.ok(values.length <= 1, `${key} is set ${values.length} times`);
  return values[0];
}

/** The attributes that the documentation tells a collector to delete. */
async function documentedRule(): Promise<ReadonlySet<string>> {
  const text = await Deno.readTextFile(new URL("../../docs/observability.md", import.meta.url));
  return new Set(Array.from(text.matchAll(/- key: (\S+)\n\s+action: delete/g), ([, key = ""]) => key));
}

function assertHoldsNone(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (const spelling of [secret, encodeURIComponent(secret)]) {
      assert.ok(!text.includes(spelling), `a secret is in ${text}`);
    }
  }
}

forEachKind("a trace names routes, database calls and decisions, and no secret", async (kind) => {
  await using receiver = startOtlpReceiver();
  await using opened = await openTestDatabase(kind);
  const env = await productionEnv(opened.url);
  const args = ["--email", "root@b.example", "--role", "Root"];
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  await using service = await startService({ ...env, ...receiver.env });
  const secrets = await useSecrets(requestsOf(service));
  service.signal("SIGTERM");
  const { code, stdout } = await service.ended();
  assert.equal(code, 0);

  const { spans } = receiver;
  const servers = spans.filter(({ isServer }) => isServer);
  const calls = spans.filter(({ scope }) => scope === "rolegrid");
  assert.deepEqual(servers.map(({ name }) => name).toSorted(), [
    ...["GET", "GET /auth/accesstoken", "GET /reset-password", "POST /auth/login", "POST /auth/login"],
    ...["POST /v1/role", "POST /v1/role", "POST /v1/role/query", "PUT /v1/role/:parentRoleId/manages"],
  ]);
  for (const span of servers) {
    assert.equal(valueOf(span, "http.route"), /^[A-Z]+ (\S+)$/.exec(span.name)?.[1]);
  }
  const errors = servers.map((span) => valueOf(span, "rolegrid.error")).filter((type) => type !== undefined);
  assert.deepEqual(errors.toSorted(), ["FORBIDDEN", "FORBIDDEN", "PASSWORD_INCORRECT"]);

  // Every database call is a child of its request's span, and is named.
  assert.ok(calls.length >= 8);
  for (const span of calls) {
    assert.ok(servers.some(({ spanId }) => spanId === span.parentSpanId), `${span.name} stands alone`);
    assert.equal(span.name, `database ${valueOf(span, "db.operation.name")}`);
    assert.equal(valueOf(span, "rolegrid.database"), kind);
    assert.ok(Number(valueOf(span, "rolegrid.statement_count")) >= 1);
  }
  const decisions = calls.flatMap((span) => {
    const kindOf = valueOf(span, "rolegrid.decision.kind");
    if (kindOf === undefined) return [];
    return [`${valueOf(span, "rolegrid.decision")} ${kindOf} ${valueOf(span, "rolegrid.decision.cost")}`];
  });
  assert.ok(decisions.includes("allowed ok 1"), decisions.join(", "));
  assert.ok(decisions.some((decision) => decision.startsWith("denied denied")), decisions.join(", "));

  // The log names the trace.
  const lines = stdout.split("\n").map((line) => JSON.parse(line)).filter(({ event }) => event === "request");
  assert.equal(lines.length, servers.length);
  for (const { traceId, requestId } of lines) {
    const span = servers.find((server) => server.traceId === traceId);
    assert.ok(span, "no span of the line's trace");
    assert.equal(valueOf(span, "rolegrid.request_id"), requestId);
  }
  assertHoldsNone(stdout, secrets);

  // The service's attributes hold no secrets; those of the runtime hold none after the collector's rule.
  const without = (isLeftOut: (key: string) => boolean) =>
    JSON.stringify(
      spans.map((span) => ({ ...span, attributes: span.attributes.filter(([key]) => !isLeftOut(key)) })),
    );
  assertHoldsNone(without((key) => RUNTIME_ATTRIBUTES.test(key)), secrets);
  const exported = receiver.bodies.join();
  assert.match(exported, /childRolePassword=/, "the runtime exports no query any more: drop the rule");
  const rule = await documentedRule();
  const ruled = without((key) => rule.has(key));
  assertHoldsNone(ruled, secrets);
  assert.doesNotMatch(ruled, /childRolePassword|otp=|token=/);
});

Deno.test("the log line of a request without a trace names no trace", async () => {
  await using file = await openTestDatabase(ANY_KIND);
  await using service = await startService(await productionEnv(file.url));
  await send(requestsOf(service), "GET", "/healthz");
  assert.equal("traceId" in await service.logged("request"), false);
});
