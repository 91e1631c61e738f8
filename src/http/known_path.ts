import { getPath } from "hono/utils/url";

/** The most segments that a path of the service has, and some more. */
const MAX_SEGMENTS = 16;

/** The path of no operation. */
const UNKNOWN = "/-";

/**
 * The path of a request, for the router, whose work grows with the segments of a path. It does not get paths of more
 * segments than an operation has: these become one that is unknown.
 */
export function knownPath(request: Request): string {
  const path = getPath(request);
  let segments = 0;
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    if (++segments > MAX_SEGMENTS) return UNKNOWN;
  }
  return path;
}
