import { AppError } from "../../core/errors.ts";
import type { InfluxClient } from "./influx_client.ts";
import {
  add,
  type Amount,
  type ArrivingResult,
  expectResult,
  finishResult,
  fits,
  NOTHING,
  receiveRows,
} from "./influx_results.ts";
import { rowsStatement, textsStatement } from "./influxql.ts";
import type { StoreQuery, StoreResult } from "../store.ts";

/** Characters of statements per request: InfluxDB reads at most 10 MB of a form, and percent-encoding triples bytes. */
const STATEMENTS_LENGTH = 1_000_000;

/** A statement and the result that it belongs to. */
interface Step {
  readonly text: string;
  readonly result: ArrivingResult;
  readonly looksForTexts: boolean;
}

/** Runs queries in as few requests as possible. Returns one result per query, in order. Throws like the client. */
export async function readFromInflux(
  client: InfluxClient,
  queries: readonly StoreQuery[],
  signal: AbortSignal,
): Promise<StoreResult[]> {
  const results = queries.map(expectResult);
  const steps = results.flatMap(planSteps);
  for (let next = 0; next < steps.length;) next = await readSome(client, steps, { next, signal });
  return results.map(finishResult);
}

function planSteps(result: ArrivingResult): Step[] {
  const texts = textsStatement(result.query);
  const rows = { text: rowsStatement(result.query), result, looksForTexts: false };
  return texts === undefined ? [rows] : [{ text: texts, result, looksForTexts: true }, rows];
}

/**
 * Sends the steps from `next` on, and returns the index of the next step to send. Further rows of a query that is cut
 * are skipped. Once more has arrived than the queries together may return, the request is ended, and the remaining
 * steps go into the next one.
 */
async function readSome(
  client: InfluxClient,
  steps: readonly Step[],
  { next, signal }: { next: number; signal: AbortSignal },
): Promise<number> {
  const sent = takeSteps(steps, next);
  const columns = Math.max(...sent.map(({ result }) => result.query.columns.length));
  const allowed = allow(sent);
  let completed = 0;
  let received = NOTHING;
  for await (const { statement_id: id, series = [] } of client.query(joinTexts(sent), { signal, columns })) {
    const step = sent[id];
    if (step === undefined) {
      throw new TypeError("The telemetry engine returned a result of a statement that was not sent");
    }
    completed = id + 1;
    const { result } = step;
    if (step.looksForTexts) {
      result.holdsTexts ||= series.length > 0;
      continue;
    }
    for (const one of series) received = add(received, receiveRows(result, one));
    if (fits(received, allowed)) continue;
    if (result.isCut) return next + id + 1;
    result.series.length = 0;
    result.received = NOTHING;
    return next + id;
  }
  // A truncated response would look like queries without rows.
  if (completed < sent.length) throw new AppError("UNAVAILABLE");
  return next + sent.length;
}

function takeSteps(steps: readonly Step[], first: number): Step[] {
  const taken: Step[] = [];
  let length = 0;
  for (const step of steps.slice(first)) {
    length += step.text.length;
    if (taken.length > 0 && length > STATEMENTS_LENGTH) break;
    taken.push(step);
  }
  return taken;
}

function joinTexts(steps: readonly Step[]): string {
  return steps.map(({ text }) => text).join(";");
}

/** What the queries of the steps may return together. */
function allow(steps: readonly Step[]): Amount {
  const queries = steps.filter(({ looksForTexts }) => !looksForTexts).map(({ result }) => result.query);
  return queries.map(({ maxRows, maxText }) => ({ rows: maxRows, text: maxText })).reduce(add, NOTHING);
}
