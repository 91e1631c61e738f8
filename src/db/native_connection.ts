import Libsql from "libsql";
import type { Row } from "./database.ts";
import { isBusy, isUnavailable } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

/** Far above the number of statements there are; reached only by texts that are made anew each time. */
const MAX_PREPARED = 500;

/** What the driver offers and this program uses. */
interface PreparedStatement {
  /** Whether it answers rows. */
  readonly reader: boolean;
  all(args: BoundStatement["args"]): unknown[];
  run(args: BoundStatement["args"]): unknown;
}

/**
 * One connection to a database file that keeps its statements prepared: reading and planning the text of a decision
 * takes SQLite ten times as long as running it. Every call runs to its end at once. Errors are the driver's.
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

  /** Runs the statements in one transaction; rolls back and throws if one of them, or the commit, fails. */
  transaction(mode: "DEFERRED" | "IMMEDIATE", statements: readonly BoundStatement[]): Row[][] {
    const connection = this.#open();
    this.#begin(connection, mode);
    return this.#guarded(() => {
      try {
        const results = statements.map((statement) => this.#run(statement));
        connection.exec("COMMIT");
        return results;
      } catch (error) {
        // Some errors, a full disk for one, end the transaction themselves.
        if (connection.inTransaction) connection.exec("ROLLBACK");
        throw error;
      }
    });
  }

  #begin(connection: Libsql.Database, mode: "DEFERRED" | "IMMEDIATE"): void {
    try {
      connection.exec(`BEGIN ${mode}`);
    } catch (error) {
      // Where this meets a lock, as a script it leaves no trace on the connection. One that found the file read-only
      // takes it for that ever after.
      if (isUnavailable(error) && !isBusy(error)) this.reset();
      throw error;
    }
  }

  /**
   * Gives the connection up if it met a lock or a full disk in the middle of its work: such a one was seen to
   * acknowledge later writes and lose them (tursodatabase/libsql-client-ts#352).
   */
  #guarded<T>(operation: () => T): T {
    try {
      return operation();
    } catch (error) {
      if (isUnavailable(error)) this.reset();
      throw error;
    }
  }

  /** Gives the connection up; the next call opens a new one. */
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
   * Runs a statement and answers its rows. Each call of `all` leaves about 50 bytes behind for good, since Deno does not
   * free what a native module hands out (Node does): statements without rows go without it.
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

/** The driver ships the types of another library, whose methods it has only in part. */
function prepareOn(connection: Libsql.Database, sql: string): PreparedStatement {
  const prepared: object = connection.prepare(sql);
  return prepared as PreparedStatement;
}
