import { AppError } from "../core/errors.ts";

/**
 * What a call that reads may return and scan: the limits of memory and of work. Stores account for what they read as they
 * go, in parts that are small by themselves, so a call that exceeds a limit has exceeded it by one part.
 */

/** Maximum points that a call may return; a row counts as one point per column. */
export const MAX_RETURNED_POINTS = 100_000;

/** Maximum characters of rows and tags that a call may return, as JSON. */
export const MAX_RETURNED_CHARACTERS = 32 * 1024 * 1024;

/**
 * Maximum values that a call may scan, which takes seconds. Other work counts as the number of values that take as long
 * to scan (`libsql/walk_queries.ts`).
 */
export const MAX_SCANNED = 20_000_000;

/** Values that cost as much to scan as one point to return. A user keeps at most a third of a processor scanning. */
export const SCANNED_PER_POINT = 50;

/** What an engine is taken to scan while a call waits for it, if it does not report what it scans. */
const SCANNED_PER_MS = 5000;

/** Maximum values that functions may scan for one row: no statement can be divided further. */
export const MAX_SCANNED_PER_ROW = 1_000_000;

/** A store accounts for what it reads. Both methods throw `TOO_MUCH_TELEMETRY` once the call has exceeded a limit. */
export interface ReadBudget {
  /** Counts rows that are kept for the response; negative numbers for rows that are dropped again. */
  keep(points: number, characters: number): void;
  /** Counts values that were scanned. */
  scan(values: number): void;
  /** Counts the time that an engine took, in milliseconds, in place of values that it does not report. Never throws. */
  wait(ms: number): void;
}

export interface CallBudget extends ReadBudget {
  /** Points to charge: those read, or those that cost as much as the values scanned, whichever is more. */
  readonly points: number;
}

/** The budget of one call. */
export function createReadBudget(): CallBudget {
  let points = 0;
  let characters = 0;
  let scanned = 0;
  let waitedMs = 0;
  return {
    keep(morePoints, moreCharacters) {
      points += morePoints;
      characters += moreCharacters;
      if (points > MAX_RETURNED_POINTS || characters > MAX_RETURNED_CHARACTERS) throw tooMuchToReturn();
    },
    scan(values) {
      scanned += values;
      if (scanned > MAX_SCANNED) throw tooMuchToScan();
    },
    wait(ms) {
      waitedMs += ms;
    },
    get points() {
      return Math.max(points, Math.ceil((scanned + waitedMs * SCANNED_PER_MS) / SCANNED_PER_POINT));
    },
  };
}

function tooMuchToReturn(): AppError {
  const mebibytes = MAX_RETURNED_CHARACTERS / 1024 / 1024;
  const message =
    `The queries would return more than ${MAX_RETURNED_POINTS} points, or ${mebibytes} MiB of text: query shorter time ` +
    "ranges, wider windows or fewer columns";
  return new AppError("TOO_MUCH_TELEMETRY", { message });
}

/** The error for a call that would scan more than it may. */
export function tooMuchToScan(): AppError {
  const message =
    `The queries would scan more than ${MAX_SCANNED} values (each window, tag set and column counts as several), ` +
    `or functions more than ${MAX_SCANNED_PER_ROW} for one row: query shorter time ranges, wider windows or fewer columns`;
  return new AppError("TOO_MUCH_TELEMETRY", { message });
}
