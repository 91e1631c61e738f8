import { Column } from "drizzle-orm/column";
import { Placeholder, SQL, sql as drizzle, StringChunk } from "drizzle-orm/sql/sql";
import { alias } from "drizzle-orm/sqlite-core/alias";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core/columns/common";
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { getTableName, Table } from "drizzle-orm/table";
import { parametersOf, type SqlValue, type Statement } from "./statement.ts";

/**
 * How SQL is written here: as templates in which tables, columns and arguments are values that the compiler knows.
 * Nothing else imports Drizzle, but for the schema and `define_read.ts`. CONTRIBUTING.md has the rules and an example.
 */
export { SQL };
export type { SQLiteColumn, SQLiteTable };

/** An expression. */
export type Value = SQL | SQLiteColumn | Placeholder;

/**
 * What a template takes. Not a text: Drizzle would make a constant of it, and a condition that is a constant grants or
 * denies by mistake. Not `undefined`, which would vanish.
 */
export type Part = Value | SQLiteTable | number;

export function sql(template: TemplateStringsArray, ...parts: readonly Part[]): SQL {
  return drizzle(template, ...parts);
}

/** SQL that is there as a text. The line above each use says why. */
export function raw(text: string): SQL {
  return drizzle.raw(text);
}

/** Texts as constants of SQL, separated by commas. */
export function quoted(...texts: readonly string[]): SQL {
  return join(texts.map((text) => raw(`'${text.replaceAll("'", "''")}'`)));
}

/** Columns without their table, separated by commas, as INSERT, SET and ON CONFLICT write them. */
export function bare(...columns: readonly SQLiteColumn[]): SQL {
  return join(columns.map(({ name }) => raw(name)));
}

export function join(parts: readonly SQL[], separator = ", "): SQL {
  return drizzle.join([...parts], raw(separator));
}

/** Tells rows of the same name apart until a statement is rendered. */
let rowsMade = 0;

/**
 * A row of a table in one query: `FROM ${path}` reads `role_closure path`, and `${path.rights}` is `path.rights`. If a
 * query around that one has a row of this name, it gets a number. Rendering throws if it is named elsewhere.
 */
export function row<T extends SQLiteTable>(table: T, name: string): T {
  return alias(table, `${getTableName(table)} ${name}#${++rowsMade}`) as unknown as T;
}

/** A row of a table in a query that is still a text, under the name that it has there. */
export function named<T extends SQLiteTable>(table: T, name: string): T {
  return alias(table, name) as unknown as T;
}

/** A row of a subquery that returns these columns of a table: `FROM (…) ${acting}`. */
export function derived<T extends SQLiteTable, K extends keyof T>(
  table: T,
  name: string,
  ..._columns: readonly K[]
): Pick<T, K> & SQLiteTable {
  return alias(table, `${name}#${++rowsMade}`) as unknown as Pick<T, K> & SQLiteTable;
}

/** The type of an argument, for the compiler alone. */
export interface Type<T extends SqlValue> {
  readonly value?: T;
}
export const int: Type<number> = {};
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

/** The arguments as they stand in templates: for a part that always takes them under these names. */
export function placeholdersOf<const D extends Declared>(declared: D): PlaceholdersOf<D> {
  const named = Object.keys(declared).map((name) => [name, new Placeholder(name)]);
  return Object.fromEntries(named) as PlaceholdersOf<D>;
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
      return rendered ??= requireUse(render(write(placeholdersOf(declared))), parameters);
    },
  };
}

/** The same, with the type of the rows that it returns: `rows<HeldRow>()({ … }, ({ … }) => sql`…`)`. */
export function rows<R>(): <const D extends Declared>(
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

/** The text of a statement or of a part of one. `rename` gives the rows other names. */
export function render(query: SQL, rename = (name: string): string => name): string {
  return nameRows(write(query), rename);
}

/**
 * Like Drizzle's own, but names stay as they are, arguments are named, and rows are marked; and in a third of the time,
 * which counts where hundreds of statements are written.
 */
function write(chunk: unknown): string {
  if (chunk instanceof StringChunk) return chunk.value.join("");
  if (chunk instanceof SQL) return chunk.queryChunks.map(write).join("");
  if (chunk instanceof Column) return `${write(chunk.table)}.${chunk.name}`;
  if (chunk instanceof Placeholder) return `:${chunk.name}`;
  if (typeof chunk === "number") return String(chunk);
  if (!(chunk instanceof Table)) throw new TypeError(`A template contains no SQL but: ${typeof chunk}`);
  const name = getTableName(chunk);
  return name.includes("#") ? `⟦${name}⟧` : name;
}

/** Parentheses in a statement, or all of it. What reads FROM a row there may be named there, and in those inside. */
interface Scope {
  readonly outer: Scope | undefined;
  /** The names of its rows, by their marks. */
  readonly names: Map<string, string>;
}

/** Constants, in which parentheses mean nothing; parentheses; and marked rows, which a column may follow. */
const TOKENS = /'[^']*'|[()]|⟦((?:\w+ )?)(\w+)#(\d+)⟧(\.?)/g;

function nameRows(marked: string, rename: (name: string) => string): string {
  let scope: Scope = { outer: undefined, names: new Map() };
  const scopes = [scope];
  const scopeAt = new Map<number, Scope>();
  for (const { 0: token, 2: name = "", 3: mark, 4: dot, index } of marked.matchAll(TOKENS)) {
    if (token === "(") scopes.push(scope = { outer: scope, names: new Map() });
    else if (token === ")") scope = scope.outer ?? scope;
    else if (mark !== undefined) {
      scopeAt.set(index, scope);
      if (dot === "") scope.names.set(mark, rename(name));
    }
  }
  // From the outside in, as they were opened.
  for (const { outer, names } of scopes) {
    const taken = new Set(namesOf(outer));
    for (const [mark, name] of names) names.set(mark, takeName(name, taken));
  }
  return marked.replaceAll(TOKENS, (token, table, name, mark, dot, index) => {
    if (mark === undefined) return token;
    const given = findName(scopeAt.get(index), mark);
    if (given === undefined) throw new TypeError(`A statement names the row "${name}" outside of its query`);
    return dot === "" ? `${table}${given}` : `${given}.`;
  });
}

/** The names of the rows of a scope and of those around it. */
function* namesOf(scope: Scope | undefined): Generator<string> {
  for (; scope !== undefined; scope = scope.outer) yield* scope.names.values();
}

function findName(scope: Scope | undefined, mark: string): string | undefined {
  while (scope !== undefined && !scope.names.has(mark)) scope = scope.outer;
  return scope?.names.get(mark);
}

/** The name, with a number if it is taken. */
function takeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
  taken.add(free);
  return free;
}
