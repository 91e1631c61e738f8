/** Readiness says which part fails and nothing more, is charged to no client, and liveness needs no database. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { currentChain } from "../../src/core/request_scope.ts";
import { asStranger } from "../helpers/callers.ts";
import { readConfig } from "../../src/service/config.ts";
import { createLog } from "../../src/core/log.ts";
import type { Migration } from "../../src/db/migrations.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { createReadiness, type ReadinessParts } from "../../src/http/readiness.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { ANY_KIND, openTestDatabase, testKind, testMigrations } from "../helpers/databases.ts";
import { openQuickApp } from "../helpers/test_app.ts";

const LATER: Migration = { name: "9999_later", statements: ["SELECT 1"] };
const ok = (): Promise<boolean> => Promise.resolve(true);

testKind(
  ANY_KIND,
  "readiness says whether the database or the schema is the problem",
  async () => {
    await using opened = await openTestDatabase(ANY_KIND);
    const { database } = opened;
    const migrations = await testMigrations();
    const keys = await keepDevelopmentKeys(database);
    const config = readConfig({}, "development");
    const logLines: string[] = [];
    const log = createLog("warn", (line) => logLines.push(line));
    const ask = async (known: readonly Migration[]): Promise<Response> => {
      const deps = await createAppDeps({ config, keys, database, migrations: known, log });
      return await createApp(deps).request("/readyz");
    };
    const ready = await ask(migrations);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), {
      ready: true,
      parts: { database: "ok", schema: "ok", storage: "ok", points: "ok" },
    });
    assert.deepEqual(logLines, []);

    const outdated = await ask([...migrations, LATER]);
    assert.deepEqual([outdated.status, outdated.headers.get("Retry-After")], [503, "5"]);
    assert.deepEqual(await outdated.json(), {
      statusCode: 503,
      error: "Service Unavailable",
      message: "The service is temporarily unavailable, try again later",
      ready: false,
      parts: { database: "ok", schema: "failed", storage: "ok", points: "ok" },
    });
    assert.match(logLines.join("\n"), /readiness\.pending_migrations.*9999_later/);

    await database.close();
    const away = await ask(migrations);
    assert.equal(away.status, 503);
    assert.deepEqual((await away.json()).parts, {
      database: "unavailable",
      schema: "unavailable",
      storage: "ok",
      points: "unavailable",
    });
    assert.match(logLines.join("\n"), /"readiness\.unavailable","part":"database"/);
  },
);

Deno.test("readiness reveals the name and state of a part, and not the cause", async () => {
  const secret = "libsql://token@database.internal";
  const readinessParts: ReadinessParts = {
    database: ok,
    telemetry: () => Promise.reject(new Error(`cannot reach ${secret}`)),
  };
  await using target = await openQuickApp({ readinessParts });
  const answer = await target.request("/readyz");
  assert.equal(answer.status, 503);
  const text = await answer.text();
  assert.deepEqual(JSON.parse(text).parts, { database: "ok", telemetry: "unavailable" });
  assert.doesNotMatch(text + target.logLines.join("\n"), /internal/);
});

Deno.test("a part that does not respond in time is unavailable and does not delay the others", async () => {
  const log = createLog("silent", () => {});
  const { promise: never, resolve } = Promise.withResolvers<boolean>();
  const check = createReadiness({ database: ok, telemetry: () => never }, { log, partLimitMs: 5 });
  assert.deepEqual(await check(), { ready: false, parts: { database: "ok", telemetry: "unavailable" } });
  resolve(true);
});

Deno.test("readiness checks are charged to no client, so one network's load cannot fail them", async () => {
  const chains: unknown[] = [];
  const noting = (): Promise<boolean> => {
    chains.push(currentChain()());
    return ok();
  };
  const check = createReadiness({ database: noting }, { log: createLog("silent", () => {}) });
  await asStranger("192.0.2.1", check);
  assert.deepEqual(chains, [["service"]]);
});

Deno.test("a telemetry engine that is away is reported, and the service stays ready", async () => {
  const readinessParts: ReadinessParts = { database: ok };
  const optionalParts: ReadinessParts = { telemetry: () => Promise.reject(new Error("away")) };
  await using target = await openQuickApp({ readinessParts, optionalParts });
  const answer = await target.request("/readyz");
  const parts = { database: "ok", telemetry: "unavailable" };
  assert.deepEqual([answer.status, await answer.json()], [200, { ready: true, parts }]);
});

Deno.test("simultaneous readiness requests check each part once, and the next request checks again", async () => {
  const log = createLog("silent", () => {});
  let asked = 0;
  const count = async (): Promise<boolean> => {
    asked++;
    return await ok();
  };
  const check = createReadiness({ database: count }, { log });
  const answers = await Promise.all(Array.from({ length: 50 }, check));
  assert.ok(answers.every(({ ready }) => ready));
  assert.equal(asked, 1);
  await check();
  assert.equal(asked, 2);
});

Deno.test("the process counts as alive while its database is away", async () => {
  const readinessParts: ReadinessParts = { database: () => Promise.reject(new Error("away")) };
  await using target = await openQuickApp({ readinessParts });
  const answer = await target.request("/healthz");
  assert.deepEqual([answer.status, await answer.json()], [200, { status: "ok" }]);
});
