import { setImmediate } from "node:timers";
import { AppError } from "../core/errors.ts";
import type { Database, Row } from "../db/database.ts";
import { typedRows } from "../db/rows.ts";
import { bind, type BoundStatement, type SqlArgs } from "../db/statement.ts";
import { formatRows } from "./libsql_rows.ts";
import { NEEDS_NUMBERS } from "./query.ts";
import type { ReadBudget, StoredSeries, StoreQuery, StoreResult } from "./store.ts";
import {
  type AggregateRow,
  type PlainRow,
  READ_AGGREGATES,
  READ_FIELD,
  READ_FIELDS,
} from "./store_queries.ts";
import { formatMs, formatTime, MAX_TIME, MIN_TIME } from "./time.ts";

/** Values that the functions of one query may look at: a file database answers nobody until they have. */
export const MAX_LOOKED_OF_QUERY = 1_000_000;

/** How long a file database may answer queries, in milliseconds, before the process serves others; a single one may take longer. */
const TURN_MS = 20;
const TURN_QUERIES = 100;

const NS_PER_MS = 1_000_000n;

/** What a query came to, and how many values were looked at; a result is missing where that was more than it might be. */
interface Outcome {
  readonly result: StoreResult | undefined;
  readonly looked: number;
}

export interface ReadLimits {
  /** What is left for all queries of the call. */
  readonly budget: ReadBudget;
  /** Values that the functions of one query may look at. */
  readonly maxLooked: number;
}

/**
 * Runs queries: on a server all of them in one round trip, on a file in turns between which the process serves others.
 * Queries with functions share what may be looked at: first evenly; those that need more divide the rest among them, and
 * are run again. See `TelemetryStore.read`.
 */
export async function readQueries(
  database: Database,
  queries: readonly StoreQuery[],
  { budget, maxLooked }: ReadLimits,
): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  let unfinished = [...queries.keys()];
  while (unfinished.length > 0) {
    const asked = unfinished.map((i) => queries[i] as StoreQuery);
    const looking = asked.filter(hasFunctions).length;
    const share = Math.min(maxLooked, Math.floor(budget.values / Math.max(1, looking)));
    const outcomes = await readOnce(database, asked, share);
    const postponed: number[] = [];
    for (const [k, { result, looked }] of outcomes.entries()) {
      const i = unfinished[k] as number;
      budget.values -= looked;
      if (result === undefined) postponed.push(i);
      else results[i] = result;
    }
    // Each of them would look at more than one may, or than its even share of what is left.
    const isHopeless = postponed.length > 0 && postponed.length === looking;
    if (isHopeless || budget.values < 0) throw tooMuchToLookAt(maxLooked);
    unfinished = postponed;
  }
  return results;
}

function tooMuchToLookAt(maxLooked: number): AppError {
  const message =
    `The functions would look at more than ${maxLooked} values in one query, or too many in all: ` +
    "ask for shorter ranges or fewer of them";
  return new AppError("TOO_MUCH_TELEMETRY", { message });
}

async function readOnce(
  database: Database,
  queries: readonly StoreQuery[],
  maxLooked: number,
): Promise<Outcome[]> {
  const bound = queries.map((query) => bindQuery(query, maxLooked));
  const rows = database.kind === "file" ? await readInTurns(database, bound) : await database.readAll(bound);
  return queries.map((query, i) => toOutcome(query, rows[i] ?? [], maxLooked));
}

/** As many statements at once as the ones before suggest to take a turn. */
async function readInTurns(database: Database, statements: readonly BoundStatement[]): Promise<Row[][]> {
  const rows: Row[][] = [];
  let size = 1;
  while (rows.length < statements.length) {
    const startedAt = performance.now();
    const turn = statements.slice(rows.length, rows.length + size);
    rows.push(...await database.readAll(turn));
    const perStatement = (performance.now() - startedAt) / turn.length;
    size = Math.max(1, Math.min(2 * size, TURN_QUERIES, Math.floor(TURN_MS / perStatement)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return rows;
}

function hasFunctions({ columns }: StoreQuery): boolean {
  return columns[0].aggregate !== undefined;
}

function bindQuery(query: StoreQuery, maxLooked: number): BoundStatement {
  const { columns, maxRows, maxText, limit = Infinity } = query;
  const direction = query.descending ? "descending" : "ascending";
  const common: SqlArgs = {
    deviceId: query.deviceId,
    measurement: query.measurement,
    database: query.database,
    retentionPolicy: query.retentionPolicy,
    ...describeTags(query.tags),
    from: query.from ?? MIN_TIME,
    to: query.to ?? MAX_TIME,
    maxRows,
    maxText,
    perSeries: Math.min(limit, maxRows + 1),
  };
  if (columns.length === 1 && !hasFunctions(query)) {
    return bind(READ_FIELD[direction], { ...common, field: columns[0].field });
  }
  const columnsJson = JSON.stringify(columns.map(({ field, aggregate }) => [field, aggregate ?? null]));
  if (!hasFunctions(query)) return bind(READ_FIELDS[direction], { ...common, columns: columnsJson });
  const isOneFunction = columns.every(({ aggregate }) => aggregate === columns[0].aggregate);
  const functions = isOneFunction && columns[0].aggregate !== undefined ? columns[0].aggregate : "several";
  return bind(READ_AGGREGATES[functions][direction], {
    ...common,
    columns: columnsJson,
    window: query.window ?? null,
    maxLooked,
  });
}

/** The device's tag sets all have its nodeId. */
function describeTags(tags: ReadonlyMap<string, string>): { tags: string; tagTexts: string } {
  const others = Array.from(tags).filter(([key]) => key !== "nodeId");
  const texts = others.map((tag) => tag.map((text) => JSON.stringify(text)).join(":"));
  return { tags: `{${texts.join(",")}}`, tagTexts: JSON.stringify(texts) };
}

function toOutcome(query: StoreQuery, rows: readonly Row[], maxLooked: number): Outcome {
  if (!hasFunctions(query)) return toPlainOutcome(typedRows<PlainRow>(rows));
  const [row] = typedRows<AggregateRow>(rows);
  if (row === undefined) throw new Error("A query with functions answered nothing");
  if (row.looked > maxLooked) return { result: undefined, looked: 0 };
  return { result: toAggregateResult(query, row), looked: row.looked };
}

function toPlainOutcome([ofQuery, ...ofTagSets]: readonly PlainRow[]): Outcome {
  if (ofQuery === undefined) throw new Error("A query for plain fields answered nothing");
  const series = ofTagSets.flatMap(({ tags, count, rows }) =>
    tags === null || rows === null ? [] : [{
      tags: JSON.parse(tags) as StoredSeries["tags"],
      tagsJson: tags,
      rowsJson: formatRows(rows),
      rowCount: count,
    }]
  );
  return { result: { series: inOrderOfTags(series), isCut: ofQuery.isCut === 1 }, looked: ofQuery.count };
}

function toAggregateResult(query: StoreQuery, row: AggregateRow): StoreResult {
  if (row.isRefused) {
    return { invalid: NEEDS_NUMBERS };
  }
  if (row.rows === null) {
    return { series: [], isCut: row.rowCount > query.maxRows || row.isLong === 1 };
  }
  const drafts: { readonly tagsJson: string; readonly rows: string[] }[] = [];
  for (const line of row.rows.split("\n")) {
    if (line.startsWith("{")) drafts.push({ tagsJson: line, rows: [] });
    else {
      const windowEnd = line.indexOf(",");
      const time = rowTime(query, line.slice(0, windowEnd));
      drafts.at(-1)?.rows.push(`["${time}"${line.slice(windowEnd)}]`);
    }
  }
  const series = drafts.map(({ tagsJson, rows }) => {
    const tags = JSON.parse(tagsJson) as StoredSeries["tags"];
    return { tags, tagsJson, rowsJson: rows.join(","), rowCount: rows.length };
  });
  return { series: inOrderOfTags(series), isCut: false };
}

/** The time of an aggregate's row: where its window begins, or the range. */
function rowTime({ window, from }: StoreQuery, windowNumber: string): string {
  if (window === undefined) return formatTime(from ?? 0n);
  return window % NS_PER_MS === 0n
    ? formatMs(Number(windowNumber) * Number(window / NS_PER_MS))
    : formatTime(BigInt(windowNumber) * window);
}

/** By UTF-16 code units, as everywhere outside the database, which orders by code points. */
function inOrderOfTags(series: readonly (StoredSeries & { tagsJson: string })[]): StoredSeries[] {
  const ordered = series.length < 2 ? series : series.toSorted((a, b) => a.tagsJson < b.tagsJson ? -1 : 1);
  return ordered.map(({ tags, rowsJson, rowCount }) => ({ tags, rowsJson, rowCount }));
}
