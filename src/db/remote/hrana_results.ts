import type { Row } from "../database.ts";
import { ServerError, ServerUnreachableError } from "../sql_errors.ts";

/** Results in the JSON of Hrana 3, the protocol of libSQL servers. */

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

/** The result of one request, in the types of the protocol. Reading shows whether a server keeps to it. */
export type StreamResult =
  | { readonly type: "error"; readonly error: WireError }
  | {
    readonly type: "ok";
    readonly response: {
      readonly type: string;
      readonly result?: WireRows & WireSteps;
      readonly is_autocommit?: boolean;
    };
  };

/** Whether the stream is outside a transaction after these results, so that another call may use it. */
export function isStreamClean(results: readonly StreamResult[]): boolean {
  const last = results.at(-1);
  if (last?.type !== "ok") return false;
  return last.response.type === "execute" || last.response.is_autocommit === true;
}

/** Returns the rows of a statement. Throws its `ServerError`. */
export function readStatement([result]: readonly StreamResult[]): Row[] {
  return reading(() => rowsOf(resultOf(result)));
}

/**
 * Returns the rows of each statement of a committed transaction. Throws the `ServerError` of the step that failed; then
 * none of it took effect.
 */
export function readTransaction(all: readonly StreamResult[]): Row[][] {
  return reading(() => {
    const result = all.find((each) => each.type === "error" || each.response.type === "batch");
    const { step_results: results, step_errors: errors } = resultOf(result);
    for (const error of errors) if (error !== null) throw toError(error);
    // Besides the statements, the steps begin, commit, and roll back what was not committed.
    return results.slice(0, -1).map(rowsOf).slice(1, -1);
  });
}

/**
 * Reads a response. If it breaks the protocol, it does not tell what the server did. The types above make any other
 * `TypeError` impossible here.
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
