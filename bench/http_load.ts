import { quantile } from "./statistics.ts";

/**
 * Sends requests over a number of connections, each of which waits for its response before the next request, and
 * prints the results. Runs as a separate process that reads a `LoadOrder` as JSON from its standard input. Uses
 * HTTP on bare connections, because `fetch` would cost the machine more than the measured servers.
 */

export interface LoadOrder {
  readonly port: number;
  /** POST by default. */
  readonly method?: "GET" | "POST" | "PUT";
  /** Of a list, the nth connection takes the nth path, and starts over at its end. */
  readonly path: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly token: string;
  /** The bodies of a list are sent in turn over each connection. */
  readonly body: string | readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /**
   * Each connection has a request due this often, and its time counts from then: a server that stalls delays all
   * that become due meanwhile. By default a request follows the response before it.
   */
  readonly everyMs?: number;
  /** A 503 is counted, and does not end the load. */
  readonly mayBeRefused?: boolean;
  /** What each response must have, unless it is refused; 200 by default. */
  readonly status?: number;
}

export interface LoadReport {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Responses with 503 among them. */
  readonly refused: number;
}

const REFUSED = "HTTP/1.1 503";
/** Has no body, and no length of one. */
const NO_CONTENT = "HTTP/1.1 204";
/** Ends a response whose length is not known at its start. */
const LAST_CHUNK = "\r\n0\r\n\r\n";
const BUFFER_BYTES = 64 * 1024;
/** One character per byte. */
const decoder = new TextDecoder("latin1");

async function runLoad(order: LoadOrder): Promise<LoadReport> {
  const startedAt = performance.now();
  const times: number[] = [];
  const connections = Array.from({ length: order.connections }, (_, n) => askRepeatedly(order, n, times));
  const refused = (await Promise.all(connections)).reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    requestsPerSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    maxMs: quantile(times, 1),
    refused,
  };
}

/** Adds the times of one connection. Returns how many requests were refused. */
async function askRepeatedly(order: LoadOrder, n: number, times: number[]): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: order.port });
  const requests = encodeRequests(order, n);
  const buffer = new Uint8Array(BUFFER_BYTES);
  const { everyMs = 0, connections, mayBeRefused = false, status = 200 } = order;
  const expected = { success: `HTTP/1.1 ${status}`, mayBeRefused };
  let refused = 0;
  const startsAt = performance.now();
  const endsAt = startsAt + order.seconds * 1000;
  // The connections of a paced load take turns.
  let dueAt = startsAt + everyMs * n / connections;
  for (let i = 0; dueAt < endsAt && performance.now() < endsAt; i++) {
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      // A timer that rings late is not the server's fault.
      dueAt = performance.now();
    }
    await send(connection, requests[i % requests.length] as Uint8Array);
    if (!await readResponse(connection, buffer, expected)) refused++;
    const now = performance.now();
    times.push(now - dueAt);
    dueAt = everyMs === 0 ? now : startsAt + everyMs * (n / connections + i + 1);
  }
  return refused;
}

function encodeRequests(order: LoadOrder, n: number): Uint8Array[] {
  const { port, method = "POST", token, headers = {} } = order;
  const paths = [order.path].flat();
  return [order.body].flat().map((text) => {
    const body = new TextEncoder().encode(text);
    const lines = [
      `${method} ${paths[n % paths.length]} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      ...Object.entries(method === "GET" ? headers : { "Content-Type": "application/json", ...headers })
        .map(([name, value]) => `${name}: ${value}`),
      ...(method === "GET" ? [] : [`Content-Length: ${body.length}`]),
    ];
    return new Uint8Array([...new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`), ...body]);
  });
}

async function send(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

interface Expected {
  /** How a response begins. */
  readonly success: string;
  readonly mayBeRefused: boolean;
}

/**
 * Reads one response to its end. Returns whether it has the expected status, or false for 503 if that may be. Throws on
 * any other, because refused requests cost the server almost nothing.
 */
async function readResponse(
  connection: Deno.Conn,
  buffer: Uint8Array,
  { success, mayBeRefused }: Expected,
): Promise<boolean> {
  let text = await readText(connection, buffer);
  while (!text.includes("\r\n\r\n")) text += await readText(connection, buffer);
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  const head = text.slice(0, bodyAt);
  const isSuccess = head.startsWith(success);
  if (!isSuccess && !(mayBeRefused && head.startsWith(REFUSED))) throw new Error(`Not a success: ${text}`);
  if (head.startsWith(NO_CONTENT)) return isSuccess;
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    for (let left = Number(length) - (text.length - bodyAt); left > 0;) {
      left -= (await readText(connection, buffer)).length;
    }
    return isSuccess;
  }
  while (!text.endsWith(LAST_CHUNK)) {
    text = text.slice(-LAST_CHUNK.length) + await readText(connection, buffer);
  }
  return isSuccess;
}

/** What has arrived, as one character per byte. */
async function readText(connection: Deno.Conn, buffer: Uint8Array): Promise<string> {
  const count = await connection.read(buffer);
  if (count === null) throw new Error("The server closed the connection");
  return decoder.decode(buffer.subarray(0, count));
}

if (import.meta.main) {
  const order: LoadOrder = await new Response(Deno.stdin.readable).json();
  const report = JSON.stringify(await runLoad(order));
  Deno.stdout.writeSync(new TextEncoder().encode(`${report}\n`));
}

/** A check of one role, as the path and body of a load. */
export function checkOf(roleId: number | undefined): { path: string; body: string } {
  return {
    path: "/v1/rights/check",
    body: JSON.stringify({ checks: [{ roleId, right: "viewManagement" }] }),
  };
}
