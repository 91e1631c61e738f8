/** The details of a 400 are limited, and bodies too costly to parse are refused before. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { createLog } from "../../src/core/log.ts";
import { readConfig } from "../../src/service/config.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { ANY_KIND, testMigrations, testOn } from "../helpers/databases.ts";
import { send, testApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";

interface Detail {
  readonly path: string;
  readonly message: string;
}

/** Sends a text that is JSON, and returns the faults that the refusal names. */
async function detailsOf(target: TestApp, token: string, path: string, rawBody: string): Promise<Detail[]> {
  const headers = { "Content-Type": "application/json", "X-Error-Details": "true" };
  const answer = await send(target, "POST", path, { token, rawBody, headers });
  assert.equal(answer.status, 400, answer.text);
  return (answer.body as { details: Detail[] }).details;
}

testApp(
  "a 400 names at most 20 faults of a body, and only one for a list that is too long",
  async (target) => {
    const { accessToken: token } = await target.createUser("user@example.com");
    const faultsOf = (path: string, body: unknown) => detailsOf(target, token, path, JSON.stringify(body));
    const faults = await faultsOf("/v1/rights/check", { checks: Array(1000).fill({}) });
    assert.equal(faults.length, 20);
    assert.deepEqual(faults[3], { path: "body.checks.1.right", message: "Required field is missing" });
    const few = await faultsOf("/v1/rights/check", { checks: Array(5).fill({ roleId: "one", right: 1 }) });
    assert.equal(few.length, 10);
    const message = "Expected at most 1000 elements";
    const checks = await faultsOf("/v1/rights/check", { checks: Array(1001).fill({}) });
    assert.deepEqual(checks, [{ path: "body.checks", message }]);
    const ids = await faultsOf("/v1/role/query", { filter: { id: Array(1001).fill("x") } });
    assert.deepEqual(ids, [{ path: "body.filter.id", message }]);
  },
);

testApp(
  "a body with more values than any operation accepts is refused before it is parsed",
  async (target) => {
    const { accessToken: token } = await target.createUser("user@example.com");
    const text = `{"filter":{"id":[${"1,".repeat(100_000)}1]}}`;
    const details = await detailsOf(target, token, "/v1/role/query", text);
    assert.deepEqual(details, [{ path: "body", message: "Expected JSON with at most 100000 values" }]);
  },
);

testApp(
  "escapes in names are refused unless names are free, and then 1000 different ones are allowed",
  async (target) => {
    const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Root");
    const token = await target.accessToken(userId);
    const named = await detailsOf(target, token, "/v1/role/query", String.raw`{"\u0066ilter":{}}`);
    assert.deepEqual(named, [{ path: "body", message: "Expected names without escapes" }]);
    const device = (nodeId: string, count: number): string => {
      const escaped = Array.from({ length: count }, (_, i) => String.raw`"\n${i.toString(36)}":1`);
      return `{"properties":{"nodeId":"${nodeId}",${escaped.join()}}}`;
    };
    const path = `/v1/device?roleId=${roleId}`;
    const headers = { "Content-Type": "application/json" };
    const created = await send(target, "POST", path, { token, rawBody: device("a", 1000), headers });
    assert.equal(created.status, 200);
    const message = "Expected at most 1000 different names with escapes";
    const details = await detailsOf(target, token, path, device("b", 1001));
    assert.deepEqual(details, [{ path: "body", message }]);
  },
);

testOn(
  ANY_KIND,
  "in development, too, an error has three fields unless details are asked for",
  async (database) => {
    const [migrations, keys] = [await testMigrations(), await keepDevelopmentKeys(database)];
    const config = readConfig({}, "development");
    const log = createLog("error", () => undefined);
    const app = createApp(await createAppDeps({ config, keys, database, migrations, log }));
    const ask = async (headers: Record<string, string>): Promise<string[]> => {
      const sent = {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: "{}",
      };
      const answer = await app.request("http://localhost:8000/auth/login", sent);
      assert.equal(answer.status, 400);
      return Object.keys(await answer.json());
    };
    assert.deepEqual(await ask({}), ["statusCode", "error", "message"]);
    assert.deepEqual(await ask({ "X-Error-Details": "true" }), ["statusCode", "error", "message", "details"]);
  },
);
