import { exists, type Query, type ResultOf } from "../db/builder.ts";
import { join, quoted, raw, SQL, sql, type Value } from "../db/sql.ts";

/**
 * The facts of a change: a few short reads that are one JSON text together. The change is decided on that text outside
 * of any transaction, and written only if the same reads still return the same text (`command.ts`).
 */

/** A read as an expression that returns JSON. Equal facts must be equal texts, so lists need an ORDER BY. */
export interface Fact<T> {
  readonly json: SQL;
  /** The same for other callers than a user with few memberships; see `CALLER_HAS_FEW`. */
  readonly ofMany?: SQL;
  /** For the compiler alone. */
  readonly type?: T;
}

export type FactSet = Readonly<Record<string, Fact<unknown>>>;
/** What a decision gets. It cannot read a fact that is not declared, so the comparison leaves none out. */
export type FactsOf<F extends FactSet> = {
  readonly [N in keyof F]: F[N] extends Fact<infer T> ? T : never;
};

type Fields<T> = { readonly [N in keyof T]-?: Value | Fact<T[N]> };

function isFact(field: Value | Fact<unknown>): field is Fact<unknown> {
  return typeof field === "object" && "json" in field;
}

/** A JSON text out of a subquery is a text like any other: `json` makes it JSON again. */
function objectOf(fields: Readonly<Record<string, Value | Fact<unknown>>>): SQL {
  const entries = Object.entries(fields).map(([name, field]) =>
    sql`${quoted(name)}, ${isFact(field) ? sql`json(${field.json})` : field}`
  );
  return sql`json_object(${join(entries)})`;
}

/** Whether a condition holds, or a query finds a row. */
export function whether(condition: SQL | Query): Fact<boolean> {
  return { json: sql`iif(${condition instanceof SQL ? condition : exists(condition)}, 'true', 'false')` };
}

/** Columns of queries that are JSON. */
const NESTED = new WeakSet<object>();

/** A fact as a column of the query of another one. */
export function nested<T>({ json }: Fact<T>): SQL<T> {
  const column = sql<T>`${json}`;
  NESTED.add(column);
  return column;
}

/** The one row of a query, or null. */
export function one<Q extends Query & { readonly _: { readonly selectedFields: object } }>(
  query: Q,
): Fact<ResultOf<Q> | null> {
  const entries = Object.entries(query._.selectedFields).map(([name, column]) => {
    return sql`${quoted(name)}, ${NESTED.has(column) ? sql`json(${raw(name)})` : raw(name)}`;
  });
  return { json: sql`(SELECT json_object(${join(entries)}) FROM ${query})` };
}

/** The rows of `FROM … ORDER BY …`. */
export function list<T>(fields: Fields<T>, fromOrdered: SQL): Fact<readonly T[]> {
  return {
    json: sql`(SELECT json_group_array(json(item)) FROM (SELECT ${objectOf(fields)} AS item ${fromOrdered}))`,
  };
}

/** The fact if the condition holds, else null without a read. */
export function onlyIf<T>(condition: SQL, { json, ofMany = json }: Fact<T>): Fact<T | null> {
  const ifHeld = (of: SQL): SQL => sql`CASE WHEN ${condition} THEN ${of} END`;
  return { json: ifHeld(json), ofMany: ifHeld(ofMany) };
}

/** Returns the text of all facts, for a user with few memberships, or for others. */
export function textOf(facts: FactSet, memberships: "few" | "many"): SQL {
  const entries = Object.entries(facts).map(([name, { json, ofMany }]) => {
    return [name, { json: memberships === "many" && ofMany ? ofMany : json }] as const;
  });
  return objectOf(Object.fromEntries(entries));
}
