import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What a request demands of its reads, and what it learned about them. Outside such a scope every read is as fresh as
 * the primary, and nothing is learned. A database only looks at `maxAgeMs` and reports `ageMs`; the rest is up to
 * `revisions.ts`.
 */
export interface Consistency {
  /** Reads may be served from a copy that is at most this old, in milliseconds; 0: only fresh. */
  maxAgeMs: number;
  /** The revision that a read must have reached, if the request names one. */
  readonly atLeast: number | undefined;
  /** The lowest revision that a read of this request saw, or that its write created. */
  revision?: number;
  /**
   * The greatest age of what was read from a copy without waiting, in milliseconds, when that read was called; absent
   * while all was fresh.
   */
  ageMs?: number | undefined;
}

/** The consistency of the request that is being served. */
export const consistencyScope: AsyncLocalStorage<Consistency> = new AsyncLocalStorage();
