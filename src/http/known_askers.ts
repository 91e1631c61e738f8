import type { MiddlewareHandler } from "hono";
import { currentAsker, isUserAsking } from "../core/asker.ts";
import type { AppEnv } from "./env.ts";
import { takesToken } from "./guard_order.ts";

/** Maximum number of cached `Authorization` headers; the least recently used is dropped first. */
const REMEMBERED = 10_000;
/**
 * The headers worth caching. Tokens have about 550 characters; white space is excluded, as it could vary one token
 * endlessly, and so are the names of users that clients of InfluxDB may put before it.
 */
const REMEMBERED_HEADER = /^(?:Bearer|Token) [^\s:]{1,1000}$/;

/** A cache of askers by `Authorization` header, filled from earlier requests that passed their guards. */
export interface KnownAskers {
  /** Returns the asker of a header; undefined if no guard has accepted it. */
  find(authorization: string): string | undefined;
  /** Remembers the asker of each request whose guard accepts its token. */
  readonly remember: MiddlewareHandler<AppEnv>;
}

/** Creates the cache of a process. */
export function createKnownAskers(): KnownAskers {
  const askers = new Map<string, string>();

  function note(authorization: string, asker: string): void {
    askers.delete(authorization);
    const [oldest] = askers.keys();
    if (oldest !== undefined && askers.size >= REMEMBERED) askers.delete(oldest);
    askers.set(authorization, asker);
  }

  return {
    find: (authorization) => askers.get(authorization),
    async remember(c, next): Promise<void> {
      await next();
      const authorization = c.req.header("Authorization") ?? "";
      const known = askers.get(authorization);
      if (known !== undefined) note(authorization, known);
      else if (isUserAsking() && takesToken(c) && REMEMBERED_HEADER.test(authorization)) {
        note(authorization, currentAsker());
      }
    },
  };
}
