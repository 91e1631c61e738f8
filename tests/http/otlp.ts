/**
 * The part of a span that tests check. The attributes are a list, because the runtime keeps both values of an
 * attribute that is set twice.
 */
export interface ExportedSpan {
  readonly scope: string;
  /** Whether it is the span of a request to the server. */
  readonly isServer: boolean;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly isError: boolean;
  readonly attributes: readonly (readonly [string, string | number | boolean])[];
}

/** A point of a metric as it was last exported: a sum or gauge, or the sum of a histogram with its count. */
export interface ExportedPoint {
  readonly scope: string;
  readonly name: string;
  readonly unit: string;
  readonly labels: Readonly<Record<string, string | number | boolean>>;
  readonly value: number;
  readonly count: number | undefined;
}

export interface OtlpReceiver extends AsyncDisposable {
  /** The environment variables that make a service export here. */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: readonly ExportedSpan[];
  /** The points of the last export of metrics. */
  readonly points: readonly ExportedPoint[];
  /** The raw bodies of all signals. */
  readonly bodies: readonly string[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { stringValue?: string; doubleValue?: number; intValue?: string; boolValue?: boolean };
}

interface OtlpSpan {
  readonly name: string;
  readonly kind?: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number };
  readonly attributes?: readonly OtlpAttribute[];
}

interface OtlpTraces {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly {
      readonly scope?: { name?: string };
      readonly spans?: readonly OtlpSpan[];
    }[];
  }[];
}

interface OtlpPoint {
  readonly attributes?: readonly OtlpAttribute[];
  readonly asInt?: string | number;
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: string;
}

interface OtlpMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] };
}

interface OtlpMetrics {
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics?: readonly {
      readonly scope?: { name?: string };
      readonly metrics?: readonly OtlpMetric[];
    }[];
  }[];
}

const SERVER_KIND = 2;
const ERROR_STATUS = 2;

/** Receives OTLP exports over HTTP as JSON. */
export function startOtlpReceiver(): OtlpReceiver {
  const spans: ExportedSpan[] = [];
  const bodies: string[] = [];
  let points: readonly ExportedPoint[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    bodies.push(body);
    if (new URL(request.url).pathname === "/v1/traces") spans.push(...readSpans(JSON.parse(body)));
    if (new URL(request.url).pathname === "/v1/metrics") points = readPoints(JSON.parse(body));
    return Response.json({});
  });
  return {
    env: {
      OTEL_DENO: "true",
      OTEL_SERVICE_NAME: "rolegrid",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
    },
    spans,
    get points() {
      return points;
    },
    bodies,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function readSpans({ resourceSpans = [] }: OtlpTraces): ExportedSpan[] {
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans).flatMap(({ scope, spans = [] }) =>
    spans.map((span) => ({
      scope: scope?.name ?? "",
      isServer: span.kind === SERVER_KIND,
      name: span.name,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? "",
      isError: span.status?.code === ERROR_STATUS,
      attributes: (span.attributes ?? []).map(({ key, value }) => [key, readValue(value)] as const),
    }))
  );
}

function readPoints({ resourceMetrics = [] }: OtlpMetrics): ExportedPoint[] {
  const scopes = resourceMetrics.flatMap(({ scopeMetrics = [] }) => scopeMetrics);
  return scopes.flatMap(({ scope, metrics = [] }) =>
    metrics.flatMap(({ name, unit = "", sum, gauge, histogram }) =>
      ((sum ?? gauge ?? histogram)?.dataPoints ?? []).map((point) => ({
        scope: scope?.name ?? "",
        name,
        unit,
        labels: Object.fromEntries((point.attributes ?? []).map(({ key, value }) => [key, readValue(value)])),
        value: Number(point.asInt ?? point.asDouble ?? point.sum ?? 0),
        count: point.count === undefined ? undefined : Number(point.count),
      }))
    )
  );
}

function readValue(
  { stringValue, doubleValue, intValue, boolValue }: OtlpAttribute["value"],
): string | number | boolean {
  return stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
}
