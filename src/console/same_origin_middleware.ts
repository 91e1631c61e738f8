import type { MiddlewareHandler } from "hono";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "../http/env.ts";

/**
 * In development, the origins of this machine. No other names: their owner could point one here, and their page would
 * have the same origin.
 */
const THIS_MACHINE = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/;

/**
 * Refuses requests from other pages. The cookie is `SameSite=Strict`, but sibling domains are the same site. Browsers
 * send `Origin` with every non-GET request (Fetch, 3.2), and `Sec-Fetch-Site` where supported (Fetch Metadata, 2.3).
 */
export function requireSameOrigin(publicUrl: string): MiddlewareHandler<AppEnv> {
  const isPlain = publicUrl.startsWith("http:");
  return (c, next) => {
    // Such a page does not even learn that it was answered.
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    const origin = c.req.header("Origin");
    const site = c.req.header("Sec-Fetch-Site") ?? "same-origin";
    const isOwn = origin === publicUrl ||
      (isPlain && origin === `http://${c.req.header("Host")}` && THIS_MACHINE.test(origin));
    if (!isOwn || site !== "same-origin") throw new AppError("FORBIDDEN");
    return next();
  };
}
