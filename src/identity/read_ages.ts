import { SECOND_MS } from "../core/clock.ts";

/** Beyond that, a session that wrote is treated like all others: as if it had written when the oldest one did. */
const MAX_SESSIONS = 10_000;

/** How old the data may be that a session's reads see, if their request allows some age. */
export interface ReadAges {
  /** To be called after each write of a session. */
  noteWrite(sessionId: string): void;
  /** The greatest age in milliseconds, for a request that allows `seconds`. */
  limitMs(sessionId: string, seconds: number): number;
}

export interface ReadAgesOptions {
  readonly maxSessions?: number;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

/**
 * Limits the age to `maxAgeSeconds`, and to the time since the session's latest write in this process, so that nobody
 * misses what they wrote themselves.
 */
export function createReadAges(maxAgeSeconds: number, options: ReadAgesOptions = {}): ReadAges {
  const { maxSessions = MAX_SESSIONS, now = () => performance.now() } = options;
  const maxMs = maxAgeSeconds * SECOND_MS;
  /** The time of each session's latest write, oldest first. */
  const writes = new Map<string, number>();
  let forgottenAt = -Infinity;

  function forget(): void {
    for (const [sessionId, at] of writes) {
      if (writes.size <= maxSessions && now() - at < maxMs) return;
      writes.delete(sessionId);
      forgottenAt = at;
    }
  }

  return {
    noteWrite(sessionId): void {
      if (maxMs === 0) return;
      writes.delete(sessionId);
      writes.set(sessionId, now());
      forget();
    },
    limitMs(sessionId, seconds): number {
      const wroteAt = writes.get(sessionId) ?? forgottenAt;
      return Math.min(seconds * SECOND_MS, maxMs, now() - wroteAt);
    },
  };
}
