import type { Row } from "./database.ts";
import { ServerUnreachableError } from "./sql_errors.ts";
import type { BoundStatement, SqlValue } from "./statement.ts";

/** Statements and rows in the JSON of Hrana 3, the protocol of libSQL servers. */

type WireValue =
  | { readonly type: "null" }
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string };

interface WireStatement {
  readonly sql: string;
  readonly named_args?: readonly { readonly name: string; readonly value: WireValue }[];
  readonly want_rows: boolean;
}

type Condition =
  | { readonly type: "ok"; readonly step: number }
  | { readonly type: "not"; readonly cond: Condition }
  | { readonly type: "is_autocommit" };

interface Step {
  readonly stmt: WireStatement;
  readonly condition?: Condition;
}

/** What a stream can be asked for. */
export type StreamRequest =
  | { readonly type: "execute"; readonly stmt: WireStatement }
  | { readonly type: "batch"; readonly batch: { readonly steps: readonly Step[] } }
  | { readonly type: "get_autocommit" }
  | { readonly type: "close" };

interface WireError {
  readonly message: string;
  readonly code?: string | null;
}

interface WireRows {
  readonly cols: readonly { readonly name: string | null }[];
  readonly rows: readonly (readonly { readonly type: string; readonly value?: unknown }[])[];
}

interface WireSteps {
  readonly step_results: readonly (WireRows | null)[];
  readonly step_errors: readonly (WireError | null)[];
}

/** The result of one request. The types are those of the protocol; whether a server keeps to it is seen in reading. */
export type StreamResult =
  | { readonly type: "error"; readonly error: WireError }
  | {
    readonly type: "ok";
    readonly response: {
      readonly type: string;
      readonly result?: WireRows & WireSteps & { readonly replication_index?: string | null };
      readonly is_autocommit?: boolean;
    };
  };

/** An error of a statement or a request, as the server reports it. `sql_errors.ts` tells the codes apart. */
export class ServerError extends Error {
  override readonly name = "ServerError";

  constructor(message: string, readonly code: string | undefined, readonly status?: number) {
    super(message);
  }
}

/** How a transaction begins. A write takes the server's only lock at once, so it cannot fail for it halfway. */
export type Beginning = "BEGIN IMMEDIATE" | "BEGIN READONLY";

/** The requests that run one statement outside a transaction. */
export function requestStatement(statement: BoundStatement): StreamRequest[] {
  return [{ type: "execute", stmt: toWire(statement) }];
}

/**
 * The requests that run statements as one transaction. Whatever fails, the last step leaves no transaction open, as a
 * later call on the same stream would otherwise become part of it. Whether that worked is asked, too.
 */
export function requestTransaction(
  beginning: Beginning,
  statements: readonly BoundStatement[],
): StreamRequest[] {
  const steps: Step[] = [beginning, ...statements, "COMMIT"].map((statement, index) => ({
    stmt: typeof statement === "string" ? { sql: statement, want_rows: false } : toWire(statement),
    ...(index > 0 && { condition: { type: "ok", step: index - 1 } }),
  }));
  steps.push({
    stmt: { sql: "ROLLBACK", want_rows: false },
    condition: { type: "not", cond: { type: "is_autocommit" } },
  });
  return [{ type: "batch", batch: { steps } }, { type: "get_autocommit" }];
}

/** Whether the stream is outside a transaction after these results, so that another call may use it. */
export function isStreamClean(results: readonly StreamResult[]): boolean {
  const last = results.at(-1);
  if (last?.type !== "ok") return false;
  return last.response.type === "execute" || last.response.is_autocommit === true;
}

/** The rows of a statement; throws its `ServerError`. */
export function readStatement([result]: readonly StreamResult[]): Row[] {
  return reading(() => rowsOf(resultOf(result)));
}

/** The newest frame of the server's log that these results include, if the server says so. */
export function replicationIndexOf(results: readonly StreamResult[]): number | undefined {
  const [first] = results;
  const index = first?.type === "ok" ? first.response.result?.replication_index : undefined;
  return index === undefined || index === null ? undefined : Number(index);
}

/**
 * The rows of each statement of a transaction that was committed. Throws the `ServerError` of the step that failed,
 * and then none of it took effect.
 */
export function readTransaction([result]: readonly StreamResult[]): Row[][] {
  return reading(() => {
    const { step_results: results, step_errors: errors } = resultOf(result);
    for (const error of errors) if (error !== null) throw toError(error);
    // Besides the statements, the steps begin, commit, and roll back what was not committed.
    return results.slice(0, -1).map(rowsOf).slice(1, -1);
  });
}

/**
 * Reads a response. What cannot be read is not the protocol, so nothing can be said about what the server did; the
 * types above make any other `TypeError` impossible here.
 */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ServerUnreachableError("The database server's response breaks the protocol", { cause: error });
  }
}

function resultOf(result: StreamResult | undefined): WireRows & WireSteps {
  if (result?.type === "error") throw toError(result.error);
  if (result?.response.result === undefined) throw new TypeError("There is no result");
  return result.response.result;
}

function toError({ message, code }: WireError): ServerError {
  return new ServerError(message, code ?? undefined);
}

function toWire({ sql, args }: BoundStatement): WireStatement {
  const named_args = Object.entries(args).map(([name, value]) => ({ name, value: toWireValue(value) }));
  return { sql, named_args, want_rows: true };
}

function toWireValue(value: SqlValue): WireValue {
  if (value === null) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (Number.isFinite(value)) return { type: "float", value };
  throw new RangeError("Only finite numbers can be bound");
}

function rowsOf(result: WireRows | null): Row[] {
  const names = result?.cols.map(({ name }) => name ?? "");
  if (result === null || names === undefined) throw new TypeError("A statement was skipped");
  return result.rows.map((values) => {
    const row: Row = {};
    names.forEach((name, index) => row[name] = fromWireValue(values[index]));
    return row;
  });
}

function fromWireValue(value: { readonly type: string; readonly value?: unknown } | undefined): unknown {
  switch (value?.type) {
    case "null":
      return null;
    case "text":
      return value.value;
    case "float":
      if (typeof value.value === "number") return value.value;
      // JSON has no infinite numbers: the server sends null.
      throw new RangeError("A real from the database is infinite");
    case "integer": {
      const number = Number(value.value);
      if (Number.isSafeInteger(number)) return number;
      throw new RangeError("An integer from the database is too large for a number");
    }
    default:
      throw new TypeError("A value has an unknown type");
  }
}
