import { Column } from "drizzle-orm/column";
import { Placeholder, SQL, sql as drizzle, StringChunk } from "drizzle-orm/sql/sql";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core/columns/common";
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { getTableName, Table } from "drizzle-orm/table";
import { markRow, nameRows } from "./row_names.ts";
import { parametersOf, type Returning, type SqlValue, type Statement } from "./statement.ts";

/**
 * How SQL is written here: as templates in which tables, columns and arguments are values that the compiler knows. Only
 * the schema uses Drizzle directly. CONTRIBUTING.md has the rules and an example.
 */
export { Placeholder, SQL };
export type { SQLiteColumn, SQLiteTable };

/** An expression. */
export type Value = SQL | SQLiteColumn | Placeholder | number;

/**
 * What a template takes. Texts are refused: Drizzle makes a constant of them, and a condition that is a constant grants or
 * denies by mistake. So is `undefined`, which would vanish.
 */
export type Part = Value | SQLiteTable;

export function sql(template: TemplateStringsArray, ...parts: readonly Part[]): SQL {
  return drizzle(template, ...parts);
}

/** SQL that exists as a text. The line above each use says why. */
export function raw(text: string): SQL {
  return drizzle.raw(text);
}

/** Texts as constants of SQL, separated by commas. */
export function quoted(...texts: readonly string[]): SQL {
  return join(texts.map((text) => raw(`'${text.replaceAll("'", "''")}'`)));
}

export function join(parts: readonly Value[], separator = ", "): SQL {
  return drizzle.join(parts.map((part) => sql`${part}`), raw(separator));
}

/** Columns without their table, separated by commas, as INSERT, SET and ON CONFLICT write them. */
export function bare(...columns: readonly SQLiteColumn[]): SQL {
  return join(columns.map(({ name }) => raw(name)));
}

/** Columns for SELECT and RETURNING, under the names that they have in TypeScript. */
export function columns<T extends SQLiteTable, const K extends keyof T["_"]["columns"] & string>(
  table: T,
  ...names: readonly K[]
): SQL & Returning<Pick<T["$inferSelect"], K>> {
  return join(names.map((name) => sql`${table[name as keyof T] as SQLiteColumn} AS ${raw(name)}`));
}

/** Expressions by the names that a table's columns have in TypeScript. */
export type ValuesBy<T extends SQLiteTable> = Readonly<Partial<Record<keyof T["_"]["columns"], Value>>>;

/** Both lists of `INSERT INTO ${role} (${names}) SELECT ${values}`. */
export function inserted<T extends SQLiteTable>(table: T, by: ValuesBy<T>): { names: SQL; values: SQL } {
  const entries = entriesOf(table, by);
  return {
    names: bare(...entries.map(([column]) => column)),
    values: join(entries.map(([, value]) => value)),
  };
}

/** The list of `UPDATE ${role} SET ${assigned(role, { … })}`. */
export function assigned<T extends SQLiteTable>(table: T, by: ValuesBy<T>): SQL {
  return join(entriesOf(table, by).map(([column, value]) => sql`${bare(column)} = ${value}`));
}

/** Columns of a table with the expressions for them. */
export function entriesOf<T extends SQLiteTable>(
  table: T,
  by: ValuesBy<T>,
): (readonly [SQLiteColumn, Value])[] {
  const entries = Object.entries(by) as [keyof T, Value][];
  return entries.map(([name, value]) => [table[name] as SQLiteColumn, value] as const);
}

/** After ON CONFLICT: the value of the row that could not be inserted. */
export function excluded(column: SQLiteColumn): SQL {
  return sql`excluded.${bare(column)}`;
}

/** The list of SET after ON CONFLICT that takes these columns from the row that could not be inserted. */
export function takenOver(...columns: readonly SQLiteColumn[]): SQL {
  return join(columns.map((column) => sql`${bare(column)} = ${excluded(column)}`));
}

/** Tells rows of the same name apart until a statement is rendered. */
let rowsMade = 0;

/**
 * A row of a table in one query: `FROM ${path}` reads `role_closure path`, and `${path.rights}` is `path.rights`. If an
 * enclosing query has a row of this name, this one gets a number. Rendering throws if it is named outside of the query
 * that reads it.
 */
export function row<T extends SQLiteTable>(table: T, name: string): T {
  return aliased(table, markRow(getTableName(table), name, ++rowsMade));
}

/** Rows under their names: `const { own, above } = rowsOf({ own: member, above: roleClosure })`. */
export function rowsOf<const T extends Readonly<Record<string, SQLiteTable>>>(tables: T): T {
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, row(table, name)])) as T;
}

/** A row of a subquery that returns these columns of a table: `FROM (…) ${acting}`. */
export function derived<T extends SQLiteTable, K extends keyof T>(
  table: T,
  name: string,
  ..._columns: readonly K[]
): Pick<T, K> & SQLiteTable {
  return aliased(table, markRow("", name, ++rowsMade));
}

/** Drizzle gives an alias a type of its own, with the same columns as its table's. */
function aliased<T extends SQLiteTable>(table: T, name: string): T {
  return alias(table, name) as unknown as T;
}

/** The type of an argument, for the compiler alone. */
export interface Type<T extends SqlValue> {
  readonly value?: T;
}
export const int: Type<number> = {};
/** An integer that a number may not hold exactly. */
export const long: Type<bigint> = {};
export const real: Type<number> = {};
export const text: Type<string> = {};
export function nullable<T extends SqlValue>(_type: Type<T>): Type<T | null> {
  return {};
}

/** The arguments of a statement or of a part of one, by name. */
export type Declared = Readonly<Record<string, Type<SqlValue>>>;
/** Their values. */
export type ValuesOf<D extends Declared> = {
  readonly [N in keyof D]: D[N] extends Type<infer T> ? T : never;
};
export type PlaceholdersOf<D extends Declared> = {
  readonly [N in keyof D & string]: Placeholder<N, ValuesOf<D>[N]>;
};

/** Arguments for parts of statements that take them under these names wherever they are used. */
export function placeholdersOf<const D extends Declared>(declared: D): PlaceholdersOf<D> {
  const made = Object.keys(declared).map((name) => [name, new Placeholder(name)]);
  return Object.fromEntries(made) as PlaceholdersOf<D>;
}

/**
 * A statement that takes exactly the declared arguments. It is rendered at its first use, which throws a `TypeError` if
 * it uses others, or not all of them.
 */
export function define<const D extends Declared, R = never>(
  declared: D,
  write: (args: PlaceholdersOf<D>) => SQL,
): Statement<ValuesOf<D>, R> {
  const parameters = new Set(Object.keys(declared));
  let rendered: string | undefined;
  return {
    parameters,
    get sql(): string {
      return rendered ??= requireUse(render(write(placeholdersOf(declared))).trim(), parameters);
    },
  };
}

/** The same, with the type of its rows: `rows<HeldRow>()({ … }, ({ … }) => sql`…`)`, or `rows(columns(…))({ … }, …)`. */
export function rows<R>(_columns?: Returning<R>): <const D extends Declared>(
  declared: D,
  write: (args: PlaceholdersOf<D>) => SQL,
) => Statement<ValuesOf<D>, R> {
  return define;
}

function requireUse(sql: string, declared: ReadonlySet<string>): string {
  const wrong = [...parametersOf(sql).symmetricDifference(declared)];
  if (wrong.length > 0) throw new TypeError(`Not both declared and used by a statement: ${wrong.join(", ")}`);
  return sql;
}

/** The text of a statement or of a part of one; see `nameRows`. */
export function render(query: SQL): string {
  return nameRows(write(query));
}

/** Like Drizzle's own, but names stay as they are and arguments are named; and three times as fast. */
function write(chunk: unknown): string {
  if (chunk instanceof StringChunk) return chunk.value.join("");
  if (chunk instanceof SQL) return chunk.queryChunks.map(write).join("");
  if (chunk instanceof Column) return `${getTableName(chunk.table)}.${chunk.name}`;
  if (chunk instanceof Table) return getTableName(chunk);
  if (chunk instanceof Placeholder) return `:${chunk.name}`;
  // A sign could make a comment of the rest of the line.
  if (Number.isSafeInteger(chunk) && chunk as number >= 0) return String(chunk);
  throw new TypeError(`A template contains neither SQL nor a natural number: ${chunk}`);
}
