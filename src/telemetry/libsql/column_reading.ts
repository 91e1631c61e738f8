import type { Aggregate } from "../points/query.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";
import type { StoreQuery } from "../store.ts";
import type { Ask } from "./ask.ts";
import { parsePoints, PointSource, type PointTime } from "./raw_points.ts";
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

const NEED_NUMBERS: ReadonlySet<Aggregate | undefined> = new Set(["sum", "mean", "min", "max"]);

/** The rows of one column of a tag set, read in chunks of points. */
export class ColumnReading {
  readonly #query: StoreQuery;
  readonly #series: FoundSeries;
  readonly #aggregate: Aggregate | undefined;
  readonly #function: WindowFunction | undefined;
  /** Whether the first or last point of the whole range is all that is needed. */
  readonly #isEndmost: boolean;
  readonly #points: PointSource;
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
    const isBackwards = this.#isEndmost ? aggregate === "last" : descending;
    this.#function = aggregate && createFunction(aggregate, isBackwards);
    this.#points = new PointSource(from, to, isBackwards);
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
    const limit = this.#isEndmost ? 1 : points;
    this.#points.ask(limit);
    return [this.#askFor(limit, pieceValues, (line) => this.#points.receive(parsePoints(line)))];
  }

  /** Asks whether there is a point in the range. */
  askAny(receive: () => void): PendingAsk[] {
    return [this.#askFor(1, 1, receive)];
  }

  #askFor(limit: number, pieceValues: number, receive: (line: string) => void): PendingAsk {
    const { from, to, descending } = this.#points;
    const [seriesId, kind] = this.#series;
    const pieceRows = Math.min(limit, pieceValues);
    return { ask: { seriesId, kind, from, to, descending, limit, pieceRows }, receive };
  }

  /** Takes what has arrived as the answers to the last asks. */
  settle(): void {
    const points = this.#points;
    points.settle();
    for (let { time } = points; time !== undefined; { time } = points) {
      this.#add(time, points.value);
      points.skip();
    }
    if (points.isAtEnd || (this.#isEndmost && this.#window !== undefined)) {
      this.#finishWindow();
      this.#hasMore = false;
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
