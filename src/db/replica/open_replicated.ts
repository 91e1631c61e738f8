import { type Clock, systemClock } from "../../core/clock.ts";
import { describeError, type Log } from "../../core/log.ts";
import { consistencyScope } from "../consistency.ts";
import type { Database, Row } from "../database.ts";
import { toHttpUrl } from "../http_url.ts";
import { isDamaged } from "../sql_errors.ts";
import type { BoundStatement } from "../statement.ts";
import { CopyLostError } from "./copy_lost_error.ts";
import type { Keeper } from "./keeper.ts";

export interface ReplicaOptions {
  /** The URL of the primary, which `primary` reaches, too. */
  readonly url: string;
  readonly authToken?: string | undefined;
  /** The folder for copies. It may be missing. */
  readonly path: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic?: () => number;
  readonly fetch?: typeof fetch;
  /** The pause between the beginnings of two copies, in milliseconds: 10 seconds by default. */
  readonly pauseMs?: number;
  /**
   * How long the primary may keep a copy waiting that does not grow, before another one is made, in milliseconds: a
   * minute by default.
   */
  readonly rivalAfterMs?: number;
  /** How long reads wait for the copy to catch up before they turn to the primary, in milliseconds: 250 by default. */
  readonly roundLimitMs?: number;
}

const DEFAULTS = {
  clock: systemClock,
  monotonic: () => performance.now(),
  fetch,
  pauseMs: 10_000,
  rivalAfterMs: 60_000,
  roundLimitMs: 250,
};

/**
 * A database whose reads run on a copy in a local file (a libSQL embedded replica), and are as fresh as those of the
 * primary: each waits until the copy has everything that was committed before. While there is no copy, and whenever it
 * cannot catch up at once, reads go to the primary. Writes always do.
 *
 * A read inside a `consistencyScope` that allows some age does not wait if the copy is younger.
 *
 * Does not wait for the first copy. Throws a `RangeError` if the folder is somebody else's. Where no copy can be kept,
 * the log says so, and `primary` is returned.
 */
export async function openReplicated(primary: Database, options: ReplicaOptions): Promise<Database> {
  const keeper = await openKeeper(options);
  return keeper === undefined ? primary : replicate(primary, keeper);
}

async function openKeeper(options: ReplicaOptions): Promise<Keeper | undefined> {
  const { url, authToken, path, ...others } = options;
  const { origin, pathname } = new URL(toHttpUrl(url));
  const address = { url: `${origin}${pathname.replace(/\/$/, "")}`, authToken };
  try {
    // Loaded only where it is used: the native driver may be missing here.
    const { openFolder } = await import("./folder.ts");
    const { startKeeper } = await import("./keeper.ts");
    const folder = await openFolder(path, address.url);
    const kept = await folder.takeKept();
    return startKeeper({ ...DEFAULTS, ...others, folder, address }, kept);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    others.log.warn("replica.off", describeError(error));
    return undefined;
  }
}

function replicate(primary: Database, keeper: Keeper): Database {
  /** The rows, read from the copy; undefined if the primary is to read them. */
  async function readFromCopy(statements: readonly BoundStatement[]): Promise<Row[][] | undefined> {
    const scope = consistencyScope.getStore();
    const aged = findAged(keeper, scope?.maxAgeMs ?? 0);
    const copy = aged?.copy ?? await keeper.fresh();
    if (copy === undefined) return undefined;
    try {
      const results = await copy.readAll(statements);
      if (scope !== undefined && aged !== undefined) scope.ageMs = Math.max(scope.ageMs ?? 0, aged.ageMs);
      return results;
    } catch (error) {
      // What an error of a sound copy is worth, the primary decides.
      if (error instanceof CopyLostError || isDamaged(error)) keeper.drop(copy, "Reading it failed");
      return undefined;
    }
  }

  return {
    kind: "remote",
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const results = await readFromCopy([statement]);
      if (results === undefined) return await primary.read<T>(statement);
      return results[0] as T[];
    },
    readAll: async (statements) => await readFromCopy(statements) ?? await primary.readAll(statements),
    write: (statements) => primary.write(statements),
    async close(): Promise<void> {
      await Promise.all([keeper.close(), primary.close()]);
    },
  };
}

/** The copy without waiting, if it is young enough. Past half of that age, it is brought up to date meanwhile. */
function findAged(keeper: Keeper, maxAgeMs: number): ReturnType<Keeper["latest"]> {
  if (maxAgeMs === 0) return undefined;
  const latest = keeper.latest();
  if (latest === undefined || latest.ageMs > maxAgeMs) return undefined;
  if (latest.ageMs > maxAgeMs / 2) void keeper.fresh();
  return latest;
}
