import { nsOf } from "../points/time.ts";

/** Points of one series in a part of the store, as a read receives them. */

/** A time: milliseconds, or nanoseconds (bigint) if not whole milliseconds. */
export type PointTime = number | bigint;

/** Returns nanoseconds since 1970. */
export function toNs(time: PointTime): bigint {
  return typeof time === "bigint" ? time : nsOf(time);
}

export function isBefore(a: PointTime, b: PointTime): boolean {
  return typeof a === typeof b ? a < b : toNs(a) < toNs(b);
}

/** Points in order, with their values as JSON. */
export interface Points {
  readonly times: readonly PointTime[];
  readonly values: readonly string[];
}

/** Parses a line of `READ_POINTS`. */
export function parsePoints(line: string): Points {
  const [times, ...values] = line.split("\t");
  const keys = JSON.parse(`[${times}]`) as (number | string)[];
  return { times: keys.map((time) => typeof time === "number" ? time : BigInt(time)), values };
}

/** The points of a series in one part of the store, read in chunks. */
export class PointSource {
  #times: PointTime[] = [];
  #values: string[] = [];
  #next = 0;
  #hasMore = true;
  /** Limit of the chunk that is being read; 0 if none is. */
  #asked = 0;

  /** The range that is still to be read, in nanoseconds, both inclusive. */
  constructor(public from: bigint, public to: bigint, readonly descending: boolean) {}

  /** The time of the next point; undefined if none is there. */
  get time(): PointTime | undefined {
    return this.#times[this.#next];
  }

  /** The value of the next point. */
  get value(): string {
    return this.#values[this.#next] as string;
  }

  /** Whether more has to be read before the next point is known. */
  get isHungry(): boolean {
    return this.#hasMore && this.#next === this.#times.length;
  }

  get isAtEnd(): boolean {
    return !this.#hasMore && this.#next === this.#times.length;
  }

  /** Begins a chunk of so many points. */
  ask(limit: number): void {
    this.#asked = limit;
  }

  receive({ times, values }: Points): void {
    for (const time of times) this.#times.push(time);
    for (const value of values) this.#values.push(value);
  }

  /** Takes what has arrived as the whole chunk. */
  settle(): void {
    if (this.#asked === 0) return;
    const last = this.#times.at(-1);
    this.#hasMore = last !== undefined && this.#times.length >= this.#asked;
    this.#asked = 0;
    if (last === undefined) return;
    if (this.descending) this.to = toNs(last) - 1n;
    else this.from = toNs(last) + 1n;
    this.#hasMore &&= this.from <= this.to;
  }

  /** Leaves the next point behind. */
  skip(): void {
    if (++this.#next < this.#times.length) return;
    this.#times = [];
    this.#values = [];
    this.#next = 0;
  }
}
