import { HOUR_MS, HOUR_NS } from "../points/slots.ts";
import { hourOf, nsOf } from "../points/time.ts";
import type { PointTable } from "./ask.ts";
import { type HourSummary, parseSummary, SUMMARY_FIELDS } from "./hour_summary.ts";

/** Points of one series in one table, as a read receives them. */

/** A time: milliseconds, or nanoseconds (bigint) if not whole milliseconds. */
export type PointTime = number | bigint;

/** Returns nanoseconds since 1970. */
export function toNs(time: PointTime): bigint {
  return typeof time === "bigint" ? time : nsOf(time);
}

export function isBefore(a: PointTime, b: PointTime): boolean {
  return typeof a === typeof b ? a < b : toNs(a) < toNs(b);
}

/** An hour of points that are deleted, or will be soon. */
export interface StoredHour {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly summary: HourSummary;
}

const BOOLEANS: Readonly<Record<string, string>> = { "0": "false", "1": "true" };

/** The points of a series in one table, read in chunks. */
export class PointSource {
  readonly table: PointTable;
  readonly descending: boolean;
  /** The same of the next part of the range. */
  readonly following: PointSource | undefined;
  readonly #isBoolean: boolean;
  /** The range that is still to be read, both inclusive. */
  #from: bigint;
  #to: bigint;
  /** An hour has that of its end in the direction of the query. */
  #times: PointTime[] = [];
  /** As JSON; those of an hour are the fields of its summary. */
  #values: string[] = [];
  #next = 0;
  #hasMore = true;
  /** Limit of the chunk that is being read, and what has arrived of it; 0 if none is. */
  #asked = 0;
  #received = 0;

  constructor(
    table: PointTable,
    { from, to, descending, kind }: {
      readonly from: bigint;
      readonly to: bigint;
      readonly descending: boolean;
      readonly kind: string;
    },
    following?: PointSource,
  ) {
    this.table = table;
    this.following = following;
    this.#from = from;
    this.#to = to;
    this.descending = descending;
    this.#isBoolean = kind === "boolean";
    this.#hasMore = from <= to;
  }

  /** The range that is still to be read, in nanoseconds, or hours, both inclusive. */
  get range(): { readonly from: bigint; readonly to: bigint } {
    return { from: this.#from, to: this.#to };
  }

  /** The time of the next point; undefined if none is there. */
  get time(): PointTime | undefined {
    return this.#times[this.#next];
  }

  /** The value of the next point. */
  get value(): string {
    return this.#values[this.#next] as string;
  }

  /** The next hour, from "hours". */
  get hour(): StoredHour {
    const at = this.#next * SUMMARY_FIELDS;
    const summary = parseSummary(this.#values.slice(at, at + SUMMARY_FIELDS));
    return { start: hourOf(toNs(this.time ?? 0)) * HOUR_MS, summary };
  }

  /** Whether more has to be read before the next point is known. */
  get isHungry(): boolean {
    return this.#hasMore && this.#next === this.#times.length;
  }

  /** Begins a chunk of so many points, or blocks. */
  ask(limit: number): void {
    this.#asked = limit;
    this.#received = 0;
  }

  /** Takes the second line of a piece. */
  receive(line: string): void {
    if (this.table === "blocks") this.#receiveBlock(line);
    else if (this.table === "hours") this.#receiveHours(line);
    else this.#receivePoints(line);
  }

  #receivePoints(line: string): void {
    const tab = line.indexOf("\t");
    const times = (JSON.parse(`[${line.slice(0, tab)}]`) as (number | string)[]).map((time) =>
      typeof time === "number" ? time : BigInt(time)
    );
    const values = line.slice(tab + 1).split("\t");
    if (this.table === "recent") this.#keepSorted(times, values);
    else {
      for (const time of times) this.#times.push(time);
      for (const value of values) this.#values.push(value);
    }
    this.#received += values.length;
    this.#leave(toNs(this.#times.at(-1) as PointTime));
  }

  #keepSorted(times: readonly PointTime[], values: readonly string[]): void {
    const order = [...times.keys()];
    // Mostly they are in order.
    if (times.some((time, n) => n > 0 && isBefore(time, times[n - 1] as PointTime))) {
      order.sort((a, b) => isBefore(times[a] as PointTime, times[b] as PointTime) ? -1 : 1);
    }
    if (this.descending) order.reverse();
    for (const n of order) {
      this.#times.push(times[n] as PointTime);
      this.#values.push(values[n] as string);
    }
  }

  #receiveHours(line: string): void {
    const [list, ...fields] = line.split("\t");
    const hours = JSON.parse(`[${list}]`) as number[];
    for (const hour of hours) {
      this.#times.push(this.descending ? nsOf((hour + 1) * HOUR_MS) - 1n : hour * HOUR_MS);
    }
    for (const field of fields) this.#values.push(field);
    this.#received += hours.length;
    this.#leave(BigInt(hours.at(-1) as number));
  }

  #receiveBlock(line: string): void {
    const [hour = "", offsets, ...values] = line.split("\t");
    const begin = Number(hour) * HOUR_MS;
    const { from, to } = this.range;
    const times = (JSON.parse(`[${offsets}]`) as (number | string)[]).map((offset) =>
      typeof offset === "number" ? begin + Math.round(offset * 1000) : BigInt(offset)
    );
    const beginNs = nsOf(begin);
    const endNs = beginNs + BigInt(HOUR_NS) - 1n;
    const isWithin = from <= beginNs && endNs <= to;
    const last = times.length - 1;
    for (let i = 0; i <= last; i++) {
      const n = this.descending ? last - i : i;
      const time = times[n] as PointTime;
      const value = values[n] as string;
      if (!isWithin && (toNs(time) < from || toNs(time) > to)) continue;
      this.#times.push(time);
      this.#values.push(this.#isBoolean ? BOOLEANS[value] as string : value);
    }
    this.#received++;
    this.#leave(this.descending ? beginNs : endNs);
  }

  /** Goes on beyond a time. */
  #leave(time: bigint): void {
    if (this.descending) this.#to = time - 1n;
    else this.#from = time + 1n;
  }

  /** Takes what has arrived as the whole chunk. */
  settle(): void {
    if (this.#asked === 0) return;
    this.#hasMore = this.table !== "recent" && this.#received >= this.#asked && this.#from <= this.#to;
    this.#asked = 0;
  }

  /** Whether no point will come any more. */
  get isAtEnd(): boolean {
    return !this.#hasMore && this.#next === this.#times.length;
  }

  /** Leaves the next point behind. */
  skip(): void {
    if (++this.#next < this.#times.length) return;
    this.#times = [];
    this.#values = [];
    this.#next = 0;
  }
}
