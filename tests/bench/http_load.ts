import { quantile } from "./statistics.ts";

/**
 * Sends one request repeatedly over a number of connections, each of which waits for its response before the
 * next request, and prints the results. Runs as a separate process: `http_load.ts` with a `LoadOrder` as JSON
 * as its only argument. Uses HTTP on bare connections, because `fetch` would cost the machine more than the
 * measured servers.
 */

export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadReport {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const SUCCESS = "HTTP/1.1 200";
const decoder = new TextDecoder();

async function runLoad(order: LoadOrder): Promise<LoadReport> {
  const startedAt = performance.now();
  const times: number[] = [];
  const connections = Array.from({ length: order.connections }, () => askRepeatedly(order, times));
  await Promise.all(connections);
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  return {
    requestsPerSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

async function askRepeatedly(order: LoadOrder, times: number[]): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: order.port });
  const request = new TextEncoder().encode(requestText(order));
  const buffer = new Uint8Array(64 * 1024);
  const endsAt = performance.now() + order.seconds * 1000;
  for (let now = performance.now(); now < endsAt;) {
    await connection.write(request);
    await readResponse(connection, buffer);
    const after = performance.now();
    times.push(after - now);
    now = after;
  }
}

function requestText({ port, path, token, body }: LoadOrder): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/**
 * Reads one response to its end. Throws on any status but 200, because refused requests cost the server almost
 * nothing.
 */
async function readResponse(connection: Deno.Conn, buffer: Uint8Array): Promise<void> {
  let length = 0;
  for (let end = Infinity; length < end;) {
    const count = await connection.read(buffer.subarray(length));
    if (count === null) throw new Error("The server closed the connection");
    length += count;
    if (end !== Infinity) continue;
    const text = decoder.decode(buffer.subarray(0, length));
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd === -1) continue;
    const contentLength = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    if (!text.startsWith(SUCCESS) || contentLength === undefined) throw new Error(`Not a success: ${text}`);
    end = headEnd + 4 + Number(contentLength);
  }
}

if (import.meta.main) {
  const order: LoadOrder = JSON.parse(Deno.args[0] ?? "{}");
  const report = JSON.stringify(await runLoad(order));
  Deno.stdout.writeSync(new TextEncoder().encode(`${report}\n`));
}
