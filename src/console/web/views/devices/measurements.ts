import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import type { Lack, LatestValue, Measured, Measurements, Tags } from "./measured.ts";
import type { Series } from "./series.ts";
import { KEPT_WINDOW, type Span, windowOf, writeWindow } from "./span.ts";
import type { Window } from "./windows.ts";

type Query = components["schemas"]["TelemetryQuery"];
/** The result of a query. */
export type Result = components["schemas"]["TelemetryResult"];

/**
 * Loads all series and their latest values in one request. In another, asks for whole hours of those without points in
 * this time, as hours may be kept longer.
 */
export async function loadMeasurements(
  series: readonly Series[],
  span: Span,
  signal: AbortSignal,
): Promise<Measurements> {
  const window = windowOf(span);
  const results = await ask([
    ...series.map((each) => queryWindows(each, span, window)),
    ...series.map(queryLatest),
  ], signal);
  const read = series.map((each, i) => readResult(each, window, results[i], results[series.length + i]));
  const hourly = window < KEPT_WINDOW && span.to - span.from > KEPT_WINDOW
    ? read.filter(({ lack }) => lack?.kind === "empty")
    : [];
  const hours = await ask(hourly.map((each) => queryWindows(each.series, span, KEPT_WINDOW)), signal);
  const measured = read.map((each, i) => {
    const result = hours[hourly.indexOf(each)];
    return result?.series === undefined
      ? each
      : readResult(each.series, KEPT_WINDOW, result, results[series.length + i]);
  });
  return { span, window, measured };
}

/** Runs queries in one request, and returns their results in order. */
export async function ask(queries: Query[], signal: AbortSignal): Promise<readonly Result[]> {
  if (queries.length === 0) return [];
  return await dataOf(api.POST("/v1/telemetry/query", { body: queries, signal })) as readonly Result[];
}

const FUNCTIONS = ["min", "mean", "max", "count"] as const;

/**
 * Returns a query for whole windows of this many milliseconds only, so that the first and last are as meaningful as the
 * others.
 */
export function queryWindows(
  series: Series,
  { from, to }: Span,
  window: number,
  functions: readonly (typeof FUNCTIONS[number])[] = FUNCTIONS,
): Query {
  return {
    select: functions.map((name) => ({ field: series.field, function: name })),
    ...whereFrom(series),
    where: {
      time: [
        { operator: ">=", value: Math.floor(from / window) * window },
        { operator: "<", value: Math.ceil(to / window) * window },
      ],
      tags: tagsOf(series),
    },
    groupBy: { time: writeWindow(window) },
  };
}

/** Returns a query for the latest value of all times, of each tag set. */
export function queryLatest(series: Series): Query {
  return {
    select: [series.field],
    ...whereFrom(series),
    where: { tags: tagsOf(series) },
    orderBy: "DESC",
    limit: 1,
  };
}

function whereFrom({ database, retentionPolicy, measurement }: Series): Pick<Query, "from"> {
  return { from: { measurement, database, ...retentionPolicy === undefined ? {} : { retentionPolicy } } };
}

function tagsOf({ tags }: Series): Query["where"]["tags"] {
  return tags as Query["where"]["tags"];
}

function readResult(
  series: Series,
  window: number,
  result: Result | undefined,
  latestResult: Result | undefined,
): Measured {
  const { error, series: found = [], clipped } = result ?? {};
  const latest = readLatest(latestResult);
  const none = { series, window, sets: [], isClipped: clipped === true };
  if (error !== undefined || result === undefined) {
    return { ...none, lack: { kind: reasonOf(error), latest: newestOf(latest) } };
  }
  if (found.length === 0) return { ...none, lack: { kind: "empty", latest: newestOf(latest) } };
  const sets = found.map(({ tags, values }) => ({
    tags: Object.fromEntries(Object.entries(tags).filter(([name]) => !Object.hasOwn(series.tags, name))),
    windows: values.map(readWindow),
    latest: latest.get(writeTags(tags)),
  }));
  return { ...none, sets, lack: undefined };
}

/** Returns the reason why the service refused a query. */
export function reasonOf(error: string | undefined): Lack["kind"] {
  if (error === "Unauthorized") return "forbidden";
  if (error === "SECOND_FACTOR_REQUIRED") return "secondFactor";
  return error?.includes("numeric field") ? "notNumbers" : "refused";
}

function readWindow([time, ...values]: readonly unknown[]): Window {
  const [min = NaN, mean = NaN, max = NaN, count = 0] = values.map(Number);
  return { time: Date.parse(String(time)), min, mean, max, count };
}

/** Reads the latest values by tags, see `writeTags`. */
export function readLatest(result: Result | undefined): Map<string, LatestValue> {
  return new Map((result?.series ?? []).map(({ tags, values: [row = []] }) => [
    writeTags(tags),
    { time: Date.parse(String(row[0])), value: typeof row[1] === "number" ? row[1] : String(row[1]) },
  ]));
}

/** Returns the same text for equal tags. */
export function writeTags(tags: Tags): string {
  return JSON.stringify(Object.entries(tags).sort());
}

function newestOf(latest: ReadonlyMap<string, LatestValue>): LatestValue | undefined {
  return [...latest.values()].sort((a, b) => b.time - a.time)[0];
}
