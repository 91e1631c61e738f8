import type { ReadBudget } from "./read_budget.ts";
import { NEEDS_NUMBERS } from "./points/query.ts";
import type { StoredSeries, StoreQuery, StoreResult } from "./store.ts";

interface ArrivingSeries {
  readonly rows: string[];
  rowCount: number;
}

/** The result of a query while its rows arrive. Kept rows count against the budget of the call. */
export class ArrivingResult {
  readonly query: StoreQuery;
  readonly #budget: ReadBudget;
  /** By tags, as JSON. */
  readonly #series = new Map<string, ArrivingSeries>();
  #current: ArrivingSeries = { rows: [], rowCount: 0 };
  #points = 0;
  #characters = 0;
  #isRefused = false;

  constructor(query: StoreQuery, budget: ReadBudget) {
    this.query = query;
    this.#budget = budget;
  }

  /** Starts the rows of a tag set (JSON with sorted keys). */
  enter(tagsJson: string): void {
    if (this.#isRefused) return;
    let series = this.#series.get(tagsJson);
    if (series === undefined) {
      series = { rows: [], rowCount: 0 };
      this.#series.set(tagsJson, series);
      this.#keep(0, tagsJson.length);
    }
    this.#current = series;
  }

  /** Whether a numeric function of the query has met other values. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Number of rows that the query still accepts of the tag set; 0 if it is refused. */
  get wanted(): number {
    return this.#isRefused ? 0 : (this.query.limit ?? Infinity) - this.#current.rowCount;
  }

  /** Adds `count` rows in order, as elements of a JSON array. Throws `TOO_MUCH_TELEMETRY`. */
  add(rowsJson: string, count: number): void {
    if (count === 0 || this.#isRefused) return;
    this.#current.rows.push(rowsJson);
    this.#current.rowCount += count;
    this.#keep(count * this.query.columns.length, rowsJson.length + 1);
  }

  /** Refuses the query, whose numeric function met other values: drops all rows, also later ones. */
  refuse(): void {
    this.#isRefused = true;
    this.#series.clear();
    this.#keep(-this.#points, -this.#characters);
  }

  /** Returns the complete result. */
  finish(): StoreResult {
    if (this.#isRefused) return { invalid: NEEDS_NUMBERS };
    const series = Array.from(this.#series, ([tagsJson, { rows }]): StoredSeries => ({ tagsJson, rows }));
    // By UTF-16 code units, as elsewhere; only the database orders by code points.
    return { series: series.filter(({ rows }) => rows.length > 0).sort(byTags) };
  }

  #keep(points: number, characters: number): void {
    this.#points += points;
    this.#characters += characters;
    this.#budget.keep(points, characters);
  }
}

function byTags(a: StoredSeries, b: StoredSeries): number {
  return a.tagsJson < b.tagsJson ? -1 : 1;
}
