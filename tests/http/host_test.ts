/** A Host that is not host[:port] is refused, and no Host chooses the operation. */
import assert from "node:assert/strict";
import { assertError, MALFORMED, send, testApp } from "../helpers/http.ts";
import { connectTo, serveLocally } from "../helpers/raw_http.ts";

const WRONG_PARTS = ["x/healthz?", "x/y", "x?", "x#", "a b", "a@b", "a\\b", "a, b", 'a"b'];
const WRONG = [...WRONG_PARTS, "a:b", "a:99999", "[::1", "[::::]"];
const NAMES = ["localhost", "rolegrid.test:8000", "xn--bcher-kva.example", "a_b"];
const RIGHT = [...NAMES, "192.0.2.1", "[2001:db8::1]:80"];

testApp("a Host that is not host[:port] is refused", async (target) => {
  for (const host of WRONG) {
    const answer = await send(target, "GET", "/healthz", { headers: { Host: host } });
    assertError(answer, 400, MALFORMED, host);
  }
  for (const host of RIGHT) {
    assert.equal((await send(target, "GET", "/healthz", { headers: { Host: host } })).status, 200, host);
  }
});

testApp("a Host does not choose the operation", async ({ app }) => {
  await using server = serveLocally(app);
  for (const host of WRONG) {
    using connection = await connectTo(server);
    const request = `GET /user HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    const answer = await new Response(connection.readable).text();
    assert.match(answer, /^HTTP\/1\.1 400 /, host);
  }
});
