/** The service has the methods and paths of its document, and no others. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { type ApiDocument, exampleOf, operationsOf } from "./api_document.ts";
import { assertError, send, succeed, testApp } from "../helpers/http.ts";
import { FOR_PROXIES } from "../every_operation/authzen_requests.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { MARK } from "./hostile_values.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY", MARK];
const UNKNOWN = "Resource not found";
const NOT_ALLOWED = "The resource does not have this method";

/** A path of the document with unknown ids in it, as an administrator may ask for it. */
async function openDocument(
  target: TestApp,
): Promise<{ document: ApiDocument; token: string; paths: string[] }> {
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const { userId } = await target.bootstrapRoot("admin@example.com", "Root");
  return { document, token: await target.accessToken(userId), paths: Object.keys(document.paths) };
}

/** Whether a path with ids filled in belongs to any operation. An id in a pattern matches any text. */
function isDescribed(document: ApiDocument, method: string, filled: string): boolean {
  return operationsOf(document).some((operation) => {
    const pattern = new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return operation.method === method && pattern.test(filled);
  });
}

function fill(path: string): string {
  return path.replaceAll(/\{\w+\}/g, "999999");
}

/** The value of `Allow` at a path of the document. */
function allowedMethods({ paths }: ApiDocument, path: string): string {
  const names = Object.entries(paths).flatMap(([other, operations]) =>
    fill(other) === fill(path) ? Object.keys(operations) : []
  );
  const methods = names.map((name) => name.toUpperCase());
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
}

testApp(
  "an undocumented method gets a 405 that lists the documented ones, for any caller and without the database",
  async (target) => {
    const { document, token, paths } = await openDocument(target);
    const fail = (): Promise<never> => Promise.reject(new Error("the database was asked"));
    const database = { ...target.database, read: fail, readAll: fail, write: fail };
    const request = requestsTo(createApp({ ...target.deps, database }));
    let asked = 0;
    for (const path of paths) {
      // Its document shows one method for all.
      if (FOR_PROXIES.endsWith(` ${path}`)) continue;
      const allowed = allowedMethods(document, path);
      for (const method of METHODS) {
        if (allowed.split(", ").includes(method)) continue;
        for (const sent of [{}, { token }, { token: "not-a-token", headers: { Origin: "https://a.test" } }]) {
          const answer = await send({ request }, method, `${fill(path)}?a=1`, sent);
          assertError(answer, 405, NOT_ALLOWED, `${method} ${path}`);
          assert.equal(answer.headers.get("Allow"), allowed, `${method} ${path}`);
        }
        asked++;
      }
    }
    assert.ok(asked > paths.length);
  },
);

testApp("HEAD gets a 405 on a path without GET", async (target) => {
  const response = await target.request("/v1/role/query", { method: "HEAD" });
  assert.deepEqual([response.status, await response.text()], [405, ""]);
  assert.equal(response.headers.get("Allow"), "POST");
});

testApp("the files of /docs, which the document omits, allow only GET and HEAD", async (target) => {
  const answer = await send(target, "DELETE", "/docs/page.js");
  assertError(answer, 405, NOT_ALLOWED);
  assert.equal(answer.headers.get("Allow"), "GET, HEAD");
});

testApp("HEAD responds like GET, without the body", async (target) => {
  const { document, token } = await openDocument(target);
  const ignored = new Set(["x-request-id", "content-length", "transfer-encoding"]);
  const headersOf = (headers: Headers): [string, string][] =>
    [...headers].filter(([name]) => !ignored.has(name))
      .map(([name, value]) => [name, value.replaceAll(/'nonce-[^']+'/g, "'nonce'")]);
  for (const operation of operationsOf(document)) {
    if (operation.method !== "GET") continue;
    const { path } = exampleOf(operation);
    const get = await send(target, "GET", path, { token });
    const head = await target.request(path, {
      method: "HEAD",
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.deepEqual([head.status, await head.text()], [get.status, ""], path);
    assert.deepEqual(headersOf(head.headers), headersOf(get.headers), path);
  }
});

testApp(
  "a path that only resembles a documented one gets a 404, or a 405 if it matches another one",
  async (target) => {
    const { document, token } = await openDocument(target);
    const nearly = (path: string): string[] => [
      `${path}/`,
      `/${path}`,
      `${path}/${MARK}`,
      `/${MARK}${path}`,
      `${path}%00`,
      `${path};${MARK}=1`,
      path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
      ...(path.includes("{") ? [path.replace(/\{\w+\}/, ""), path.replace(/\{\w+\}/, "1/2")] : []),
    ];
    for (const { method, path } of operationsOf(document)) {
      for (const wrong of nearly(path)) {
        // That one leads to /docs.
        if (isDescribed(document, method, fill(wrong)) || wrong === "/docs/") continue;
        const answer = await send(target, method, fill(wrong), { token });
        const context = `${method} ${wrong}`;
        const isOther = METHODS.some((other) => isDescribed(document, other, fill(wrong)));
        if (isOther) assertError(answer, 405, NOT_ALLOWED, context);
        else assertError(answer, 404, UNKNOWN, context);
        assert.ok(!JSON.stringify([...answer.headers]).includes(MARK), context);
      }
    }
    assert.ok(!target.logLines.join("\n").includes(MARK));
  },
);
