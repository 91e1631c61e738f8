import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What a request demands of its reads, and what it learned about them. Outside such a scope every read is as fresh as
 * the primary, and nothing is learned.
 */
export interface Consistency {
  /** Reads may be served from a copy that is at most this old, in milliseconds; 0: only fresh. */
  readonly maxAgeMs: number;
  /** The revision that a read must have reached, if the request names one. */
  readonly atLeast: number | undefined;
  /** The lowest revision that a read of this request saw, or that its write created. */
  revision?: number;
  /** The greatest age of what was read, in milliseconds; absent while everything was fresh. */
  ageMs?: number;
}

/** The consistency of the request that is being served. */
export const consistencyScope: AsyncLocalStorage<Consistency> = new AsyncLocalStorage();
