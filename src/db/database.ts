import { LoggableError } from "../core/errors.ts";
import type { Metrics } from "../core/metrics.ts";
import type { BoundStatement } from "./statement.ts";

/** The database cannot be used as it is. The message says why, and what to do. */
export class UnusableDatabaseError extends LoggableError {
  override readonly name = "UnusableDatabaseError";
}

/** A result row by column name. Queries alias their columns in camelCase and declare the type of their rows. */
export type Row = Record<string, unknown>;

/**
 * A libSQL database, a local file or a remote server. Both run the same SQL. Methods throw `AppError("UNAVAILABLE")`
 * after the time limit, an `UnusableDatabaseError` if a file is damaged, and otherwise the driver's error (see
 * `sql_errors.ts`). Integers arrive as numbers, so those that are read must not exceed 2^53.
 */
export interface Database {
  readonly kind: "file" | "remote";
  /** Whether statements of `write` may be decided in its transaction; see `Statement.decided`. */
  readonly decides?: boolean;
  /** Runs one read statement, in one round trip. */
  read<T = Row>(statement: BoundStatement<T>): Promise<T[]>;
  /** Runs read statements on one snapshot, in one round trip. Returns one list of rows per statement. */
  readAll(statements: readonly BoundStatement[]): Promise<Row[][]>;
  /**
   * Runs statements in order, as one atomic write in one round trip. Returns one list of rows per statement; SELECT and
   * RETURNING see the same transaction. After `UNAVAILABLE`, a file has nothing of it, a server all or nothing.
   */
  write(statements: readonly BoundStatement[]): Promise<Row[][]>;
  /** Waits for the accepted writes, refuses further calls and closes the connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** The access token of a server. A file needs none. */
  readonly authToken?: string | undefined;
  /**
   * Time limit for the turn and the lock of a file (default: 2 seconds for a write, 5 for a read), or for the response
   * of a server (5 seconds).
   */
  readonly timeoutMs?: number | undefined;
  /** Reports damage of a file that a call, or the opening, found. The call throws the same error. */
  readonly onDamage?: ((error: UnusableDatabaseError) => void) | undefined;
  /** Replaces the `fetch` that reaches a server. */
  readonly fetch?: typeof fetch | undefined;
  /** Measures the queues and groups of calls. */
  readonly metrics?: Metrics | undefined;
}
