/// <reference lib="deno.worker" />
import { ATTACK_LIMIT_MS } from "./bounds.ts";

/**
 * A client with one connection that asks `GET /user` all the time, on a thread of its own, so that what the attackers do
 * in the process of the test does not delay it. Told to `begin`, it starts a list of times; told to `end`, it reports
 * the list once the request under way has its answer.
 */

export interface VictimOrder {
  readonly port: number;
  readonly token: string;
}

/** Times in milliseconds, and what went wrong. */
export interface VictimReport {
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

const PAUSE_MS = 2;
const SUCCESS = "HTTP/1.1 200";
const decoder = new TextDecoder();
let times: number[] = [];
let failures: string[] = [];
let isReportDue = false;

self.onmessage = ({ data }: MessageEvent<VictimOrder | "begin" | "end">): void => {
  if (data === "end") isReportDue = true;
  else if (data === "begin") [times, failures] = [[], []];
  else void askForever(data);
};

async function askForever({ port, token }: VictimOrder): Promise<void> {
  const request = new TextEncoder().encode(
    `GET /user HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  const buffer = new Uint8Array(16_384);
  let connection: Deno.Conn | undefined;
  for (;;) {
    const startedAt = performance.now();
    let watch: ReturnType<typeof setTimeout> | undefined;
    try {
      connection ??= await Deno.connect({ hostname: "127.0.0.1", port });
      const open = connection;
      watch = setTimeout(() => open.close(), ATTACK_LIMIT_MS);
      await connection.write(request);
      // The answer is a few hundred bytes, which arrive together.
      const count = await connection.read(buffer) ?? 0;
      const text = decoder.decode(buffer.subarray(0, count));
      if (!text.startsWith(SUCCESS)) failures.push(text.split("\r\n", 1)[0] || "The connection was closed");
      if (count === 0) connection = undefined;
    } catch (error) {
      failures.push(String(error));
      connection = undefined;
    }
    clearTimeout(watch);
    times.push(performance.now() - startedAt);
    if (isReportDue) {
      isReportDue = false;
      self.postMessage({ times, failures } satisfies VictimReport);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
