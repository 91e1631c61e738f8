import type { ArrivingResult } from "../arriving_result.ts";
import { formatTime } from "../points/time.ts";
import type { StoreQuery } from "../store.ts";
import type { InfluxSeries } from "./influx_client.ts";
import { decodeText } from "./influxql.ts";

/**
 * Adds rows to a result. Drops those beyond the query's limit: InfluxDB limits each function separately, so they may
 * lack values. Throws like the result's budget.
 */
export function receiveRows(result: ArrivingResult, { tags = {}, values }: InfluxSeries): void {
  result.enter(formatTags(tags));
  const rows = values.slice(0, result.wanted);
  result.add(rows.map((row) => JSON.stringify(timeRow(row, result.query))).join(","), rows.length);
}

/**
 * Returns the tags as JSON. With `GROUP BY *`, InfluxDB sends absent tags as empty strings. Built by hand, because an
 * object would put integer-like names first.
 */
function formatTags(tags: Readonly<Record<string, string>>): string {
  const present = Object.entries(tags).filter(([, value]) => value !== "");
  const decoded = present.map(([name, value]): [string, string] => [decodeText(name), decodeText(value)]);
  const sorted = decoded.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${sorted.map((tag) => tag.map((text) => JSON.stringify(text)).join(":")).join(",")}}`;
}

/**
 * Sets the time of a function without windows to that of the query. InfluxDB sometimes sends that of the chosen
 * value.
 */
function timeRow(row: readonly unknown[], { columns, window, from }: StoreQuery): readonly unknown[] {
  if (columns[0].aggregate === undefined || window !== undefined) return row;
  return [formatTime(from ?? 0n), ...row.slice(1)];
}
