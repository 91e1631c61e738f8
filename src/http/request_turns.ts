import { AskerQueue, type WaitingAsker } from "../core/asker_queue.ts";
import type { QueueMeter } from "../core/metrics.ts";
import type { Ways } from "./gate.ts";
import type { KnownAskers } from "./known_askers.ts";

/** Maximum number of requests begun in one round of the event loop: some milliseconds of short ones. */
const BEGUN_AT_ONCE = 32;
/** A round gets a timer once it has begun so many. Fewer are no crowd, and would pay for the timer: 3 us each. */
const TIMED_FROM = 8;
/**
 * Maximum number of waiting requests. Beyond it, the latest request of the asker with the most gives way to an asker
 * with fewer.
 */
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
  readonly askers: Pick<KnownAskers, "find">;
  /** Returns the client's network, the asker of a request until a guard has identified the caller. */
  readonly networkOf: (request: ArrivingRequest) => string;
  /** In place of `REFUSAL_MS`. */
  readonly refusalMs?: number;
  readonly meter?: QueueMeter | undefined;
}

/**
 * Begins a limited number of requests per round of the event loop, with askers taking turns, so that a crowd does not
 * hold up others. A request counts to the asker of its `Authorization` header if a guard has accepted that before,
 * else to its network.
 */
export interface RequestTurns {
  /**
   * Handles a request, at once or when its asker's turn comes. Turns it away if too many wait, and responds with an
   * empty 503 if its connection has too many.
   */
  take(request: ArrivingRequest, ways: Ways): Response | Promise<Response>;
}

interface WaitingRequest extends WaitingAsker {
  /** Begins the request, or turns it away. */
  readonly settle: (mayBegin: boolean) => void;
}

/** Creates the turns of a process. They come before the app, whose middleware takes longer than a refusal. */
export function createRequestTurns(
  { askers, networkOf, refusalMs = REFUSAL_MS, meter }: TurnsOptions,
): RequestTurns {
  const waiting = new AskerQueue<WaitingRequest>();
  /** Requests under way by connection. */
  const underWay = new Map<string, number>();
  /**
   * Requests begun in this round, and in those before it that had no timer. From `TIMED_FROM` on there is a timer, so none
   * waits for ever: requests wait only after `BEGUN_AT_ONCE`.
   */
  let begun = 0;
  let hasTimer = false;
  meter?.watch(() => waiting.size);

  /** Ends the round after the process has polled for requests: it does before a timer, not before `setImmediate`. */
  function endRoundLater(): void {
    if (hasTimer) return;
    hasTimer = true;
    setTimeout(beginRound, 0);
  }

  function beginRound(): void {
    hasTimer = false;
    for (begun = 0; begun < BEGUN_AT_ONCE && waiting.size > 0; begun++) waiting.shift()?.settle(true);
    if (begun > 0) endRoundLater();
  }

  /** Returns whether a request may begin at once. */
  function hasRoom(): boolean {
    if (begun >= BEGUN_AT_ONCE) return false;
    if (++begun >= TIMED_FROM) endRoundLater();
    return true;
  }

  function wait(request: ArrivingRequest): Promise<boolean> {
    const known = askers.find(request.headers.get("Authorization") ?? "");
    const asker = { asker: known ?? networkOf(request), isStranger: known === undefined };
    if (waiting.size >= MOST_WAITING) {
      const displaced = waiting.yieldTo(asker);
      if (displaced === undefined) return Promise.resolve(false);
      displaced.settle(false);
    }
    return new Promise((settle) => waiting.push({ ...asker, settle }));
  }

  async function takeInTurn(request: ArrivingRequest, { handle, turnAway }: Ways): Promise<Response> {
    const arrivedAt = performance.now();
    if (await wait(request)) {
      meter?.waited(performance.now() - arrivedAt);
      return await handle();
    }
    meter?.refused();
    return await turnAway();
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
      const take = (): Response | Promise<Response> => hasRoom() ? ways.handle() : takeInTurn(request, ways);
      return request.port === undefined ? take() : countOn(`${request.peer} ${request.port}`, take);
    },
  };
}
