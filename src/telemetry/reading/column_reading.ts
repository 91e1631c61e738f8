import type { Aggregate } from "../points/query.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";
import type { StoreQuery } from "../store.ts";
import type { Ask } from "./ask.ts";
import { isBefore, PointSource, type PointTime } from "./raw_points.ts";
import { createFunction, type WindowFunction, windowNumber } from "./window_function.ts";

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

/** Points of an hour that a chunk of blocks is sized by, and the blocks of a chunk of many points at least. */
const POINTS_PER_BLOCK = 60;
const MIN_BLOCKS = 24;
const MANY_POINTS = 100;

const NEED_NUMBERS: ReadonlySet<Aggregate | undefined> = new Set(["sum", "mean", "min", "max"]);

/** The rows of one column of a tag set, read in chunks of points. */
export class ColumnReading {
  readonly #query: StoreQuery;
  readonly #series: FoundSeries;
  readonly #aggregate: Aggregate | undefined;
  readonly #function: WindowFunction | undefined;
  /** Whether the first or last point of the whole range is all that is needed. */
  readonly #isEndmost: boolean;
  readonly #isBackwards: boolean;
  readonly #sources: readonly PointSource[];
  /** The window whose points are being read. */
  #window: RowKey | undefined;
  /** Complete rows. */
  #keys: RowKey[] = [];
  #values: string[] = [];
  #next = 0;
  #hasMore = true;

  constructor(query: StoreQuery, series: FoundSeries, aggregate: Aggregate | undefined) {
    const { from = MIN_TIME, to = MAX_TIME, window, descending } = query;
    this.#query = query;
    this.#series = series;
    this.#aggregate = aggregate;
    this.#isEndmost = window === undefined && (aggregate === "first" || aggregate === "last");
    this.#isBackwards = this.#isEndmost ? aggregate === "last" : descending;
    this.#function = aggregate && createFunction(aggregate, this.#isBackwards);
    const range = { from, to, descending: this.#isBackwards, kind: series[1] };
    this.#sources = TABLES.map((table) => new PointSource(table, range));
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
    return this.#sources.filter(({ isHungry }) => isHungry).map((source) => {
      const { table, range, descending } = source;
      const limit = table === "blocks" ? blocksOf(most) : most;
      const pieceRows = Math.min(limit, pieceValues);
      source.ask(limit);
      return {
        ask: { table, seriesId, kind, ...range, descending, limit, pieceRows },
        receive: (line) => source.receive(line),
      };
    });
  }

  /** Takes what has arrived, and returns whether the range has a point; undefined if that is not known yet. */
  findAny(): boolean | undefined {
    for (const source of this.#sources) source.settle();
    if (this.#sources.some(({ time }) => time !== undefined)) return true;
    return this.#sources.some(({ isHungry }) => isHungry) ? undefined : false;
  }

  /** Takes what has arrived as the answers to the last asks. */
  settle(): void {
    for (const source of this.#sources) source.settle();
    while (this.#hasMore && !this.#sources.some(({ isHungry }) => isHungry)) {
      const next = this.#nextSource();
      const isOnly = next !== undefined && this.#sources.every((one) => one === next || one.isAtEnd);
      if (isOnly && !this.#isEndmost) this.#addAllFrom(next);
      else if (next?.time !== undefined) this.#addFrom(next.time, next.value);
      if (next === undefined || this.#isEndmost) {
        this.#finishWindow();
        this.#hasMore = false;
      }
    }
  }

  /** Adds all points that have arrived of the only source that is left. */
  #addAllFrom(source: PointSource): void {
    for (let { time } = source; time !== undefined; { time } = source) {
      this.#add(time, source.value);
      source.skip();
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
  #addFrom(time: PointTime, value: string): void {
    this.#add(time, value);
    for (const source of this.#sources) if (source.time === time) source.skip();
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
    const { window } = this.#query;
    const number = window === undefined ? 0 : windowNumber(time, window);
    if (number !== this.#window) {
      this.#finishWindow();
      this.#window = number;
    }
    this.#function.add(value);
  }

  #finishWindow(): void {
    if (this.#function === undefined || this.#window === undefined) return;
    this.#complete(this.#window, this.#function.finish());
    this.#window = undefined;
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
