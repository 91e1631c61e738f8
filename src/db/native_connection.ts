import Libsql from "libsql";
import type { Row } from "./database.ts";
import { isBusy, isUnavailable } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

/** Far above the number of fixed statements; only texts that are generated for each call reach it. */
const MAX_PREPARED = 500;

/** The part of a prepared statement that is used here. */
interface PreparedStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(args: BoundStatement["args"]): unknown[];
  run(args: BoundStatement["args"]): unknown;
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
   * Runs a statement and returns its rows. Each call of `all` leaks about 50 bytes, since Deno does not free what a
   * native module returns (Node does), so statements without rows use `run`.
   */
  #run({ sql, args }: BoundStatement): Row[] {
    const prepared = this.#prepare(sql);
    if (prepared.reader) return prepared.all(args) as Row[];
    prepared.run(args);
    return [];
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
  return prepared as PreparedStatement;
}
