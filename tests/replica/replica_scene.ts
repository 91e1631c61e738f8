import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { type Consistency, consistencyScope } from "../../src/db/consistency.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { openReplicated } from "../../src/db/replica/open_replicated.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { type LastingSqld, startLastingSqld } from "../helpers/lasting_sqld.ts";
import { makeServerDir } from "../helpers/server_dir.ts";

const PATIENCE_MS = 20_000;

/** An instance of the service, as far as its database goes. */
export interface Instance {
  readonly database: Database;
  /** Its folder of copies. */
  readonly folder: string;
  /** Events of the log so far, each with its reason, if it gives one. */
  readonly events: readonly string[];
  /** How many reads have gone to the primary so far. */
  primaryReads(): number;
  /** Waits until an event with this name has been logged `times` times. */
  logged(event: string, times?: number): Promise<void>;
}

export interface InstanceOptions {
  /** Another way to the server. */
  readonly url?: string;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly monotonic?: () => number;
  /** 0 by default. */
  readonly pauseMs?: number;
  readonly rivalAfterMs?: number;
  readonly roundLimitMs?: number;
}

/** A server with one table, `fact`, and instances that read it from copies. */
export interface ReplicaScene extends AsyncDisposable {
  readonly server: LastingSqld;
  /** Reaches the server without a copy. */
  readonly direct: Database;
  /** A folder for copies. It is deleted with the scene. */
  makeFolder(): Promise<string>;
  /** Opens an instance with a folder of its own, and waits for its first copy. */
  open(options?: InstanceOptions): Promise<Instance>;
  /** Opens an instance without waiting. */
  openEmpty(options?: InstanceOptions): Promise<Instance>;
}

export function sql(text: string): BoundStatement {
  return { sql: text, args: {} };
}

const CREATE_FACTS = sql("CREATE TABLE fact (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)");
export const COUNT_FACTS = sql("SELECT count(*) AS n FROM fact");
export const ADD_FACT = sql("INSERT INTO fact (value) VALUES (1)");

export interface SceneOptions {
  /** Added to the server's command line. */
  readonly server?: readonly string[];
  /** Leave out the table. */
  readonly isEmpty?: boolean;
}

/** Starts a server, with one fact. */
export async function openScene({ server: options = [], isEmpty }: SceneOptions = {}): Promise<ReplicaScene> {
  const server = await startLastingSqld({ options });
  const direct = await openDatabase(server.url, { timeoutMs: PATIENCE_MS });
  if (!isEmpty) await direct.write([CREATE_FACTS, ADD_FACT]);
  const opened: Instance[] = [];
  const folders: string[] = [];

  async function makeFolder(): Promise<string> {
    const folder = await makeServerDir("rolegrid_copies_");
    folders.push(folder);
    return folder;
  }

  async function openEmpty({ folder, ...options }: InstanceOptions = {}): Promise<Instance> {
    const instance = await openInstance({
      url: server.url,
      folder: folder ?? await makeFolder(),
      ...options,
    });
    opened.push(instance);
    return instance;
  }

  return {
    server,
    direct,
    makeFolder,
    openEmpty,
    async open(options): Promise<Instance> {
      const instance = await openEmpty(options);
      await instance.logged("replica.ready");
      return instance;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const { database } of opened) await database.close();
      for (const folder of folders) await Deno.remove(folder, { recursive: true });
      await direct.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function openInstance(
  { url, folder, ...options }: InstanceOptions & { readonly url: string; readonly folder: string },
): Promise<Instance> {
  const events: string[] = [];
  const log = createLog("info", (line) => {
    const { event, reason } = JSON.parse(line);
    events.push(reason === undefined ? event : `${event}: ${reason}`);
  });
  const primary = await openDatabase(url, { timeoutMs: 2000 });
  let reads = 0;
  const counted: Database = {
    ...primary,
    read: (statement) => (reads++, primary.read(statement)),
    readAll: (statements) => (reads++, primary.readAll(statements)),
  };
  const database = await openReplicated(counted, {
    url,
    path: folder,
    log,
    pauseMs: 0,
    ...options,
  });
  let closed: Promise<void> | undefined;
  return {
    // Closed at the end of the scene, or earlier by the test.
    database: { ...database, close: () => closed ??= database.close() },
    folder,
    events,
    primaryReads: () => reads,
    async logged(event, times = 1): Promise<void> {
      await until(
        () => events.filter((line) => line.startsWith(event)).length >= times,
        () => `${event} in ${events}`,
      );
    },
  };
}

/** Waits until the condition holds. Throws after 20 seconds, and says what was waited for. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  describe: () => string,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${describe()}`);
    await delay(5);
  }
}

/** How many facts an instance sees. */
export async function countFacts(database: Database): Promise<number> {
  const [row] = await database.read<{ n: number }>(COUNT_FACTS);
  return row?.n ?? 0;
}

/** Runs a read that allows some age. Returns its result and the age that was reported, if any. */
export async function aged<T>(
  maxAgeMs: number,
  read: () => Promise<T>,
): Promise<{ result: T; ageMs: number | undefined }> {
  const scope: Consistency = { maxAgeMs, atLeast: undefined };
  const result = await consistencyScope.run(scope, read);
  return { result, ageMs: scope.ageMs };
}
