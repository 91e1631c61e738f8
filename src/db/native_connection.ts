import { backup, DatabaseSync, type DatabaseSyncOptions, type StatementSync } from "node:sqlite";
import type { Row } from "./database.ts";
import { type BoundStatement, namedArgs } from "./statement.ts";

/** Far above the number of fixed statements. Only texts that are generated per call reach it. */
const MAX_PREPARED = 500;

/** SQLite's primary result codes, by number. `sql_errors.ts` and a server use the names. */
const CODES: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  26: "SQLITE_NOTADB",
};
/** How many pages are copied between two calls of `onProgress`. */
const PAGES_PER_STEP = 1000;
const OTHER_CODE = "SQLITE_ERROR";

interface PreparedStatement {
  readonly native: StatementSync;
  /**
   * The names of its columns. They outlast a change of the schema by another process, so statements name their columns:
   * those of a `SELECT *` could change.
   */
  readonly columns: readonly string[];
}

/**
 * One connection to a database file. Keeps its statements prepared, since parsing and planning a decision takes
 * SQLite ten times as long as running it. All calls are synchronous. Errors are the driver's, with SQLite's name of the
 * result as their `code`.
 */
export class NativeConnection {
  readonly #path: string;
  readonly #lockWaitMs: number;
  readonly #setup: readonly string[];
  readonly #prepared = new Map<string, PreparedStatement>();
  #connection: DatabaseSync | undefined;

  /** Opens nothing yet: the first call does, and runs the statements `setup`. */
  constructor(path: string, lockWaitMs: number, setup: readonly string[]) {
    this.#path = path;
    this.#lockWaitMs = lockWaitMs;
    this.#setup = setup;
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#connection?.isTransaction ?? false;
  }

  /** Runs a statement that is not kept. */
  exec(sql: string): void {
    this.#named(() => this.#open().prepare(sql).run());
  }

  all(statement: BoundStatement): Row[] {
    return this.#named(() => {
      const { native, columns } = this.#prepare(statement.sql);
      const rows = native.all(namedArgs(statement)) as unknown[] as unknown[][];
      return rows.map((values) => toRow(columns, values));
    });
  }

  /** Runs read statements on one snapshot. Returns one list of rows per statement. */
  readAll(statements: readonly BoundStatement[]): Row[][] {
    const [only] = statements;
    if (only !== undefined && statements.length === 1) return [this.all(only)];
    return this.transaction("DEFERRED", () => statements.map((statement) => this.all(statement)));
  }

  /** Runs `work` in a transaction. Rolls back and throws if it throws, or if the commit fails. */
  transaction<T>(mode: "DEFERRED" | "IMMEDIATE", work: () => T): T {
    this.#control(`BEGIN ${mode}`);
    try {
      const result = work();
      this.#control("COMMIT");
      return result;
    } catch (error) {
      // Some errors, such as a full disk, end the transaction themselves.
      if (this.inTransaction) this.#control("ROLLBACK");
      throw error;
    }
  }

  /** Runs `work` in a part of the open transaction. Takes back that part and throws if it throws. */
  savepoint<T>(work: () => T): T {
    this.#control("SAVEPOINT part");
    try {
      const result = work();
      this.#control("RELEASE part");
      return result;
    } catch (error) {
      if (this.inTransaction) {
        this.#control("ROLLBACK TO part");
        this.#control("RELEASE part");
      }
      throw error;
    }
  }

  /**
   * Copies the database as it is now into the empty file at `path`, in one go. A transaction keeps the writes of others
   * from making it begin anew. `onProgress` gets numbers of pages.
   */
  async copyTo(path: string, onProgress?: (done: number, total: number) => void): Promise<void> {
    this.#control("BEGIN");
    try {
      this.all({ sql: "SELECT count(*) FROM sqlite_schema", args: {} });
      await backup(this.#open(), path, {
        rate: PAGES_PER_STEP,
        progress: ({ totalPages, remainingPages }) => onProgress?.(totalPages - remainingPages, totalPages),
      });
    } catch (error) {
      nameCode(error);
      throw error;
    } finally {
      this.#control("ROLLBACK");
    }
  }

  /** Rolls back what is open and closes the connection; the next call opens a new one. */
  close(): void {
    this.#prepared.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #control(sql: string): void {
    this.#named(() => this.#prepare(sql).native.run());
  }

  #open(): DatabaseSync {
    if (this.#connection !== undefined) return this.#connection;
    const connection = openFile(this.#path, this.#lockWaitMs);
    try {
      for (const sql of this.#setup) connection.prepare(sql).run();
    } catch (error) {
      connection.close();
      throw error;
    }
    return this.#connection = connection;
  }

  #prepare(sql: string): PreparedStatement {
    const found = this.#prepared.get(sql);
    if (found !== undefined) return found;
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    const native = this.#open().prepare(sql);
    const prepared = { native, columns: native.columns().map(({ name }) => name) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #named<T>(operation: () => T): T {
    try {
      return operation();
    } catch (error) {
      nameCode(error);
      // If SQLite cannot open a file for writing, it opens it for reading, and keeps it so.
      if (this.#connection !== undefined && isReadOnly(error) && !this.inTransaction) this.close();
      throw error;
    }
  }
}

function openFile(path: string, lockWaitMs: number): DatabaseSync {
  // The driver would create the names anew for each row, which takes more memory than the values.
  const options: DatabaseSyncOptions & { returnArrays: true } = { timeout: lockWaitMs, returnArrays: true };
  try {
    return new DatabaseSync(path, options);
  } catch (error) {
    // The driver leaves the number out.
    throw Object.assign(error as Error, { code: "SQLITE_CANTOPEN" });
  }
}

/** Replaces the driver's code, one for all results of SQLite. */
function nameCode(error: unknown): void {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return;
  Object.assign(error, { code: CODES[error.errcode & 0xff] ?? OTHER_CODE });
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_READONLY";
}

function toRow(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i];
  return row;
}
