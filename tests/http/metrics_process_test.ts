/** A collector gets the service's metrics, without anything that a client made up. */
import assert from "node:assert/strict";
import { METRICS } from "../../src/core/metrics.ts";
import { type ExportedPoint, type OtlpReceiver, startOtlpReceiver } from "./otlp.ts";
import { forEachKind, openTestDatabase } from "../helpers/databases.ts";
import { login, logInFully, send } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { productionEnv, startService } from "../helpers/service_process.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { runScript } from "../scripts/run_script.ts";

const PASSWORD = "a sentence of the administrator";
const USERNAME = "root@b.example";

/** The value of a sum or gauge, or the count of a histogram, with these labels; 0 if there is none. */
function valueOf(
  points: readonly ExportedPoint[],
  name: string,
  labels: ExportedPoint["labels"] = {},
): number {
  const wanted = points.filter((point) =>
    point.name === `rolegrid.${name}` &&
    Object.entries(labels).every(([label, value]) => point.labels[label] === value)
  );
  return wanted.reduce((sum, { count, value }) => sum + (count ?? value), 0);
}

/** Waits for an export of what happened until now. */
async function nextExport(receiver: OtlpReceiver): Promise<void> {
  for (let exports = 0; exports < 2; exports++) {
    const { points } = receiver;
    while (receiver.points === points) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function use(service: Pick<TestApp, "request">): Promise<void> {
  await login(service, USERNAME, "a sentence of another person");
  const { accessToken: token } = await logInFully(service, USERNAME, PASSWORD);
  const admin = new Person(service, token);
  const roleId = await admin.create(1, "Child");
  await admin.askToCreate(77, "Child");
  const checks = [{ roleId, right: "roleManagement" }, { roleId: 77, right: "roleManagement" }];
  await admin.ask("POST", "/v1/rights/check", { checks });
  await admin.ask("GET", `/access/v1/forward?right=viewManagement&roleId=${roleId}`);
  await admin.ask("GET", "/access/v1/forward?right=viewManagement");
  await admin.ask("PUT", `/v1/role/${roleId}/member?userEmail=eva@b.example`, {});
  await admin.ask("POST", `/v1/device?roleId=${roleId}`, { properties: { nodeId: "meter-1" } });
  const point = { measurement: "power", tags: { nodeId: "meter-1" }, fields: { watts: 1.5 } };
  await admin.ask("POST", "/v1/telemetry?db=energy", [point]);
  await admin.ask("POST", "/v1/telemetry/query", {
    select: ["watts"],
    from: { measurement: "power", database: "energy" },
    where: { tags: { nodeId: "meter-1" } },
  });
  for (const path of ["/healthz", "/evil/77", "/evil/78"]) await send(service, "EVIL78", path);
}

forEachKind(
  "a collector gets the metrics of requests, checks, queues, changes and sign-ins",
  async (kind) => {
    await using receiver = startOtlpReceiver();
    await using opened = await openTestDatabase(kind);
    const env = await productionEnv(opened.url);
    const args = ["--email", USERNAME, "--role", "Root"];
    assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
    await using service = await startService({ ...env, ...receiver.env, OTEL_DENO_TRACING: "false" });
    await use({ request: (path, init) => fetch(service.url + path, init) });
    await nextExport(receiver);
    const { points, spans } = receiver;
    const of = valueOf.bind(null, points);

    const route = { "http.route": "/v1/role", "http.request.method": "POST" };
    assert.equal(of("request.duration", { ...route, "http.response.status_code": 200 }), 1);
    assert.equal(of("request.duration", { ...route, "http.response.status_code": 403 }), 1);
    assert.equal(of("request.duration", { "http.route": "unknown", "http.request.method": "_OTHER" }), 3);
    assert.equal(of("request.errors", { "rolegrid.error": "FORBIDDEN" }), 2);
    assert.equal(of("checks", { "rolegrid.check": "rights", "rolegrid.outcome": "allowed" }), 1);
    assert.equal(of("checks", { "rolegrid.check": "rights", "rolegrid.outcome": "denied" }), 1);
    assert.equal(of("checks", { "rolegrid.check": "forward", "rolegrid.outcome": "allowed" }), 1);
    assert.equal(of("checks", { "rolegrid.check": "forward", "rolegrid.outcome": "denied" }), 1);
    assert.equal(of("sign_ins", { "rolegrid.step": "password", "rolegrid.outcome": "signed_in" }), 1);
    assert.equal(of("sign_ins", { "rolegrid.step": "password", "rolegrid.outcome": "refused" }), 1);
    assert.equal(of("changes", { "rolegrid.decision": "ok" }), 3);
    assert.equal(of("changes", { "rolegrid.decision": "denied" }), 1);
    assert.equal(of("change.cost"), 1);
    assert.equal(of("telemetry.points", { "rolegrid.direction": "written" }), 1);
    assert.equal(of("telemetry.points", { "rolegrid.direction": "read" }), 1);
    assert.ok(of("database.duration", { "db.operation.name": "write", "rolegrid.outcome": "ok" }) >= 8);
    assert.ok(of("mail.oldest_age") > 0, "the invitation waits for a mail server");
    assert.equal(of("commit.batches") > 0, kind === "file");
    const queues = points.filter(({ name }) => name === "rolegrid.queue.waiting");
    const only = kind === "remote" ? ["probes"] : [];
    assert.deepEqual(
      queues.map(({ labels }) => labels["rolegrid.queue"]).toSorted(),
      [
        ...only,
        "bodies",
        "files",
        "hashes",
        "reads",
        "telemetry_reads",
        "telemetry_writes",
        "turns",
        "writes",
      ]
        .toSorted(),
    );

    assert.deepEqual(spans, []);
    const own = points.filter(({ scope }) => scope === "rolegrid");
    for (const { name, unit } of own) assert.equal(unit, METRICS[name as keyof typeof METRICS].unit, name);
    assert.doesNotMatch(JSON.stringify(own.map(({ labels }) => labels)), /EVIL|evil|@|77/);
    // The runtime's own have the method that a client made up; see docs/observability.md.
    const named = points.filter(({ labels }) => labels["http.request.method"] === "EVIL78");
    assert.ok(named.length > 0, "the runtime names no made-up methods any more: drop the rule");
    for (const { scope, name } of named) assert.match(`${scope} ${name}`, /^deno http\.server\./);
  },
);
