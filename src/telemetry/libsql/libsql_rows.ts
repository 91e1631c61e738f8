import { formatMs, formatTime } from "../points/time.ts";

/** From the texts that a statement puts together to the rows of an answer. */

/** Milliseconds, or a text of nanoseconds where it is no whole number of them. */
type Time = number | string;

/** Beginnings of rows by their time: the queries of a call, and calls after one another, mostly ask for the same times. */
let beginnings = new Map<number, string>();
const MAX_BEGINNINGS = 50_000;

/**
 * The elements of the JSON array of rows, out of the text that `READ_FIELD` gives (`plain_queries.ts`). With 100,000 rows
 * this is most of what an answer costs after its SQL: pieces are joined once, since texts that are appended to one another
 * are copied later, at twice the price.
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
  // Each beginning ends the row before it.
  return pieces.join("").slice("],".length);
}

/** The same of `READ_FIELDS`, whose rows have `columnCount` columns: null where there is no cell. */
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
  // Joined, so that the text is made now and not whenever it is first copied.
  const made = ['],["', formatMs(time), '",'].join("");
  beginnings.set(time, made);
  return made;
}
