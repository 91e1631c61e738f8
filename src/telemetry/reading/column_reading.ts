import type { Aggregate, TimeRange } from "../points/query.ts";
import { HOUR_NS } from "../points/slots.ts";
import { hourOf, MAX_TIME, MIN_TIME, nsOf } from "../points/time.ts";
import { partsOf, type StoreQuery } from "../store.ts";
import type { Ask, PointTable } from "./ask.ts";
import { isBefore, PointSource, type PointTime, type StoredHour } from "./raw_points.ts";
import {
  createFunction,
  createSummary,
  type PointFunction,
  type WindowFunction,
  Windows,
} from "./window_function.ts";

/** The id and kind of a series. */
export type FoundSeries = readonly [id: number, kind: string];

/** An ask, and its receiver. */
export interface PendingAsk {
  readonly ask: Ask;
  receive(line: string): void;
}

/** The place of a row in its result: its time, or the number of its window; 0 without windows. */
export type RowKey = PointTime;

/** Points in these tables at the same time: the first one is the newest. */
const TABLES = ["points", "recent", "blocks"] as const;

/** What a column reads: the points of a range, or a function of each window, or of the range without windows. */
export type ColumnQuery = Pick<StoreQuery, "from" | "to" | "parts" | "window" | "descending">;

const HOUR = BigInt(HOUR_NS);

/** Points of an hour that a chunk of blocks is sized by, and the blocks of a chunk of many points at least. */
const POINTS_PER_BLOCK = 60;
const MIN_BLOCKS = 24;
const MANY_POINTS = 100;

/** Parts of a range that are asked for at once, since many have no points. */
const PARTS_AT_ONCE = 8;

const NEED_NUMBERS: ReadonlySet<string | undefined> = new Set(["sum", "mean", "min", "max"]);

const SUMMARY = "summary";

/** The rows of one column of a tag set, read in chunks of points. */
export class ColumnReading {
  readonly #windows: Windows | undefined;
  readonly #series: FoundSeries;
  readonly #aggregate: Aggregate | typeof SUMMARY | undefined;
  readonly #function: PointFunction | undefined;
  /** The same, if hours are read whose points are deleted. */
  readonly #hourly: WindowFunction | undefined;
  /** Whether the first or last point of the whole range is all that is needed. */
  readonly #isEndmost: boolean;
  readonly #isBackwards: boolean;
  /** One of each table, in the part that is being read. */
  readonly #sources: PointSource[];
  /** Points up to here count no more, since their hour was taken as a whole. */
  #covered: PointTime | undefined;
  /** The number of the window whose points are being read. */
  #number: RowKey | undefined;
  /** Complete rows. */
  #keys: RowKey[] = [];
  #values: string[] = [];
  #next = 0;
  #hasMore = true;

  /** `aggregate`: "summary" has an `HourSummary` for each hour with points. */
  constructor(
    query: ColumnQuery,
    series: FoundSeries,
    aggregate: Aggregate | typeof SUMMARY | undefined,
  ) {
    const { window, descending } = query;
    this.#windows = window === undefined ? undefined : new Windows(window);
    this.#series = series;
    this.#aggregate = aggregate;
    this.#isEndmost = window === undefined && (aggregate === "first" || aggregate === "last");
    this.#isBackwards = this.#isEndmost ? aggregate === "last" : descending;
    const parts = partsOf(query);
    const sources = TABLES.map((table) => this.#sourceOf(table, parts));
    if (aggregate === SUMMARY) this.#function = createSummary(series[1]);
    else if (aggregate !== undefined) {
      const own = createFunction(aggregate, this.#isBackwards);
      this.#function = own;
      if (window === undefined || window % HOUR === 0n) {
        this.#hourly = own;
        sources.unshift(this.#sourceOf("hours", parts.map(wholeHours)));
      }
    }
    this.#sources = sources;
  }

  /** Returns the source of the first part, in the direction of the query; the others follow it. */
  #sourceOf(table: PointTable, parts: readonly TimeRange[]): PointSource {
    const given = { descending: this.#isBackwards, kind: this.#series[1] };
    const [last, ...before] = this.#isBackwards ? parts : parts.toReversed();
    return before.reduce(
      (following, part) => new PointSource(table, { ...given, ...part }, following),
      new PointSource(table, { ...given, ...last as TimeRange }),
    );
  }

  /** Whether its function needs numbers, which the series does not have. */
  get needsNumbers(): boolean {
    return NEED_NUMBERS.has(this.#aggregate) && this.#series[1] !== "number";
  }

  /** The next row's; undefined if none is complete. */
  get key(): RowKey | undefined {
    return this.#keys[this.#next];
  }

  /** Whether points have to be read before the next row is known. */
  get isHungry(): boolean {
    return this.#hasMore && this.key === undefined;
  }

  get isAtEnd(): boolean {
    return !this.#hasMore && this.key === undefined;
  }

  /** Asks for up to so many points; `pieceValues`: see `ReadLimits`. */
  ask(points: number, pieceValues: number): PendingAsk[] {
    const [seriesId, kind] = this.#series;
    const most = this.#isEndmost ? 1 : points;
    return this.#sources.filter(({ isHungry }) => isHungry).flatMap((first) => {
      const { table } = first;
      const chain = [...chainOf(first)];
      // Recent points of all parts are read at first: later they may have left the table for one that was read already.
      const isRecent = table === "recent";
      const asked = (isRecent ? chain : chain.slice(0, PARTS_AT_ONCE)).filter(({ isHungry }) => isHungry);
      const ofEach = isRecent ? most : Math.ceil(most / asked.length);
      const limit = table === "blocks" ? blocksOf(ofEach) : ofEach;
      return asked.map((source): PendingAsk => {
        source.ask(limit);
        const { range, descending } = source;
        const pieceRows = Math.min(limit, pieceValues);
        return {
          ask: { table, seriesId, kind, ...range, descending, limit, pieceRows },
          receive: (line) => source.receive(line),
        };
      });
    });
  }

  /** Takes what has arrived, and returns whether the range has a point; undefined if that is not known yet. */
  findAny(): boolean | undefined {
    this.#settleSources();
    if (this.#sources.some(({ time }) => time !== undefined)) return true;
    return this.#sources.some(({ isHungry }) => isHungry) ? undefined : false;
  }

  /** Takes what has arrived as the answers to the last asks. */
  settle(): void {
    this.#settleSources();
    while (this.#hasMore) {
      this.#leaveCovered();
      this.#leaveParts();
      if (this.#sources.some(({ isHungry }) => isHungry)) return;
      const next = this.#nextSource();
      const isOnly = next !== undefined && this.#sources.every((one) => one === next || one.isAtEnd);
      if (isOnly && !this.#isEndmost) { while (next.time !== undefined) this.#takeFrom(next, next.time); }
      else if (next?.time !== undefined) this.#addFrom(next, next.time);
      if (next === undefined || this.#isEndmost) {
        this.#finishWindow();
        this.#hasMore = false;
      }
    }
  }

  #settleSources(): void {
    for (const first of this.#sources) {
      for (const source of chainOf(first)) source.settle();
    }
    this.#leaveParts();
  }

  /** Goes on to the next part where one has no more points. */
  #leaveParts(): void {
    for (const [i, first] of this.#sources.entries()) {
      let source = first;
      while (source.isAtEnd && source.following !== undefined) source = source.following;
      this.#sources[i] = source;
    }
  }

  /** Returns the source of the next point, the newest of that time; undefined after the last. */
  #nextSource(): PointSource | undefined {
    let next: PointSource | undefined;
    for (const source of this.#sources) {
      const { time } = source;
      if (time === undefined) continue;
      if (next?.time === undefined || this.#comesBefore(time, next.time)) next = source;
    }
    return next;
  }

  #comesBefore(a: PointTime, b: PointTime): boolean {
    return this.#isBackwards ? isBefore(b, a) : isBefore(a, b);
  }

  /** Adds a point, and leaves all of that time behind. */
  #addFrom(next: PointSource, time: PointTime): void {
    this.#takeFrom(next, time);
    for (const source of this.#sources) if (source.time === time) source.skip();
  }

  /** Adds the next point, or hour, of a source. */
  #takeFrom(source: PointSource, time: PointTime): void {
    if (source.table === "hours") this.#addHour(source.hour);
    else this.#add(time, source.value);
    source.skip();
  }

  /** Leaves points behind that are part of an hour. */
  #leaveCovered(): void {
    const end = this.#covered;
    if (end === undefined) return;
    for (const source of this.#sources) {
      if (source.table === "hours") continue;
      while (source.time !== undefined && !this.#comesBefore(end, source.time)) source.skip();
    }
  }

  /** Returns the value of the next row, and leaves it behind. */
  take(): string {
    const value = this.#values[this.#next++] as string;
    if (this.#next === this.#keys.length) {
      this.#keys = [];
      this.#values = [];
      this.#next = 0;
    }
    return value;
  }

  #add(time: PointTime, value: string): void {
    if (this.#function === undefined) return this.#complete(time, value);
    this.#enterWindow(time);
    this.#function.add(value);
  }

  #addHour({ start, summary }: StoredHour): void {
    this.#enterWindow(start);
    this.#hourly?.addHour(summary);
    this.#covered = this.#isBackwards ? start : nsOf(start) + HOUR - 1n;
  }

  #enterWindow(time: PointTime): void {
    const number = this.#windows?.numberOf(time) ?? 0;
    if (number === this.#number) return;
    this.#finishWindow();
    this.#number = number;
  }

  #finishWindow(): void {
    if (this.#function === undefined || this.#number === undefined) return;
    this.#complete(this.#number, this.#function.finish());
    this.#number = undefined;
  }

  #complete(key: RowKey, value: string): void {
    this.#keys.push(key);
    this.#values.push(value);
  }
}

/** Returns how many blocks may have so many points. */
function blocksOf(points: number): number {
  return Math.max(points < MANY_POINTS ? 1 : MIN_BLOCKS, Math.ceil(points / POINTS_PER_BLOCK));
}

/** Returns the hours that lie in a range as a whole. Both ends are inclusive. */
function wholeHours({ from, to }: TimeRange): TimeRange {
  return {
    from: BigInt(from === MIN_TIME ? hourOf(from) : hourOf(from - 1n) + 1),
    to: BigInt(to === MAX_TIME ? hourOf(to) : hourOf(to + 1n) - 1),
  };
}

/** The source and those that follow it. */
function* chainOf(first: PointSource): Generator<PointSource> {
  for (let source: PointSource | undefined = first; source !== undefined; source = source.following) {
    yield source;
  }
}
