import type { MiddlewareHandler } from "hono";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** `host[:port]`: a registered name or IPv4 address, or an IP literal in brackets (RFC 3986, 3.2.2). */
const HOST = /^([A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/;

/**
 * Refuses a malformed `Host`. The runtime puts it in front of the path unchecked: `Host: x/y?` would replace the
 * path, and with it the operation.
 */
export function requireHost(): MiddlewareHandler<AppEnv> {
  // Nearly all requests name the same host.
  let known: string | undefined;
  return (c, next) => {
    const host = c.req.header("Host");
    if (host !== known) {
      if (host !== undefined && host !== "" && !isHost(host)) throw new AppError("MALFORMED_REQUEST");
      known = host;
    }
    return next();
  };
}

function isHost(host: string): boolean {
  return HOST.test(host) && URL.canParse(`http://${host}`);
}
