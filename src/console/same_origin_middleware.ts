import type { MiddlewareHandler } from "hono";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "../http/env.ts";

/**
 * In development, the service is reached by any name of this machine. Not by others: whoever owns a name can let it lead
 * here, and their page would then have the origin that it asks.
 */
const THIS_MACHINE = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/;

/**
 * Refuses requests that no page of this service sent. The cookie is `SameSite=Strict` already, but pages of a sibling
 * domain count as the same site. Browsers send `Origin` with every request that is not a GET (Fetch, 3.2), and
 * `Sec-Fetch-Site` where they support it (Fetch Metadata Request Headers, 2.3).
 */
export function requireSameOrigin(publicUrl: string): MiddlewareHandler<AppEnv> {
  const isPlain = publicUrl.startsWith("http:");
  return (c, next) => {
    const origin = c.req.header("Origin");
    const site = c.req.header("Sec-Fetch-Site") ?? "same-origin";
    const isOwn = origin === publicUrl ||
      (isPlain && origin === `http://${c.req.header("Host")}` && THIS_MACHINE.test(origin));
    if (!isOwn || site !== "same-origin") throw new AppError("FORBIDDEN");
    return next();
  };
}
