import type { Client, InArgs, InStatement, ResultSet, Row } from "@libsql/client/web";
import type { LibSQLDatabase } from "drizzle-orm/libsql/driver-core";
// Of Drizzle's libSQL entries this one builds queries without loading the native driver.
import { drizzle } from "drizzle-orm/libsql/web";
import type { RawRows } from "./native_connection.ts";

export interface Reading {
  execute(statement: InStatement): Promise<ResultSet>;
  batch(statements: InStatement[]): Promise<ResultSet[]>;
}

/**
 * Drizzle over a database's own reading functions, so that its queries wait, retry and fail as all reads do. What could
 * only serve to write is refused.
 */
export function createOrm(reading: Reading, protocol: string): LibSQLDatabase {
  const client: Client = {
    protocol,
    closed: false,
    execute(statement: InStatement, args?: InArgs): Promise<ResultSet> {
      if (typeof statement !== "string" || args === undefined) return reading.execute(statement);
      return reading.execute({ sql: statement, args });
    },
    batch(statements: (InStatement | [string, InArgs?])[]): Promise<ResultSet[]> {
      return reading.batch(statements.map(toStatement));
    },
    migrate: refuse,
    transaction: refuse,
    executeMultiple: refuse,
    sync: refuse,
    close(): void {},
    reconnect(): void {},
  };
  return drizzle({ client });
}

/** The driver's rows as the client hands them out: by name, and by position for Drizzle. */
export function toResultSet({ columns, rows }: RawRows): ResultSet {
  return {
    columns: [...columns],
    columnTypes: columns.map(() => ""),
    rows: rows.map((values) => toRow(columns, values)),
    rowsAffected: 0,
    lastInsertRowid: undefined,
    toJSON: () => ({ columns, rows }),
  };
}

function toRow(columns: readonly string[], values: readonly unknown[]): Row {
  const row = Object.fromEntries(columns.map((name, i) => [name, values[i]]));
  Object.defineProperty(row, "length", { value: values.length });
  for (const [i, value] of values.entries()) Object.defineProperty(row, i, { value });
  return row as Row;
}

function toStatement(statement: InStatement | [string, InArgs?]): InStatement {
  if (!Array.isArray(statement)) return statement;
  const [sql, args = []] = statement;
  return { sql, args };
}

function refuse(): Promise<never> {
  return Promise.reject(new TypeError("Drizzle only reads here: write through Database.write"));
}
