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

/** Maximum values that functions may scan for one row: no statement can be divided further. */
export const MAX_SCANNED_PER_ROW = 1_000_000;

/** A store accounts for what it reads. Both methods throw `TOO_MUCH_TELEMETRY` once the call has exceeded a limit. */
export interface ReadBudget {
  /** Counts rows that are kept for the response; negative numbers for rows that are dropped again. */
  keep(points: number, characters: number): void;
  /** Counts values that were scanned. */
  scan(values: number): void;
}

export interface CallBudget extends ReadBudget {
  /** Points to charge for the response. */
  readonly points: number;
  /** Points to charge for a refusal: those read until then, or the values scanned, whichever costs more. */
  readonly refusedPoints: number;
}

/** The budget of one call. */
export function createReadBudget(): CallBudget {
  let points = 0;
  let characters = 0;
  let scanned = 0;
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
    get points() {
      return points;
    },
    // Using up what may be scanned costs as much as the largest response.
    get refusedPoints() {
      return Math.max(points, Math.ceil(Math.min(1, scanned / MAX_SCANNED) * MAX_RETURNED_POINTS));
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
