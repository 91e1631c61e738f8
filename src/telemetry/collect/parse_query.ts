import { MAX_QUERIES } from "../bucket/bucket.ts";
import {
  DEFAULT_RETENTION_POLICY,
  findFieldNameFault,
  findTagsFault,
  isName,
  NAME_RULE,
} from "../points/point_rules.ts";
import type { Namespace } from "../points/point.ts";
import { type Aggregate, AGGREGATES, type Column, type TelemetryQuery } from "../points/query.ts";
import { parseDuration, parseTime } from "../points/time.ts";

const MAX_COLUMNS = 100;
const MAX_TIME_CONDITIONS = 2;

export type ParsedQuery = { readonly query: TelemetryQuery } | { readonly invalid: string };

export interface ParsedQueries {
  /** The body is one query, so that the answer is one result. */
  readonly single: boolean;
  readonly items: readonly ParsedQuery[];
}

type Bounds = Pick<TelemetryQuery, "from" | "to">;

const OPERATORS: ReadonlySet<unknown> = new Set(["<", "<=", ">", ">=", "="]);
const AGGREGATE_SET: ReadonlySet<unknown> = new Set(AGGREGATES);

/** What is wrong with a query, and where. Never leaves this file. */
class QueryFault extends Error {}

/** Reads a body: one query, or a list of 1 to 1000. Undefined where it is neither; bad queries are among the items. */
export function parseQueries(body: unknown): ParsedQueries | undefined {
  if (Array.isArray(body)) {
    if (body.length === 0 || body.length > MAX_QUERIES) return undefined;
    return { single: false, items: body.map(parseQuery) };
  }
  return typeof body === "object" && body !== null ? { single: true, items: [parseQuery(body)] } : undefined;
}

/**
 * Reads one query; its form is described by `CollectBodySchema`. `invalid` is public: it names where the first fault is and what is
 * expected there, and repeats no submitted value and no unknown key.
 */
export function parseQuery(value: unknown): ParsedQuery {
  try {
    return { query: readQuery(value) };
  } catch (error) {
    if (error instanceof QueryFault) return { invalid: `Invalid format: ${error.message}` };
    throw error;
  }
}

function readQuery(value: unknown): TelemetryQuery {
  const query = readRecord(value, "the query", ["select", "from", "where", "groupBy", "orderBy", "limit"]);
  const columns = readColumns(query.select);
  const { measurement, namespace } = readSource(query.from);
  const where = readRecord(query.where, "where", ["time", "tags"]);
  const bounds = readBounds(where.time);
  const tags = readTags(where.tags);
  const window = readWindow(query.groupBy);
  if (window !== undefined && columns[0].aggregate === undefined) {
    fail("groupBy", "only where select has functions");
  }
  const { orderBy = "ASC" } = query;
  if (orderBy !== "ASC" && orderBy !== "DESC") fail("orderBy", "ASC or DESC");
  return {
    ...namespace,
    measurement,
    nodeId: tags.get("nodeId") ?? "",
    columns,
    ...bounds,
    tags,
    window,
    descending: orderBy === "DESC",
    limit: readLimit(query.limit),
  };
}

function readColumns(select: unknown): [Column, ...Column[]] {
  if (!Array.isArray(select) || select.length > MAX_COLUMNS) {
    fail("select", `a list of 1 to ${MAX_COLUMNS} columns`);
  }
  const [first, ...others] = select.map(readColumn);
  if (first === undefined) fail("select", `a list of 1 to ${MAX_COLUMNS} columns`);
  const isPlain = first.aggregate === undefined;
  const names = new Set([first.name]);
  for (const { aggregate, name } of others) {
    if ((aggregate === undefined) !== isPlain) fail("select", "either fields or functions, not both");
    names.add(name);
  }
  if (names.size < select.length) fail("select", "each column once");
  return [first, ...others];
}

function readColumn(value: unknown, index: number): Column {
  const path = `select.${index}`;
  if (typeof value === "string") {
    return { field: readField(value, path), aggregate: undefined, name: value };
  }
  const column = readRecord(value, path, ["field", "function"]);
  const field = readField(column.field, `${path}.field`);
  const aggregate = column.function;
  if (!isAggregate(aggregate)) fail(`${path}.function`, `one of ${AGGREGATES.join(", ")}`);
  return { field, aggregate, name: `${aggregate}_${field}` };
}

function readField(value: unknown, path: string): string {
  if (typeof value !== "string") fail(path, "the name of a field");
  const fault = findFieldNameFault(value);
  if (fault !== undefined) throw new QueryFault(`${path}: ${fault}`);
  return value;
}

/** A namespace of version 2 is one of version 1 by another name, as InfluxDB 1.8 maps it: bucket `database/policy`. */
function readSource(value: unknown): { measurement: string; namespace: Namespace } {
  const from = readRecord(value, "from", ["measurement", "database", "retentionPolicy", "namespace"]);
  const measurement = readName(from.measurement, "from.measurement");
  if (from.namespace === undefined) return { measurement, namespace: readPolicy(from, "from") };
  readRecord(value, "from", ["measurement", "namespace"]);
  const path = "from.namespace";
  const all = ["version", "database", "retentionPolicy", "organization", "bucket"];
  const { version } = readRecord(from.namespace, path, all);
  if (version === "1") {
    const namespace = readRecord(from.namespace, path, ["version", "database", "retentionPolicy"]);
    return { measurement, namespace: readPolicy(namespace, path) };
  }
  if (version !== "2") fail(`${path}.version`, '"1" or "2"');
  const namespace = readRecord(from.namespace, path, ["version", "organization", "bucket"]);
  // One server has one organization, so that it tells nothing apart.
  readName(namespace.organization, `${path}.organization`);
  return { measurement, namespace: readBucket(namespace.bucket, `${path}.bucket`) };
}

function readPolicy(record: Record<string, unknown>, path: string): Namespace {
  const { retentionPolicy = DEFAULT_RETENTION_POLICY } = record;
  return {
    database: readName(record.database, `${path}.database`),
    retentionPolicy: readName(retentionPolicy, `${path}.retentionPolicy`),
  };
}

/** The last slash is the one that separates: a database's name may have others. */
function readBucket(bucket: unknown, path: string): Namespace {
  const slash = typeof bucket === "string" ? bucket.lastIndexOf("/") : -1;
  if (typeof bucket !== "string" || slash === -1) {
    return { database: readName(bucket, path), retentionPolicy: DEFAULT_RETENTION_POLICY };
  }
  return {
    database: readName(bucket.slice(0, slash), path),
    retentionPolicy: readName(bucket.slice(slash + 1), path),
  };
}

/** Bounds are inclusive; of two for one side the stricter counts, and contradictory ones leave an empty range. */
function readBounds(value: unknown): Bounds {
  let from: bigint | undefined;
  let to: bigint | undefined;
  if (value === undefined) return { from, to };
  if (!Array.isArray(value) || value.length > MAX_TIME_CONDITIONS) {
    fail("where.time", `a list of up to ${MAX_TIME_CONDITIONS} conditions`);
  }
  for (const [index, item] of value.entries()) {
    const path = `where.time.${index}`;
    const condition = readRecord(item, path, ["operator", "value"]);
    const { operator } = condition;
    if (!OPERATORS.has(operator)) fail(`${path}.operator`, "one of <, <=, >, >=, =");
    const time = readTime(condition.value, `${path}.value`);
    if (operator !== "<" && operator !== "<=") {
      const bound = operator === ">" ? time + 1n : time;
      if (from === undefined || bound > from) from = bound;
    }
    if (operator !== ">" && operator !== ">=") {
      const bound = operator === "<" ? time - 1n : time;
      if (to === undefined || bound < to) to = bound;
    }
  }
  return { from, to };
}

function readTime(value: unknown, path: string): bigint {
  const time = typeof value === "number" || typeof value === "string" ? parseTime(value) : undefined;
  return time ?? fail(path, "milliseconds since 1970 or ISO 8601, between 1677 and 2262");
}

function readTags(value: unknown): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  if (!isRecord(value)) fail("where.tags", "an object");
  for (const [key, tag] of Object.entries(value)) {
    if (typeof tag !== "string") fail("where.tags", "texts");
    tags.set(key, tag);
  }
  const fault = findTagsFault(tags);
  if (fault !== undefined) throw new QueryFault(`where.tags: ${fault}`);
  return tags;
}

function readWindow(value: unknown): bigint | undefined {
  if (value === undefined) return undefined;
  const { time } = readRecord(value, "groupBy", ["time"]);
  const window = typeof time === "string" ? parseDuration(time) : undefined;
  return window ?? fail("groupBy.time", "a number of up to 6 digits and s, m, h or d, such as 15m");
}

function readLimit(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    fail("limit", "an integer from 1");
  }
  return value;
}

function readName(value: unknown, path: string): string {
  return typeof value === "string" && isName(value) ? value : fail(path, NAME_RULE);
}

/** An object with no other keys than these. The unknown one is the client's own text, so that only its parent is named. */
function readRecord(value: unknown, path: string, keys: readonly string[]): Record<string, unknown> {
  if (!isRecord(value)) fail(path, "an object");
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) throw new QueryFault(`${path}: Unknown field`);
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAggregate(value: unknown): value is Aggregate {
  return AGGREGATE_SET.has(value);
}

function fail(path: string, expected: string): never {
  throw new QueryFault(`${path}: Expected ${expected}`);
}
