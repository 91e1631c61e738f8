import assert from "node:assert/strict";
import { testApp } from "../helpers/http.ts";
import { Buffer } from "node:buffer";

/** Sends a request over a connection of its own, and returns the head of the response, a character for each byte. */
async function headOf(port: number, head: string): Promise<string> {
  using connection = await Deno.connect({ port });
  await connection.write(Buffer.from(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`, "latin1"));
  let text = "";
  const buffer = new Uint8Array(65_536);
  for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
    text += Buffer.from(buffer.subarray(0, count)).toString("latin1");
  }
  return text.slice(0, text.indexOf("\r\n\r\n"));
}

testApp("AuthZEN responses repeat the bytes of any request id", async (target) => {
  await using server = Deno.serve(
    { port: 0, hostname: "localhost", onListen: () => {} },
    (request, info) => target.app.fetch(request, info),
  );
  const ids = ["a b", "caf\u00c3\u00a9", "\u00ff\u0080", "a\tb", 'x, "y"; z', "i".repeat(5000), ""];
  for (const id of ids) {
    const head = await headOf(server.addr.port, `POST /access/v1/evaluation HTTP/1.1\r\nX-Request-ID: ${id}`);
    assert.match(head, /^HTTP\/1\.1 401 /);
    assert.equal(/\r\nx-request-id:[ ]?([^\r]*)/i.exec(head)?.[1], id);
  }
  const elsewhere = await headOf(server.addr.port, "GET /v1/role HTTP/1.1\r\nX-Request-ID: a b");
  assert.match(elsewhere, /\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
});
