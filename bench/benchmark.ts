import type { Summary } from "./statistics.ts";

/** The goal of a figure; a figure without one is informative. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

export type Unit = "ms" | "us" | "MiB" | "rows" | "requests/s" | "points/s" | "round trips" | "x";

/** One measured figure, or the ratio of two. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The tenth and the ninetieth percentile. */
  readonly spread?: readonly [number, number];
  readonly samples?: number;
  /** The two sides of a ratio. */
  readonly sides?: readonly [string, string];
  readonly goal?: Goal;
}

export interface BenchmarkResult {
  /** What was measured, and the size of the input. */
  readonly input: string;
  readonly figures: readonly Figure[];
}

/** Options of a run. */
export interface BenchmarkOptions {
  /** Benchmarks of several sizes skip those with more roles than this, except the smallest. */
  readonly largest: number;
}

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  /** `note` reports progress. */
  run(note: (text: string) => void, options: BenchmarkOptions): Promise<BenchmarkResult[]>;
}

/** The figure of measured values. */
export function figure(name: string, unit: Unit, summary: Summary, goal?: Goal | undefined): Figure {
  const { median, low, high, samples } = summary;
  return { name, value: median, unit, spread: [low, high], samples, ...(goal && { goal }) };
}

/** The ratio of two medians of the same unit. */
export function ratio(
  name: string,
  unit: Unit,
  sides: readonly [Summary, Summary],
  goal?: Goal | undefined,
): Figure {
  const [one, other] = sides;
  return {
    name,
    value: one.median / other.median,
    unit: "x",
    sides: [formatValue(one.median, unit), formatValue(other.median, unit)],
    ...(goal && { goal }),
  };
}

/** Whether the figure reaches its goal; undefined without one. */
export function reachesGoal({ value, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

/** A value with its unit, to about three digits. */
export function formatValue(value: number, unit: Unit): string {
  return unit === "x" ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

/** A readable line: name, value, spread or sides, goal. */
export function formatFigure(figure: Figure, width: number): string {
  const { name, value, unit, spread, samples, sides, goal } = figure;
  const parts = [`  ${name.padEnd(width)}  ${formatValue(value, unit).padStart(16)}`];
  if (spread !== undefined) {
    parts.push(`${formatNumber(spread[0])} to ${formatNumber(spread[1])}, ${samples} times`);
  }
  if (sides !== undefined) parts.push(`${sides[0]} / ${sides[1]}`);
  if (goal !== undefined) {
    const bound = "atMost" in goal ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
    parts.push(reachesGoal(figure) ? `goal: ${bound}, reached` : `goal: ${bound}, NOT REACHED`);
  }
  return parts.join("  | ");
}

function formatNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toString();
  return value.toPrecision(3);
}
