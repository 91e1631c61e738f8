import type { Aggregate } from "../points/query.ts";
import { floorTime, msOf } from "../points/time.ts";
import { DecimalSum } from "./decimal_sum.ts";
import { formatSummary, type HourSummary } from "./hour_summary.ts";
import { type PointTime, toNs } from "./raw_points.ts";

const NS_PER_MS = 1_000_000n;

/** Windows of a length in nanoseconds, numbered from 1970 on: by bigints if they are no whole milliseconds. */
export class Windows {
  readonly #ns: bigint;
  /** Undefined unless it is whole. Arithmetic with bigints for each point would take as long as all else. */
  readonly #ms: number | undefined;

  constructor(ns: bigint) {
    this.#ns = ns;
    this.#ms = ns % NS_PER_MS === 0n ? Number(ns / NS_PER_MS) : undefined;
  }

  /** Returns the number of the window in which a time lies. */
  numberOf(time: PointTime): PointTime {
    if (this.#ms === undefined) return floorTime(toNs(time), this.#ns) / this.#ns;
    return Math.floor((typeof time === "number" ? time : msOf(time)) / this.#ms);
  }

  /** Returns when the window with this number begins. */
  beginOf(number: PointTime): PointTime {
    return typeof number === "number" ? number * (this.#ms as number) : number * this.#ns;
  }
}

/** A function of the points of one window. */
export interface PointFunction {
  /** Takes the next value, as JSON, in the order of the query. */
  add(value: string): void;
  /** Returns the result and begins anew. */
  finish(): string;
}

/** One of a query. Its result is JSON, `null` if it overflows a double. */
export interface WindowFunction extends PointFunction {
  /** Takes the points of the next hour. */
  addHour(hour: HourSummary): void;
}

/** Creates a function. Its result is the same whether points come one by one or in hours. */
export function createFunction(aggregate: Aggregate, descending: boolean): WindowFunction {
  switch (aggregate) {
    case "count":
      return countValues();
    case "sum":
      return addValues((sum) => sum);
    case "mean":
      return addValues((sum, count) => sum / count);
    case "min":
    case "max":
      return pick(aggregate, REPLACES[aggregate]);
    case "first":
      return pick(aggregate, () => descending);
    case "last":
      return pick(aggregate, () => !descending);
  }
}

/** Creates a function whose result is an `HourSummary` as text. It takes points in ascending order. */
export function createSummary(kind: string): PointFunction {
  const isNumber = kind === "number";
  let sum = new DecimalSum();
  let count = 0;
  let [min, max, first, last] = ["", "", "", ""];
  return {
    add(value) {
      if (count === 0) min = max = first = value;
      last = value;
      count++;
      if (!isNumber) return;
      sum.add(value);
      if (isLess(value, min)) min = value;
      if (isLess(max, value)) max = value;
    },
    finish() {
      const numbers = isNumber ? { sum: sum.toString(), min, max } : { sum: "", min: "", max: "" };
      const summary = formatSummary({ count, ...numbers, first, last });
      sum = new DecimalSum();
      count = 0;
      return summary;
    },
  };
}

function countValues(): WindowFunction {
  let count = 0;
  return {
    add: () => void count++,
    addHour: (hour) => void (count += hour.count),
    finish() {
      const result = String(count);
      count = 0;
      return result;
    },
  };
}

function addValues(resultOf: (sum: number, count: number) => number): WindowFunction {
  let sum = new DecimalSum();
  let count = 0;
  return {
    add(text) {
      sum.add(text);
      count++;
    },
    addHour(hour) {
      sum.add(hour.sum);
      count += hour.count;
    },
    finish() {
      const result = resultOf(sum.round(), count);
      sum = new DecimalSum();
      count = 0;
      return Number.isFinite(result) ? String(result) : "null";
    },
  };
}

const REPLACES = {
  min: (value: string, picked: string) => isLess(value, picked),
  max: (value: string, picked: string) => isLess(picked, value),
};

function pick(
  name: "min" | "max" | "first" | "last",
  replaces: (value: string, picked: string) => boolean,
): WindowFunction {
  let picked: string | undefined;
  const add = (value: string): void => {
    if (picked === undefined || replaces(value, picked)) picked = value;
  };
  return {
    add,
    addHour: (hour) => add(hour[name]),
    finish() {
      const result = picked ?? "null";
      picked = undefined;
      return result;
    },
  };
}

/** Compares numbers as JSON: integers have 64 bits. Orders equal ones by their texts, so that no order of points counts. */
function isLess(a: string, b: string): boolean {
  const [left, right] = [Number(a), Number(b)];
  if (left !== right || a === b) return left < right;
  const [whole, other] = [wholeNumber(a), wholeNumber(b)];
  return whole === other ? a < b : whole < other;
}

const INTEGER = /^-?\d+$/;

/** Returns the exact value of a number as JSON; 0 if it has a fraction. */
function wholeNumber(text: string): bigint {
  if (INTEGER.test(text)) return BigInt(text);
  const value = Number(text);
  return Number.isInteger(value) ? BigInt(value) : 0n;
}
