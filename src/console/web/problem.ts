import type { Needs } from "./schemas.ts";

/** A failed request: an error response, or none. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
    /** `message` of the response's body: a code, or a sentence. `NETWORK` without a response. */
    readonly code: string,
    /** Seconds until a retry. */
    readonly retryAfter: number | undefined,
    /** The whole body. */
    readonly body: Readonly<Record<string, unknown>>,
    /** What the session would have to prove for the request to be allowed. */
    readonly needs?: Needs,
  ) {
    super(code);
  }
}

/** Maximum wait, in seconds. Timers of several weeks would fire at once. */
const LONGEST_WAIT = 86_400;

/** Returns the problem of an error response. */
export function problemOf(response: Response, body: unknown): Problem {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const wait = Number(response.headers.get("Retry-After") ?? fields["retryAfter"]);
  return new Problem(
    response.status,
    String(fields["message"] ?? ""),
    wait > 0 ? Math.min(wait, LONGEST_WAIT) : undefined,
    fields,
    needsOf(response),
  );
}

/** Returns what the session would have to prove for the request to be allowed (RFC 9470, 3); undefined if that is not why. */
export function needsOf({ headers }: Response): Needs | undefined {
  const acr = /acr_values="([^"]*)"/.exec(headers.get("WWW-Authenticate") ?? "")?.[1];
  return acr === undefined ? undefined : acr === "phr" ? "phishing-resistant" : "required";
}

/** Turns a failed `fetch` or another error into a `Problem`. Rethrows unexpected errors. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  if (isLate || error instanceof TypeError) return new Problem(0, "NETWORK", undefined, {});
  // A page of a proxy, instead of JSON.
  if (error instanceof SyntaxError) return new Problem(502, "", undefined, {});
  throw error;
}

/** Whether the problem may pass by itself: no connection, a failing or busy service, or too many requests. */
export function isPassing({ status }: Problem): boolean {
  return [0, 408, 429].includes(status) || status >= 500;
}
