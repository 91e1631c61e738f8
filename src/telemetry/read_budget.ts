import { AppError } from "../core/errors.ts";

/**
 * Limits of what a read returns and scans, for memory and work. Stores count in small parts as they read, so that a
 * call exceeds a limit by one part at most.
 */

/** Maximum number of points returned by a call; a row counts one per column. */
export const MAX_RETURNED_POINTS = 100_000;

/** Maximum characters of rows and tags returned by a call, as JSON. */
export const MAX_RETURNED_CHARACTERS = 32 * 1024 * 1024;

/**
 * Maximum number of values scanned by a call, which takes seconds. Other work counts as values that take as long
 * (`reading/read_queries.ts`).
 */
export const MAX_SCANNED = 20_000_000;

/**
 * Number of values whose scan costs as much as returning a point. A user keeps at most a third of a processor
 * scanning.
 */
export const SCANNED_PER_POINT = 50;

/** Values per millisecond assumed for an engine that does not report its scans. */
const SCANNED_PER_MS = 5000;

/** Counts what a store reads. `keep` and `scan` throw `TOO_MUCH_TELEMETRY` once the call exceeds a limit. */
export interface ReadBudget {
  /** Counts rows kept for the response; negative numbers for dropped ones. */
  keep(points: number, characters: number): void;
  /** Counts values that were scanned. */
  scan(values: number): void;
  /** Counts an engine's time, in milliseconds, in place of unreported scans. Never throws. */
  wait(ms: number): void;
}

export interface CallBudget extends ReadBudget {
  /** Points to return. */
  readonly kept: number;
  /** Points to charge: those read, or the equivalent of the values scanned, whichever is more. */
  readonly points: number;
}

/** Creates the budget of one call. */
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
    get kept() {
      return points;
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

/** Returns the error of a call that would scan too much. */
function tooMuchToScan(): AppError {
  const message =
    `The queries would scan more than ${MAX_SCANNED} values (a point counts as several, and so do tag sets and columns): ` +
    "query shorter time ranges or fewer columns";
  return new AppError("TOO_MUCH_TELEMETRY", { message });
}
