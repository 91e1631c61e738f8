/** What a named parameter may be bound to. Booleans are written as 0 and 1 by the caller; bigints have 64 bits. */
export type SqlValue = string | number | bigint | null;

/** Values by parameter name, without the leading colon. */
export type SqlArgs = Readonly<Record<string, SqlValue>>;

/** One SQL text with exactly the values that its named parameters need. */
export interface BoundStatement {
  readonly sql: string;
  readonly args: Readonly<Record<string, string | number | bigint | null>>;
  /** See `Statement`. */
  readonly queuesMail?: true;
}

/** An SQL text whose parameters are named `:camelCase`, read once and bound often. */
export interface Statement {
  readonly sql: string;
  readonly parameters: ReadonlySet<string>;
  /** It may put a mail into the outbox: once its batch is committed, delivery is woken (`mail/courier.ts`). */
  readonly queuesMail?: true;
}

/** Reads the named parameters of an SQL text. */
export function defineStatement(sql: string): Statement {
  const withoutTexts = sql.replace(/'[^']*'/g, "''");
  const parameters = new Set(
    Array.from(withoutTexts.matchAll(/:([a-zA-Z]\w*)/g), (match) => match[1] as string),
  );
  return { sql: sql.trim(), parameters };
}

/**
 * Binds a batch: each statement gets the values it names out of one common record. Throws a `TypeError` on a value
 * that is missing and on one that no statement of the batch uses: a file database would bind a missing value as NULL
 * and ignore a surplus one, which in an authorization means silently other rights.
 */
export function bindBatch(statements: readonly Statement[], args: SqlArgs): BoundStatement[] {
  const unused = new Set(Object.keys(args));
  const bound = statements.map((statement) => {
    const picked: Record<string, string | number | bigint | null> = {};
    for (const name of statement.parameters) {
      const value = args[name];
      if (value === undefined) throw new TypeError(`Cannot bind a statement: no value for ":${name}"`);
      unused.delete(name);
      // A number would arrive as REAL, and `'u' || 1` then gives "u1.0": integers go as bigint.
      picked[name] = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
    }
    const { sql, queuesMail } = statement;
    return queuesMail ? { sql, args: picked, queuesMail } : { sql, args: picked };
  });
  if (unused.size > 0) {
    throw new TypeError(`Cannot bind a batch: no statement uses ${[...unused].join(", ")}`);
  }
  return bound;
}

/** Of common values, those that a batch names: for batches that share a record and do not all use all of it. */
export function pickNamed(statements: readonly Statement[], args: SqlArgs): SqlArgs {
  const named = new Set(statements.flatMap(({ parameters }) => [...parameters]));
  return Object.fromEntries(Object.entries(args).filter(([name]) => named.has(name)));
}

/** Binds a single statement; see `bindBatch`. */
export function bind(statement: Statement, args: SqlArgs): BoundStatement {
  return bindBatch([statement], args)[0] as BoundStatement;
}

/** Binds a statement to those of the given values that it names: for variants of one query that share a record. */
export function bindNamed(statement: Statement, args: SqlArgs): BoundStatement {
  return bind(
    statement,
    Object.fromEntries(Object.entries(args).filter(([name]) => statement.parameters.has(name))),
  );
}
