import type { ArrivingResult } from "../arriving_result.ts";
import type { StoreQuery } from "../store.ts";
import { formatMs, formatTime } from "../points/time.ts";
import { tooMuchToScan } from "../read_budget.ts";
import { formatField, formatFields } from "./libsql_rows.ts";

const NS_PER_MS = 1_000_000n;

/** Whether the columns are functions, which queries do not mix with plain fields. */
export function hasFunctions({ columns }: StoreQuery): boolean {
  return columns[0].aggregate !== undefined;
}

/**
 * Adds the rows in a statement's text (`TurnRow`) to the results of its queries. Throws `TOO_MUCH_TELEMETRY` if
 * functions would scan too much for one row, and like the results' budget.
 */
export function receivePieces(text: string, results: readonly ArrivingResult[]): void {
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i += 2) {
    const head = lines[i] as string;
    const first = head.indexOf(",");
    const second = head.indexOf(",", first + 1);
    const result = results[Number(head.slice(first + 1, second))] as ArrivingResult;
    const tags = head.slice(second + 1);
    if (tags !== "") result.enter(tags);
    if (hasFunctions(result.query)) {
      receiveWindow(result, Number(head.slice(0, first)), lines[i + 1] as string);
    } else receiveRows(result, lines[i + 1] as string);
  }
}

function receiveRows(result: ArrivingResult, line: string): void {
  const { query: { columns }, wanted } = result;
  const { json, count } = columns.length === 1
    ? formatField(line, wanted)
    : formatFields(line, columns.length, wanted);
  result.add(json, count);
}

function receiveWindow(result: ArrivingResult, scanned: number, line: string): void {
  if (line === "") {
    if (scanned > 0) throw tooMuchToScan();
    return result.refuse();
  }
  const windowEnd = line.indexOf(",");
  result.add(`["${rowTime(result.query, line.slice(0, windowEnd))}"${line.slice(windowEnd)}]`, 1);
}

/** Returns the time of a row with functions: the beginning of its window, or of the range. */
function rowTime({ window, from }: StoreQuery, windowNumber: string): string {
  if (window === undefined) return formatTime(from ?? 0n);
  return window % NS_PER_MS === 0n
    ? formatMs(Number(windowNumber) * Number(window / NS_PER_MS))
    : formatTime(BigInt(windowNumber) * window);
}
