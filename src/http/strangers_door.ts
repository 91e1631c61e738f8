import { STRANGERS_REFUSED } from "../core/strangers_refused.ts";

/** Maximum number of concurrent requests with a body but no token, per process. */
const MOST_INSIDE = 64;
/**
 * Requests per network that are admitted even then, so that a single client does not wait for a crowd from elsewhere.
 */
const ALWAYS_INSIDE = 2;

/** Admits strangers (callers without a token) before their bodies are read. */
export interface StrangersDoor {
  /** Admits a request, and returns a function to call when it is handled. Throws `STRANGERS_REFUSED`. */
  enter(address: string): () => void;
}

/** Creates the door of a process. `networkOf` returns the network of a client address. */
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
