import { AskerQueue, type WaitingAsker } from "../core/asker_queue.ts";
import type { Ways } from "./gate.ts";
import type { KnownAskers } from "./known_askers.ts";

/** Requests that are begun in one round of the event loop: some milliseconds of short ones. */
const BEGUN_AT_ONCE = 32;
/** After this time without requests that wait, a round has certainly ended. */
const ROUND_MS = 5;
/** Maximum number of requests that wait. Then the latest of the asker with the most gives way to one with fewer. */
const MOST_WAITING = 10_000;
/**
 * Requests of one connection that are under way at the same time. HTTP/1.1 sends one after the other. By HTTP/2, which
 * the runtime also speaks, a connection could send 200, and few connections fill every queue.
 */
const MOST_OF_CONNECTION = 32;
/** How long a connection waits for the refusal of a further request, in milliseconds: it would ask again at once. */
const REFUSAL_MS = 5000;

/** A request before the app sees it. */
export interface ArrivingRequest {
  readonly headers: Headers;
  /** The address of the connection's peer. */
  readonly peer: string;
  /** Its port, which together with the address names the connection; undefined if it has none. */
  readonly port?: number | undefined;
}

export interface TurnsOptions {
  readonly askers: Pick<KnownAskers, "find">;
  /** The client's network, to which a request counts until its asker is known. */
  readonly networkOf: (request: ArrivingRequest) => string;
  /** In place of `REFUSAL_MS`. */
  readonly refusalMs?: number;
}

/**
 * Begins a limited number of requests in each round of the event loop, and lets askers take turns where more arrive: a
 * crowd whose requests come together does not hold up all others until the last of its requests is refused. A request
 * counts to the asker of its `Authorization` header if a guard has identified them before, else to its network.
 */
export interface RequestTurns {
  /**
   * Handles a request at once, or when it is its asker's turn. Turns it away if too many wait, and responds with an empty
   * 503 if it is one of too many of its connection.
   */
  take(request: ArrivingRequest, ways: Ways): Response | Promise<Response>;
}

interface WaitingRequest extends WaitingAsker {
  /** Begins the request, or turns it away. */
  readonly settle: (mayBegin: boolean) => void;
}

/**
 * Creates the turns of a process. They come before the app: what its frame does for each request of a crowd would take
 * longer than refusing it.
 */
export function createRequestTurns(
  { askers, networkOf, refusalMs = REFUSAL_MS }: TurnsOptions,
): RequestTurns {
  const waiting = new AskerQueue<WaitingRequest>();
  /** Requests under way by connection. */
  const underWay = new Map<string, number>();
  let begun = 0;
  let roundBeganAt = 0;

  function beginRound(): void {
    roundBeganAt = performance.now();
    begun = 0;
    for (; begun < BEGUN_AT_ONCE && waiting.size > 0; begun++) waiting.shift()?.settle(true);
    // The process polls for requests after a timer, but not after `setImmediate` or promises.
    if (waiting.size > 0) setTimeout(beginRound, 0);
  }

  /** Returns whether a request may begin at once. */
  function hasRoom(): boolean {
    if (waiting.size > 0) return false;
    if (performance.now() - roundBeganAt > ROUND_MS) beginRound();
    return ++begun <= BEGUN_AT_ONCE;
  }

  function wait(request: ArrivingRequest): Promise<boolean> {
    const known = askers.find(request.headers.get("Authorization") ?? "");
    const asker = { asker: known ?? networkOf(request), isStranger: known === undefined };
    if (waiting.size >= MOST_WAITING) {
      const displaced = waiting.yieldTo(asker);
      if (displaced === undefined) return Promise.resolve(false);
      displaced.settle(false);
    }
    if (waiting.size === 0) setTimeout(beginRound, 0);
    return new Promise((settle) => waiting.push({ ...asker, settle }));
  }

  async function countOn(connection: string, take: () => Response | Promise<Response>): Promise<Response> {
    const count = underWay.get(connection) ?? 0;
    if (count >= MOST_OF_CONNECTION) {
      await new Promise((resolve) => setTimeout(resolve, refusalMs));
      return new Response(null, { status: 503, headers: { "Retry-After": "1" } });
    }
    underWay.set(connection, count + 1);
    try {
      return await take();
    } finally {
      const left = (underWay.get(connection) ?? 1) - 1;
      if (left === 0) underWay.delete(connection);
      else underWay.set(connection, left);
    }
  }

  return {
    take(request, { handle, turnAway }) {
      const take = (): Response | Promise<Response> =>
        hasRoom() ? handle() : wait(request).then((mayBegin) => mayBegin ? handle() : turnAway());
      return request.port === undefined ? take() : countOn(`${request.peer} ${request.port}`, take);
    },
  };
}
