import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { readRevised } from "../../db/revisions.ts";
import { bindNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import type { GraphDeps } from "../deps.ts";
import type { PageRow, PageWays } from "./page_queries.ts";

/** Reading a page, and passing filters to its statement, for all listings. */

/** The values of one filter, or undefined without it. */
export type List<T> = readonly T[] | undefined;

/** The roles that a listing covers: those with these ids, or all. */
export type RoleSelection = readonly number[] | "*";

/**
 * Reads one page of a listing. Takes one round trip, and more if a way would cost too much or a list must be split.
 * Throws `TOKEN_INVALID` if the actor's session has ended.
 */
export async function readPage<R extends { id: number }>(
  deps: GraphDeps,
  actor: Actor,
  statement: Statement | PageWays,
  page: PageRequest,
  filters: SqlArgs,
): Promise<Page<R>> {
  const args = {
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    ...page,
    ...filters,
  };
  const row = await readByWays<PageRow>(deps, statement, args);
  if (typeof row.costly === "string") {
    const pages: Page<R>[] = [];
    for (const half of halvesOf(filters[row.costly])) {
      pages.push(await readPage(deps, actor, statement, page, { ...filters, [row.costly]: half }));
    }
    return mergePages(pages, page.limit);
  }
  return pageOf(parseJson(row.rows) as R[], row.walkedTo, page.limit);
}

/**
 * Reads a page by the first of its ways that has rows, or says that a list is costly, which all say. Throws
 * `TOKEN_INVALID` like `readPage`.
 */
export async function readByWays<R extends Pick<PageRow, "rows" | "costly">>(
  { database }: Pick<GraphDeps, "database">,
  ways: Statement | PageWays,
  args: SqlArgs,
): Promise<R & { readonly rows: string }> {
  for (const way of isStatement(ways) ? [ways] : Object.values(ways)) {
    const [row] = await readRevised<R>(database, bindNamed(way, args));
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    if (row.rows !== null || typeof row.costly === "string") return { ...row, rows: row.rows ?? "[]" };
  }
  throw new TypeError("A page has no rows");
}

function isStatement(ways: Statement | PageWays): ways is Statement {
  return "parameters" in ways;
}

/** Returns both halves of a JSON list of at least two values. */
export function halvesOf(list: SqlArgs[string] | undefined): [string, string] {
  const values = JSON.parse(String(list)) as unknown[];
  const middle = Math.ceil(values.length / 2);
  return [JSON.stringify(values.slice(0, middle)), JSON.stringify(values.slice(middle))];
}

/** Merges pages into one, up to the earliest of their ends. A row may be in several. */
function mergePages<R extends { id: number }>(pages: readonly Page<R>[], limit: number): Page<R> {
  const end = Math.min(...pages.map(({ next }) => next ?? Infinity));
  const byId = new Map(pages.flatMap(({ rows }) => rows.map((row) => [row.id, row])));
  const rows = [...byId.values()].filter(({ id }) => id <= end);
  return pageOf(rows, end === Infinity ? null : end, limit);
}

/** Returns the first page of `found`, which holds all rows up to `walkedTo`, or to the end if that is null. */
function pageOf<R extends { id: number }>(
  found: readonly R[],
  walkedTo: number | null,
  limit: number,
): Page<R> {
  const rows = found.toSorted((a, b) => a.id - b.id).slice(0, limit);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { rows, next: last?.id ?? walkedTo };
}

/** Returns a list as a statement parameter: JSON without duplicates, or null without a filter. */
export function toJson(list: readonly (number | string)[] | null | undefined): string | null {
  return list === undefined || list === null ? null : JSON.stringify([...new Set(list)]);
}

/** Returns the ids in both the path's selection and the filter's list, or undefined for all roles. */
export function intersect(selection: RoleSelection, list: List<number>): List<number> {
  if (selection === "*") return list;
  return list === undefined ? selection : selection.filter((id) => list.includes(id));
}
