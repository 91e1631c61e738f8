import type * as OpenTelemetry from "@opentelemetry/api";
import { SECOND_MS } from "./clock.ts";
import type { ErrorCode } from "./errors.ts";

/** The part of OpenTelemetry's API that metrics use. Passed in, so that it is only loaded where they are exported. */
export type MetricsApi = Pick<typeof OpenTelemetry, "metrics">;

/** The methods that a label names. Any other one shares `_OTHER`, since a client may make up any number of them. */
const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] as const;
export type KnownMethod = typeof METHODS[number] | "_OTHER";

/** A queue of the process; `docs/observability.md` says what waits in each. */
export type Queue =
  | "turns"
  | "bodies"
  | "files"
  | "hashes"
  | "probes"
  | "reads"
  | "writes"
  | "points_reads"
  | "points_writes"
  | "telemetry_reads"
  | "telemetry_writes";

export type SignInStep = "password" | "invitation" | "passkey" | "email_otp" | "totp" | "recovery_code";
export type SignInOutcome =
  | "signed_in"
  | "second_factor"
  | "refused"
  | "throttled"
  | "unavailable"
  | "failed";

/**
 * What each label may hold. A series lasts as long as the process, so no label holds what a client can choose, an id
 * or an address: `http.route` is the pattern of a registered route, and `rolegrid.decision` one of
 * `changes/decision.ts`.
 */
interface LabelValues {
  readonly "http.request.method": KnownMethod;
  readonly "http.route": string;
  readonly "http.response.status_code": number;
  readonly "db.operation.name": "read" | "write";
  readonly "rolegrid.error": ErrorCode;
  readonly "rolegrid.queue": Queue;
  readonly "rolegrid.decision": string;
  readonly "rolegrid.check": "rights" | "evaluation" | "forward";
  readonly "rolegrid.step": SignInStep;
  readonly "rolegrid.outcome": "allowed" | "denied" | "ok" | "failed" | SignInOutcome;
  readonly "rolegrid.direction": "read" | "written";
}

type Label = keyof LabelValues;

interface Definition {
  readonly kind: "counter" | "histogram" | "gauge";
  readonly unit: string;
  readonly description: string;
  readonly labels: readonly Label[];
  /** The upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** All metrics, by name. Each has a row in `docs/observability.md`. */
export const METRICS = {
  "rolegrid.request.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from the arrival of a request to the headers of its response",
    labels: ["http.request.method", "http.route", "http.response.status_code"],
    bounds: SECONDS,
  },
  "rolegrid.request.errors": {
    kind: "counter",
    unit: "{error}",
    description: "Responses with an error, by its stable code",
    labels: ["rolegrid.error"],
  },
  "rolegrid.queue.wait": {
    kind: "histogram",
    unit: "s",
    description: "Time that tasks waited for their turn; those that began at once do not count",
    labels: ["rolegrid.queue"],
    bounds: SECONDS,
  },
  "rolegrid.queue.refused": {
    kind: "counter",
    unit: "{task}",
    description: "Tasks that a queue refused, because it was full or their turn came too late",
    labels: ["rolegrid.queue"],
  },
  "rolegrid.queue.waiting": {
    kind: "gauge",
    unit: "{task}",
    description: "Tasks that wait for their turn",
    labels: ["rolegrid.queue"],
  },
  "rolegrid.commit.batches": {
    kind: "histogram",
    unit: "{batch}",
    description: "Batches that shared a commit of a database file",
    labels: [],
    bounds: [1, 2, 4, 8, 16, 32],
  },
  "rolegrid.database.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time of a database call, with its wait",
    labels: ["db.operation.name", "rolegrid.outcome"],
    bounds: SECONDS,
  },
  "rolegrid.changes": {
    kind: "counter",
    unit: "{change}",
    description: "Changes of the graph, by decision; previews do not count",
    labels: ["rolegrid.decision"],
  },
  "rolegrid.change.cost": {
    kind: "histogram",
    unit: "{row}",
    description: "Rows of the closure that a change of the hierarchy touched",
    labels: [],
    bounds: [0, 1, 10, 100, 1000, 10_000, 40_000, 100_000],
  },
  "rolegrid.checks": {
    kind: "counter",
    unit: "{check}",
    description: "Checks of rights, by outcome",
    labels: ["rolegrid.check", "rolegrid.outcome"],
  },
  "rolegrid.sign_ins": {
    kind: "counter",
    unit: "{attempt}",
    description: "Steps of sign-ins, by outcome",
    labels: ["rolegrid.step", "rolegrid.outcome"],
  },
  "rolegrid.mail.oldest_age": {
    kind: "gauge",
    unit: "s",
    description: "Age of the oldest mail in the outbox that is still to be delivered",
    labels: [],
  },
  "rolegrid.storage.down": {
    kind: "gauge",
    unit: "{state}",
    description: "1 while writes cannot be stored, because a disk is full, faulty or read-only; otherwise 0",
    labels: [],
  },
  "rolegrid.telemetry.carry_delay": {
    kind: "gauge",
    unit: "s",
    description: "Seconds for which recent points should have been carried over already",
    labels: [],
  },
  "rolegrid.telemetry.fullest_root": {
    kind: "gauge",
    unit: "By",
    description: "Bytes of the points of the root role that has most, which TELEMETRY_BYTES limits",
    labels: [],
  },
  "rolegrid.telemetry.points": {
    kind: "counter",
    unit: "{point}",
    description: "Points of telemetry, read and written",
    labels: ["rolegrid.direction"],
  },
} as const satisfies Readonly<Record<string, Definition>>;

export type MetricName = keyof typeof METRICS;
type NameOf<K extends Definition["kind"]> = {
  [N in MetricName]: typeof METRICS[N]["kind"] extends K ? N : never;
}[MetricName];
type LabelsOf<N extends MetricName> = Readonly<Pick<LabelValues, typeof METRICS[N]["labels"][number]>>;

/** Records what the process does. No method throws. */
export interface Metrics {
  /** Adds to a counter. */
  add<N extends NameOf<"counter">>(name: N, value: number, labels: LabelsOf<N>): void;
  /** Records a value in a histogram. */
  record<N extends NameOf<"histogram">>(name: N, value: number, labels: LabelsOf<N>): void;
  /** Reads a gauge at each export; undefined, or a failure, exports no value. */
  observe<N extends NameOf<"gauge">>(
    name: N,
    labels: LabelsOf<N>,
    read: () => number | undefined | Promise<number | undefined>,
  ): void;
}

/** Creates the instruments of all metrics. */
export function createMetrics({ metrics }: MetricsApi): Metrics {
  const meter = metrics.getMeter("rolegrid");
  const names = Object.keys(METRICS) as MetricName[];
  const counters = new Map<string, OpenTelemetry.Counter>();
  const histograms = new Map<string, OpenTelemetry.Histogram>();
  const gauges = new Map<string, OpenTelemetry.ObservableGauge>();
  for (const name of names) {
    const { kind, unit, description, bounds }: Definition = METRICS[name];
    const options = { unit, description };
    if (kind === "counter") counters.set(name, meter.createCounter(name, options));
    else if (kind === "gauge") gauges.set(name, meter.createObservableGauge(name, options));
    else {
      const advice = { explicitBucketBoundaries: [...bounds ?? []] };
      histograms.set(name, meter.createHistogram(name, { ...options, advice }));
    }
  }
  // A rate needs a value from before the first one.
  counters.get("rolegrid.request.errors")?.add(0, { "rolegrid.error": "INTERNAL" });
  return {
    add: (name, value, labels) => counters.get(name)?.add(value, { ...labels }),
    record: (name, value, labels) => histograms.get(name)?.record(value, { ...labels }),
    observe(name, labels, read) {
      gauges.get(name)?.addCallback(async (result) => {
        // The runtime ends the process if a callback fails.
        const value = await Promise.try(read).catch(() => undefined);
        if (value !== undefined) result.observe(value, { ...labels });
      });
    },
  };
}

/** Returns the method as a label names it. */
export function knownMethod(method: string): KnownMethod {
  return METHODS.find((known) => known === method) ?? "_OTHER";
}

/** Counts the answers to checks of rights. */
export function countChecks(
  metrics: Metrics | undefined,
  check: LabelValues["rolegrid.check"],
  answers: readonly boolean[],
): void {
  if (metrics === undefined) return;
  const allowed = answers.filter((answer) => answer).length;
  const denied = answers.length - allowed;
  const labels = { "rolegrid.check": check };
  if (allowed > 0) metrics.add("rolegrid.checks", allowed, { ...labels, "rolegrid.outcome": "allowed" });
  if (denied > 0) metrics.add("rolegrid.checks", denied, { ...labels, "rolegrid.outcome": "denied" });
}

/** Measures one queue. */
export interface QueueMeter {
  /** Notes that a task began after a wait, in milliseconds. */
  waited(ms: number): void;
  /** Notes a refused task. */
  refused(): void;
  /** Observes the number of waiting tasks. */
  watch(readSize: () => number): void;
}

/** Returns the meter of a queue; undefined without metrics. */
export function meterQueue(metrics: Metrics | undefined, queue: Queue): QueueMeter | undefined {
  if (metrics === undefined) return undefined;
  const labels = { "rolegrid.queue": queue };
  metrics.add("rolegrid.queue.refused", 0, labels);
  return {
    waited: (ms) => metrics.record("rolegrid.queue.wait", ms / SECOND_MS, labels),
    refused: () => metrics.add("rolegrid.queue.refused", 1, labels),
    watch: (readSize) => metrics.observe("rolegrid.queue.waiting", labels, readSize),
  };
}
