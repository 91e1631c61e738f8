import { formatMs, formatTime } from "../points/time.ts";

/** Formats the lines that the queries of `plain_queries.ts` return as JSON rows. */

/** Milliseconds, or nanoseconds as text if not whole milliseconds. */
type Time = number | string;

/** The elements of a JSON array of rows, joined with commas, and their number. */
export interface FormattedRows {
  readonly json: string;
  readonly count: number;
}

/** Formats up to `wanted` rows of one field. Most of a call's time outside SQL is spent here. */
export function formatField(line: string, wanted: number): FormattedRows {
  const [timesText, ...values] = line.split("\t");
  const times = JSON.parse(`[${timesText}]`) as Time[];
  const count = Math.min(times.length, wanted);
  const rows = new Array<string>(count);
  for (let i = 0; i < count; i++) rows[i] = `["${format(times[i] as Time)}",${values[i]}]`;
  return { json: rows.join(","), count };
}

/** Formats up to `wanted` rows of several fields. Missing cells are null. */
export function formatFields(line: string, columnCount: number, wanted: number): FormattedRows {
  const [timesText, columnsText, ...values] = line.split("\t");
  const times = JSON.parse(`[${timesText}]`) as Time[];
  const columns = JSON.parse(`[${columnsText}]`) as number[];
  const rows: string[] = [];
  for (let i = 0; i < times.length && rows.length < wanted;) {
    const time = times[i] as Time;
    const cells = new Array<string>(columnCount).fill("null");
    for (; times[i] === time; i++) cells[columns[i] as number] = values[i] as string;
    rows.push(`["${format(time)}",${cells.join(",")}]`);
  }
  return { json: rows.join(","), count: rows.length };
}

function format(time: Time): string {
  return typeof time === "number" ? formatMs(time) : formatTime(BigInt(time));
}
