import { AppError } from "../../core/errors.ts";
import { ArrivingResult } from "../arriving_result.ts";
import type { ReadBudget } from "../read_budget.ts";
import type { StoreQuery, StoreResult } from "../store.ts";
import type { InfluxClient } from "./influx_client.ts";
import { receiveRows } from "./influx_results.ts";
import { rowsStatements, textsStatements } from "./influxql.ts";

/**
 * Maximum characters of statements per request: InfluxDB reads at most 10 MB of a form, and percent-encoding triples
 * bytes.
 */
const STATEMENTS_LENGTH = 1_000_000;

/** A statement and its result. */
interface Step {
  readonly text: string;
  readonly result: ArrivingResult;
  readonly looksForTexts: boolean;
}

/**
 * Runs queries in as few requests as possible. Returns one result per query, in order. Throws like the client and the
 * budget; ends a request once it exceeds the budget.
 */
export async function readFromInflux(
  client: InfluxClient,
  queries: readonly StoreQuery[],
  { budget, signal }: { budget: ReadBudget; signal: AbortSignal },
): Promise<StoreResult[]> {
  const results = queries.map((query) => new ArrivingResult(query, budget));
  let sent: Step[] = [];
  let length = 0;
  for (const step of planSteps(results)) {
    if (sent.length > 0 && length + step.text.length > STATEMENTS_LENGTH) {
      await readSteps(client, sent, signal);
      [sent, length] = [[], 0];
    }
    sent.push(step);
    length += step.text.length;
  }
  if (sent.length > 0) await readSteps(client, sent, signal);
  return results.map((result) => result.finish());
}

/** One by one: many columns in many parts are long texts. */
function* planSteps(results: readonly ArrivingResult[]): Generator<Step> {
  for (const result of results) {
    for (const text of textsStatements(result.query)) yield { text, result, looksForTexts: true };
    for (const text of rowsStatements(result.query)) yield { text, result, looksForTexts: false };
  }
}

/** Sends the statements of the steps in one request. */
async function readSteps(client: InfluxClient, steps: readonly Step[], signal: AbortSignal): Promise<void> {
  const columns = Math.max(...steps.map(({ result }) => result.query.columns.length));
  const statements = steps.map(({ text }) => text).join(";");
  let completed = 0;
  for await (const { statement_id: id, series = [] } of client.query(statements, { signal, columns })) {
    const step = steps[id];
    if (step === undefined) {
      throw new TypeError("The telemetry engine returned a result of a statement that was not sent");
    }
    completed = id + 1;
    if (!step.looksForTexts) { for (const one of series) receiveRows(step.result, one); }
    else if (series.length > 0) step.result.refuse();
  }
  // A truncated response would look like queries without rows.
  if (completed < steps.length) throw new AppError("UNAVAILABLE");
}
