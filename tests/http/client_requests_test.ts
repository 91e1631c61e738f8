/** Requests in the bytes of common HTTP libraries are understood, over real connections. */
import assert from "node:assert/strict";
import { connectTo, serveLocally } from "../helpers/raw_http.ts";
import { openQuickApp } from "../helpers/test_app.ts";

/**
 * What a library sent to a listener. Headers that say only which library it is are left out, and so is
 * `Connection: keep-alive`, so that the response ends.
 */
interface Recorded {
  readonly library: string;
  /** By default a query for roles. `{role}` is the id of the root. */
  readonly request?: string;
  readonly headers: readonly string[];
  readonly body?: string;
  /** 200 by default. */
  readonly status?: number;
}

const QUERY = "POST /v1/role/query";
const JSON_TYPE = "Content-Type: application/json";
const ANY_ANSWER = ["Accept: */*", "Accept-Encoding: gzip, deflate"];
const AXIOS_ACCEPT = "Accept: application/json, text/plain, */*";

const RECORDED: readonly Recorded[] = [
  {
    library: "requests 2.34, json=",
    headers: ["Accept-Encoding: gzip, deflate", "Accept: */*", "Content-Length: 12", JSON_TYPE],
    body: '{"limit": 1}',
  },
  {
    library: "requests 2.34, a generator",
    headers: ["Accept-Encoding: gzip, deflate", "Accept: */*", JSON_TYPE, "Transfer-Encoding: chunked"],
    body: '9\r\n{"limit":\r\n2\r\n1}\r\n0\r\n\r\n',
  },
  {
    library: "requests 2.34, params= and no body",
    request: "PUT /v1/role/{role}/member?userEmail=a%2Bb%40example.com",
    headers: ["Accept-Encoding: gzip, deflate", "Accept: */*", "Content-Length: 0"],
  },
  {
    library: "httpx 0.28, params=",
    request: "GET /v1/role?name=the+root&id={role}&id=999&limit=1",
    headers: ANY_ANSWER,
  },
  {
    library: "aiohttp 3.14, no body",
    headers: [...ANY_ANSWER, "Content-Length: 0", "Content-Type: application/octet-stream"],
  },
  {
    library: "fetch of Node 20",
    headers: [
      JSON_TYPE,
      "accept: */*",
      "accept-language: *",
      "sec-fetch-mode: cors",
      "accept-encoding: gzip, deflate",
      "content-length: 11",
    ],
    body: '{"limit":1}',
  },
  {
    library: "axios 1.21, a type for every request",
    request: "GET /v1/role/*/manages?limit=1",
    headers: [AXIOS_ACCEPT, JSON_TYPE, "Accept-Encoding: gzip, compress, deflate, br"],
  },
  {
    library: "axios 1.21, no data",
    headers: [AXIOS_ACCEPT, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 0"],
  },
  {
    library: "axios 1.21, data with a deletion",
    request: "DELETE /v1/role/{role}/manages/999",
    headers: [AXIOS_ACCEPT, JSON_TYPE, "Content-Length: 2"],
    body: "{}",
    status: 403,
  },
  {
    library: "curl 7.88 with a long body",
    headers: ["Accept: */*", JSON_TYPE, "Expect: 100-continue", "Content-Length: 11"],
    body: '{"limit":1}',
  },
  {
    library: "net/http of Go 1.26, a reader of unknown length",
    headers: ["Transfer-Encoding: chunked", JSON_TYPE, "Accept-Encoding: gzip"],
    body: 'b\r\n{"limit":1}\r\n0\r\n\r\n',
  },
  {
    library: "net/http of Go 1.26, no body",
    headers: ["Content-Length: 0", JSON_TYPE, "Accept-Encoding: gzip"],
  },
  ...["application/json; charset=utf-8", "application/json;charset=UTF-8"].map((type) => ({
    library: `a library that sends ${type}`,
    headers: [`Content-Type: ${type}`, "Content-Length: 11"],
    body: '{"limit":1}',
  })),
];

async function serveApp() {
  const target = await openQuickApp();
  const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "the root");
  const server = serveLocally(target.app);
  return {
    role: roleId,
    token: await target.accessToken(userId),
    /** Sends bytes, each the code of a character, and reads the response until the connection is closed. */
    async ask(text: string): Promise<string> {
      using connection = await connectTo(server);
      await connection.write(Uint8Array.from(text, (character) => character.charCodeAt(0)));
      return await new Response(connection.readable).text();
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await target[Symbol.asyncDispose]();
    },
  };
}

function head(request: string, headers: readonly string[]): string {
  return [`${request} HTTP/1.1`, "Host: rolegrid.test", ...headers, "", ""].join("\r\n");
}

/** The responses without an interim 100. */
function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
}

Deno.test("requests in the exact form of common HTTP libraries are understood", async () => {
  await using served = await serveApp();
  const added = [`Authorization: Bearer ${served.token}`, "Connection: close"];
  for (const { library, request = QUERY, headers, body = "", status = 200 } of RECORDED) {
    const asked = head(request.replace("{role}", String(served.role)), [...headers, ...added]);
    const answer = await served.ask(asked + body);
    assert.deepEqual(statusesOf(answer), [status], `${library}: ${answer}`);
  }
});

Deno.test("a connection stays usable after a 405, although the body was not read", async () => {
  await using served = await serveApp();
  const refused = head("PATCH /v1/role/query", ["Content-Length: 5"]) + "hello";
  const answer = await served.ask(refused + head("GET /healthz", ["Connection: close"]));
  assert.deepEqual(statusesOf(answer), [405, 200], answer);
  assert.match(answer, /^allow: POST\r$/im);
});

Deno.test("the Authorization and X-Request-ID headers are parsed from raw bytes", async () => {
  await using served = await serveApp();
  const ask = (headers: readonly string[]): Promise<string> =>
    served.ask(head("GET /v1/role?limit=1", [...headers, "Connection: close"]));
  for (const scheme of ["Bearer ", "bearer    "]) {
    assert.deepEqual(statusesOf(await ask([`Authorization: ${scheme}${served.token}  `])), [200], scheme);
  }
  const basic = await ask(["Authorization: Basic YTpi"]);
  assert.deepEqual(statusesOf(basic), [401]);
  assert.match(basic, /^www-authenticate: Bearer\r$/im);
  assert.match(await ask(["X-Request-ID:   client-1 \t"]), /^x-request-id: client-1\r$/im);
  const own = /^x-request-id: [0-9a-f]{8}-[0-9a-f-]{27}\r$/im;
  assert.match(await ask(["X-Request-ID: caf\u00e9"]), own);
  assert.match(await ask(["X-Request-ID: one", "X-Request-ID: two"]), own);
});
