import type { Actor } from "../core/actor.ts";
import { type Clock, SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { createBoundedQueue } from "../db/bounded_queue.ts";
import type { Database } from "../db/database.ts";
import { typedRows } from "../db/rows.ts";
import { bindBatch } from "../db/statement.ts";
import { createInfluxClient, type InfluxClient, type InfluxSeries, withTimeLimit } from "./influx_client.ts";
import { REGISTER_SENDING } from "./influx_queries.ts";
import {
  decodeText,
  deleteBeforeStatement,
  forgetStatement,
  formatLines,
  measurementPrefix,
  rowsStatement,
  textsStatement,
} from "./influxql.ts";
import type { Namespace, SeriesWrite } from "./point.ts";
import { NEEDS_NUMBERS } from "./query.ts";
import { checkVerdict, describeSeries } from "./series_registration.ts";
import type { StoredSeries, StoreQuery, StoreResult, TelemetryStore } from "./store.ts";
import { parseInfluxUrl } from "./telemetry_url.ts";
import { formatTime } from "./time.ts";
import type { WriteVerdictRow } from "./write_queries.ts";

export interface InfluxStoreOptions {
  /** `influxdb://…`, as `parseInfluxUrl` reads it. */
  readonly url: string;
  /** The service's own database: who may write is settled there. */
  readonly database: Database;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Replaces the `fetch` that reaches the server. */
  readonly fetch?: typeof fetch | undefined;
  /** How long the server may take for a call (10 seconds by default); for deletions six times as long. */
  readonly timeoutMs?: number | undefined;
}

/** InfluxDB reads at most 10 MB of a form; percent-encoded, a character may take three times its bytes. */
const STATEMENTS_LENGTH = 1_000_000;
/** Calls that read at the same time: what arrives is in memory besides what is kept of it. */
const READS_AT_ONCE = 4;
const DEVICES_AT_ONCE = 100;
const TIMEOUT_MS = 10 * SECOND_MS;
/** A deletion goes through all that is stored. */
const DELETION_TIMEOUTS = 6;
const REFUSAL_LENGTH = 300;
const NOTHING: Amount = { rows: 0, text: 0 };

/** A series of a result while its rows arrive. */
interface ArrivingSeries {
  readonly tags: readonly (readonly [string, string])[];
  /** Its tags as InfluxDB sent them: equal for the parts of one series. */
  readonly key: string;
  readonly rows: string[];
}

/** Rows, and the characters of the tags and text values that come with them. */
interface Amount {
  readonly rows: number;
  readonly text: number;
}

/** The result of a query while its rows arrive. */
interface ArrivingResult {
  readonly query: StoreQuery;
  /** Empty once it is cut. */
  readonly series: ArrivingSeries[];
  received: Amount;
  isCut: boolean;
  holdsTexts: boolean;
}

/** A statement and the result that it belongs to. */
interface Step {
  readonly text: string;
  readonly result: ArrivingResult;
  readonly looksForTexts: boolean;
}

/** Keeps points in InfluxDB by its 1.x HTTP interface. Throws a `RangeError` on a URL that is none. */
export function createInfluxStore(options: InfluxStoreOptions): TelemetryStore {
  const { database, clock, log, timeoutMs = TIMEOUT_MS } = options;
  const client = createInfluxClient(parseInfluxUrl(options.url), { log, fetch: options.fetch ?? fetch });

  // A process has one store. Nobody waits beyond the time limit: whoever was before him ends within his own.
  const reads = createBoundedQueue({ slots: READS_AT_ONCE, maxWaiting: Infinity, timeoutMs });

  /** The series are kept in the database, too: there they are counted, and keep their kinds. */
  async function register(
    actor: Actor,
    namespace: Namespace,
    series: readonly SeriesWrite[],
  ): Promise<Map<string, number>> {
    const { userId: actorId, sessionId } = actor;
    const args = { actorId, sessionId, now: clock(), ...describeSeries(namespace, series) };
    const results = await database.write(bindBatch(REGISTER_SENDING, args));
    checkVerdict(typedRows<WriteVerdictRow>(results[0])[0]);
    const devices = typedRows<{ nodeId: string; deviceId: number }>(results.at(-1));
    return new Map(devices.map(({ nodeId, deviceId }) => [nodeId, deviceId]));
  }

  async function run(statement: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await withTimeLimit(
        DELETION_TIMEOUTS * timeoutMs,
        (limit) => readAll(client, statement, limit),
        signal,
      );
      return true;
    } catch (error) {
      if (signal?.aborted === true) return false;
      throw error;
    }
  }

  return {
    // InfluxDB does not tell how many values functions look at. Instead of the budget its operator's own limits apply
    // (`max-select-…`), and the time limit.
    async read(queries, _budget) {
      const results = queries.map(expectResult);
      const steps = results.flatMap(planSteps);
      await reads.run((deadline) =>
        withTimeLimit(deadline - performance.now(), async (signal) => {
          for (let next = 0; next < steps.length;) next = await readSome(client, steps, { next, signal });
        })
      );
      return results.map(finishResult);
    },

    async write(actor, namespace, series) {
      const deviceIds = await register(actor, namespace, series);
      const lines = formatLines(series, namespace, deviceIds);
      if (lines === "") return;
      const refusal = await withTimeLimit(timeoutMs, (signal) => client.write(lines, signal));
      if (refusal !== undefined) throw refused(refusal, namespace, [...deviceIds.values()]);
    },

    async forget(deviceIds, signal) {
      for (let at = 0; at < deviceIds.length; at += DEVICES_AT_ONCE) {
        if (signal?.aborted === true) return false;
        const statement = forgetStatement(deviceIds.slice(at, at + DEVICES_AT_ONCE));
        if (!(await run(statement, signal))) return false;
      }
      return true;
    },

    async deleteBefore(time, signal) {
      if (signal?.aborted !== true) await run(deleteBeforeStatement(time), signal);
      // InfluxDB does not tell.
      return undefined;
    },

    isReady: () => withTimeLimit(timeoutMs, (signal) => client.isReady(signal)),
  };
}

async function readAll(client: InfluxClient, statements: string, signal: AbortSignal): Promise<void> {
  for await (const _ of client.query(statements, { signal })) {
    // Deletions answer nothing.
  }
}

function expectResult(query: StoreQuery): ArrivingResult {
  return { query, series: [], received: NOTHING, isCut: false, holdsTexts: false };
}

function planSteps(result: ArrivingResult): Step[] {
  const texts = textsStatement(result.query);
  const rows = { text: rowsStatement(result.query), result, looksForTexts: false };
  return texts === undefined ? [rows] : [{ text: texts, result, looksForTexts: true }, rows];
}

/**
 * Sends the steps from `next` on and answers which is next after that. A query that is cut is read over, but not for
 * longer than the queries together would allow: then the request is ended, and what is left comes with the next.
 */
async function readSome(
  client: InfluxClient,
  steps: readonly Step[],
  { next, signal }: { next: number; signal: AbortSignal },
): Promise<number> {
  const sent = takeSteps(steps, next);
  const columns = Math.max(...sent.map(({ result }) => result.query.columns.length));
  const allowed = allow(sent);
  let answered = 0;
  let received = NOTHING;
  for await (const { statement_id: id, series = [] } of client.query(joinTexts(sent), { signal, columns })) {
    const step = sent[id];
    if (step === undefined) {
      throw new TypeError("The telemetry engine answered a statement that was not sent");
    }
    answered = id + 1;
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
  // An answer without its end would look like queries without rows.
  if (answered < sent.length) throw new AppError("UNAVAILABLE");
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

/** What the queries of steps may have together. */
function allow(steps: readonly Step[]): Amount {
  const queries = steps.filter(({ looksForTexts }) => !looksForTexts).map(({ result }) => result.query);
  return queries.map(({ maxRows, maxText }) => ({ rows: maxRows, text: maxText })).reduce(add, NOTHING);
}

function add(a: Amount, b: Amount): Amount {
  return { rows: a.rows + b.rows, text: a.text + b.text };
}

function fits(amount: Amount, allowed: Amount): boolean {
  return amount.rows <= allowed.rows && amount.text <= allowed.text;
}

/**
 * Adds rows to a result until it is cut; answers what they amount to, kept or not. InfluxDB applies a limit to each
 * function by itself, so that rows behind it may arrive in which some of their values are missing.
 */
function receiveRows(result: ArrivingResult, { tags = {}, values }: InfluxSeries): Amount {
  const { query: { maxRows, maxText, limit = Infinity } } = result;
  if (result.isCut) return amountOf(values.slice(0, limit));
  const { series, tagsLength } = seriesFor(result, tags);
  const counting = values.slice(0, limit - series.rows.length);
  const arrived = add(amountOf(counting), { rows: 0, text: tagsLength });
  result.received = add(result.received, arrived);
  if (fits(result.received, { rows: maxRows, text: maxText })) {
    for (const row of counting) series.rows.push(JSON.stringify(timeRow(row, result.query)));
  } else {
    result.isCut = true;
    result.series.length = 0;
  }
  return arrived;
}

function amountOf(rows: readonly (readonly unknown[])[]): Amount {
  let text = 0;
  // The first column is the time.
  for (const [, ...values] of rows) {
    for (const value of values) text += typeof value === "string" ? value.length : 0;
  }
  return { rows: rows.length, text };
}

/** The series that arrived last goes on, or another begins; `tagsLength` is 0 where they were counted before. */
function seriesFor(
  result: ArrivingResult,
  tags: Readonly<Record<string, string>>,
): { readonly series: ArrivingSeries; readonly tagsLength: number } {
  const key = JSON.stringify(tags);
  const last = result.series.at(-1);
  if (last?.key === key) return { series: last, tagsLength: 0 };
  const series = { tags: decodeTags(tags), key, rows: [] };
  result.series.push(series);
  const tagsLength = series.tags.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return { series, tagsLength };
}

/** Grouped by all tags, those that the series lacks are empty texts. */
function decodeTags(tags: Readonly<Record<string, string>>): [string, string][] {
  const present = Object.entries(tags).filter(([, value]) => value !== "");
  const decoded = present.map(([name, value]): [string, string] => [decodeText(name), decodeText(value)]);
  return decoded.sort(([a], [b]) => compareTexts(a, b));
}

/** A function without windows has the time of the query; InfluxDB gives some the time of the value that they chose. */
function timeRow(row: readonly unknown[], { columns, window, from }: StoreQuery): readonly unknown[] {
  if (columns[0].aggregate === undefined || window !== undefined) return row;
  return [formatTime(from ?? 0n), ...row.slice(1)];
}

function finishResult({ series, isCut, holdsTexts }: ArrivingResult): StoreResult {
  if (holdsTexts) return { invalid: NEEDS_NUMBERS };
  const stored = series.filter(({ rows }) => rows.length > 0).map((
    { tags, rows },
  ): [string, StoredSeries] => [
    orderText(tags),
    { tags: Object.fromEntries(tags), rowsJson: rows.join(","), rowCount: rows.length },
  ]);
  return { series: stored.sort(([a], [b]) => compareTexts(a, b)).map(([, one]) => one), isCut };
}

/** The tags' JSON text. Not an object's, which orders names of digits first. */
function orderText(tags: ArrivingSeries["tags"]): string {
  return `{${tags.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** By code unit, as keys and tag sets are ordered everywhere. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Says what the engine said, without the part of measurements' names that is its own business. */
function refused(text: string, namespace: Namespace, deviceIds: readonly number[]): AppError {
  // The longest first: device 1's is the end of device 11's.
  const prefixes = deviceIds.map((id) => measurementPrefix(id, namespace)).sort((a, b) =>
    b.length - a.length
  );
  const said = prefixes.reduce((shown, prefix) => shown.replaceAll(prefix, ""), text);
  const message = `The telemetry engine refused points: ${said.slice(0, REFUSAL_LENGTH)}`;
  return new AppError("TELEMETRY_REFUSED", { message });
}
