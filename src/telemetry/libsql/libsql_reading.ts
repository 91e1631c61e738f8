import type { Database } from "../../db/database.ts";
import { bindNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { ArrivingResult } from "../arriving_result.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";
import { MAX_SCANNED_PER_ROW, type ReadBudget } from "../read_budget.ts";
import type { StoreQuery, StoreResult } from "../store.ts";
import { READ_FUNCTIONS } from "./aggregate_queries.ts";
import { hasFunctions, receivePieces } from "./libsql_results.ts";
import { READ_FIELD, READ_FIELDS } from "./plain_queries.ts";
import { describeTags } from "./tag_pattern.ts";
import type { TurnRow } from "./walk_queries.ts";

export interface ReadLimits {
  /** Maximum number of values spent by a statement. */
  readonly turnValues: number;
  /** Values per piece of plain rows, which is read as a whole. */
  readonly pieceValues: number;
  /** Maximum number of values that functions scan for one row. */
  readonly rowValues: number;
}

/**
 * A statement occupies the file's reading thread for some 10 ms, and formatting its text takes some 4 ms. It has at
 * most 0.2 MB, and a piece 2.4 MB with the longest strings; a server allows 5 MB.
 */
const READ_LIMITS: ReadLimits = { turnValues: 50_000, pieceValues: 100, rowValues: MAX_SCANNED_PER_ROW };

const STATEMENTS = { functions: READ_FUNCTIONS, field: READ_FIELD, fields: READ_FIELDS };

/** Queries for one statement, in the order of the call. */
interface Group {
  readonly statement: Statement<SqlArgs, TurnRow>;
  /** Rows in a piece. */
  readonly rows: number;
  readonly results: ArrivingResult[];
}

/** The place in the first remaining query at which the next statement begins. */
type Place = Pick<TurnRow, "tagSetId" | "at" | "k">;

/**
 * Runs queries, grouped by kind, in turns: a statement reads until its turn is spent, and the next one continues. See
 * `TelemetryStore.read`.
 */
export async function readQueries(
  database: Database,
  queries: readonly StoreQuery[],
  budget: ReadBudget,
  limits: Partial<ReadLimits> = {},
): Promise<StoreResult[]> {
  const { turnValues, pieceValues, rowValues } = { ...READ_LIMITS, ...limits };
  const results = queries.map((query) => new ArrivingResult(query, budget));
  for (const { statement, rows, results: ofGroup } of groupByStatement(results, pieceValues)) {
    const texts = ofGroup.map(({ query }) => describeQuery(query));
    let place: Place = { tagSetId: 0, at: null, k: 0 };
    for (let done = 0; done < ofGroup.length;) {
      const { tagSetId, at, k } = place;
      const remaining = `[${texts.slice(done).join(",")}]`;
      const args = { queries: remaining, tagSetId, at, k, rows, turnValues, rowValues };
      const [turn] = await database.read(bindNamed(statement, args));
      if (turn === undefined) throw new Error("A statement that reads points returned no row");
      budget.scan(turn.spent);
      if (turn.text !== null) receivePieces(turn.text, ofGroup.slice(done));
      done += turn.n;
      place = turn;
    }
  }
  return results.map((result) => result.finish());
}

function groupByStatement(results: readonly ArrivingResult[], pieceValues: number): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const result of results) {
    const { columns, descending, limit = Infinity } = result.query;
    const kind = hasFunctions(result.query) ? "functions" : columns.length === 1 ? "field" : "fields";
    const direction = descending ? "descending" : "ascending";
    const rows = kind === "functions"
      ? 1
      : Math.min(limit, Math.max(1, Math.floor(pieceValues / columns.length)));
    const key = `${kind} ${direction} ${rows}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { statement: STATEMENTS[kind][direction], rows, results: [result] });
    } else group.results.push(result);
  }
  return groups.values();
}

/**
 * Formats a query as an element of `:queries`. Times have 64 bits, which JSON can only hold as the text of a number.
 */
function describeQuery(query: StoreQuery): string {
  const { deviceId, measurement, database, retentionPolicy, tags, columns } = query;
  const { from = MIN_TIME, to = MAX_TIME, window = null, limit = Number.MAX_SAFE_INTEGER } = query;
  const { tagPattern, oddTags } = describeTags(tags);
  const wanted = columns.map(({ field, aggregate }) => [field, aggregate ?? null]);
  const others = [deviceId, measurement, database, retentionPolicy, tagPattern, oddTags, limit, wanted];
  return `[${from},${to},${window},${JSON.stringify(others).slice(1)}`;
}
