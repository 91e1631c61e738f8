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

/** An SQL text with the values of its named parameters. */
export interface BoundStatement<R = unknown> extends Returning<R> {
  readonly sql: string;
  /** The statements of a batch share them, so that they are copied to a thread once. Others than `names` are ignored. */
  readonly args: SqlArgs;
  /** By default all of `args`. */
  readonly names?: ReadonlySet<string>;
  /** See `Statement`. */
  readonly queuesMail?: true;
  readonly isProbe?: true;
  readonly asList?: () => string;
  readonly onSteps?: readonly string[];
  readonly decided?: Decided;
}

/** What is decided before a statement runs, in the same transaction; see `Statement.decided`. */
export interface Decided {
  /** The name of a decider (`db/thread/deciders.ts`). */
  readonly by: string;
  /**
   * Each returns one row with the facts as a JSON text, `facts`. The first one that is not null counts. The decider also
   * gets the arguments.
   */
  readonly on: readonly BoundStatement[];
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
  /**
   * On a file whose threads can decide (`Database.decides`): the statement gets what the decider makes of the facts as
   * `:decided`, and returns the row of the facts.
   */
  readonly decided?: { readonly by: string; readonly on: readonly Statement[] };
  /** It acts on these steps alone: a batch whose decision has another one leaves it out. */
  readonly onSteps?: readonly string[];
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

/** Marks a statement that acts on these steps alone; see `Statement.onSteps`. */
export function onSteps<S extends Statement>(
  steps: readonly string[],
  statement: S,
): S & { readonly onSteps: readonly string[] } {
  return marked(statement, { onSteps: steps });
}

/** Marks a statement that a thread decides; see `Statement.decided`. */
export function deciding<S extends Statement>(
  statement: S,
  decided: NonNullable<Statement["decided"]>,
): S & Pick<Statement, "decided"> {
  return marked(statement, { decided });
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
  const unused = Object.keys(args).filter((name) => !statements.some((statement) => names(statement, name)));
  if (unused.length > 0) throw new TypeError(`Cannot bind a batch: no statement uses ${unused.join(", ")}`);
  const values = valuesOf(args);
  return statements.map((statement) => bindTo(statement, values));
}

/** Whether the statement, or a read that decides it, has a parameter of this name. */
function names({ parameters, decided }: Statement, name: string): boolean {
  return parameters.has(name) || decided?.on.some(({ parameters }) => parameters.has(name)) === true;
}

/** Returns the values that a batch names, from a record that several batches share. */
export function pickNamed(statements: readonly Statement[], args: SqlArgs): SqlArgs {
  return Object.fromEntries(
    Object.entries(args).filter(([name]) => statements.some((statement) => names(statement, name))),
  );
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
  return bindTo(statement, valuesOf(args));
}

/** Integers go as bigint: a number would arrive as REAL, and `'u' || 1` would give "u1.0". */
function valuesOf(args: SqlArgs): SqlArgs {
  const values: Record<string, SqlValue> = {};
  for (const name in args) {
    const value = args[name] as SqlValue;
    values[name] = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
  }
  return values;
}

function bindTo<R>(statement: Statement<SqlArgs, R>, args: SqlArgs): BoundStatement<R> {
  const { sql, parameters, queuesMail, isProbe, asList, decided, onSteps } = statement;
  for (const name of parameters) {
    if (args[name] === undefined) throw new TypeError(`Cannot bind a statement: no value for ":${name}"`);
  }
  return {
    sql,
    args,
    names: parameters,
    ...(queuesMail && { queuesMail }),
    ...(isProbe && { isProbe }),
    ...(asList && { asList }),
    ...(onSteps && { onSteps }),
    ...(decided && { decided: { by: decided.by, on: decided.on.map((read) => bindTo(read, args)) } }),
  };
}

/** Returns the values that a statement names, in their order. */
export function namedArgs({ args, names }: BoundStatement): SqlArgs {
  if (names === undefined) return args;
  const named: Record<string, SqlValue> = {};
  for (const name of names) named[name] = args[name] as SqlValue;
  return named;
}
