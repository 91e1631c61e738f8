/** The contract finds each kind of fault in a request or response. */
import assert from "node:assert/strict";
import { type ApiDocument, type Described, operationsOf } from "./api_document.ts";
import { type Answer, DENIED, succeed } from "../helpers/http.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { Contract } from "./contract.ts";
import { curlLine } from "./curl_line.ts";
import { echoesOf } from "./echoes.ts";
import { MARK } from "./hostile_values.ts";
import type { Outgoing } from "./steps.ts";

async function readContract(): Promise<Contract> {
  await using target = await openTestApp("file");
  return new Contract(await succeed<ApiDocument>(target, "GET", "/openapi.json"));
}

function operationNamed({ document }: Contract, name: string): Described {
  const found = operationsOf(document).find(({ operationId }) => operationId === name);
  assert.ok(found, name);
  return found;
}

function outgoing(change: Partial<Outgoing> = {}): Outgoing {
  return {
    method: "POST",
    path: "/v1/role/query",
    headers: new Headers({ "Content-Type": "application/json" }),
    body: "{}",
    query: new URLSearchParams(),
    pathTexts: new Map(),
    ...change,
  };
}

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const all = { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers };
  return { status, headers: new Headers(all), text: JSON.stringify(body), body };
}

const FORBIDDEN = { statusCode: 403, error: "Forbidden", message: DENIED };
const UNVERIFIED = { statusCode: 401, error: "Unauthorized", message: "Failed to verify token" };
const WAIT = { statusCode: 429, error: "Too Many Requests", message: "TOO_MANY_INVITATIONS", retryAfter: 5 };
const CHALLENGE = { "WWW-Authenticate": 'Bearer error="invalid_token"' };

Deno.test("the contract accepts the service's responses", async () => {
  const contract = await readContract();
  const faults = (name: string, given: Answer): string[] =>
    contract.faultsOf(operationNamed(contract, name), outgoing(), given);
  assert.deepEqual(faults("queryRoles", answer(200, { role: [] })), []);
  assert.deepEqual(faults("queryRoles", answer(401, UNVERIFIED, CHALLENGE)), []);
  assert.deepEqual(faults("updateRole", answer(403, FORBIDDEN)), []);
});

Deno.test("the contract finds each kind of fault in a response", async () => {
  const contract = await readContract();
  const cases: [string, Answer, RegExp][] = [
    ["queryRoles", answer(500, {}), /status 500/],
    ["queryRoles", answer(503, {}), /status 503/],
    ["queryRoles", answer(403, FORBIDDEN), /403 is not documented/],
    ["queryRoles", answer(404, {}), /404 is not documented/],
    ["queryRoles", answer(200, { role: [], extra: 1 }), /additional properties/],
    ["queryRoles", answer(200, {}), /required property 'role'/],
    ["queryRoles", answer(200, { role: [] }, { "Content-Type": "text/plain" }), /content type/],
    ["queryRoles", answer(200, { role: [] }, { "Cache-Control": "public" }), /Cache-Control public/],
    ["queryRoles", answer(401, UNVERIFIED), /WWW-Authenticate null/],
    ["queryRoles", answer(401, { ...UNVERIFIED, message: "No" }, CHALLENGE), /"No" is not documented/],
    ["updateRole", answer(403, { ...FORBIDDEN, details: [] }), /error fields/],
    ["updateRole", answer(403, { ...FORBIDDEN, error: "No" }), /error named/],
    ["updateRole", answer(403, FORBIDDEN, { "Retry-After": "5" }), /Retry-After 5/],
    ["updateRole", answer(403, FORBIDDEN, { "Cache-Control": "public" }), /Cache-Control/],
    ["addMember", answer(429, WAIT), /Retry-After null/],
    ["addMember", answer(429, WAIT, { "Retry-After": "6" }), /Retry-After and retryAfter/],
  ];
  for (const [name, given, fault] of cases) {
    const found = contract.faultsOf(operationNamed(contract, name), outgoing(), given).join("\n");
    assert.match(found, fault, `${name} ${given.status}`);
  }
});

Deno.test("the contract finds a request that succeeds although its description forbids it", async () => {
  const contract = await readContract();
  const success = answer(200, { role: [] });
  const cases: [Partial<Outgoing>, RegExp][] = [
    [{ body: '{"filter":{"id":["1"]}}' }, /accepted queryRoles body/],
    [{ body: '{"further":1}' }, /accepted queryRoles body/],
    [{ query: new URLSearchParams("limit=0") }, /accepted queryRoles query limit/],
    [{ query: new URLSearchParams("limit=1&limit=2") }, /accepted queryRoles query limit/],
    [{ query: new URLSearchParams("further=1") }, /unknown query parameters \["further"\]/],
  ];
  for (const [change, fault] of cases) {
    const operation = operationNamed(contract, "queryRoles");
    assert.match(contract.faultsOf(operation, outgoing(change), success).join("\n"), fault);
  }
});

Deno.test("the contract finds a text that is refused for a length that the document allows", async () => {
  const contract = await readContract();
  const operation = operationNamed(contract, "activateTotp");
  const message = "Missing or misformatted query parameter or body";
  const details = [{ path: "body.totp", message: "Expected exactly 6 characters" }];
  const refused = answer(400, { statusCode: 400, error: "Bad Request", message, details });
  const faultsOf = (totp: string): string[] => {
    const headers = new Headers({ "Content-Type": "application/json", "X-Error-Details": "true" });
    return contract.faultsOf(operation, outgoing({ headers, body: JSON.stringify({ totp }) }), refused);
  };
  for (const totp of ["12345", "123456\u{1d7d8}"]) assert.deepEqual(faultsOf(totp), []);
  assert.match(faultsOf("12345\u{1d7d8}").join(), /refused for a length that the document allows/);
});

Deno.test("the contract checks addresses in requests and in responses", async () => {
  const contract = await readContract();
  const operation = operationNamed(contract, "addMember");
  const faultsOf = (sent: string, returned: string): string => {
    const member = { id: 1, roleId: 1, userEmail: returned };
    const query = new URLSearchParams({ userEmail: sent });
    const pathTexts = new Map([["roleId", "1"]]);
    return contract.faultsOf(operation, outgoing({ query, pathTexts }), answer(200, { member })).join();
  };
  assert.equal(faultsOf(" Ada\u00fc@B\u00fccher.example", "ada\u00fc@b\u00fccher.example"), "");
  assert.match(faultsOf("ada", "ada@example.com"), /accepted addMember query userEmail: .*"email"/);
  assert.match(faultsOf("ada@example.com", "Ada@example.com"), /addMember answer 200: .*"email"/);
});

Deno.test("the check for echoes finds a secret anywhere, and a marked text in errors, headers and the log", () => {
  const secret = 'sesame "open"';
  const sent = outgoing({ body: JSON.stringify({ inner: [{ password: secret }] }) });
  assert.deepEqual(echoesOf(sent, answer(200, { role: [MARK] }), ["{}"]), []);
  assert.equal(echoesOf(sent, answer(200, { name: secret }), []).length, 1);
  assert.equal(echoesOf(sent, answer(200, {}), [JSON.stringify({ path: secret })]).length, 1);
  assert.equal(echoesOf(sent, answer(200, {}, { Link: `<${MARK}>` }), []).length, 1);
  assert.equal(echoesOf(sent, answer(400, { message: MARK }), []).length, 1);
  assert.equal(echoesOf(sent, answer(200, [{ error: `Invalid format: ${MARK}` }]), []).length, 1);
  assert.equal(echoesOf(sent, answer(200, {}), [MARK]).length, 1);
});

Deno.test("a request is shown as a shell line without its token, with invisible characters escaped", () => {
  const headers = new Headers({ Authorization: "Bearer secret", "Content-Type": "application/json" });
  const sent = outgoing({ headers, body: '{"name":"it\'s\u0000\ud800"}' });
  const line = curlLine(sent, "access token of member");
  assert.equal(
    line,
    "curl -X POST '$URL/v1/role/query' -H 'Authorization: Bearer <access token of member>' " +
      `-H 'content-type: application/json' --data-binary $'{"name":"it\\'s\\u{0}\\u{d800}"}'`,
  );
});
