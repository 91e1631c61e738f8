import type { TextParts } from "../../http/sender.ts";
import type { TelemetryQuery } from "../points/query.ts";
import type { StoreResult } from "../store.ts";

/**
 * The JSON text of results, in parts. Stores return tags and rows as text, because parsing and serializing 100,000
 * rows would be the largest cost of a call.
 */

/** A query, of whose range only a part may have been read. */
type ReadQuery = Pick<TelemetryQuery, "measurement" | "columns"> & { readonly clipped: boolean };

/** Formats the result of the query at a position of its call. */
export function formatResult(position: number, query: ReadQuery, result: StoreResult): TextParts {
  if ("invalid" in result) return formatError(position, result.invalid);
  const end = query.clipped ? ',"clipped":true}' : "}";
  if (result.series.length === 0) return [`{"statement_id":${position}${end}`];
  const name = JSON.stringify(query.measurement);
  const columns = JSON.stringify(["time", ...query.columns.map((column) => column.name)]);
  const parts = [`{"statement_id":${position},"series":[`];
  for (const [i, { tagsJson, rows }] of result.series.entries()) {
    parts.push(`${comma(i)}{"name":${name},"tags":${tagsJson},"columns":${columns},"values":[`);
    for (const [k, row] of rows.entries()) parts.push(comma(k), row);
    parts.push("]}");
  }
  parts.push(`]${end}`);
  return parts;
}

/** Formats an error as a result. */
export function formatError(position: number, error: string): TextParts {
  return [JSON.stringify({ statement_id: position, error })];
}

/** Formats the results of a list of queries. */
export function formatList(results: readonly TextParts[]): TextParts {
  const parts = ["["];
  for (const [i, result] of results.entries()) {
    parts.push(comma(i));
    for (const part of result) parts.push(part);
  }
  parts.push("]");
  return parts;
}

/** Returns the separator before an element of a list. */
function comma(index: number): string {
  return index === 0 ? "" : ",";
}
