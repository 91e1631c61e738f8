import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { createDatabaseStatement } from "./influxql.ts";
import type { InfluxAddress } from "./telemetry_url.ts";

/** One tag set's rows of a statement, or a part of them. */
export interface InfluxSeries {
  readonly tags?: Readonly<Record<string, string>>;
  readonly values: readonly (readonly unknown[])[];
}

/** A part of a statement's result; a statement without rows has one part, too. */
export interface InfluxAnswer {
  /** Which statement of the request, from 0. */
  readonly statement_id: number;
  readonly series?: readonly InfluxSeries[];
}

export interface InfluxQueryOptions {
  readonly signal: AbortSignal;
  /** Columns of the statement that has the most of them. */
  readonly columns?: number;
}

/** Every method throws `UNAVAILABLE` where the server cannot be reached in time or answers with an error. */
export interface InfluxClient {
  /** Runs statements, separated by semicolons, in order. Whoever stops reading ends them. */
  query(statements: string, options: InfluxQueryOptions): AsyncGenerator<InfluxAnswer, void>;
  /** Writes lines with times in nanoseconds. Answers why the server refused any of them, or undefined. */
  write(lines: string, signal: AbortSignal): Promise<string | undefined>;
  /** Whether the server is fit to serve. */
  isReady(signal: AbortSignal): Promise<boolean>;
}

export interface InfluxClientOptions {
  readonly log: Log | undefined;
  readonly fetch: typeof fetch;
}

interface Reply {
  readonly results?: readonly (InfluxAnswer & { readonly error?: string })[];
  readonly error?: string;
}

/** What the server puts into one part, which is in memory besides the rows that are kept: rows, and values in them. */
const ROWS_PER_PART = 1000;
const VALUES_PER_PART = 10_000;
const ERROR_LENGTH = 300;

/** Limits that the administrator of the server set for one statement. */
const OVER_LIMIT = /^max-select-/;

/** Speaks HTTP with a server that has InfluxDB's 1.x interface. Makes its database before the first request. */
export function createInfluxClient(address: InfluxAddress, options: InfluxClientOptions): InfluxClient {
  let created: Promise<void> | undefined;

  async function send(path: string, body: BodyInit | undefined, signal: AbortSignal): Promise<Response> {
    const headers = new Headers();
    if (address.authorization !== undefined) headers.set("Authorization", address.authorization);
    // A redirect would take the credentials elsewhere.
    const init = { headers, signal, redirect: "error" } as const;
    try {
      const url = `${address.origin}${path}`;
      return await options.fetch(url, body === undefined ? init : { ...init, method: "POST", body });
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  function unreachable(cause: unknown): AppError {
    options.log?.warn("telemetry_engine_unreachable", {
      reason: cause instanceof Error ? cause.name : typeof cause,
    });
    created = undefined;
    return new AppError("UNAVAILABLE", { cause });
  }

  /** Names and values that the server quotes are somebody's data: they stay out of the log. */
  function failed(status: number, text: string | undefined): AppError {
    const reason = (text ?? "").replace(/"[^"]*"|'[^']*'/g, '"…"').slice(0, ERROR_LENGTH);
    options.log?.error("telemetry_engine_failed", { status, reason });
    created = undefined;
    return new AppError(OVER_LIMIT.test(reason) ? "TOO_MUCH_TELEMETRY" : "UNAVAILABLE");
  }

  /** A user who may not make databases has one that is there. */
  async function createDatabase(signal: AbortSignal): Promise<void> {
    const body = new URLSearchParams({ q: createDatabaseStatement(address.database) });
    const response = await send("/query", body, signal);
    const text = await readError(response);
    if (!response.ok && response.status !== 403) throw failed(response.status, text);
  }

  /** The first caller's, for all who come meanwhile; his time limit counts. */
  async function ensureDatabase(signal: AbortSignal): Promise<void> {
    const creation = created ??= createDatabase(signal);
    try {
      await creation;
    } catch (error) {
      if (created === creation) created = undefined;
      throw error;
    }
  }

  async function readError(response: Response): Promise<string | undefined> {
    try {
      return parseReply(await response.text())?.error;
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void> {
    let rest: string[] = [];
    try {
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        const [first = "", ...others] = chunk.split("\n");
        rest.push(first);
        for (const line of others) {
          yield rest.join("");
          rest = [line];
        }
      }
    } catch (cause) {
      throw unreachable(cause);
    }
    yield rest.join("");
  }

  return {
    async *query(statements, { signal, columns = 1 }) {
      await ensureDatabase(signal);
      // In a form, since a URL's length is limited. Times come as texts: a JSON number holds no nanoseconds.
      const body = new URLSearchParams({
        db: address.database,
        q: statements,
        chunked: "true",
        chunk_size: String(rowsPerPart(columns)),
      });
      const response = await send("/query", body, signal);
      if (!response.ok || response.body === null) throw failed(response.status, await readError(response));
      for await (const line of readLines(response.body)) {
        if (line === "") continue;
        const { results = [], error } = parseReply(line) ?? { error: "no JSON" };
        if (error !== undefined) throw failed(response.status, error);
        for (const result of results) {
          if (result.error !== undefined) throw failed(response.status, result.error);
          yield result;
        }
      }
    },

    async write(lines, signal) {
      await ensureDatabase(signal);
      const query = new URLSearchParams({ db: address.database, precision: "ns" });
      const response = await send(`/write?${query}`, lines, signal);
      const text = await readError(response);
      if (response.ok) return undefined;
      if (response.status === 400 || response.status === 413) return text ?? "";
      throw failed(response.status, text);
    },

    async isReady(signal) {
      const response = await send("/ping", undefined, signal);
      await response.body?.cancel();
      return response.ok;
    },
  };
}

function rowsPerPart(columns: number): number {
  return Math.max(1, Math.min(ROWS_PER_PART, Math.floor(VALUES_PER_PART / columns)));
}

/** Undefined where it is none of the server's own replies, such as a proxy's page. */
function parseReply(text: string): Reply | undefined {
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return undefined;
  }
}
