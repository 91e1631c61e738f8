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
  /** The names of its columns; undefined if it returns no rows. */
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
  #connection: Libsql.Database | undefined;

  /** `setup` runs before the first use, and again after each `reset`. */
  constructor(path: string, lockWaitMs: number, setup: readonly string[]) {
    this.#path = path;
    this.#lockWaitMs = lockWaitMs;
    this.#setup = setup;
  }

  all(statement: BoundStatement): Row[] {
    return this.#guarded(() => this.#run(statement));
  }

  exec(script: string): void {
    this.#open().exec(script);
  }

  /** Runs the statements in one transaction. Rolls back and throws if one of them, or the commit, fails. */
  transaction(mode: "DEFERRED" | "IMMEDIATE", statements: readonly BoundStatement[]): Row[][] {
    const connection = this.#open();
    this.#begin(connection, mode);
    return this.#guarded(() => {
      try {
        const results = statements.map((statement) => this.#run(statement));
        connection.exec("COMMIT");
        return results;
      } catch (error) {
        // Some errors, such as a full disk, end the transaction themselves.
        if (connection.inTransaction) connection.exec("ROLLBACK");
        throw error;
      }
    });
  }

  #begin(connection: Libsql.Database, mode: "DEFERRED" | "IMMEDIATE"): void {
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

  /** Closes the connection; the next call opens a new one. */
  reset(): void {
    this.#prepared.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #open(): Libsql.Database {
    if (this.#connection !== undefined) return this.#connection;
    const connection = new Libsql(this.#path, { timeout: this.#lockWaitMs });
    try {
      for (const pragma of this.#setup) connection.exec(pragma);
    } catch (error) {
      connection.close();
      throw error;
    }
    return this.#connection = connection;
  }

  /**
   * Runs a statement and returns its rows. Each call of `all` leaks about 50 bytes, since Deno does not free the cursor
   * of a native module (Node does). `get` and `run` leak nothing.
   */
  #run({ sql, args, isProbe }: BoundStatement): Row[] {
    const { native, columns } = this.#prepare(sql);
    if (columns === undefined) {
      native.run(args);
      return [];
    }
    if (!isProbe) return native.all(args).map((values) => toRow(columns, values));
    const values = native.get(args);
    return values === undefined ? [] : [toRow(columns, values)];
  }

  #prepare(sql: string): PreparedStatement {
    const found = this.#prepared.get(sql);
    if (found !== undefined) return found;
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    const prepared = prepareOn(this.#open(), sql);
    this.#prepared.set(sql, prepared);
    return prepared;
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
