import type { Chain } from "../core/chain.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { type Held, Shares } from "../core/shares.ts";
import type { Ways } from "./gate.ts";

/** Maximum number of requests begun in one round of the event loop: some milliseconds of short ones. */
const BEGUN_AT_ONCE = 32;
/** A round gets a timer once it has begun so many. Fewer are no crowd, and would pay for the timer: 3 us each. */
const TIMED_FROM = 8;
const MOST_WAITING = 10_000;
/**
 * Maximum number of concurrent requests per connection. HTTP/1.1 sends one after the other, but an HTTP/2 connection
 * could send 200, so that few connections would fill every queue.
 */
const MOST_OF_CONNECTION = 32;
/**
 * Delay of the refusal of one request too many on a connection, in milliseconds: without it, the client would retry
 * at once.
 */
const REFUSAL_MS = 5000;

/** A request before the app sees it. */
export interface ArrivingRequest {
  readonly headers: Headers;
  /** The address of the connection's peer. */
  readonly peer: string;
  /** Its port, which with the address identifies the connection; undefined if there is none. */
  readonly port?: number | undefined;
}

export interface TurnsOptions {
  /** Returns the chain of a request: its caller's if a guard has accepted the token before, else that of a stranger. */
  readonly chainOf: (request: ArrivingRequest) => Chain;
  /** In place of `REFUSAL_MS`. */
  readonly refusalMs?: number;
  readonly meter?: QueueMeter | undefined;
}

/** Begins a limited number of requests per round of the event loop, so that a crowd does not hold up others. */
export interface RequestTurns {
  /**
   * Handles a request, at once or when its turn comes (`core/shares.ts`). Turns it away if too many wait, and responds
   * with an empty 503 if its connection has too many.
   */
  take(request: ArrivingRequest, ways: Ways): Response | Promise<Response>;
}

/** Creates the turns of a process. They come before the app, whose frame takes longer than a refusal. */
export function createRequestTurns(
  { chainOf, refusalMs = REFUSAL_MS, meter }: TurnsOptions,
): RequestTurns {
  const places = new Shares({ size: BEGUN_AT_ONCE, waiting: MOST_WAITING, meter });
  /**
   * Requests begun in this round, and in those before it that had no timer. From `TIMED_FROM` on there is a timer, so none
   * waits for ever: requests wait only after `BEGUN_AT_ONCE`.
   */
  let begun: Held[] = [];
  let hasTimer = false;
  /** Requests under way by connection. */
  const underWay = new Map<string, number>();

  /** Ends the round after the process has polled for requests: it does before a timer, not before `setImmediate`. */
  function begin(held: Held): void {
    begun.push(held);
    if (hasTimer || begun.length < TIMED_FROM) return;
    hasTimer = true;
    setTimeout(endRound, 0);
  }

  function endRound(): void {
    hasTimer = false;
    const ended = begun;
    begun = [];
    for (const held of ended) held.release();
  }

  function takeTurn(request: ArrivingRequest, { handle, turnAway }: Ways): Response | Promise<Response> {
    let taken: Held | Promise<Held>;
    try {
      taken = places.take(1, () => chainOf(request));
    } catch {
      return turnAway();
    }
    if (!(taken instanceof Promise)) {
      begin(taken);
      return handle();
    }
    return taken.then((held) => {
      begin(held);
      return handle();
    }, turnAway);
  }

  async function countOn(connection: string, take: () => Response | Promise<Response>): Promise<Response> {
    const count = underWay.get(connection) ?? 0;
    if (count >= MOST_OF_CONNECTION) {
      meter?.refused();
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
    take(request, ways) {
      const take = (): Response | Promise<Response> => takeTurn(request, ways);
      return request.port === undefined ? take() : countOn(`${request.peer} ${request.port}`, take);
    },
  };
}
