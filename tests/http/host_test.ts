import assert from "node:assert/strict";
import { ANY_KIND } from "../helpers/databases.ts";
import { assertError, MALFORMED, send, testApp } from "../helpers/http.ts";
import { createApp } from "../../src/app.ts";
import { openTestApp } from "../helpers/test_app.ts";

const WRONG = [
  "x/healthz?",
  "x/y",
  "x?",
  "x#",
  "a b",
  "a@b",
  "a\\b",
  "a:b",
  "a:99999",
  "[::1",
  "[::::]",
  "a, b",
  'a"b',
];
const RIGHT = [
  "localhost",
  "rolegrid.test:8000",
  "192.0.2.1",
  "[2001:db8::1]:80",
  "xn--bcher-kva.example",
  "a_b",
];

testApp("a Host that is not host[:port] is refused", async (target) => {
  for (const host of WRONG) {
    const answer = await send(target, "GET", "/healthz", { headers: { Host: host } });
    assertError(answer, 400, MALFORMED, host);
  }
  for (const host of RIGHT) {
    assert.equal((await send(target, "GET", "/healthz", { headers: { Host: host } })).status, 200, host);
  }
});

Deno.test("a Host does not choose the operation", async () => {
  await using target = await openTestApp(ANY_KIND);
  const app = createApp(target.deps);
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => undefined },
    (request, { remoteAddr }) => app.fetch(request, { remoteAddr }),
  );
  const { port } = server.addr as Deno.NetAddr;
  for (const host of WRONG) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const request = `GET /user HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    const answer = await new Response(connection.readable).text();
    assert.match(answer, /^HTTP\/1\.1 400 /, host);
  }
});
