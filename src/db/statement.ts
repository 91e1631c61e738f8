/** A value for a named parameter. Callers write booleans as 0 and 1; bigints have 64 bits. */
export type SqlValue = string | number | bigint | null;

/** Values by parameter name, without the leading colon. */
export type SqlArgs = Readonly<Record<string, SqlValue>>;

/** Has rows of type `R`. */
export interface Returning<R> {
  /** For the compiler alone. */
  returns?(row: R): void;
}

/** The type of the rows of a statement, or of columns. */
export type RowOf<S> = S extends Returning<infer R> ? R : never;

/** An SQL text with exactly the values of its named parameters. */
export interface BoundStatement<R = unknown> extends Returning<R> {
  readonly sql: string;
  readonly args: SqlArgs;
  /** See `Statement`. */
  readonly queuesMail?: true;
  readonly isProbe?: true;
  readonly asList?: () => string;
}

/**
 * An SQL text with named parameters (`:camelCase`), written once and bound often (`db/sql.ts`). `A` is the type of its
 * arguments, `R` that of its rows; in a list of statements, the compiler knows neither.
 */
export interface Statement<A = SqlArgs, R = unknown> extends Returning<R> {
  readonly sql: string;
  readonly parameters: ReadonlySet<string>;
  /** For the compiler alone. */
  takes?(args: A): void;
  /** Whether it may queue a mail: its commit wakes the delivery (`mail/courier.ts`). */
  readonly queuesMail?: true;
  /**
   * Whether it returns at most one row, found by a few index lookups, however much is stored. Such a statement runs on
   * the event loop for a local file: a message to a thread and back takes several times as long. Others run on a thread.
   */
  readonly isProbe?: true;
  /**
   * Returns the text that evaluates a probe for `:probes`, a JSON list of lists of its arguments. Each row has the place
   * of its arguments as `place`.
   */
  readonly asList?: () => string;
}

/** Returns the named parameters of an SQL text. */
export function parametersOf(sql: string): Set<string> {
  const withoutTexts = sql.replace(/'[^']*'/g, "''");
  return new Set(Array.from(withoutTexts.matchAll(/:([a-zA-Z]\w*)/g), ([, name = ""]) => name));
}

/** Marks a statement as a probe, without rendering it; see `Statement.isProbe`. */
export function probing<S extends Statement | BoundStatement>(statement: S): S & { readonly isProbe: true } {
  return marked(statement, { isProbe: true });
}

/** Marks a statement that may queue a mail, without rendering it; see `Statement.queuesMail`. */
export function queuingMail<S extends Statement>(statement: S): S & { readonly queuesMail: true } {
  return marked(statement, { queuesMail: true });
}

function marked<S extends Statement | BoundStatement, const M extends object>(statement: S, marks: M): S & M {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(statement),
    ...Object.getOwnPropertyDescriptors(marks),
  });
}

/** Values of exactly these arguments: no others compile, not even from a spread. */
export type Exactly<A, G extends A> = G & { readonly [N in Exclude<keyof G & string, keyof A>]: never };

/** The arguments of all statements of a batch together. */
export type ArgsOfAll<S extends readonly Statement[]> =
  { [I in keyof S]: S[I] extends { takes?(args: infer A): void } ? (args: A) => void : never }[number] extends
    (args: infer A) => void ? A : never;

/**
 * Binds a batch: each statement gets the values that it names from `args`. Throws a `TypeError` on a missing or unused
 * value: a file database would bind a missing one as NULL and ignore an unused one, which could silently change what is
 * authorized.
 */
export function bindBatch<const S extends readonly Statement[], G extends ArgsOfAll<S> & SqlArgs>(
  statements: S,
  args: Exactly<ArgsOfAll<S>, G>,
): BoundStatement[] {
  const unused = Object.keys(args).filter((name) =>
    !statements.some(({ parameters }) => parameters.has(name))
  );
  if (unused.length > 0) throw new TypeError(`Cannot bind a batch: no statement uses ${unused.join(", ")}`);
  return statements.map((statement) => bindNamed(statement, args));
}

/** Returns the values that a batch names, from a record that several batches share. */
export function pickNamed(statements: readonly Statement[], args: SqlArgs): SqlArgs {
  const named = new Set(statements.flatMap(({ parameters }) => [...parameters]));
  return Object.fromEntries(Object.entries(args).filter(([name]) => named.has(name)));
}

/** Binds a single statement; see `bindBatch`. */
export function bind<A extends SqlArgs, R, G extends A>(
  statement: Statement<A, R>,
  args: Exactly<A, G>,
): BoundStatement<R> {
  return bindBatch([statement], args)[0] as BoundStatement<R>;
}

/** Binds a statement to the values that it names, from a record that variants of one query share. */
export function bindNamed<R>(statement: Statement<SqlArgs, R>, args: SqlArgs): BoundStatement<R> {
  const picked: Record<string, SqlValue> = {};
  for (const name of statement.parameters) {
    const value = args[name];
    if (value === undefined) throw new TypeError(`Cannot bind a statement: no value for ":${name}"`);
    // Integers go as bigint: a number would arrive as REAL, and `'u' || 1` would give "u1.0".
    picked[name] = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
  }
  const { sql, queuesMail, isProbe, asList } = statement;
  return {
    sql,
    args: picked,
    ...(queuesMail && { queuesMail }),
    ...(isProbe && { isProbe }),
    ...(asList && { asList }),
  };
}
