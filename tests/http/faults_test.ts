import assert from "node:assert/strict";
import { send, testApp } from "../helpers/http.ts";

interface Detail {
  readonly path: string;
  readonly message: string;
}

testApp(
  "a 400 names at most 20 faults of a body, and only one for a list that is too long",
  async (target) => {
    const { accessToken: token } = await target.createUser("user@example.com");
    const detailsOf = async (path: string, body: unknown): Promise<Detail[]> => {
      const answer = await send(target, "POST", path, {
        token,
        body,
        headers: { "X-Error-Details": "true" },
      });
      assert.equal(answer.status, 400, answer.text);
      return (answer.body as { details: Detail[] }).details;
    };
    const faults = await detailsOf("/v1/rights/check", { checks: Array(1000).fill({}) });
    assert.equal(faults.length, 20);
    assert.deepEqual(faults[3], { path: "body.checks.1.right", message: "Required field is missing" });
    const few = await detailsOf("/v1/rights/check", { checks: Array(5).fill({ roleId: "one", right: 1 }) });
    assert.equal(few.length, 10);
    assert.deepEqual(await detailsOf("/v1/rights/check", { checks: Array(1001).fill({}) }), [
      { path: "body.checks", message: "Expected at most 1000 elements" },
    ]);
    assert.deepEqual(await detailsOf("/v1/role/query", { filter: { id: Array(1001).fill("x") } }), [
      { path: "body.filter.id", message: "Expected at most 1000 elements" },
    ]);
  },
);

testApp(
  "a body with more values than any operation accepts is refused before it is parsed",
  async (target) => {
    const { accessToken: token } = await target.createUser("user@example.com");
    const rawBody = `{"filter":{"id":[${"1,".repeat(100_000)}1]}}`;
    const headers = { "Content-Type": "application/json", "X-Error-Details": "true" };
    const answer = await send(target, "POST", "/v1/role/query", { token, rawBody, headers });
    const { details } = answer.body as { details: Detail[] };
    assert.deepEqual(details, [{ path: "body", message: "Expected JSON with at most 100000 values" }]);
  },
);

testApp(
  "escapes in names are refused unless names are free, and then 1000 different ones are allowed",
  async (target) => {
    const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Root");
    const token = await target.accessToken(userId);
    const ask = (path: string, rawBody: string) =>
      send(target, "POST", path, {
        token,
        rawBody,
        headers: { "Content-Type": "application/json", "X-Error-Details": "true" },
      });
    const named = await ask("/v1/role/query", String.raw`{"\u0066ilter":{}}`);
    assert.deepEqual((named.body as { details: Detail[] }).details, [
      { path: "body", message: "Expected names without escapes" },
    ]);
    const properties = (count: number): string =>
      Array.from({ length: count }, (_, i) => String.raw`"\n${i.toString(36)}":1`).join();
    const create = (count: number, nodeId: string) =>
      ask(`/v1/device?roleId=${roleId}`, `{"properties":{"nodeId":"${nodeId}",${properties(count)}}}`);
    assert.equal((await create(1000, "a")).status, 200);
    const refused = await create(1001, "b");
    assert.deepEqual((refused.body as { details: Detail[] }).details, [
      { path: "body", message: "Expected at most 1000 different names with escapes" },
    ]);
  },
);
