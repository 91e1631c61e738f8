import { getPath } from "hono/utils/url";

/** Maximum number of segments of a path: some more than any operation has. */
const MAX_SEGMENTS = 16;

/** A path without an operation. */
const UNKNOWN = "/-";

/**
 * Returns the path of a request for the router, whose work grows with the segments. A path that is too long becomes
 * one that matches no operation; so does one that begins with the wildcard of the frame, which it would match twice.
 */
export function knownPath(request: Request): string {
  const path = getPath(request);
  if (path.startsWith("/*")) return UNKNOWN;
  let segments = 0;
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    if (++segments > MAX_SEGMENTS) return UNKNOWN;
  }
  return path;
}
