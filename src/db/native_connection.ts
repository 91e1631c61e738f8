import Libsql from "libsql";
import type { Row } from "./database.ts";
import { isBusy, isUnavailable } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

/** Far above the number of fixed statements; only texts that are generated for each call reach it. */
const MAX_PREPARED = 500;

/** The part of the driver's statement that is used here. */
interface NativeStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  /** Returns rows as lists of values from now on. */
  raw(): void;
  columns(): { readonly name: string }[];
  all(args: BoundStatement["args"]): unknown[][];
  get(args: BoundStatement["args"]): unknown[] | undefined;
  run(args: BoundStatement["args"]): unknown;
}

interface PreparedStatement {
  readonly native: NativeStatement;
  /**
   * The names of its columns; undefined if it returns no rows. They outlast a change of the schema by another process, so
   * a statement names its columns: those of a `SELECT *` could become others.
   */
  readonly columns: readonly string[] | undefined;
}

/**
 * One connection to a database file. Keeps its statements prepared, since parsing and planning a decision takes
 * SQLite ten times as long as running it. All calls are synchronous. Errors are those of the driver.
 */
export class NativeConnection {
  readonly #path: string;
  readonly #lockWaitMs: number;
  readonly #setup: readonly string[];
  readonly #prepared = new Map<string, PreparedStatement>();
  /**
   * Apart from the others. The driver resets a statement after its `get`, but not before, and without a reset SQLite keeps
   * the arguments: a `get` after an `all` would run with those of the `all`, which may be another user's.
   */
  readonly #singles = new Map<string, PreparedStatement>();
  #connection: Libsql.Database | undefined;

  /** `setup` runs before the first use, and again after each `reset`. */
  constructor(path: string, lockWaitMs: number, setup: readonly string[]) {
    this.#path = path;
    this.#lockWaitMs = lockWaitMs;
    this.#setup = setup;
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#connection?.inTransaction ?? false;
  }

  exec(script: string): void {
    this.#open().exec(script);
  }

  all(statement: BoundStatement): Row[] {
    return this.#guarded(() => this.#run(statement));
  }

  /** Runs read statements on one snapshot. Returns one list of rows per statement. */
  readAll(statements: readonly BoundStatement[]): Row[][] {
    const [only] = statements;
    if (only !== undefined && statements.length === 1) return [this.all(only)];
    return this.transaction("DEFERRED", () => statements.map((statement) => this.#run(statement)));
  }

  /** Runs `work` in a transaction. Rolls back and throws if it throws, or if the commit fails. */
  transaction<T>(mode: "DEFERRED" | "IMMEDIATE", work: () => T): T {
    this.#begin(mode);
    return this.#guarded(() => {
      try {
        const result = work();
        this.exec("COMMIT");
        return result;
      } catch (error) {
        // Some errors, such as a full disk, end the transaction themselves.
        if (this.inTransaction) this.exec("ROLLBACK");
        throw error;
      }
    });
  }

  #begin(mode: "DEFERRED" | "IMMEDIATE"): void {
    const connection = this.#open();
    try {
      connection.exec(`BEGIN ${mode}`);
    } catch (error) {
      // A BEGIN that runs as a script and meets a lock does the connection no harm. A connection that found the file
      // read-only would treat it as read-only for ever.
      if (isUnavailable(error) && !isBusy(error)) this.reset();
      throw error;
    }
  }

  /**
   * Drops a connection that met a lock or a full disk in the middle of its work: such connections have acknowledged
   * later writes and lost them (tursodatabase/libsql-client-ts#352).
   */
  #guarded<T>(operation: () => T): T {
    try {
      return operation();
    } catch (error) {
      if (isUnavailable(error)) this.reset();
      throw error;
    }
  }

  /** Rolls back what is open and closes the connection; the next call opens a new one. */
  reset(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#prepared.clear();
    this.#singles.clear();
    if (connection === undefined) return;
    try {
      // The driver closes its handles late, and a transaction would keep its lock until then.
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      // Closing rolls back, too.
    }
    connection.close();
  }

  #open(): Libsql.Database {
    if (this.#connection !== undefined) return this.#connection;
    const connection = openFile(this.#path, this.#lockWaitMs);
    try {
      for (const pragma of this.#setup) connection.exec(pragma);
    } catch (error) {
      connection.close();
      throw error;
    }
    return this.#connection = connection;
  }

  #run(statement: BoundStatement): Row[] {
    return statement.isProbe || statement.isSingle ? this.#get(statement) : this.#all(statement);
  }

  /**
   * Runs a statement and returns its rows. Each call of `all` leaks about 50 bytes, since Deno does not free the cursor
   * of a native module (Node does). `get` and `run` leak nothing.
   */
  #all({ sql, args }: BoundStatement): Row[] {
    const { native, columns } = this.#prepare(sql, this.#prepared);
    if (columns !== undefined) return native.all(args).map((values) => toRow(columns, values));
    native.run(args);
    return [];
  }

  /** Runs a statement that returns at most one row. `get` takes a third of the time of `all`. */
  #get({ sql, args }: BoundStatement): Row[] {
    const { native, columns = [] } = this.#prepare(sql, this.#singles);
    try {
      const values = native.get(args);
      return values === undefined ? [] : [toRow(columns, values)];
    } catch (error) {
      // A statement whose `get` has failed fails for ever.
      this.#singles.delete(sql);
      throw error;
    }
  }

  #prepare(sql: string, cache: Map<string, PreparedStatement>): PreparedStatement {
    const found = cache.get(sql);
    if (found !== undefined) return found;
    if (cache.size >= MAX_PREPARED) cache.clear();
    const prepared = prepareOn(this.#open(), sql);
    cache.set(sql, prepared);
    return prepared;
  }
}

function openFile(path: string, lockWaitMs: number): Libsql.Database {
  try {
    return new Libsql(path, { timeout: lockWaitMs });
  } catch (error) {
    // The driver leaves the code out.
    throw Object.assign(error as Error, { code: "SQLITE_CANTOPEN" });
  }
}

/** The driver ships the types of another library, and has only some of its methods. */
function prepareOn(connection: Libsql.Database, sql: string): PreparedStatement {
  const prepared: object = connection.prepare(sql);
  const native = prepared as NativeStatement;
  if (!native.reader) return { native, columns: undefined };
  // The driver would create the names anew for each row, which costs as much as its values.
  native.raw();
  return { native, columns: native.columns().map(({ name }) => name) };
}

function toRow(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i];
  return row;
}
