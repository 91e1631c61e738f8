import type { Row } from "../database.ts";
import type { BoundStatement, Decided, SqlArgs } from "../statement.ts";

/** Messages between a program and a thread with database connections. */

/** How a thread opens a connection to a database file. */
export interface ConnectionSettings {
  readonly path: string;
  /** How long SQLite itself waits for a lock, in milliseconds. */
  readonly lockWaitMs: number;
  /** Statements that run when it is opened. */
  readonly setup: readonly string[];
}

export type Batch = readonly BoundStatement[];

/** What a thread keeps of a statement: to copy its text for each call would take longer than to run some. */
export interface KnownStatement {
  readonly sql: string;
  /** See `Statement`. */
  readonly onSteps?: readonly string[];
  /** `on` has the numbers of known statements. */
  readonly decided?: Pick<Decided, "by"> & { readonly on: readonly number[] };
}

/** Statements by their numbers, with the arguments that they share, or of each. */
export interface NumberedBatch {
  readonly statements: readonly number[];
  readonly args: readonly SqlArgs[];
}

/** A call on the connection with this number. The number is new for `open`. */
export type ThreadCall =
  | { readonly kind: "open"; readonly settings: ConnectionSettings }
  | { readonly kind: "read"; readonly batch: NumberedBatch }
  | { readonly kind: "write"; readonly batches: readonly NumberedBatch[] }
  | { readonly kind: "close" };

export interface ThreadRequest {
  readonly id: number;
  readonly connection: number;
  readonly call: ThreadCall;
  /** The statements that no earlier request had. A thread numbers them from 0 on as they come. */
  readonly newStatements: readonly KnownStatement[];
}

export interface ThreadResponse {
  readonly id: number;
  readonly result: unknown;
  /** Present if the call failed. */
  readonly error?: PlainError;
}

/** The result of one batch of a group of writes: a list of rows per statement, or its error; and how long it ran. */
export type BatchOutcome = ({ readonly rows: Row[][] } | { readonly error: PlainError }) & {
  readonly ms: number;
};

/** An error as it crosses a thread: a clone would lack its code. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code: unknown;
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) {
    return { name: "Error", message: String(error), code: undefined };
  }
  const { name, message, code } = error as Error & { code?: unknown };
  return { name, message, code };
}

/** Returns the error with the fields that `sql_errors.ts` reads. */
export function fromPlainError({ name, message, code }: PlainError): Error {
  return Object.assign(new Error(message), { name, code });
}
