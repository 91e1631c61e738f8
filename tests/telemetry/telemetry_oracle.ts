import assert from "node:assert/strict";
import { parseJson } from "../../src/core/json.ts";
import type { Namespace, SeriesWrite } from "../../src/telemetry/points/point.ts";
import type { StoreQuery, StoreResult } from "../../src/telemetry/store.ts";
import type { Meter } from "./telemetry_scene.ts";

/**
 * What a telemetry store must return, computed slowly and plainly from everything that was written. Shares types with
 * the service and its parser of JSON, but no other code.
 */

type Value = number | boolean | string;
type Cell = Value | null;

interface StoredSeries {
  readonly deviceId: number;
  readonly namespace: Namespace;
  readonly measurement: string;
  readonly field: string;
  /** Canonical JSON. */
  readonly tags: string;
  readonly values: Map<bigint, Value>;
}

interface ModelRow {
  readonly time: bigint;
  readonly cells: readonly Cell[];
}

export type ModelResult =
  | { readonly series: readonly { readonly tags: string; readonly rows: readonly ModelRow[] }[] }
  | "invalid";

const NUMERIC = ["sum", "min", "max", "mean"];

export class TelemetryModel {
  readonly #series: StoredSeries[] = [];

  /** Keeps what was written to these devices. */
  write(meters: readonly Meter[], namespace: Namespace, writes: readonly SeriesWrite[]): void {
    for (const { nodeId, measurement, field, tags, values } of writes) {
      const deviceId = meters.find((meter) => meter.nodeId === nodeId)?.deviceId;
      assert.ok(deviceId !== undefined);
      const found = this.#series.find((one) =>
        one.deviceId === deviceId && one.measurement === measurement && one.field === field &&
        one.tags === tags && isSameNamespace(one.namespace, namespace)
      );
      const target = found ?? { deviceId, namespace, measurement, field, tags, values: new Map() };
      if (found === undefined) this.#series.push(target);
      for (const [time, json] of values) target.values.set(time, JSON.parse(json));
    }
  }

  /** All rows of the query. */
  resultOf(query: StoreQuery): ModelResult {
    const fields = query.columns.map(({ field }) => field);
    const matching = this.#series.filter((one) => {
      if (one.deviceId !== query.deviceId || one.measurement !== query.measurement) return false;
      if (!isSameNamespace(one.namespace, query) || !fields.includes(one.field)) return false;
      const tags = new Map<string, unknown>(Object.entries(parseJson(one.tags) as object));
      return [...query.tags].every(([name, value]) => tags.get(name) === value);
    });
    for (const { aggregate, field } of query.columns) {
      if (aggregate === undefined || !NUMERIC.includes(aggregate)) continue;
      const values = matching.filter((one) => one.field === field).flatMap((one) =>
        [...one.values].filter(([time]) => isInRange(query, time)).map(([, value]) => value)
      );
      if (values.some((value) => typeof value !== "number")) return "invalid";
    }
    const tagSets = [...new Set(matching.map(({ tags }) => tags))].sort((a, b) => a < b ? -1 : 1);
    const series = tagSets.map((tags) => {
      const rows = rowsOf(query, matching.filter((one) => one.tags === tags));
      if (query.descending) rows.reverse();
      return { tags, rows: rows.slice(0, query.limit) };
    });
    return { series: series.filter(({ rows }) => rows.length > 0) };
  }
}

function isInRange({ from, to, parts }: StoreQuery, time: bigint): boolean {
  if (parts !== undefined) return parts.some((part) => part.from <= time && time <= part.to);
  return (from === undefined || from <= time) && (to === undefined || time <= to);
}

function isSameNamespace(one: Namespace, other: Namespace): boolean {
  return one.database === other.database && one.retentionPolicy === other.retentionPolicy;
}

/** The rows of one tag set, in order of time. */
function rowsOf(query: StoreQuery, tagSet: readonly StoredSeries[]): ModelRow[] {
  const cellsByTime = new Map<bigint, Cell[]>();
  for (const [i, { field, aggregate }] of query.columns.entries()) {
    const values = tagSet.find((one) => one.field === field)?.values ?? new Map<bigint, Value>();
    const groups = new Map<bigint, [bigint, Value][]>();
    for (const [time, value] of values) {
      if (!isInRange(query, time)) continue;
      const row = rowTime(query, time);
      groups.set(row, [...groups.get(row) ?? [], [time, value]]);
    }
    for (const [row, group] of groups) {
      const cells = cellsByTime.get(row) ?? query.columns.map(() => null);
      cells[i] = aggregate === undefined ? group[0]?.[1] ?? null : reduce(aggregate, group);
      cellsByTime.set(row, cells);
    }
  }
  const rows = Array.from(cellsByTime, ([time, cells]) => ({ time, cells }));
  return rows.sort((a, b) => a.time < b.time ? -1 : 1);
}

function rowTime({ columns, window, from }: StoreQuery, time: bigint): bigint {
  if (columns[0].aggregate === undefined) return time;
  if (window === undefined) return from ?? 0n;
  let start = (time / window) * window;
  if (start > time) start -= window;
  return start;
}

function reduce(aggregate: string, group: readonly [bigint, Value][]): Value {
  const inOrder = [...group].sort(([a], [b]) => a < b ? -1 : 1).map(([, value]) => value);
  const numbers = inOrder.map(Number);
  const sum = numbers.reduce((total, value) => total + value, 0);
  switch (aggregate) {
    case "count":
      return inOrder.length;
    case "sum":
      return sum;
    case "mean":
      return sum / numbers.length;
    case "min":
      return Math.min(...numbers);
    case "max":
      return Math.max(...numbers);
    case "first":
      return inOrder[0] as Value;
    default:
      return inOrder.at(-1) as Value;
  }
}

/** Compares a store's result with the model's, up to rounding. */
export function assertResult(
  result: StoreResult | undefined,
  expected: ModelResult,
  query: StoreQuery,
): void {
  assert.ok(result !== undefined, "there is no result for the query");
  if (expected === "invalid") {
    assert.ok(
      "invalid" in result && result.invalid.startsWith("Invalid format: "),
      "the query is not refused",
    );
    return;
  }
  assert.ok("series" in result, `the query is refused: ${JSON.stringify(result)}`);
  const answered = result.series.map(({ tagsJson, rows: texts }) => {
    const rows: unknown[][] = JSON.parse(`[${texts.join(",")}]`);
    assert.ok(rows.length > 0, "a series is empty");
    return { tagsJson, rows };
  });
  assert.deepEqual(answered.map(({ tagsJson }) => tagsJson), expected.series.map(({ tags }) => tags));
  for (const [i, { rows }] of expected.series.entries()) {
    const found = answered[i]?.rows ?? [];
    assert.deepEqual(found.map(([time]) => nanoseconds(time)), rows.map(({ time }) => time));
    for (const [k, { cells }] of rows.entries()) assertCells(found[k]?.slice(1) ?? [], cells, query);
  }
}

/** Tolerance for a sum of some dozen values of up to a million; for a single stored value, its last place. */
const ROUNDING = { relative: 1e-9, absolute: 1e-8 };
const LAST_PLACE = 2 ** -52;

function assertCells(found: readonly unknown[], expected: readonly Cell[], query: StoreQuery): void {
  assert.equal(found.length, expected.length);
  for (const [i, cell] of expected.entries()) {
    const value = found[i];
    if (typeof cell !== "number") {
      assert.equal(value, cell);
      continue;
    }
    assert.ok(typeof value === "number", `${JSON.stringify(value)} where ${cell} is expected`);
    const isComputed = ["sum", "mean"].includes(query.columns[i]?.aggregate ?? "");
    const allowed = isComputed
      ? ROUNDING.absolute + ROUNDING.relative * Math.abs(cell)
      : LAST_PLACE * Math.abs(cell);
    assert.ok(Math.abs(value - cell) <= allowed, `${value} where ${cell} is expected`);
  }
}

/** Parses a time as results have it: ISO 8601 in UTC, with no more digits than needed. */
function nanoseconds(text: unknown): bigint {
  assert.ok(typeof text === "string");
  const [, seconds, fraction = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{0,8}[1-9]))?Z$/.exec(text) ??
    [];
  assert.ok(seconds !== undefined, `${text} is no time`);
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
