import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Hono } from "hono";
import type { AppEnv } from "../../src/http/env.ts";

/** Requests in the bytes of a client, over a connection that stays open. */

/** Serves an app on a free port of this machine. */
export function serveLocally({ fetch }: Pick<Hono<AppEnv>, "fetch">): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => undefined },
    (request, { remoteAddr }) => fetch(request, { remoteAddr }),
  );
}

/** Connects to such a server. */
export function connectTo({ addr }: Deno.HttpServer<Deno.NetAddr>): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port: addr.port });
}

export interface RawResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends the bytes of a whole request, and reads the response. */
export async function sendBytes(connection: Deno.TcpConn, bytes: Uint8Array): Promise<RawResponse> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  return await readResponse(connection);
}

/** Reads one response. In Latin-1 it has one character for each byte. */
async function readResponse(connection: Deno.TcpConn): Promise<RawResponse> {
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const count = await connection.read(buffer);
    assert.ok(count !== null, `the connection was closed after ${JSON.stringify(text)}`);
    text += Buffer.from(buffer.subarray(0, count)).toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) continue;
    const status = Number(text.split(" ", 2)[1]);
    const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
    const rest = text.slice(end + 4);
    const body = status === 204 ? "" : length === undefined ? joinChunks(rest) : rest;
    if (body === undefined || length !== undefined && body.length < Number(length)) continue;
    return { status, body: Buffer.from(body, "latin1").toString() };
  }
}

/** Joins the chunks of a body (RFC 9112, 7.1); undefined until the last one is there. */
function joinChunks(chunks: string): string | undefined {
  let body = "";
  for (let at = 0;;) {
    const line = chunks.indexOf("\r\n", at);
    if (line === -1) return undefined;
    const size = parseInt(chunks.slice(at, line), 16);
    if (chunks.length < line + size + 4) return undefined;
    if (size === 0) return body;
    body += chunks.slice(line + 2, line + 2 + size);
    at = line + size + 4;
  }
}
