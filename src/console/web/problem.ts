/** A request that was not done: a response of the service with an error, or none at all. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
    /** `message` of the response's body: a code, or a sentence. `NETWORK` without a response. */
    readonly code: string,
    /** Seconds after which it may be tried again. */
    readonly retryAfter: number | undefined,
    /** The whole body. */
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(code);
  }
}

/** In seconds. Timers do not wait for longer than some weeks, and end at once instead. */
const LONGEST_WAIT = 86_400;

/** The problem that a response and its body tell of. */
export function problemOf(response: Response, body: unknown): Problem {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const wait = Number(response.headers.get("Retry-After") ?? fields["retryAfter"]);
  return new Problem(
    response.status,
    String(fields["message"] ?? ""),
    wait > 0 ? Math.min(wait, LONGEST_WAIT) : undefined,
    fields,
  );
}

/** What a failed `fetch` or anything else that was thrown comes to. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  if (isLate || error instanceof TypeError) return new Problem(0, "NETWORK", undefined, {});
  // A page of something in between, instead of JSON.
  if (error instanceof SyntaxError) return new Problem(502, "", undefined, {});
  throw error;
}

/** Whether it may well go away by itself: no connection, a service that fails or is busy, or too many requests for now. */
export function isPassing({ status }: Problem): boolean {
  return [0, 408, 429].includes(status) || status >= 500;
}
