import type { ArrivingResult } from "../arriving_result.ts";
import { formatMs, formatTime } from "../points/time.ts";
import type { StoreQuery } from "../store.ts";
import { ColumnReading, type FoundSeries, type PendingAsk, type RowKey } from "./column_reading.ts";
import { isBefore } from "./raw_points.ts";
import { Windows } from "./window_function.ts";

/** Points of a column that a first ask reads, and how many times more each further one. */
const FIRST_POINTS = 200;
const GROWTH = 4;
/** Points of all columns that an ask reads at most. */
const MOST_POINTS = 10_000;

/** Rows that a result gets at once. */
const ROWS_AT_ONCE = 1000;

/** Reads the rows of a tag set for a query, and merges its columns. */
export class TagSetReading {
  readonly #result: ArrivingResult;
  readonly #query: StoreQuery;
  readonly #windows: Windows | undefined;
  readonly #tags: string;
  readonly #pieceValues: number;
  /** By the query's columns; undefined where the tag set has no such field. */
  readonly #columns: readonly (ColumnReading | undefined)[];
  readonly #existing: readonly ColumnReading[];
  /** Columns whose function needs numbers, and whose series has others. */
  #unchecked: readonly ColumnReading[];
  #points: number;
  #isComplete: boolean;

  constructor(
    result: ArrivingResult,
    tags: string,
    series: readonly (FoundSeries | null)[],
    pieceValues: number,
  ) {
    const { query } = result;
    this.#result = result;
    this.#query = query;
    this.#windows = query.window === undefined ? undefined : new Windows(query.window);
    this.#tags = tags;
    this.#pieceValues = pieceValues;
    this.#columns = series.map((one, n) =>
      one === null ? undefined : new ColumnReading(query, one, query.columns[n]?.aggregate)
    );
    this.#existing = this.#columns.filter((column) => column !== undefined);
    this.#unchecked = this.#existing.filter(({ needsNumbers }) => needsNumbers);
    this.#isComplete = this.#existing.length === 0;
    const isPlain = query.columns[0].aggregate === undefined;
    this.#points = isPlain ? Math.min(FIRST_POINTS, query.limit ?? FIRST_POINTS) : FIRST_POINTS;
  }

  /** Whether all rows have arrived. */
  get isComplete(): boolean {
    return this.#isComplete || this.#result.isRefused;
  }

  /** The points that the answers to the next asks have. */
  get askedPoints(): number {
    return this.#existing.length * this.#points;
  }

  /** Returns what it needs next. */
  ask(): PendingAsk[] {
    if (this.#unchecked.length > 0) {
      return this.#unchecked.flatMap((column) => column.ask(1, 1));
    }
    return this.#existing.filter(({ isHungry }) => isHungry)
      .flatMap((column) => column.ask(this.#points, this.#pieceValues));
  }

  /** Takes the answers as complete. Throws `TOO_MUCH_TELEMETRY`. */
  settle(): void {
    if (this.#unchecked.length > 0) {
      const found = new Map(this.#unchecked.map((column) => [column, column.findAny()]));
      // One point within the range is enough to refuse; outside of it, the caller need not know.
      if (found.values().some((any) => any === true)) this.#result.refuse();
      this.#unchecked = this.#unchecked.filter((column) => found.get(column) === undefined);
      return;
    }
    for (const column of this.#existing) if (column.isHungry) column.settle();
    this.#result.enter(this.#tags);
    const { wanted } = this.#result;
    const rows = this.#columns.length === 1 ? this.#takeRows(wanted) : this.#mergeRows(wanted);
    // In parts, since the budget may end the call.
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      const part = rows.slice(i, i + ROWS_AT_ONCE);
      this.#result.add(part.join(","), part.length);
    }
    this.#isComplete = rows.length >= wanted || this.#existing.every(({ isAtEnd }) => isAtEnd);
    const most = Math.floor(MOST_POINTS / this.#columns.length);
    this.#points = Math.min(GROWTH * this.#points, Math.max(FIRST_POINTS, most));
  }

  /** Takes the complete rows of the only column. */
  #takeRows(wanted: number): string[] {
    const [column] = this.#existing;
    const rows: string[] = [];
    for (let key = column?.key; key !== undefined && rows.length < wanted; key = column?.key) {
      rows.push(`["${this.#format(key)}",${column?.take()}]`);
    }
    return rows;
  }

  /** Takes the rows that are known in all columns. */
  #mergeRows(wanted: number): string[] {
    const rows: string[] = [];
    while (rows.length < wanted && !this.#existing.some(({ isHungry }) => isHungry)) {
      let first: RowKey | undefined;
      for (const { key } of this.#existing) {
        if (key !== undefined && (first === undefined || this.#comesBefore(key, first))) first = key;
      }
      if (first === undefined) break;
      const cells = this.#columns.map((column) => column?.key === first ? column?.take() : "null");
      rows.push(`["${this.#format(first)}",${cells.join(",")}]`);
    }
    return rows;
  }

  #comesBefore(a: RowKey, b: RowKey): boolean {
    return this.#query.descending ? isBefore(b, a) : isBefore(a, b);
  }

  /** Formats the time of a row: of its point, or the beginning of its window, or of the range. */
  #format(key: RowKey): string {
    const { columns, from } = this.#query;
    const time = columns[0].aggregate === undefined ? key : this.#windows?.beginOf(key) ?? from ?? 0n;
    return typeof time === "number" ? formatMs(time) : formatTime(time);
  }
}
