import { formatMs, formatTime } from "../points/time.ts";

/** Turns the lines that statements build into rows of JSON (`plain_queries.ts`, `aggregate_queries.ts`). */

/** Milliseconds, or nanoseconds as text if they are not whole milliseconds. */
type Time = number | string;

/** Rows as the elements of a JSON array, and their number. */
export interface FormattedRows {
  readonly json: string;
  readonly count: number;
}

/** A cache of row beginnings by time: the queries of a call, and successive calls, mostly return the same times. */
let beginnings = new Map<number, string>();
const MAX_BEGINNINGS = 50_000;

/**
 * Formats up to `wanted` rows of one field. With 100,000 rows, this is most of the work besides SQL. Pieces are joined
 * once, because concatenated strings are copied later, at twice the cost.
 */
export function formatField(line: string, wanted: number): FormattedRows {
  const [timesText, ...values] = line.split("\t");
  const times = JSON.parse(`[${timesText}]`) as Time[];
  const count = Math.min(times.length, wanted);
  const pieces = new Array<string>(2 * count);
  for (let i = 0; i < count; i++) {
    pieces[2 * i] = beginRow(times[i] as Time);
    pieces[2 * i + 1] = values[i] as string;
  }
  return closeRows(pieces, count);
}

/** The same for several fields; missing cells are null. */
export function formatFields(line: string, columnCount: number, wanted: number): FormattedRows {
  const [timesText, columnsText, ...values] = line.split("\t");
  const times = JSON.parse(`[${timesText}]`) as Time[];
  const columns = JSON.parse(`[${columnsText}]`) as number[];
  const pieces: string[] = [];
  let row: string[] = [];
  let count = 0;
  for (const [i, time] of times.entries()) {
    if (i === 0 || time !== times[i - 1]) {
      if (count === wanted) break;
      if (count > 0) pieces.push(row.join(","));
      pieces.push(beginRow(time));
      row = new Array<string>(columnCount).fill("null");
      count++;
    }
    row[columns[i] as number] = values[i] as string;
  }
  pieces.push(row.join(","));
  return closeRows(pieces, count);
}

/** Each beginning also closes the row before it. */
function closeRows(pieces: string[], count: number): FormattedRows {
  if (count === 0) return { json: "", count };
  pieces.push("]");
  return { json: pieces.join("").slice("],".length), count };
}

function beginRow(time: Time): string {
  if (typeof time === "string") return `],["${formatTime(BigInt(time))}",`;
  const known = beginnings.get(time);
  if (known !== undefined) return known;
  if (beginnings.size >= MAX_BEGINNINGS) beginnings = new Map();
  // `join` builds the string now; a concatenation would be built whenever it is first copied.
  const made = ['],["', formatMs(time), '",'].join("");
  beginnings.set(time, made);
  return made;
}
