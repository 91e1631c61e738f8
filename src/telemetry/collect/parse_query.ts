import * as v from "valibot";
import { MAX_QUERIES } from "../bucket/bucket.ts";
import { DEFAULT_RETENTION_POLICY } from "../points/point_rules.ts";
import type { Namespace } from "../points/point.ts";
import type { TelemetryQuery } from "../points/query.ts";
import { TelemetryQuerySchema } from "./query_schema.ts";

export type ParsedQuery = { readonly query: TelemetryQuery } | { readonly invalid: string };

export interface ParsedQueries {
  /** Whether the body is a single query, and the response a single result. */
  readonly single: boolean;
  readonly items: readonly ParsedQuery[];
}

type WireQuery = v.InferOutput<typeof TelemetryQuerySchema>;
type Bounds = Pick<TelemetryQuery, "from" | "to">;

/**
 * Parses a body: one query, or a list of 1 to 1000; undefined if it is neither. Malformed queries are among the
 * items.
 */
export function parseQueries(body: unknown): ParsedQueries | undefined {
  if (!Array.isArray(body)) {
    return typeof body === "object" && body !== null
      ? { single: true, items: [parseQuery(body)] }
      : undefined;
  }
  if (body.length === 0 || body.length > MAX_QUERIES) return undefined;
  return { single: false, items: body.map(parseQuery) };
}

/**
 * Parses one query. `invalid` is public: the place of the first fault and the expected value, without submitted
 * values or unknown keys.
 */
export function parseQuery(value: unknown): ParsedQuery {
  const result = v.safeParse(TelemetryQuerySchema, value, { abortEarly: true });
  if (!result.success) return { invalid: `Invalid format: ${describeFault(result.issues[0])}` };
  return { query: convertQuery(result.output) };
}

function describeFault(issue: v.BaseIssue<unknown>): string {
  const keys: unknown[] = [];
  for (const { type, input, key } of issue.path ?? []) {
    // Valibot accepts a list as an object, and then reports a missing field.
    if (type === "object" && Array.isArray(input)) return faultAt(keys, "Expected an object");
    keys.push(key);
  }
  // An unknown key is submitted text, so only its parent is named.
  return faultAt(issue.expected === "never" ? keys.slice(0, -1) : keys, issue.message);
}

function faultAt(keys: readonly unknown[], message: string): string {
  return `${keys.length === 0 ? "the query" : keys.join(".")}: ${message}`;
}

function convertQuery({ select, from, where, groupBy, orderBy, limit }: WireQuery): TelemetryQuery {
  return {
    ...namespaceOf(from),
    measurement: from.measurement,
    nodeId: where.tags.get("nodeId") ?? "",
    columns: select,
    ...boundsOf(where.time),
    tags: where.tags,
    window: groupBy?.time,
    descending: orderBy === "DESC",
    limit,
  };
}

/** Returns the database and retention policy (version 1) of a namespace of any version. */
function namespaceOf(from: WireQuery["from"]): Namespace {
  const policy = "namespace" in from ? from.namespace : from;
  if ("bucket" in policy) return policy.bucket;
  if ("value" in policy) return { database: policy.value, retentionPolicy: DEFAULT_RETENTION_POLICY };
  return { database: policy.database, retentionPolicy: policy.retentionPolicy ?? DEFAULT_RETENTION_POLICY };
}

/**
 * Returns inclusive bounds. The stricter of two conditions on one side counts; contradictory ones give an empty
 * range.
 */
function boundsOf(conditions: WireQuery["where"]["time"] = []): Bounds {
  let from: bigint | undefined;
  let to: bigint | undefined;
  for (const { operator, value } of conditions) {
    if (operator !== "<" && operator !== "<=") {
      const bound = operator === ">" ? value + 1n : value;
      if (from === undefined || bound > from) from = bound;
    }
    if (operator !== ">" && operator !== ">=") {
      const bound = operator === "<" ? value - 1n : value;
      if (to === undefined || bound < to) to = bound;
    }
  }
  return { from, to };
}
