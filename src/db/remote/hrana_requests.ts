import type { BoundStatement, SqlValue } from "../statement.ts";

/** Statements in the JSON of Hrana 3, the protocol of libSQL servers. */

const encoder = new TextEncoder();

type WireValue =
  | { readonly type: "null" }
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string };

interface WireStatement {
  readonly sql?: string;
  /** Stands for a text that the stream stores. */
  readonly sql_id?: number;
  readonly named_args?: readonly { readonly name: string; readonly value: WireValue }[];
  readonly want_rows: boolean;
}

type Condition =
  | { readonly type: "ok"; readonly step: number }
  | { readonly type: "not"; readonly cond: Condition }
  | { readonly type: "is_autocommit" };

interface Step {
  readonly stmt: WireStatement;
  readonly condition?: Condition;
}

/** A request to a stream. */
export type StreamRequest =
  | { readonly type: "execute"; readonly stmt: WireStatement }
  | { readonly type: "batch"; readonly batch: { readonly steps: readonly Step[] } }
  | { readonly type: "get_autocommit" }
  | { readonly type: "store_sql"; readonly sql_id: number; readonly sql: string }
  | { readonly type: "close_sql"; readonly sql_id: number }
  | { readonly type: "close" };

/** How a transaction begins. A write takes the server's only lock at once, so it cannot miss it halfway. */
export type Beginning = "BEGIN IMMEDIATE" | "BEGIN READONLY";

/** A server's limits for stored texts: the length in bytes, and the number on a stream. */
const MAX_STORED_TEXT = 5000;
const MAX_STORED_TEXTS = 50;

/** Returns the requests that run one statement outside a transaction. */
export function requestStatement(statement: BoundStatement): StreamRequest[] {
  return [{ type: "execute", stmt: toWire(statement) }];
}

/**
 * Returns the requests that run statements as one transaction. After any failure, the last step leaves no transaction
 * open: a later call on the stream would become part of it. The last request checks that.
 */
export function requestTransaction(
  beginning: Beginning,
  statements: readonly BoundStatement[],
): StreamRequest[] {
  const stored = numberRepeatedTexts(statements);
  const steps: Step[] = [beginning, ...statements, "COMMIT"].map((statement, index) => ({
    stmt: typeof statement === "string" ? { sql: statement, want_rows: false } : toWire(statement, stored),
    ...(index > 0 && { condition: { type: "ok", step: index - 1 } }),
  }));
  steps.push({
    stmt: { sql: "ROLLBACK", want_rows: false },
    condition: { type: "not", cond: { type: "is_autocommit" } },
  });
  const texts = [...stored];
  return [
    ...texts.map(([sql, sql_id]) => ({ type: "store_sql", sql_id, sql } as const)),
    { type: "batch", batch: { steps } },
    ...texts.map(([, sql_id]) => ({ type: "close_sql", sql_id } as const)),
    { type: "get_autocommit" },
  ];
}

/** Returns the texts that occur several times, each with a number: a thousand queries of one kind share one text. */
function numberRepeatedTexts(statements: readonly BoundStatement[]): Map<string, number> {
  const seen = new Set<string>();
  const repeated = new Map<string, number>();
  for (const { sql } of statements) {
    const fits = repeated.size < MAX_STORED_TEXTS && sql.length <= MAX_STORED_TEXT;
    if (seen.has(sql) && !repeated.has(sql) && fits && encoder.encode(sql).length <= MAX_STORED_TEXT) {
      repeated.set(sql, repeated.size);
    }
    seen.add(sql);
  }
  return repeated;
}

function toWire({ sql, args }: BoundStatement, stored?: ReadonlyMap<string, number>): WireStatement {
  const named_args = Object.entries(args).map(([name, value]) => ({ name, value: toWireValue(value) }));
  const sql_id = stored?.get(sql);
  return { ...(sql_id === undefined ? { sql } : { sql_id }), named_args, want_rows: true };
}

function toWireValue(value: SqlValue): WireValue {
  if (value === null) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (Number.isFinite(value)) return { type: "float", value };
  throw new RangeError("Only finite numbers can be bound");
}
