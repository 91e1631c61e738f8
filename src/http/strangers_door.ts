import { STRANGERS_REFUSED } from "../core/strangers_refused.ts";

/** Maximum number of requests with a body but no token that are handled at the same time, per process. */
const MOST_INSIDE = 64;
/** This many of each network are admitted even then: a single client does not wait for a crowd from elsewhere. */
const ALWAYS_INSIDE = 2;

/** Admits callers without a token before anything of their request is read. */
export interface StrangersDoor {
  /** Throws `STRANGERS_REFUSED`. The caller calls the result when the request is handled. */
  enter(address: string): () => void;
}

/** Creates the door of a process. `networkOf` maps a client address to the network that it counts to. */
export function createStrangersDoor(networkOf: (address: string) => string): StrangersDoor {
  const insideOf = new Map<string, number>();
  let inside = 0;

  function add(network: string, count: 1 | -1): void {
    inside += count;
    const sum = (insideOf.get(network) ?? 0) + count;
    if (sum === 0) insideOf.delete(network);
    else insideOf.set(network, sum);
  }

  return {
    enter(address) {
      const network = networkOf(address);
      if (inside >= MOST_INSIDE && (insideOf.get(network) ?? 0) >= ALWAYS_INSIDE) throw STRANGERS_REFUSED;
      add(network, 1);
      return () => add(network, -1);
    },
  };
}
