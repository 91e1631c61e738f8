import type { Database } from "../../db/database.ts";
import { typedRows } from "../../db/rows.ts";
import { bind, bindNamed, type BoundStatement, type SqlArgs, type Statement } from "../../db/statement.ts";
import { ArrivingResult } from "../arriving_result.ts";
import type { ReadBudget } from "../read_budget.ts";
import { partsOf, type StoreQuery, type StoreResult } from "../store.ts";
import { type Ask, describeAsk, type PointTable } from "./ask.ts";
import type { FoundSeries, PendingAsk } from "./column_reading.ts";
import { FIND_TAG_SETS } from "./find_queries.ts";
import type { TurnRow } from "./point_queries.ts";
import { READ_BLOCKS, READ_HOURS, READ_POINTS, READ_RECENT } from "./read_queries.ts";
import { describeTags } from "./tag_pattern.ts";
import { TagSetReading } from "./tag_set_reading.ts";

export interface ReadLimits {
  /** Maximum number of values spent by a statement. */
  readonly turnValues: number;
  /** Values per piece of plain rows, which is read as a whole. */
  readonly pieceValues: number;
}

/**
 * A statement occupies the file's reading thread for some 10 ms, and formatting its text takes some 4 ms. It has at
 * most 0.2 MB, and a piece 2.4 MB with the longest strings; a server allows 5 MB.
 */
const READ_LIMITS: ReadLimits = { turnValues: 50_000, pieceValues: 100 };

/** Turns whose points may be in memory: 1000 queries of 200 points are read at once. */
const TURNS_AT_ONCE = 4;

/** The cost of looking in all tables for points of one more part of a range, in scanned values. */
const PART_PRICE = 60;

/** Maximum asks of a statement. */
const MAX_ASKS = 1000;

/** The databases that a read needs, which may be one. */
export interface ReadDeps {
  /** Knows tag sets and series. */
  readonly database: Database;
  /** Has their points. */
  readonly points: Database;
}

/**
 * Runs queries: finds their tag sets, some at a time, and reads these. Both go in turns: a statement ends once its turn
 * is spent, and the next one continues. See `TelemetryStore.read`.
 */
export async function readQueries(
  deps: ReadDeps,
  queries: readonly StoreQuery[],
  budget: ReadBudget,
  given: Partial<ReadLimits> = {},
): Promise<StoreResult[]> {
  const limits = { ...READ_LIMITS, ...given };
  const results = queries.map((query) => new ArrivingResult(query, budget));
  const texts = queries.map(describeQuery);
  let tagSetId = 0;
  for (let done = 0; done < queries.length;) {
    const remaining = `[${texts.slice(done).join(",")}]`;
    const args = { queries: remaining, tagSetId, turnValues: limits.turnValues };
    const [row] = await deps.database.read(bind(FIND_TAG_SETS, args));
    if (row === undefined) throw new Error("A statement that finds tag sets returned no row");
    const found = JSON.parse(row.found) as [n: number, tags: string, series: (FoundSeries | null)[]][];
    const readings = found.map(([n, tags, series]) =>
      new TagSetReading(results[done + n] as ArrivingResult, tags, series, limits.pieceValues)
    );
    budget.scan(row.spent + found.reduce((price, [n]) => price + priceOfParts(queries[done + n]), 0));
    await readTagSets(deps.points, readings, budget, limits);
    done += row.n;
    tagSetId = row.tagSetId;
  }
  return results.map((result) => result.finish());
}

/** Returns what it costs, in scanned values, to look for points in each further part of a tag set. */
function priceOfParts(query: StoreQuery | undefined): number {
  return query === undefined ? 0 : (partsOf(query).length - 1) * query.columns.length * PART_PRICE;
}

/** Reads tag sets, as many at once as memory allows. */
async function readTagSets(
  points: Database,
  readings: readonly TagSetReading[],
  budget: ReadBudget,
  limits: ReadLimits,
): Promise<void> {
  for (let remaining = readings;;) {
    remaining = remaining.filter(({ isComplete }) => !isComplete);
    if (remaining.length === 0) return;
    const current = takeFitting(remaining, TURNS_AT_ONCE * limits.turnValues);
    await readPoints(points, current, budget, limits);
  }
}

/** Returns the first readings, at least one, that together ask for at most so many points. */
function takeFitting(readings: readonly TagSetReading[], points: number): readonly TagSetReading[] {
  let asked = 0;
  const end = readings.findIndex(({ askedPoints }) => (asked += askedPoints) > points);
  return end === -1 ? readings : readings.slice(0, Math.max(1, end));
}

/** What asks for points. It has them settled once all its asks are answered, before those of others, to free memory. */
export interface Reading {
  ask(): readonly PendingAsk[];
  settle(): void;
}

/** A reading, and how many of its asks are not answered yet. */
interface Waiting {
  readonly reading: Reading;
  open: number;
}

/**
 * Reads what readings ask for: at first a turn of each statement on one snapshot, in one round trip. Blocks are read in
 * it or after all recent points: what leaves these is in blocks by then. Throws `TOO_MUCH_TELEMETRY`.
 */
export async function readPoints(
  points: Database,
  readings: readonly Reading[],
  budget?: ReadBudget,
  limits = READ_LIMITS,
): Promise<void> {
  const turns = turnsOf(readings, limits);
  if (turns.length === 0) return;
  const first = await points.readAll(turns.map((turn) => turn.statement));
  const advance = (turn: Turns, [row]: readonly TurnRow[]): () => void => {
    if (row === undefined) throw new Error("A statement that reads points returned no row");
    budget?.scan(row.spent);
    return turn.advance(row);
  };
  for (const [i, turn] of turns.entries()) {
    const isEarly = turn.table === "blocks" &&
      turns.some(({ table, isDone }) => table === "recent" && !isDone);
    if (!isEarly) advance(turn, typedRows<TurnRow>(first[i]))();
  }
  for (const turn of turns) {
    let use = (): void => undefined;
    while (!turn.isDone) {
      // The database reads on while this thread uses what it has read.
      const reading = points.read(turn.statement);
      const [used] = await Promise.allSettled([Promise.try(use), reading]);
      if (used.status === "rejected") throw used.reason;
      use = advance(turn, await reading);
    }
    use();
  }
}

const STATEMENTS = { hours: READ_HOURS, recent: READ_RECENT, points: READ_POINTS, blocks: READ_BLOCKS };

/** The turns of one statement. */
class Turns {
  readonly table: PointTable;
  readonly #statement: Statement<SqlArgs, TurnRow>;
  readonly #limits: SqlArgs;
  readonly #pending: PendingAsk[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #texts: string[] = [];
  #done = 0;
  #place: Pick<TurnRow, "at" | "k"> = { at: null, k: 0 };

  constructor({ table, descending, pieceRows: rows }: Ask, { turnValues }: ReadLimits) {
    this.table = table;
    this.#statement = STATEMENTS[table][descending ? "descending" : "ascending"];
    this.#limits = { rows, turnValues };
  }

  add(pending: PendingAsk, waiting: Waiting): void {
    this.#pending.push(pending);
    this.#waiting.push(waiting);
    this.#texts.push(describeAsk(pending.ask));
  }

  get isDone(): boolean {
    return this.#done === this.#pending.length;
  }

  /** The statement of the next turn. */
  get statement(): BoundStatement<TurnRow> {
    const asks = `[${this.#texts.slice(this.#done, this.#done + MAX_ASKS).join(",")}]`;
    const { at, k } = this.#place;
    return bindNamed(this.#statement, { asks, at, k, ...this.#limits });
  }

  /** Goes on to the place after a row, and returns what uses its text. */
  advance({ text, n, at, k }: TurnRow): () => void {
    const begin = this.#done;
    this.#place = { at, k };
    this.#done += n + (at === null ? 1 : 0);
    const end = this.#done;
    return () => {
      if (text !== null) receiveLines(text, this.#pending.slice(begin, begin + MAX_ASKS));
      for (const waiting of this.#waiting.slice(begin, end)) {
        if (--waiting.open === 0) waiting.reading.settle();
      }
    };
  }
}

/** Tables in the order in which they are read: blocks, which may have most, last. */
const TABLES: readonly PointTable[] = ["recent", "hours", "points", "blocks"];

/** Returns the turns that serve readings. Those that ask nothing are settled at once. */
function turnsOf(readings: readonly Reading[], limits: ReadLimits): Turns[] {
  const turns = new Map<string, Turns>();
  for (const reading of readings) {
    const asks = reading.ask();
    const waiting = { reading, open: asks.length };
    for (const pending of asks) {
      const { table, descending, pieceRows } = pending.ask;
      const key = `${table} ${descending} ${table === "blocks" ? "" : pieceRows}`;
      let ofKey = turns.get(key);
      if (ofKey === undefined) turns.set(key, ofKey = new Turns(pending.ask, limits));
      ofKey.add(pending, waiting);
    }
    if (asks.length === 0) reading.settle();
  }
  return [...turns.values()].sort((a, b) => TABLES.indexOf(a.table) - TABLES.indexOf(b.table));
}

function receiveLines(text: string, pending: readonly PendingAsk[]): void {
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i += 2) pending[Number(lines[i])]?.receive(lines[i + 1] as string);
}

/** Formats a query as an element of `FINDING`. */
function describeQuery(
  { deviceId, measurement, database, retentionPolicy, tags, columns }: StoreQuery,
): string {
  const { tagPattern, oddTags } = describeTags(tags);
  const fields = columns.map(({ field }) => field);
  return JSON.stringify([deviceId, measurement, database, retentionPolicy, tagPattern, oddTags, fields]);
}
