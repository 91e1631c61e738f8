/** A token of RFC 9110, 5.6.2; a quoted text of 5.6.4. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const DIRECTIVE = new RegExp(`[ \\t]*(?:(${TOKEN})(?:=(${TOKEN}|${QUOTED}))?[ \\t]*)?(?:,|$)`, "y");
/** In characters. */
const MAX_LENGTH = 1000;
const SECONDS = /^"?([0-9]+)"?$/;

/**
 * The `max-age` of a request's `Cache-Control` (RFC 9111, 5.2.1.1), in seconds; of several the smallest. Undefined if
 * the client asks for fresh data: without the directive, with `no-cache`, and if the header is malformed or very long.
 */
export function readMaxAge(header: string | undefined): number | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined;
  let maxAge: number | undefined;
  DIRECTIVE.lastIndex = 0;
  while (DIRECTIVE.lastIndex < header.length) {
    const [, name, argument = ""] = DIRECTIVE.exec(header) ?? [];
    // Without a match, `lastIndex` is 0 again.
    if (DIRECTIVE.lastIndex === 0) return undefined;
    const directive = name?.toLowerCase();
    if (directive === "no-cache") return undefined;
    if (directive !== "max-age") continue;
    const seconds = SECONDS.exec(argument)?.[1];
    if (seconds === undefined) return undefined;
    maxAge = Math.min(maxAge ?? Infinity, Number(seconds));
  }
  return maxAge;
}
