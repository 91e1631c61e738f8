import assert from "node:assert/strict";
import { ANY_KIND } from "../helpers/databases.ts";
import { createApp } from "../../src/app.ts";
import { openTestApp } from "../helpers/test_app.ts";

/**
 * Requests as HTTP libraries send them, over real connections. Each is what the library sent to a listener; headers that
 * say only which library it is are left out, and so is `Connection: keep-alive`, so that the response ends.
 */

interface Recorded {
  readonly library: string;
  /** `{role}` is the id of the root, `{token}` an access token. */
  readonly request: string;
  readonly headers: readonly string[];
  readonly body?: string;
  readonly status: number;
}

const QUERY = "POST /v1/role/query";
const JSON_TYPE = "Content-Type: application/json";

const RECORDED: readonly Recorded[] = [
  {
    library: "requests 2.34, json=",
    request: QUERY,
    headers: ["Accept-Encoding: gzip, deflate", "Accept: */*", "Content-Length: 12", JSON_TYPE],
    body: '{"limit": 1}',
    status: 200,
  },
  {
    library: "requests 2.34, a generator",
    request: QUERY,
    headers: ["Accept-Encoding: gzip, deflate", "Accept: */*", JSON_TYPE, "Transfer-Encoding: chunked"],
    body: '9\r\n{"limit":\r\n2\r\n1}\r\n0\r\n\r\n',
    status: 200,
  },
  {
    library: "requests 2.34, params= and no body",
    request: "PUT /v1/role/{role}/member?userEmail=a%2Bb%40example.com",
    headers: ["Accept-Encoding: gzip, deflate", "Accept: */*", "Content-Length: 0"],
    status: 200,
  },
  {
    library: "httpx 0.28, params=",
    request: "GET /v1/role?name=the+root&id={role}&id=999&limit=1",
    headers: ["Accept: */*", "Accept-Encoding: gzip, deflate"],
    status: 200,
  },
  {
    library: "aiohttp 3.14, no body",
    request: QUERY,
    headers: [
      "Accept: */*",
      "Accept-Encoding: gzip, deflate",
      "Content-Length: 0",
      "Content-Type: application/octet-stream",
    ],
    status: 200,
  },
  {
    library: "fetch of Node 20",
    request: QUERY,
    headers: [
      JSON_TYPE,
      "accept: */*",
      "accept-language: *",
      "sec-fetch-mode: cors",
      "accept-encoding: gzip, deflate",
      "content-length: 11",
    ],
    body: '{"limit":1}',
    status: 200,
  },
  {
    library: "axios 1.21, a type for every request",
    request: "GET /v1/role/*/manages?limit=1",
    headers: [
      "Accept: application/json, text/plain, */*",
      JSON_TYPE,
      "Accept-Encoding: gzip, compress, deflate, br",
    ],
    status: 200,
  },
  {
    library: "axios 1.21, no data",
    request: QUERY,
    headers: [
      "Accept: application/json, text/plain, */*",
      "Content-Type: application/x-www-form-urlencoded",
      "Content-Length: 0",
    ],
    status: 200,
  },
  {
    library: "axios 1.21, data with a deletion",
    request: "DELETE /v1/role/{role}/manages/999",
    headers: ["Accept: application/json, text/plain, */*", JSON_TYPE, "Content-Length: 2"],
    body: "{}",
    status: 403,
  },
  {
    library: "curl 7.88 with a long body",
    request: QUERY,
    headers: ["Accept: */*", JSON_TYPE, "Expect: 100-continue", "Content-Length: 11"],
    body: '{"limit":1}',
    status: 200,
  },
  {
    library: "net/http of Go 1.26, a reader of unknown length",
    request: QUERY,
    headers: ["Transfer-Encoding: chunked", JSON_TYPE, "Accept-Encoding: gzip"],
    body: 'b\r\n{"limit":1}\r\n0\r\n\r\n',
    status: 200,
  },
  {
    library: "net/http of Go 1.26, no body",
    request: QUERY,
    headers: ["Content-Length: 0", JSON_TYPE, "Accept-Encoding: gzip"],
    status: 200,
  },
  ...["application/json; charset=utf-8", "application/json;charset=UTF-8"].map((type) => ({
    library: `a library that sends ${type}`,
    request: QUERY,
    headers: [`Content-Type: ${type}`, "Content-Length: 11"],
    body: '{"limit":1}',
    status: 200,
  })),
];

interface Served extends AsyncDisposable {
  readonly role: number;
  readonly token: string;
  /** Sends bytes, each the code of a character, and reads the response until the connection is closed. */
  ask(text: string): Promise<string>;
}

async function serveApp(): Promise<Served> {
  const target = await openTestApp(ANY_KIND);
  const app = createApp(target.deps);
  const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "the root");
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => undefined },
    (request, { remoteAddr }) => app.fetch(request, { remoteAddr }),
  );
  const { port } = server.addr as Deno.NetAddr;
  return {
    role: roleId,
    token: await target.accessToken(userId),
    async ask(text) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
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
  for (const { library, request, headers, body = "", status } of RECORDED) {
    const asked = head(request.replace("{role}", String(served.role)), [
      ...headers,
      `Authorization: Bearer ${served.token}`,
      "Connection: close",
    ]);
    const answer = await served.ask(asked + body);
    assert.deepEqual(statusesOf(answer), [status], `${library}: ${answer}`);
  }
});

Deno.test("a connection stays usable after a 405, although the body was not read", async () => {
  await using served = await serveApp();
  const answer = await served.ask(
    head("PATCH /v1/role/query", ["Content-Length: 5"]) + "hello" +
      head("GET /healthz", ["Connection: close"]),
  );
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
