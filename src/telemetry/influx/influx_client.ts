import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { createDatabaseStatement } from "./influxql.ts";
import type { InfluxAddress } from "./influx_url.ts";

/** Rows of one tag set in the result of a statement, or a part of them. */
export interface InfluxSeries {
  readonly tags?: Readonly<Record<string, string>>;
  readonly values: readonly (readonly unknown[])[];
}

/** A part of a statement's result. Without rows there is one empty part. */
export interface InfluxResultPart {
  /** Index of the statement in the request, from 0. */
  readonly statement_id: number;
  readonly series?: readonly InfluxSeries[];
}

export interface InfluxQueryOptions {
  readonly signal: AbortSignal;
  /** Number of columns of the widest statement; default 1. */
  readonly columns?: number;
}

/** A client of a server. Methods throw `UNAVAILABLE` if it is unreachable, late or responds with an error. */
export interface InfluxClient {
  /**
   * Runs statements, separated by semicolons, in order. Ending the iteration ends them. Throws `TOO_MUCH_TELEMETRY`
   * beyond a limit set by the server's administrator.
   */
  query(statements: string, options: InfluxQueryOptions): AsyncGenerator<InfluxResultPart, void>;
  /** Writes lines with timestamps in nanoseconds. Returns the server's reason for refusing some, or undefined. */
  write(lines: string, signal: AbortSignal): Promise<string | undefined>;
  /** Whether the server is ready to serve. */
  isReady(signal: AbortSignal): Promise<boolean>;
}

export interface InfluxClientOptions {
  readonly log: Log | undefined;
  readonly fetch: typeof fetch;
}

interface Reply {
  readonly results?: readonly (InfluxResultPart & { readonly error?: string })[];
  readonly error?: string;
}

/**
 * Maximum number of values per part of a response. A part is in memory besides the kept rows, and is parsed in one
 * step: 500 texts can have 2 MiB.
 */
const VALUES_PER_PART = 500;
const ERROR_LENGTH = 300;

/** Errors of the server's own limits on statements. */
const OVER_LIMIT = /^max-select-/;

/** Creates a client for the HTTP interface of InfluxDB 1.x. It creates the database before its first request. */
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

  /** Names and values quoted by the server are users' data, and stay out of the log. */
  function failed(status: number, text: string | undefined): AppError {
    const reason = (text ?? "").replace(/"[^"]*"|'[^']*'/g, '"…"').slice(0, ERROR_LENGTH);
    options.log?.error("telemetry_engine_failed", { status, reason });
    created = undefined;
    return new AppError(OVER_LIMIT.test(reason) ? "TOO_MUCH_TELEMETRY" : "UNAVAILABLE");
  }

  /** Creates the database. A 403 is accepted: the user may only use an existing one. */
  async function createDatabase(signal: AbortSignal): Promise<void> {
    const body = new URLSearchParams({ q: createDatabaseStatement(address.database) });
    const response = await send("/query", body, signal);
    const text = await readError(response);
    if (!response.ok && response.status !== 403) throw failed(response.status, text);
  }

  /** Creates the database once. Concurrent callers share the attempt and its time limit. */
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
      // A form, because URLs have limited length. Times are texts, because JSON numbers cannot hold nanoseconds.
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
        const { results = [], error } = parseReply(line) ?? { error: "not JSON" };
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
  return Math.max(1, Math.floor(VALUES_PER_PART / columns));
}

/** Parses a reply; undefined if it is not JSON, such as a proxy's page. */
function parseReply(text: string): Reply | undefined {
  try {
    return parseJson(text) as Reply;
  } catch {
    return undefined;
  }
}
