import { countRoundTrips } from "../tests/every_operation/round_trip_counts.ts";
import type { Benchmark, BenchmarkResult } from "./benchmark.ts";

/** Database round trips of each operation; a test checks the same bounds. */
export const ROUND_TRIPS_BENCH: Benchmark = {
  name: "round-trips",
  summary: "Round trips of each operation to a database server",
  async run(): Promise<BenchmarkResult[]> {
    const counts = await countRoundTrips();
    const figures = counts.map(({ operation, count, atMost }) => ({
      name: operation,
      value: count,
      unit: "round trips" as const,
      goal: { atMost },
    }));
    return [{ input: "Requests to sqld, including session check, authorization and audit", figures }];
  },
};
