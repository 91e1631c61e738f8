import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import type { Series } from "./series.ts";
import { type Span, windowOf, writeWindow } from "./span.ts";
import type { Window } from "./windows.ts";

type Query = components["schemas"]["TelemetryQuery"];
/** The result of a query. */
export type Result = components["schemas"]["TelemetryResult"];

/** The reason why nothing is drawn. `empty`: no values in this time. */
export interface Lack {
  readonly kind: "empty" | "notNumbers" | "forbidden" | "secondFactor" | "refused";
  /** The latest value of all times; unknown if forbidden or refused. */
  readonly latest: Latest | undefined;
}

/** The latest value of a series. */
interface Latest {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly value: string;
}

/** The result of a series: the windows of each tag set, or a reason for their absence. */
export interface Measured {
  readonly series: Series;
  readonly sets: readonly TagSet[];
  readonly lack: Lack | undefined;
}

/** The windows of one combination of tags. */
export interface TagSet {
  /** Tags that tell this set apart from others of the series. */
  readonly tags: Readonly<Record<string, string>>;
  readonly windows: readonly Window[];
}

/** The measurements of all requested series in a span of time. */
export interface Measurements {
  readonly span: Span;
  /** Length of the windows, in milliseconds. */
  readonly window: number;
  readonly measured: readonly Measured[];
}

/** Loads all series in one request, and in another the latest values of those that cannot be drawn. */
export async function loadMeasurements(
  series: readonly Series[],
  span: Span,
  signal: AbortSignal,
): Promise<Measurements> {
  const window = windowOf(span);
  const results = await ask(series.map((each) => queryWindows(each, span, window)), signal);
  const read = series.map((each, i) => readResult(each, results[i]));
  const lacking = read.filter(({ lack }) => lack?.kind === "empty" || lack?.kind === "notNumbers");
  const latest = await ask(lacking.map((each) => queryLatest(each.series)), signal);
  const measured = read.map((each) => {
    const at = lacking.indexOf(each);
    return at < 0 || each.lack === undefined
      ? each
      : { ...each, lack: { ...each.lack, latest: readLatest(latest[at]) } };
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

function readResult(series: Series, result: Result | undefined): Measured {
  const { error, series: found = [] } = result ?? {};
  if (error !== undefined || result === undefined) {
    return { series, sets: [], lack: { kind: reasonOf(error), latest: undefined } };
  }
  if (found.length === 0) return { series, sets: [], lack: { kind: "empty", latest: undefined } };
  const sets = found.map(({ tags, values }) => ({
    tags: Object.fromEntries(Object.entries(tags).filter(([name]) => !Object.hasOwn(series.tags, name))),
    windows: values.map(readWindow),
  }));
  return { series, sets, lack: undefined };
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

function readLatest(result: Result | undefined): Latest | undefined {
  const all = (result?.series ?? []).map(({ values: [row] }) => ({
    time: Date.parse(String(row?.[0])),
    value: String(row?.[1]),
  }));
  return all.reduce<Latest | undefined>(
    (latest, each) => latest === undefined || each.time > latest.time ? each : latest,
    undefined,
  );
}
