import { formatMs, formatTime } from "../points/time.ts";

/** Turns the texts that a statement builds into rows of JSON. */

/** Milliseconds, or nanoseconds as text if they are not whole milliseconds. */
type Time = number | string;

/** A cache of row beginnings by time: the queries of a call, and successive calls, mostly return the same times. */
let beginnings = new Map<number, string>();
const MAX_BEGINNINGS = 50_000;

/**
 * Returns the elements of the JSON array of rows, from the text that `READ_FIELD` builds (`plain_queries.ts`). With
 * 100,000 rows, this is most of the work besides SQL. Pieces are joined once, because concatenated strings are copied
 * later, at twice the cost.
 */
export function formatRows(text: string): string {
  const timesEnd = text.indexOf("\n");
  const times = JSON.parse(`[${text.slice(0, timesEnd)}]`) as Time[];
  const values = text.slice(timesEnd + 1).split("\n");
  const pieces = new Array<string>(2 * times.length + 1);
  for (let i = 0; i < times.length; i++) {
    pieces[2 * i] = beginRow(times[i] as Time);
    pieces[2 * i + 1] = values[i] as string;
  }
  pieces[2 * times.length] = "]";
  // Each beginning also closes the row before it.
  return pieces.join("").slice("],".length);
}

/** The same for `READ_FIELDS`, whose rows have `columnCount` columns; missing cells are null. */
export function formatCells(text: string, columnCount: number): string {
  const [times, columns, ...values] = text.split("\n") as [string, string, ...string[]];
  const cellTimes = JSON.parse(`[${times}]`) as Time[];
  const cellColumns = JSON.parse(`[${columns}]`) as number[];
  const pieces: string[] = [];
  let row: string[] = [];
  for (const [i, time] of cellTimes.entries()) {
    if (i === 0 || time !== cellTimes[i - 1]) {
      pieces.push(row.join(","), beginRow(time));
      row = new Array<string>(columnCount).fill("null");
    }
    row[cellColumns[i] as number] = values[i] as string;
  }
  pieces.push(row.join(","), "]");
  return pieces.join("").slice("],".length);
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
