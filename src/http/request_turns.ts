import type { MiddlewareHandler } from "hono";
import { currentAsker, isUserAsking } from "../core/asker.ts";
import { AskerQueue, type WaitingAsker } from "../core/asker_queue.ts";
import { makeRefusal } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";
import { takesToken } from "./guard_order.ts";

/** Requests that are begun in one round of the event loop: some milliseconds of short ones. */
const BEGUN_AT_ONCE = 32;
/** After this time without requests that wait, a round has certainly ended. */
const ROUND_MS = 5;
/** Maximum number of requests that wait. A connection sends one after the other, so these come from as many. */
const MOST_WAITING = 10_000;
/** Maximum number of `Authorization` headers whose askers are remembered; the one unused for longest is forgotten. */
const REMEMBERED = 10_000;
/** Maximum length of such a header. Tokens have about 550 characters; white space must not make others of it. */
const REMEMBERED_HEADER = /^Bearer [^\s]{1,1000}$/;
const TOO_MANY_WAIT = makeRefusal("Too many requests wait to be begun");

interface WaitingRequest extends WaitingAsker {
  readonly begin: () => void;
}

/**
 * Begins a limited number of requests in each round of the event loop, and lets askers take turns where more arrive: a
 * crowd whose requests come together does not hold up all others until the last of its requests is refused. A request
 * counts to the asker of its `Authorization` header if a guard has identified them before, else to its network
 * (`networkOf` its address). Throws `UNAVAILABLE` if too many wait.
 */
export function takeTurns(networkOf: (address: string) => string): MiddlewareHandler<AppEnv> {
  const waiting = new AskerQueue<WaitingRequest>();
  const askers = new Map<string, string>();
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

  function remember(authorization: string, asker: string): void {
    askers.delete(authorization);
    const [oldest] = askers.keys();
    if (oldest !== undefined && askers.size >= REMEMBERED) askers.delete(oldest);
    askers.set(authorization, asker);
  }

  return async function waitForTurn(c, next) {
    const authorization = c.req.header("Authorization") ?? "";
    const known = askers.get(authorization);
    if (!hasRoom()) {
      if (waiting.size >= MOST_WAITING) throw TOO_MANY_WAIT;
      if (waiting.size === 0) setTimeout(beginRound, 0);
      const asker = known ?? networkOf(c.get("clientAddress"));
      await new Promise<void>((begin) => waiting.push({ asker, isStranger: known === undefined, begin }));
    }
    await next();
    if (known !== undefined) remember(authorization, known);
    else if (isUserAsking() && takesToken(c) && REMEMBERED_HEADER.test(authorization)) {
      remember(authorization, currentAsker());
    }
  };
}
