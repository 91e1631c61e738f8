import { AskerQueue, type WaitingAsker } from "../core/asker_queue.ts";
import type { Ways } from "./gate.ts";
import type { KnownAskers } from "./known_askers.ts";

/** Requests that are begun in one round of the event loop: some milliseconds of short ones. */
const BEGUN_AT_ONCE = 32;
/** After this time without requests that wait, a round has certainly ended. */
const ROUND_MS = 5;
/** Maximum number of requests that wait. A connection sends one after the other, so these come from as many. */
const MOST_WAITING = 10_000;

/** A request before the app sees it. */
export interface ArrivingRequest {
  readonly headers: Headers;
  /** The address of the connection's peer. */
  readonly peer: string;
}

export interface TurnsOptions {
  readonly askers: Pick<KnownAskers, "find">;
  /** The client's network, to which a request counts until its asker is known. */
  readonly networkOf: (request: ArrivingRequest) => string;
}

/**
 * Begins a limited number of requests in each round of the event loop, and lets askers take turns where more arrive: a
 * crowd whose requests come together does not hold up all others until the last of its requests is refused. A request
 * counts to the asker of its `Authorization` header if a guard has identified them before, else to its network.
 */
export interface RequestTurns {
  /** Handles a request at once, or when it is its asker's turn. Turns it away if too many wait. */
  take(request: ArrivingRequest, ways: Ways): Response | Promise<Response>;
}

interface WaitingRequest extends WaitingAsker {
  readonly begin: () => void;
}

/**
 * Creates the turns of a process. They come before the app: what its frame does for each request of a crowd would take
 * longer than refusing it.
 */
export function createRequestTurns({ askers, networkOf }: TurnsOptions): RequestTurns {
  const waiting = new AskerQueue<WaitingRequest>();
  let begun = 0;
  let roundBeganAt = 0;

  function beginRound(): void {
    roundBeganAt = performance.now();
    begun = 0;
    for (; begun < BEGUN_AT_ONCE && waiting.size > 0; begun++) waiting.shift()?.begin();
    // The process polls for requests after a timer, but not after `setImmediate` or promises.
    if (waiting.size > 0) setTimeout(beginRound, 0);
  }

  /** Returns whether a request may begin at once. */
  function hasRoom(): boolean {
    if (waiting.size > 0) return false;
    if (performance.now() - roundBeganAt > ROUND_MS) beginRound();
    return ++begun <= BEGUN_AT_ONCE;
  }

  return {
    take(request, { handle, turnAway }) {
      if (hasRoom()) return handle();
      if (waiting.size >= MOST_WAITING) return turnAway();
      if (waiting.size === 0) setTimeout(beginRound, 0);
      const known = askers.find(request.headers.get("Authorization") ?? "");
      const asker = known ?? networkOf(request);
      return new Promise<void>((begin) => waiting.push({ asker, isStranger: known === undefined, begin }))
        .then(handle);
    },
  };
}
