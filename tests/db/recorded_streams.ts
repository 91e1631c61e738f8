import type { Database, DatabaseOptions } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { testOn } from "../helpers/databases.ts";

export const COUNT_UP = { sql: "UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'node'", args: {} };
export const READ_COUNT = { sql: "SELECT last_id AS count FROM id_sequence WHERE name = 'node'", args: {} };
/** A busy machine may take long for hundreds of calls. */
const PATIENCE_MS = 30_000;

/** A request to a server, as it was sent. */
export interface SentRequest {
  readonly url: string;
  /** Null: it opens a stream. */
  readonly baton: string | null;
  /** The types of its requests but those of stored texts: `execute`, `batch`, `get_autocommit`, `close`. */
  readonly types: readonly string[];
}

export interface RecordedStreams {
  readonly fetch: typeof fetch;
  readonly sent: readonly SentRequest[];
  /** Number of streams opened since the last call of this function, or since the beginning. */
  takeOpened(): number;
}

/** A `fetch` that keeps account of the streams of its requests, and fails when a baton is sent a second time. */
export function recordStreams(send: typeof fetch = fetch): RecordedStreams {
  const sent: SentRequest[] = [];
  const batons = new Set<string>();
  let opened = 0;
  return {
    sent,
    takeOpened(): number {
      const count = opened;
      opened = 0;
      return count;
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { baton, requests } = await request.clone().json();
      if (baton === null) opened++;
      else if (batons.has(baton)) throw new Error("A baton was used twice");
      batons.add(baton);
      sent.push({ url: request.url, baton, types: typesOf(requests) });
      return await send(request);
    },
  };
}

export interface RecordedDatabase extends RecordedStreams, AsyncDisposable {
  readonly database: Database;
}

/** Opens a database, and records the streams of its requests. Disposal closes it. */
export async function openRecorded(url: string, options: DatabaseOptions = {}): Promise<RecordedDatabase> {
  const streams = recordStreams(options.fetch);
  const database = await openDatabase(url, { timeoutMs: PATIENCE_MS, ...options, fetch: streams.fetch });
  return { ...streams, database, [Symbol.asyncDispose]: () => database.close() };
}

/** Registers a test with a fresh database on a server, and an own connection to it whose streams are recorded. */
export function testRecorded(
  name: string,
  body: (recorded: RecordedDatabase, url: string) => Promise<void>,
): void {
  testOn("remote", name, async (_, { url }) => {
    await using recorded = await openRecorded(url);
    await body(recorded, url);
  });
}

function typesOf(requests: readonly { readonly type: string }[]): string[] {
  return requests.map(({ type }) => type).filter((type) => !type.endsWith("_sql"));
}
