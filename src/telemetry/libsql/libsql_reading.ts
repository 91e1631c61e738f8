import { AppError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import type { Database, Row } from "../../db/database.ts";
import { isTooLarge } from "../../db/sql_errors.ts";
import { bind, type BoundStatement, type SqlArgs } from "../../db/statement.ts";
import { READ_AGGREGATES } from "./aggregate_queries.ts";
import { hasFunctions, type Outcome, toOutcome } from "./libsql_results.ts";
import { READ_FIELD, READ_FIELDS } from "./plain_queries.ts";
import type { ReadBudget, StoreQuery, StoreResult } from "../store.ts";
import { describeTags } from "./tag_pattern.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";

/** Values that one query may scan: about half a second, in which a file database serves nothing else. */
export const MAX_SCANNED_OF_QUERY = 1_000_000;

/**
 * Bytes that a query may return on a server, where a text has at most 5,000,000. `ROW_BYTES` says how they are counted.
 */
const SERVER_BYTES = 4_900_000;

/**
 * How long a file database may run queries before the process serves others, in milliseconds. A single query may take
 * longer.
 */
const TURN_MS = 20;
const TURN_QUERIES = 100;

/**
 * With more than a few queries, each first gets a part of an even share: enough for most, and little is scanned in
 * vain.
 */
const FEW_QUERIES = 10;
const FIRST_DIVISOR = 4;

export interface ReadLimits {
  /** What is left for all queries of the call. */
  readonly budget: ReadBudget;
  /** Values that one query may scan. */
  readonly maxScanned: number;
}

/**
 * Runs queries: on a server in one round trip if the response fits, on a file in turns between which the process serves
 * others. They share the budget. First each may scan a part of an even share, because what is scanned in vain is
 * subtracted, too. Those that need more then divide the rest evenly, and run again. See `TelemetryStore.read`.
 */
export async function readQueries(
  database: Database,
  queries: readonly StoreQuery[],
  { budget, maxScanned }: ReadLimits,
): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  let unfinished = [...queries.keys()];
  let divisor = queries.length > FEW_QUERIES ? FIRST_DIVISOR : 1;
  for (; unfinished.length > 0; divisor = 1) {
    const asked = unfinished.map((i) => queries[i] as StoreQuery);
    const evenShare = Math.floor(budget.values / asked.length);
    const share = evenShare >= maxScanned ? maxScanned : Math.floor(evenShare / divisor);
    const outcomes = await readOnce(database, asked, share);
    const postponed: number[] = [];
    for (const [k, { result, scanned }] of outcomes.entries()) {
      const i = unfinished[k] as number;
      budget.values -= scanned;
      if (result === undefined) postponed.push(i);
      else results[i] = result;
    }
    // A query exceeds the limit for one, or all of them exceed an even share of what is left.
    const isHopeless = share === maxScanned || (share === evenShare && postponed.length === asked.length);
    if (budget.values < 0 || (isHopeless && postponed.length > 0)) throw tooMuchToScan(maxScanned);
    unfinished = postponed;
  }
  return results;
}

function tooMuchToScan(maxScanned: number): AppError {
  const message =
    `A query would scan more than ${maxScanned} values, or all queries together would scan too many (each window, tag set and ` +
    "column counts as several values): query shorter time ranges, wider windows or fewer columns";
  return new AppError("TOO_MUCH_TELEMETRY", { message });
}

async function readOnce(
  database: Database,
  queries: readonly StoreQuery[],
  maxScanned: number,
): Promise<Outcome[]> {
  const maxBytes = database.kind === "file" ? Infinity : SERVER_BYTES;
  const bound = queries.map((query) => bindQuery(query, maxScanned, Math.min(query.maxText, maxBytes)));
  const rows = database.kind === "file"
    ? await readInTurns(database, bound)
    : await readAtOnce(database, bound);
  return queries.map((query, i) => toOutcome(query, rows[i] ?? [], maxScanned));
}

/** A response of a server is limited to 10 MB, less than a call may return. A larger one is read in halves. */
async function readAtOnce(database: Database, statements: readonly BoundStatement[]): Promise<Row[][]> {
  try {
    return await database.readAll(statements);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    if (statements.length === 1) {
      const message =
        "A query would return more than the database server can send at once: query a shorter time range or fewer columns";
      throw new AppError("TOO_MUCH_TELEMETRY", { message, cause: error });
    }
  }
  const half = Math.ceil(statements.length / 2);
  const first = await readAtOnce(database, statements.slice(0, half));
  return [...first, ...await readAtOnce(database, statements.slice(half))];
}

/** Runs as many statements per turn as should take `TURN_MS`, judging by the turn before. */
async function readInTurns(database: Database, statements: readonly BoundStatement[]): Promise<Row[][]> {
  const rows: Row[][] = [];
  let size = 1;
  while (rows.length < statements.length) {
    const startedAt = performance.now();
    const turn = statements.slice(rows.length, rows.length + size);
    rows.push(...await database.readAll(turn));
    const perStatement = (performance.now() - startedAt) / turn.length;
    size = Math.max(1, Math.min(2 * size, TURN_QUERIES, Math.floor(TURN_MS / perStatement)));
    await yieldToEventLoop();
  }
  return rows;
}

function bindQuery(query: StoreQuery, maxScanned: number, maxBytes: number): BoundStatement {
  const { columns, maxRows, limit = Infinity } = query;
  const direction = query.descending ? "descending" : "ascending";
  const common: SqlArgs = {
    deviceId: query.deviceId,
    measurement: query.measurement,
    database: query.database,
    retentionPolicy: query.retentionPolicy,
    ...describeTags(query.tags),
    from: query.from ?? MIN_TIME,
    to: query.to ?? MAX_TIME,
    columnCount: columns.length,
    maxRows,
    maxBytes,
    maxScanned,
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
  });
}
