import { Column } from "drizzle-orm/column";
import type { TypedQueryBuilder } from "drizzle-orm/query-builders/query-builder";
import { Param, type SQLWrapper } from "drizzle-orm/sql/sql";
import type { SQLiteDialect } from "drizzle-orm/sqlite-core/dialect";
import { SQLiteDeleteBase, type SQLiteDeleteConfig } from "drizzle-orm/sqlite-core/query-builders/delete";
import { SQLiteSelectBuilder } from "drizzle-orm/sqlite-core/query-builders/select";
import type { SelectedFields, SQLiteSelectConfig } from "drizzle-orm/sqlite-core/query-builders/select.types";
import { SQLiteUpdateBuilder, type SQLiteUpdateConfig } from "drizzle-orm/sqlite-core/query-builders/update";
import {
  assigned,
  bare,
  type Declared,
  define,
  entriesOf,
  join,
  type Part,
  type Placeholder,
  type PlaceholdersOf,
  raw,
  SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  type Value,
  type ValuesBy,
  type ValuesOf,
} from "./sql.ts";
import type { Statement } from "./statement.ts";

/**
 * Short statements by Drizzle's query builder, whose rows have their type from the schema. A statement is rendered at
 * its first use, as a template is, and has the same parts: conditions and rows of `sql.ts` fit into both. Drizzle's own
 * dialect and operators are not used: they cost 15 ms of each start, quote names, return rows by position, and drop a
 * condition that is undefined.
 */

/** A query of the builder. */
export interface Query extends SQLWrapper {
  readonly _: object;
}

/** The type of the rows of a query; `never` if it returns none. */
export type ResultOf<Q extends Query> = Q["_"] extends { returning: infer R } ? R extends object ? R : never
  : Q["_"] extends { result: readonly (infer R)[] } ? R
  : never;

/** Returns a statement that takes exactly the declared arguments; see `define`. */
export function compile<const D extends Declared, Q extends Query>(
  declared: D,
  build: (args: PlaceholdersOf<D>) => Q,
): Statement<ValuesOf<D>, ResultOf<Q>> {
  return define<D, ResultOf<Q>>(declared, (args) => build(args).getSQL());
}

type Clause = readonly [word: string, part: Part | undefined];

/** Returns the clauses that have a part. */
function clauses(...all: readonly Clause[]): SQL {
  return join(all.flatMap(([word, part]) => part === undefined ? [] : [sql`${raw(word)} ${part}`]), " ");
}

/**
 * Returns fields under their names. Throws a `TypeError` for a column whose values would have to be decoded: rows have
 * values as SQLite has them.
 */
function fieldList(fields: Iterable<readonly [string, unknown]>): SQL {
  return join(Array.from(fields, ([name, field]) => {
    if (field instanceof Column && field.mapFromDriverValue !== Column.prototype.mapFromDriverValue) {
      throw new TypeError(`A query returns the column ${field.name}, whose values must be decoded`);
    }
    return sql`${field as Value} AS ${raw(name)}`;
  }));
}

/** Without the plus sign, SQLite would plan a prepared statement again for each value. */
function bound(size: number | object | undefined): Value | undefined {
  return typeof size === "object" ? sql`+${size as Value}` : size;
}

type Returned = SQLiteUpdateConfig["returning"];
function returned(fields: Returned): SQL | undefined {
  return fields && fieldList(fields.map(({ path, field }) => [path.join("."), field]));
}

/** Throws a `TypeError` if a condition is missing. One that means all rows says so: `sql`true``. */
function required(condition: SQL | undefined): SQL {
  if (condition === undefined) throw new TypeError("A statement has no condition, or one that is undefined");
  return condition;
}

/** Throws a `TypeError` for a clause that nothing here renders: a write without its LIMIT would do more. */
function refuse(unsupported: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(unsupported)) {
    if (value === undefined || Array.isArray(value) && value.length === 0) continue;
    throw new TypeError(`Write a statement with ${name} as a template`);
  }
}

/** Renders what the builders were told. */
const DIALECT = {
  buildSelectQuery(config: SQLiteSelectConfig): SQL {
    const { fields, fieldsFlat: _, table, joins = [], where, orderBy = [], limit, offset, ...unsupported } =
      config;
    refuse(unsupported);
    return clauses(
      ["SELECT", fieldList(Object.entries(fields))],
      ["FROM", table as Part],
      ...joins.flatMap(({ joinType, table, on }): Clause[] => [
        [`${joinType.toUpperCase()} JOIN`, table as Part],
        ["ON", joinType === "cross" ? undefined : required(on)],
      ]),
      // One that is undefined would return every row.
      ["WHERE", "where" in config ? required(where) : undefined],
      ["ORDER BY", orderBy.length === 0 ? undefined : join(orderBy as Value[])],
      ["LIMIT", bound(limit) ?? (offset === undefined ? undefined : sql`-1`)],
      ["OFFSET", bound(offset)],
    );
  },
  buildUpdateQuery({ table, set, where, returning, ...unsupported }: SQLiteUpdateConfig): SQL {
    refuse(unsupported);
    return clauses(
      ["UPDATE", table],
      ["SET", assigned(table, set as ValuesBy<SQLiteTable>)],
      ["WHERE", required(where)],
      ["RETURNING", returned(returning)],
    );
  },
  buildDeleteQuery({ table, where, returning, ...unsupported }: SQLiteDeleteConfig): SQL {
    refuse(unsupported);
    return clauses(["DELETE FROM", table], ["WHERE", required(where)], ["RETURNING", returned(returning)]);
  },
  // The builders call no other methods of a dialect, and the class has private ones.
} as unknown as SQLiteDialect;

/** Builders that run queries have a session. These do not run any. */
const NO_SESSION = undefined as never;

/** Begins `select({ name: role.name }).from(role).where(…)`. Drizzle documents the rest. */
export function select<F extends SelectedFields>(fields: F): SQLiteSelectBuilder<F, "sync", void, "qb"> {
  return new SQLiteSelectBuilder({ fields, session: undefined, dialect: DIALECT });
}

/** Returns columns of a table, for `select` and `returning`. */
export function pick<T extends SQLiteTable, const K extends keyof T["_"]["columns"] & keyof T & string>(
  table: T,
  ...names: readonly K[]
): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<T, K>;
}

/** What `select` reads FROM if a condition alone decides whether there is a row. */
export const ONE_ROW: SQL = sql`(SELECT 1)`;

/** The type of an operand's value; `unknown` if only the SQL determines it. */
type TypeOf<O> = O extends SQL<infer T> ? T
  : O extends SQLiteColumn ? O["_"]["data"]
  : O extends Query ? unknown
  : O;

/** `O`, if its values are of type `T`. */
type Fits<T, O> = unknown extends TypeOf<O> ? O : unknown extends T ? O : TypeOf<O> extends T ? O : never;

type Nullable<C extends SQLiteColumn> = C["_"]["data"] | (C["_"]["notNull"] extends true ? never : null);

/** `V`, if each value has a column in the table, whose type it fits. */
export type Fitting<T extends SQLiteTable, V> = {
  readonly [K in keyof V]: K extends keyof T["_"]["columns"] ? Fits<Nullable<T["_"]["columns"][K]>, V[K]>
    : never;
};

/** The columns of a table that an insert must give a value. */
type Needed<T extends SQLiteTable> = {
  readonly [K in keyof T["$inferInsert"] as undefined extends T["$inferInsert"][K] ? never : K]: unknown;
};

/** Begins `update(role, { name: args.name }).where(…)`. */
export function update<T extends SQLiteTable, V extends object>(table: T, values: V & Fitting<T, V>) {
  return new SQLiteUpdateBuilder<T, "sync", void>(table, NO_SESSION, DIALECT).set(values);
}

/** Begins `deleteFrom(role).where(…)`. */
export function deleteFrom<T extends SQLiteTable>(table: T): SQLiteDeleteBase<T, "sync", void> {
  return new SQLiteDeleteBase(table, NO_SESSION, DIALECT);
}

/** Returns a constant as a column stores it; SQL and columns as they are. */
function encoded(column: SQL | SQLiteColumn, value: unknown): Value {
  if (value instanceof SQL || value instanceof Column) return value as Value;
  return sql`${new Param(value, column instanceof Column ? column : undefined)}`;
}

function encodedBy<T extends SQLiteTable>(table: T, values: object): ValuesBy<T> {
  const entries = Object.entries(values).map(([name, value]) =>
    [name, encoded(table[name as keyof T] as SQLiteColumn, value)] as const
  );
  return Object.fromEntries(entries) as ValuesBy<T>;
}

/** An INSERT, whose methods return it with a clause more. Drizzle's own would name all columns. */
export class Insert<T extends SQLiteTable> implements Query {
  /** For the compiler alone. */
  declare readonly _: { readonly returning: undefined };

  constructor(private readonly table: T, private readonly text: SQL) {}

  getSQL(): SQL {
    return this.text;
  }

  onConflictDoNothing(...target: readonly SQLiteColumn[]): Insert<T> {
    return new Insert(this.table, sql`${this.text} ON CONFLICT (${bare(...target)}) DO NOTHING`);
  }

  /** `target` are the columns of the key. */
  onConflictDoUpdate<V extends object>(target: readonly SQLiteColumn[], set: V & Fitting<T, V>): Insert<T> {
    return new Insert(
      this.table,
      sql`${this.text} ON CONFLICT (${bare(...target)}) DO UPDATE SET ${
        assigned(this.table, encodedBy(this.table, set))
      }`,
    );
  }
}

/** Begins an insert of one row. */
export function insert<T extends SQLiteTable, V extends object>(
  table: T,
  values: V & Fitting<T, V> & Needed<T>,
): Insert<T> {
  const entries = entriesOf(table, encodedBy(table, values));
  const names = bare(...entries.map(([column]) => column));
  return new Insert(
    table,
    sql`INSERT INTO ${table} (${names}) VALUES (${join(entries.map(([, value]) => value))})`,
  );
}

/** Begins an insert of the rows of a query, whose fields have the names of columns. */
export function insertFrom<T extends SQLiteTable, R extends object>(
  table: T,
  rows: TypedQueryBuilder<unknown, (R & Fitting<T, R> & Needed<T>)[]>,
): Insert<T> {
  const names = Object.keys(rows._.selectedFields as object);
  const columns = bare(...names.map((name) => table[name as keyof T] as SQLiteColumn));
  return new Insert(table, sql`INSERT INTO ${table} (${columns}) ${rows.getSQL()}`);
}

/** What an operator compares. A text or a number is a constant. */
type Operand = SQL | SQLiteColumn | Query | string | number;

/** A condition; null if it compares a null. */
type Condition = SQL<0 | 1 | null>;

type Comparison = <L extends SQL | SQLiteColumn, R extends Operand>(
  left: L,
  right: R & Fits<TypeOf<L> | null, R>,
) => Condition;

function comparison(operator: string): Comparison {
  return (left, right) => {
    const isConstant = typeof right === "string" || typeof right === "number";
    return sql`${left} ${raw(operator)} ${isConstant ? encoded(left, right) : right as Part}`;
  };
}

export const eq: Comparison = comparison("=");
export const ne: Comparison = comparison("<>");
export const lt: Comparison = comparison("<");
export const lte: Comparison = comparison("<=");
export const gt: Comparison = comparison(">");
export const gte: Comparison = comparison(">=");

export function and(...conditions: readonly [SQL, SQL, ...SQL[]]): Condition {
  return sql`(${join(conditions, " AND ")})`;
}

export function or(...conditions: readonly [SQL, SQL, ...SQL[]]): Condition {
  return sql`(${join(conditions, " OR ")})`;
}

export function not(condition: SQL): Condition {
  return sql`NOT (${condition})`;
}

export function isNull(value: SQL | SQLiteColumn): SQL<0 | 1> {
  return sql`${value} IS NULL`;
}

export function isNotNull(value: SQL | SQLiteColumn): SQL<0 | 1> {
  return sql`${value} IS NOT NULL`;
}

export function exists(query: Query): SQL<0 | 1> {
  return sql`EXISTS ${query}`;
}

export function inArray(column: SQLiteColumn, values: Query): Condition {
  return sql`${column} IN ${values}`;
}

/** Whether a JSON list has the value: lists of any length have one text. */
export function within(column: SQLiteColumn, list: Placeholder<string, string>): Condition {
  return sql`${column} IN (SELECT value FROM json_each(${list}))`;
}

export function count(): SQL<number> {
  return sql`count(*)`;
}

export function desc(value: SQL | SQLiteColumn): SQL {
  return sql`${value} DESC`;
}
