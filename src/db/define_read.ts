import { is, Param, Placeholder, type SQL, sql } from "drizzle-orm";
import { QueryBuilder, type SQLiteColumn, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { PlainRead } from "./plain_read.ts";
import { defineStatement } from "./statement.ts";

/** Writes placeholders as named parameters, like those of all other statements. */
class NamedParameterDialect extends SQLiteSyncDialect {
  override escapeParam(_position: number, value?: unknown): string {
    const placeholder = is(value, Param) ? value.value : value;
    if (is(placeholder, Placeholder)) return `:${placeholder.name}`;
    throw new TypeError("Cannot define a read: a value is neither a constant nor a placeholder");
  }
}

const dialect = new NamedParameterDialect();
const builder = new QueryBuilder(dialect);

type Fields = Record<string, SQLiteColumn | SQL | SQL.Aliased>;

/**
 * Drizzle's `select`, with result columns named after the fields, because rows are read by name. Values arrive as
 * they are stored, so the schema must not have column types that Drizzle converts, such as booleans or dates.
 */
// deno-lint-ignore explicit-function-return-type -- Drizzle's builder types are inferred, and too long to write down.
export function select<F extends Fields>(fields: F) {
  const named = Object.entries(fields).map(([name, field]) => [name, sql`${field}`.as(name)] as const);
  // Typed as columns, so that Drizzle knows which of them an outer join makes nullable.
  return builder.select(Object.fromEntries(named) as F);
}

/** The statement of a Drizzle query. Write values that vary as `sql.placeholder`; constants become part of the text. */
export function defineRead<T>(
  query: { readonly _: { readonly result: readonly T[] }; getSQL(): SQL },
): PlainRead<T> {
  const text = dialect.sqlToQuery(query.getSQL().inlineParams()).sql;
  // With a bare parameter as its limit, SQLite plans a kept statement anew each time that it is bound.
  return defineStatement(text.replace(/\blimit :/g, "limit +:"));
}
