import type * as OpenTelemetry from "@opentelemetry/api";

/** The parts of OpenTelemetry's API that the service uses. Passed in, so that it is only loaded for tracing. */
export type TracingApi = Pick<typeof OpenTelemetry, "trace" | "SpanKind" | "SpanStatusCode">;

/** The attributes of a request's span. None of them comes from the URL, a header or a body. */
export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern; undefined where no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  /** The stable code of the error, or the class of an unexpected one. */
  readonly errorType: string | undefined;
}

/** The trace that a request belongs to. */
export interface RequestTrace {
  /** 32 hexadecimal digits (W3C Trace Context, 3.2.2.3). */
  readonly traceId: string;
  /** Sets the attributes of the request's span. Call it once: the runtime keeps both values of a repeated attribute. */
  describe(facts: RequestFacts): void;
}

/** Returns the trace of the current request, or undefined outside of one. */
export type FindRequestTrace = () => RequestTrace | undefined;

/**
 * Returns a function that finds the runtime's span of the request. Attributes follow OpenTelemetry's semantic
 * conventions for HTTP servers. The runtime itself sets the method, the status and always the URL with its query.
 */
export function createRequestTracing({ trace, SpanStatusCode }: TracingApi): FindRequestTrace {
  return function findRequestTrace(): RequestTrace | undefined {
    const span = trace.getActiveSpan();
    if (span === undefined) return undefined;
    return {
      traceId: span.spanContext().traceId,
      describe({ requestId, method, route, status, errorType }: RequestFacts): void {
        span.setAttribute("rolegrid.request_id", requestId);
        if (route !== undefined) {
          span.setAttribute("http.route", route);
          span.updateName(`${method} ${route}`);
        }
        // Not `error.type`, which some versions of the runtime set to the status.
        if (errorType !== undefined) span.setAttribute("rolegrid.error", errorType);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      },
    };
  };
}
