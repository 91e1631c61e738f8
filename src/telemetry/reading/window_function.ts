import type { Aggregate } from "../points/query.ts";
import { msOf } from "../points/time.ts";
import { type PointTime, toNs } from "./raw_points.ts";

const NS_PER_MS = 1_000_000n;

/** Returns the number of a time's window since 1970, rounded down: bigint if windows are no whole milliseconds. */
export function windowNumber(time: PointTime, window: bigint): PointTime {
  if (window % NS_PER_MS === 0n) {
    return Math.floor((typeof time === "number" ? time : msOf(time)) / Number(window / NS_PER_MS));
  }
  const ns = toNs(time);
  return ns / window - (ns % window < 0n ? 1n : 0n);
}

/** A function of the points of one window. */
export interface WindowFunction {
  /** Takes the next value, as JSON, in the order of the query. */
  add(value: string): void;
  /** Returns the result as JSON, and begins anew; `null` if it overflows a double. */
  finish(): string;
}

/** Creates a function. `sum` and `mean` add as SQLite does, with the rounding errors in a sum of their own. */
export function createFunction(aggregate: Aggregate, descending: boolean): WindowFunction {
  switch (aggregate) {
    case "count":
      return countValues();
    case "sum":
      return addValues((sum) => sum);
    case "mean":
      return addValues((sum, count) => sum / count);
    case "min":
      return pick((value, picked) => isLess(value, picked));
    case "max":
      return pick((value, picked) => isLess(picked, value));
    case "first":
      return pick(() => descending);
    case "last":
      return pick(() => !descending);
  }
}

function countValues(): WindowFunction {
  let count = 0;
  return {
    add: () => void count++,
    finish() {
      const result = String(count);
      count = 0;
      return result;
    },
  };
}

function addValues(resultOf: (sum: number, count: number) => number): WindowFunction {
  let [sum, errors, count] = [0, 0, 0];
  return {
    add(text) {
      const value = Number(text);
      const total = sum + value;
      errors += Math.abs(sum) > Math.abs(value) ? (sum - total) + value : (value - total) + sum;
      sum = total;
      count++;
    },
    finish() {
      const result = resultOf(sum + errors, count);
      [sum, errors, count] = [0, 0, 0];
      return Number.isFinite(result) ? String(result) : "null";
    },
  };
}

function pick(replaces: (value: string, picked: string) => boolean): WindowFunction {
  let picked: string | undefined;
  return {
    add(value) {
      if (picked === undefined || replaces(value, picked)) picked = value;
    },
    finish() {
      const result = picked ?? "null";
      picked = undefined;
      return result;
    },
  };
}

const INTEGER = /^-?\d+$/;

/** Compares numbers as JSON. Integers have 64 bits. */
function isLess(a: string, b: string): boolean {
  const [left, right] = [Number(a), Number(b)];
  if (left !== right || a === b) return left < right;
  return INTEGER.test(a) && INTEGER.test(b) && BigInt(a) < BigInt(b);
}
