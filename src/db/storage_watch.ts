import { type Clock, isWithin, SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { describeError, type Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Database } from "./database.ts";
import { requireWritable } from "./liveness_queries.ts";
import { cannotStore } from "./sql_errors.ts";

/** No write may have failed for this long when the storage counts as up again: small ones fit where long ones do not. */
const QUIET_MS = 10 * SECOND_MS;
const RETRY_AFTER_SECONDS = 10;

/** Knows whether writes can be stored, from what becomes of them. */
export interface StorageWatch {
  /**
   * Returns the database, whose writes throw `CANNOT_STORE` if its disk is full, faulty or read-only. Then nothing of them
   * is stored, and reads go on.
   */
  watch(database: Database): Database;
  /** Returns whether writes of this database can be stored. Tries one if the last could not. */
  isUp(database: Database): Promise<boolean>;
}

export interface StorageWatchDeps {
  readonly clock: Clock;
  /** Gets a line when writes can no longer be stored, and one when they can. */
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

export function createStorageWatch({ clock, log, metrics }: StorageWatchDeps): StorageWatch {
  /** Times of the first and the last failed write, as long as the storage is down. */
  let down: { readonly since: number; last: number } | undefined;
  metrics?.observe("rolegrid.storage.down", {}, () => down === undefined ? 0 : 1);

  function noteFailed(error: unknown): void {
    const now = clock();
    if (down === undefined) log.error("storage.down", describeError(error));
    down = { since: down?.since ?? now, last: now };
  }

  function noteStored(): void {
    if (down === undefined || isWithin(QUIET_MS, down.last, clock())) return;
    log.info("storage.up", { seconds: Math.round((clock() - down.since) / SECOND_MS) });
    down = undefined;
  }

  return {
    watch(database) {
      return {
        ...database,
        async write(statements) {
          try {
            const results = await database.write(statements);
            noteStored();
            return results;
          } catch (error) {
            if (!cannotStore(error)) throw error;
            noteFailed(error);
            throw new AppError("CANNOT_STORE", { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error });
          }
        },
      };
    },
    async isUp(database) {
      if (down === undefined) return true;
      try {
        await requireWritable(database);
      } catch (error) {
        if (!(error instanceof AppError && error.code === "CANNOT_STORE")) throw error;
      }
      return down === undefined;
    },
  };
}
