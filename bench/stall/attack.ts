import { REQUEST_LIMIT_MS } from "../../tests/helpers/request_limit.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

/** In place of a status: the answer was not complete after `REQUEST_LIMIT_MS`. */
export const NO_ANSWER = 0;

/** The worst that is known of one kind of request. */
export interface Attack {
  /** What is sent, as part of a sentence. */
  readonly name: string;
  /**
   * The statuses of responses to requests that did their work, or were refused for their price. Any other fails the
   * test, since requests that are refused for a mistake cost the service nothing.
   */
  readonly answers: readonly number[];
  /**
   * Whether it is also sent to a service whose database is on a server: it writes, its reads are among the longest, or
   * it once ended the service. A server runs the same statements as a file does.
   */
  readonly onServer?: true;
  /** How long it goes on, in milliseconds, if its requests need longer than `ATTACK_MS` to pile up. */
  readonly lasts?: number;
  /** Puts what the attack needs into the database, and returns the attack. It has to be over soon after `endsAt`. */
  prepare(scene: LargeScene): Promise<Strike>;
}

export type Strike = (target: Target) => Promise<void>;

/** The service that is attacked. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** When the attack sends its last requests, by `performance.now()`. May become earlier. */
  readonly endsAt: number;
  /** Counts a response under its status, or as `NO_ANSWER`. */
  readonly note: (status: number) => void;
}

export interface Crowd {
  readonly connections: number;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown;
}

function contentOf({ token, body, headers }: Crowd) {
  const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const sent = isRaw ? body as string | Uint8Array<ArrayBuffer> | undefined : JSON.stringify(body);
  return {
    sent,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
  };
}

/** An attack that sends one request over and over, on each of its connections. */
export function crowdOf(crowd: Crowd): Strike {
  const { connections, method = "POST", path } = crowd;
  const { sent, headers } = contentOf(crowd);

  async function ask(target: Target): Promise<void> {
    const { url, note } = target;
    const init = { method, headers, ...(sent !== undefined && { body: sent }) };
    while (performance.now() < target.endsAt) {
      const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
      try {
        const response = await fetch(`${url}${path}`, { ...init, signal });
        note(response.status);
        await readToEnd(response, target);
      } catch (error) {
        if (!signal.aborted) throw error;
        note(NO_ANSWER);
      }
    }
  }

  return async (target) => {
    await Promise.all(Array.from({ length: connections }, () => ask(target)));
  };
}

/**
 * Reads a response without keeping it, since it may be longer than memory, and does not wait for the rest when the
 * attack is over. A long response may have been cut off, because its branch had too many of them.
 */
async function readToEnd({ body }: Response, target: Target): Promise<void> {
  try {
    for await (const _ of body ?? []) if (performance.now() > target.endsAt) break;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** An attack that sends the body of each request in chunks of one byte. */
export function crumbledOf(crowd: Omit<Crowd, "body">, bytes: number): Strike {
  const { connections, method = "POST", path } = crowd;
  const { headers } = contentOf({ ...crowd, body: "" });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const body = new TextEncoder().encode(`${"1\r\n \r\n".repeat(bytes)}0\r\n\r\n`);

  async function ask({ port, endsAt, note }: Target): Promise<void> {
    while (performance.now() < endsAt) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const head =
        `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n${lines}\r\n`;
      await connection.write(new TextEncoder().encode(head));
      // A refusal may come before the end.
      const sending = writeAll(connection, body).catch(() => undefined);
      note(await readStatus(connection));
      await sending;
    }
  }

  return async (target) => {
    await Promise.all(Array.from({ length: connections }, () => ask(target)));
  };
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** The status of the response, or `NO_ANSWER` after `REQUEST_LIMIT_MS`. */
async function readStatus(connection: Deno.Conn): Promise<number> {
  const limit = setTimeout(() => connection.close(), REQUEST_LIMIT_MS);
  const start = new Uint8Array(STATUS_LINE_BYTES);
  await connection.read(start).catch(() => null);
  clearTimeout(limit);
  return Number(new TextDecoder().decode(start).slice(-3)) || NO_ANSWER;
}

/** "HTTP/1.1 200", which is all that an unread response is read for. */
const STATUS_LINE_BYTES = 12;

/** How soon an attack that only waits notices its end. */
const END_POLL_MS = 50;

/** An attack that sends one request on each of its connections, reads the status of the response, and nothing more. */
export function unreadOf(crowd: Crowd): Strike {
  const { connections, method = "POST", path } = crowd;
  const { sent, headers } = contentOf(crowd);
  const body = new TextEncoder().encode(sent as string | undefined ?? "");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");

  async function ask(target: Target): Promise<void> {
    const { port, note } = target;
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const head =
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${body.length}\r\n${lines}\r\n`;
    await connection.write(new TextEncoder().encode(head));
    await connection.write(body);
    note(await readStatus(connection));
    while (performance.now() < target.endsAt) {
      await new Promise((resolve) => setTimeout(resolve, END_POLL_MS));
    }
  }

  return async (target) => {
    await Promise.all(Array.from({ length: connections }, () => ask(target)));
  };
}
