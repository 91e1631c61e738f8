import type { BoundStatement } from "./statement.ts";

/** A result row by column name. Queries alias their columns in camelCase and say what type a row has. */
export type Row = Record<string, unknown>;

/**
 * A libSQL database, local file or remote server. Both run the same SQL. Every method throws `AppError("UNAVAILABLE")`
 * when the database cannot serve within its time limit, and the driver's error on anything else (`sql_errors.ts` tells
 * them apart). Integers arrive as numbers: none that is stored may exceed what a number holds exactly.
 */
export interface Database {
  readonly kind: "file" | "remote";
  /** Runs one reading statement: one round trip. */
  read<T = Row>(statement: BoundStatement): Promise<T[]>;
  /** Runs reading statements on one snapshot, in one round trip; one list of rows per statement. */
  readAll(statements: readonly BoundStatement[]): Promise<Row[][]>;
  /**
   * Runs statements as one atomic write, in one round trip and in order; one list of rows per statement. All take
   * effect or none does. A statement that returns rows (SELECT, RETURNING) answers inside the same transaction.
   * `UNAVAILABLE` means for a file that nothing happened, for a server that it is unknown whether all of it did.
   */
  write(statements: readonly BoundStatement[]): Promise<Row[][]>;
  /** Waits for the writes that were accepted, refuses further calls and lets go of the connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** What a server asks for as proof of access. A file needs none. */
  readonly authToken?: string | undefined;
  /** How long a call may wait for a file's lock (2 seconds by default) or for a server's answer (5 seconds). */
  readonly timeoutMs?: number | undefined;
  /** Replaces the `fetch` that reaches a server. */
  readonly fetch?: typeof fetch | undefined;
}
