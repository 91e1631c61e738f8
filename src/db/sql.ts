import { Column } from "drizzle-orm/column";
import { isSQLWrapper, Param, SQL, type SQLChunk, type SQLWrapper, StringChunk } from "drizzle-orm/sql/sql";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core/columns/common";
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { getTableName, Table } from "drizzle-orm/table";
import { markRow, markTable, nameRows } from "./row_names.ts";
import { parametersOf, type Returning, type SqlValue, type Statement } from "./statement.ts";

/**
 * SQL as templates in which tables, columns and arguments are values that the compiler knows. `builder.ts` has what a
 * builder says in fewer words. docs/development/sql.md has the rules and an example.
 */
export { SQL, type SQLiteColumn, type SQLiteTable };

/** An argument of type `V`, where it is used. It fits where Drizzle takes its own placeholders. */
export class Placeholder<N extends string = string, V = unknown> extends SQL<V> {
  /** For the compiler alone. */
  declare readonly protected: V;

  constructor(readonly name: N) {
    super([new StringChunk(`:${name}`)]);
  }
}

/** An expression. */
export type Value = SQL | SQLiteColumn | number;

/**
 * A part of a template. Texts are refused: Drizzle makes constants of them, and a constant condition grants or denies
 * by mistake. So is `undefined`, which would vanish. A builder's query gets parentheses.
 */
export type Part = Value | SQLiteTable | SQLWrapper;

/** Returns an expression, or another part of a statement. Only the SQL determines the type of its value, `T`. */
export function sql<T = unknown>(template: TemplateStringsArray, ...parts: readonly Part[]): SQL<T> {
  return ofChunks(
    template.flatMap((text, i) => i === 0 ? new StringChunk(text) : [parts[i - 1], new StringChunk(text)]),
  );
}

/** Fills an empty one: given to the constructor, each part would be searched for tables, which takes most of its time. */
function ofChunks<T>(chunks: readonly SQLChunk[]): SQL<T> {
  const made = new SQL<T>([]);
  made.queryChunks.push(...chunks);
  return made;
}

/** Returns a text as SQL. The line above each use says why. */
export function raw(text: string): SQL {
  return ofChunks([new StringChunk(text)]);
}

/** Returns texts as SQL constants, separated by commas. */
export function quoted(...texts: readonly string[]): SQL {
  return join(texts.map((text) => raw(`'${text.replaceAll("'", "''")}'`)));
}

export function join(parts: readonly Value[], separator = ", "): SQL {
  const between = new StringChunk(separator);
  return ofChunks(parts.flatMap((part, i) => i === 0 ? part : [between, part]));
}

/** Returns columns without their table, separated by commas, for INSERT, SET and ON CONFLICT. */
export function bare(...columns: readonly SQLiteColumn[]): SQL {
  return join(columns.map(({ name }) => raw(name)));
}

/** Returns columns for SELECT and RETURNING, under their names in TypeScript. */
export function columns<T extends SQLiteTable, const K extends keyof T["_"]["columns"] & string>(
  table: T,
  ...names: readonly K[]
): SQL & Returning<Pick<T["$inferSelect"], K>> {
  return join(names.map((name) => sql`${table[name as keyof T] as SQLiteColumn} AS ${raw(name)}`));
}

/** Expressions by the names of a table's columns in TypeScript. */
export type ValuesBy<T extends SQLiteTable> = Readonly<Partial<Record<keyof T["_"]["columns"], Value>>>;

/** Returns both lists of `INSERT INTO ${role} (${names}) SELECT ${values}`. */
export function inserted<T extends SQLiteTable>(table: T, by: ValuesBy<T>): { names: SQL; values: SQL } {
  const entries = entriesOf(table, by);
  return {
    names: bare(...entries.map(([column]) => column)),
    values: join(entries.map(([, value]) => value)),
  };
}

/** Returns the list of `UPDATE ${role} SET ${assigned(role, { … })}`. */
export function assigned<T extends SQLiteTable>(table: T, by: ValuesBy<T>): SQL {
  return join(entriesOf(table, by).map(([column, value]) => sql`${bare(column)} = ${value}`));
}

/** Returns columns of a table with their expressions. */
export function entriesOf<T extends SQLiteTable>(
  table: T,
  by: ValuesBy<T>,
): (readonly [SQLiteColumn, Value])[] {
  const entries = Object.entries(by) as [keyof T, Value][];
  return entries.map(([name, value]) => [table[name] as SQLiteColumn, value] as const);
}

/** Returns, after ON CONFLICT, the value of the row that could not be inserted. */
export function excluded(column: SQLiteColumn): SQL {
  return sql`excluded.${bare(column)}`;
}

/** Returns, after ON CONFLICT, the list of SET that takes these columns from the row that could not be inserted. */
export function takenOver(...columns: readonly SQLiteColumn[]): SQL {
  return join(columns.map((column) => sql`${bare(column)} = ${excluded(column)}`));
}

/** Tells rows of the same name apart until a statement is rendered. */
let rowsMade = 0;

/**
 * Returns a row of a table in one query: `FROM ${path}` reads `role_closure path`, and `${path.rights}` is
 * `path.rights`. If an enclosing query has a row of this name, this one gets a number. Rendering throws if it is named
 * outside of its query.
 */
export function row<T extends SQLiteTable>(table: T, name: string): T {
  return aliased(table, markRow(getTableName(table), name, ++rowsMade));
}

/** Returns rows under their names: `const { own, above } = rowsOf({ own: member, above: roleClosure })`. */
export function rowsOf<const T extends Readonly<Record<string, SQLiteTable>>>(tables: T): T {
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, row(table, name)])) as T;
}

/** Returns a row of a subquery that returns these columns of a table: `FROM (…) ${acting}`. */
export function derived<T extends SQLiteTable, K extends keyof T>(
  table: T,
  name: string,
  ..._columns: readonly K[]
): Pick<T, K> & SQLiteTable {
  return aliased(table, markRow("", name, ++rowsMade));
}

/** Drizzle gives an alias a type of its own, with the same columns. */
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

/** The arguments of a statement or of a part of one, by name: their type, or a column that has values of it. */
export type Declared = Readonly<Record<string, Type<SqlValue> | SQLiteColumn>>;
export type ValuesOf<D extends Declared> = {
  readonly [N in keyof D]: D[N] extends SQLiteColumn ? Extract<D[N]["_"]["data"], SqlValue>
    : D[N] extends Type<infer T> ? T
    : never;
};
export type PlaceholdersOf<D extends Declared> = {
  readonly [N in keyof D & string]: Placeholder<N, ValuesOf<D>[N]>;
};

/** Returns the arguments of parts of statements, which have these names in every statement. */
export function placeholdersOf<const D extends Declared>(declared: D): PlaceholdersOf<D> {
  const made = Object.keys(declared).map((name) => [name, new Placeholder(name)]);
  return Object.fromEntries(made) as PlaceholdersOf<D>;
}

/**
 * Returns a statement that takes exactly the declared arguments. It is rendered at its first use, which throws a
 * `TypeError` if it uses others, or not all of them.
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

/**
 * Returns `define` with the type of rows: `rows<HeldRow>()({ … }, ({ … }) => sql`…`)`, or `rows(columns(…))({ … }, …)`.
 */
export function rows<R>(_columns?: Returning<R>): <const D extends Declared>(
  declared: D,
  write: (args: PlaceholdersOf<D>) => SQL,
) => Statement<ValuesOf<D>, R> {
  return define;
}

/** For `SELECT ${columns} FROM ${from} WHERE ${where}`. */
export interface ProbeParts {
  readonly columns: SQL;
  /** One row at most meets the condition. Without it, there is one. */
  readonly from?: SQL;
  readonly where: SQL;
}

/**
 * Returns a probe (`Statement.isProbe`) that a server can evaluate for many arguments in one statement: preparing and
 * beginning each alone takes it longer. Its rows are of type `R`.
 */
export function probe<R>(): <const D extends Readonly<Record<string, Type<number | string | null>>>>(
  declared: D,
  write: (args: PlaceholdersOf<D>) => ProbeParts,
) => Statement<ValuesOf<D>, R> & { readonly isProbe: true } {
  return (declared, write) => {
    const parts = (): ProbeParts => write(placeholdersOf(declared));
    let list: string | undefined;
    function renderList(): string {
      const { columns, from, where } = parts();
      const args = Object.keys(declared).map((name, i) => sql`value ->> ${i} AS ${raw(name)}`);
      return render(
        sql`WITH probed AS MATERIALIZED (SELECT key AS place, ${join(args)} FROM json_each(${raw(":probes")}))
        SELECT ${columns}, probed.place FROM probed${from ? sql` CROSS JOIN ${from}` : sql``} WHERE ${where}`,
        (name) => `probed.${name}`,
      );
    }
    const alone = define<typeof declared, R>(declared, () => {
      const { columns, from, where } = parts();
      return sql`SELECT ${columns}${from ? sql` FROM ${from}` : sql``} WHERE ${where}`;
    });
    return Object.assign(alone, { isProbe: true as const, asList: () => list ??= renderList() });
  };
}

function requireUse(sql: string, declared: ReadonlySet<string>): string {
  const wrong = [...parametersOf(sql).symmetricDifference(declared)].join(", ");
  if (wrong !== "") throw new TypeError(`Not both declared and used by a statement: ${wrong}`);
  return sql;
}

function byColon(name: string): string {
  return `:${name}`;
}

/** Returns the text of a statement or of a part of one; see `nameRows`. `argument` writes an argument by its name. */
export function render(query: SQL, argument = byColon): string {
  return nameRows(write(query, argument));
}

/** Renders like Drizzle, three times as fast, but keeps names and names arguments. */
function write(chunk: unknown, argument = byColon): string {
  if (chunk instanceof StringChunk) return chunk.value.join("");
  if (chunk instanceof Placeholder) return argument(chunk.name);
  if (chunk instanceof SQL) return chunk.queryChunks.map((part) => write(part, argument)).join("");
  if (chunk instanceof Column) return `${getTableName(chunk.table)}.${chunk.name}`;
  if (chunk instanceof Table) return markTable(getTableName(chunk));
  if (chunk instanceof Param) return constant(chunk.encoder.mapToDriverValue(chunk.value));
  if (isSQLWrapper(chunk)) return `(${write(chunk.getSQL(), argument)})`;
  // A minus sign could make a comment of the rest of the line.
  if (Number.isSafeInteger(chunk) && chunk as number >= 0) return String(chunk);
  throw new TypeError(`A template contains neither SQL nor a natural number: ${chunk}`);
}

/** Returns a value that a builder's query has as a constant. */
function constant(value: unknown): string {
  if (typeof value === "string") return write(quoted(value));
  return value === null ? "NULL" : write(value);
}
