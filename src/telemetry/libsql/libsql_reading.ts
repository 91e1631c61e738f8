import type { Database } from "../../db/database.ts";
import { bind, bindNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { ArrivingResult } from "../arriving_result.ts";
import type { ReadBudget } from "../read_budget.ts";
import type { StoreQuery, StoreResult } from "../store.ts";
import { describeAsk } from "./ask.ts";
import type { FoundSeries, PendingAsk } from "./column_reading.ts";
import { FIND_TAG_SETS } from "./find_queries.ts";
import { READ_POINTS, type TurnRow } from "./read_queries.ts";
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
    budget.scan(row.spent);
    const found = JSON.parse(row.found) as [n: number, tags: string, series: (FoundSeries | null)[]][];
    const readings = found.map(([n, tags, series]) =>
      new TagSetReading(results[done + n] as ArrivingResult, tags, series, limits.pieceValues)
    );
    await readTagSets(deps.points, readings, budget, limits);
    done += row.n;
    tagSetId = row.tagSetId;
  }
  return results.map((result) => result.finish());
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
    const current = takeFitting(remaining, limits.turnValues);
    const asks = current.flatMap((reading) => reading.ask());
    for (const group of groupByStatement(asks)) {
      await runAsks(points, { ...group, budget, limits });
    }
    for (const reading of current) reading.settle();
  }
}

/** Returns the first readings, at least one, that together ask for at most so many points. */
function takeFitting(readings: readonly TagSetReading[], points: number): readonly TagSetReading[] {
  let asked = 0;
  const end = readings.findIndex(({ askedPoints }) => (asked += askedPoints) > points);
  return end === -1 ? readings : readings.slice(0, Math.max(1, end));
}

interface Group {
  readonly statement: Statement<SqlArgs, TurnRow>;
  /** Of a piece. */
  readonly rows: number;
  readonly pending: PendingAsk[];
}

function groupByStatement(asks: readonly PendingAsk[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const pending of asks) {
    const { descending, pieceRows: rows } = pending.ask;
    const statement = descending ? READ_POINTS.descending : READ_POINTS.ascending;
    const key = `${descending} ${rows}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { statement, rows, pending: [pending] });
    else group.pending.push(pending);
  }
  return groups.values();
}

/** Reads what is asked for. Throws `TOO_MUCH_TELEMETRY`. */
async function runAsks(
  points: Database,
  { statement, rows, pending, budget, limits: { turnValues } }: Group & {
    readonly budget: ReadBudget;
    readonly limits: ReadLimits;
  },
): Promise<void> {
  const texts = pending.map(({ ask }) => describeAsk(ask));
  let place: Pick<TurnRow, "at" | "k"> = { at: null, k: 0 };
  for (let done = 0; done < pending.length;) {
    const asks = `[${texts.slice(done, done + MAX_ASKS).join(",")}]`;
    const { at, k } = place;
    const [turn] = await points.read(bindNamed(statement, { asks, at, k, rows, turnValues }));
    if (turn === undefined) throw new Error("A statement that reads points returned no row");
    budget.scan(turn.spent);
    if (turn.text !== null) receiveLines(turn.text, pending.slice(done, done + MAX_ASKS));
    place = turn;
    done += turn.at === null ? turn.n + 1 : turn.n;
  }
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
