import type { ArrivingResult } from "../arriving_result.ts";
import type { Aggregate } from "../points/query.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";
import { tooMuchToScan } from "../read_budget.ts";
import type { StoreQuery } from "../store.ts";
import type { Ask } from "./ask.ts";
import {
  type ColumnRows,
  formatPointTime,
  formatWindowTime,
  isBefore,
  parseFunction,
  parsePoints,
  type RowKey,
  timeOf,
} from "./lines.ts";

/** The id and kind of a series. */
export type FoundSeries = readonly [id: number, kind: string];

/** An ask, and who gets its lines. */
export interface PendingAsk {
  readonly ask: Ask;
  /** `scanned`: the values that a function scanned. Throws `TOO_MUCH_TELEMETRY`. */
  receive(line: string, scanned: number): void;
}

/** Whether the columns are functions, which queries do not mix with plain fields. */
export function hasFunctions({ columns }: StoreQuery): boolean {
  return columns[0].aggregate !== undefined;
}

const NEED_NUMBERS: ReadonlySet<Aggregate | undefined> = new Set(["sum", "mean", "min", "max"]);

/** Rows of several columns that a first ask reads, and how many more each further one. */
const FIRST_ROWS = 100;
const GROWTH = 4;
/** Values of all columns that an ask reads at most. */
const MOST_VALUES = 5000;

/** Reads the rows of a tag set for a query. One column's rows go to the result as they arrive; several are merged. */
export class TagSetReading {
  readonly #result: ArrivingResult;
  readonly #query: StoreQuery;
  readonly #tags: string;
  readonly #pieceValues: number;
  /** By the query's columns; undefined where the tag set has no such field. */
  readonly #columns: readonly (ColumnReading | undefined)[];
  readonly #format: (key: RowKey) => string;
  /** Columns whose function needs numbers, and whose series has others. */
  #unchecked: readonly ColumnReading[];
  #rows = FIRST_ROWS;
  #isComplete = false;

  constructor(
    result: ArrivingResult,
    tags: string,
    series: readonly (FoundSeries | null)[],
    pieceValues: number,
  ) {
    const { query } = result;
    this.#result = result;
    this.#query = query;
    this.#tags = tags;
    this.#pieceValues = pieceValues;
    this.#columns = series.map((one, n) =>
      one === null ? undefined : new ColumnReading(query, one, query.columns[n]?.aggregate)
    );
    this.#format = hasFunctions(query) ? (key) => formatWindowTime(key, query) : formatPointTime;
    this.#unchecked = this.#existing.filter(({ needsNumbers }) => needsNumbers);
    this.#isComplete = this.#existing.length === 0;
  }

  /** Whether all rows have arrived. */
  get isComplete(): boolean {
    return this.#isComplete || this.#result.isRefused;
  }

  get #existing(): ColumnReading[] {
    return this.#columns.filter((column) => column !== undefined);
  }

  /** The values that the next asks may leave in memory. */
  get heldValues(): number {
    return this.#columns.length === 1 ? 0 : this.#columns.length * this.#rows;
  }

  /** Returns what it needs next. */
  ask(): PendingAsk[] {
    if (this.#unchecked.length > 0) {
      // One value within the range is enough to refuse; outside of it, the caller need not know.
      return this.#unchecked.map((column) => ({
        ask: column.askAny(),
        receive: () => this.#result.refuse(),
      }));
    }
    const wanted = this.#query.limit ?? Number.MAX_SAFE_INTEGER;
    if (this.#columns.length === 1) {
      return this.#existing.map((column) => ({
        ask: column.ask(wanted, this.#pieceValues),
        receive: (line, scanned) => this.#addAll(column.parse(line, scanned)),
      }));
    }
    return this.#existing.filter(({ isHungry }) => isHungry).map((column) => ({
      ask: column.ask(Math.min(wanted, this.#rows), this.#pieceValues),
      receive: (line, scanned) => column.receive(column.parse(line, scanned)),
    }));
  }

  /** Takes the answers as complete. Throws `TOO_MUCH_TELEMETRY`. */
  settle(): void {
    if (this.#unchecked.length > 0) {
      this.#unchecked = [];
      return;
    }
    if (this.#columns.length === 1) {
      this.#isComplete = true;
      return;
    }
    for (const column of this.#existing) column.settle();
    this.#merge();
    const most = Math.floor(MOST_VALUES / this.#columns.length);
    this.#rows = Math.min(GROWTH * this.#rows, Math.max(FIRST_ROWS, most));
  }

  #addAll({ keys, values }: ColumnRows): void {
    this.#result.enter(this.#tags);
    const count = Math.min(keys.length, this.#result.wanted);
    const rows = new Array<string>(count);
    for (let i = 0; i < count; i++) rows[i] = `["${this.#format(keys[i] as RowKey)}",${values[i]}]`;
    this.#result.add(rows.join(","), count);
  }

  /** Adds the rows of which all columns are known. */
  #merge(): void {
    const columns = this.#existing;
    const rows: string[] = [];
    this.#result.enter(this.#tags);
    const { wanted } = this.#result;
    while (rows.length < wanted && columns.every(({ isHungry }) => !isHungry)) {
      let first: RowKey | undefined;
      for (const { key } of columns) {
        if (key === undefined) continue;
        if (
          first === undefined || (this.#query.descending ? isBefore(first, key) : isBefore(key, first))
        ) first = key;
      }
      if (first === undefined) break;
      const cells = this.#columns.map((column) => column?.key === first ? column?.take() : "null");
      rows.push(`["${this.#format(first)}",${cells.join(",")}]`);
    }
    this.#result.add(rows.join(","), rows.length);
    this.#isComplete = rows.length >= wanted || columns.every(({ isAtEnd }) => isAtEnd);
  }
}

/** The rows of one column, read in parts. */
class ColumnReading {
  readonly #query: StoreQuery;
  readonly #series: FoundSeries;
  readonly #aggregate: Aggregate | undefined;
  /** What is still to be read. */
  #from: bigint;
  #to: bigint;
  #hasMore = true;
  #asked = 0;
  #keys: RowKey[] = [];
  #values: string[] = [];
  #next = 0;

  constructor(query: StoreQuery, series: FoundSeries, aggregate: Aggregate | undefined) {
    this.#query = query;
    this.#series = series;
    this.#aggregate = aggregate;
    this.#from = query.from ?? MIN_TIME;
    this.#to = query.to ?? MAX_TIME;
  }

  /** Whether its function needs numbers, which the series does not have. */
  get needsNumbers(): boolean {
    return NEED_NUMBERS.has(this.#aggregate) && this.#series[1] !== "number";
  }

  /** The next row's; undefined if none is there. */
  get key(): RowKey | undefined {
    return this.#keys[this.#next];
  }

  /** Whether further rows have to be read before the next one is known. */
  get isHungry(): boolean {
    return this.#hasMore && this.key === undefined;
  }

  get isAtEnd(): boolean {
    return !this.#hasMore && this.key === undefined;
  }

  /** Asks for rows. */
  ask(limit: number, pieceValues: number): Ask {
    this.#asked = limit;
    const pieceRows = this.#aggregate === undefined ? Math.min(limit, pieceValues) : 1;
    return { ...this.#range(), limit, pieceRows, window: this.#query.window, aggregate: this.#aggregate };
  }

  /** Asks whether there is a point. */
  askAny(): Ask {
    return { ...this.#range(), limit: 1, pieceRows: 1, window: undefined, aggregate: "first" };
  }

  #range(): Pick<Ask, "seriesId" | "kind" | "from" | "to" | "descending"> {
    const [seriesId, kind] = this.#series;
    return { seriesId, kind, from: this.#from, to: this.#to, descending: this.#query.descending };
  }

  /** Parses a line of its answer. Throws `TOO_MUCH_TELEMETRY` for a function of too many values. */
  parse(line: string, scanned: number): ColumnRows {
    if (this.#aggregate === undefined) return parsePoints(line);
    if (line === "" && scanned > 0) throw tooMuchToScan();
    return parseFunction(line, this.#query);
  }

  receive({ keys, values }: ColumnRows): void {
    for (const key of keys) this.#keys.push(key);
    for (const value of values) this.#values.push(value);
  }

  /** Takes what has arrived as all of the last ask. */
  settle(): void {
    if (this.#asked === 0) return;
    const last = this.#keys.at(-1);
    this.#hasMore = last !== undefined && this.#keys.length >= this.#asked && this.#leave(last);
    this.#asked = 0;
  }

  take(): string {
    const value = this.#values[this.#next++] as string;
    if (this.#next === this.#keys.length) {
      this.#keys = [];
      this.#values = [];
      this.#next = 0;
    }
    return value;
  }

  /** Goes on beyond a row. Returns false if nothing can be there. */
  #leave(key: RowKey): boolean {
    const { window, descending } = this.#query;
    if (this.#aggregate !== undefined && window === undefined) return false;
    const begin = window === undefined || this.#aggregate === undefined ? timeOf(key) : BigInt(key) * window;
    if (descending) this.#to = begin - 1n;
    else this.#from = begin + (this.#aggregate === undefined ? 1n : window ?? 1n);
    return this.#from <= this.#to;
  }
}
