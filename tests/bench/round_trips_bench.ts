import { countRoundTrips } from "../every_operation/round_trip_counts.ts";
import type { Benchmark, BenchmarkResult } from "./benchmark.ts";

/** Database round trips of each operation; a test checks the same bounds. */
export const ROUND_TRIPS_BENCH: Benchmark = {
  name: "round-trips",
  summary: "How often each operation goes to a database server",
  async run(): Promise<BenchmarkResult[]> {
    const counts = await countRoundTrips();
    const figures = counts.map(({ operation, count, atMost }) => ({
      name: operation,
      value: count,
      unit: "round trips" as const,
      goal: { atMost },
    }));
    return [{ input: "Requests that reach sqld, session check, authorization and audit included", figures }];
  },
};
