import { type Clock, HOUR_MS, SECOND_MS } from "../core/clock.ts";
import { describeError, type Log } from "../core/log.ts";

/** For this long uses of keys are gathered, to be written together. */
const GATHERED_MS = 10 * SECOND_MS;

/** Tells the database in which hour a key was last used, at most once an hour for each key and process. */
export interface KeyUses {
  /** To be called after a request with a genuine key. Writes later, together with the uses of other keys. */
  note(keyId: number): void;
  /** Writes what is noted so far. Never fails: a failure is logged, and the key's next hour is written again. */
  flush(): Promise<void>;
}

export interface KeyUsesDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Writes that these keys were used in the hour that began at this time, in milliseconds. */
  readonly write: (keyIds: readonly number[], hour: number) => Promise<unknown>;
  /** In milliseconds, in place of the standard time. */
  readonly gatheredMs?: number;
}

export function createKeyUses(
  { clock, log, write, gatheredMs = GATHERED_MS }: KeyUsesDeps,
): KeyUses {
  let hour = 0;
  /** The keys that were used in this hour. */
  let used = new Set<number>();
  let unwritten: number[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const keyIds = unwritten;
    unwritten = [];
    if (keyIds.length === 0) return;
    try {
      await write(keyIds, hour);
    } catch (error) {
      log.warn("key.uses_lost", { keys: keyIds.length, ...describeError(error) });
    }
  }

  return {
    flush,
    note(keyId): void {
      const now = clock();
      if (now - hour >= HOUR_MS) {
        void flush();
        hour = now - now % HOUR_MS;
        used = new Set();
      }
      if (used.has(keyId)) return;
      used.add(keyId);
      unwritten.push(keyId);
      timer ??= setTimeout(flush, gatheredMs);
    },
  };
}
