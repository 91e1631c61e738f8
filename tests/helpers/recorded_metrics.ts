import type { MetricsApi } from "../../src/core/metrics.ts";

type Labels = Readonly<Record<string, string | number>>;

/** A value that the service recorded. */
export interface Recorded {
  readonly name: string;
  readonly value: number;
  readonly labels: Labels;
}

/** OpenTelemetry's API with instruments that keep what they get. */
export interface RecordingApi {
  readonly api: MetricsApi;
  readonly recorded: Recorded[];
  /** Reads all gauges, as an export does. */
  readGauges(): Promise<Recorded[]>;
}

/** Creates an API that exports nothing. */
export function createRecordingApi(): RecordingApi {
  type Observe = (result: { observe(value: number, labels: Labels): void }) => void | Promise<void>;
  const recorded: Recorded[] = [];
  const gauges: { readonly name: string; readonly read: Observe }[] = [];
  const keep = (name: string) => (value: number, labels: Labels): void =>
    void recorded.push({ name, value, labels });
  const meter = {
    createCounter: (name: string) => ({ add: keep(name) }),
    createHistogram: (name: string) => ({ record: keep(name) }),
    createObservableGauge: (name: string) => ({
      addCallback: (read: Observe) => gauges.push({ name, read }),
    }),
  };
  return {
    api: { metrics: { getMeter: () => meter } } as unknown as MetricsApi,
    recorded,
    async readGauges() {
      const read: Recorded[] = [];
      for (const { name, read: observe } of gauges) {
        await observe({ observe: (value, labels) => void read.push({ name, value, labels }) });
      }
      return read;
    },
  };
}
