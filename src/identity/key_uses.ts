import { type Clock, HOUR_MS, isWithin, SECOND_MS } from "../core/clock.ts";
import { describeError, type Log } from "../core/log.ts";

/** Milliseconds for which uses are gathered before they are written. */
const GATHERED_MS = 10 * SECOND_MS;

/** Records the hour of a key's last use, at most once an hour per key and process. */
export interface KeyUses {
  /** Notes a use. Call it after a request with a genuine key. Uses are written later, together. */
  note(keyId: number): void;
  /** Writes the noted uses. Never throws: a failure is logged, and the key is written again in its next hour of use. */
  flush(): Promise<void>;
}

export interface KeyUsesDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Records that these keys were used in the hour that began at `hour`, in milliseconds. */
  readonly write: (keyIds: readonly number[], hour: number) => Promise<unknown>;
  /** Replaces `GATHERED_MS`, in milliseconds. */
  readonly gatheredMs?: number;
}

export function createKeyUses(
  { clock, log, write, gatheredMs = GATHERED_MS }: KeyUsesDeps,
): KeyUses {
  let hour = 0;
  /** The keys used in this hour. */
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
      if (!isWithin(HOUR_MS, hour, now)) {
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
