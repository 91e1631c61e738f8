import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { readRevised } from "../../db/revisions.ts";
import { bindNamed, type BoundStatement, type SqlArgs, type Statement } from "../../db/statement.ts";
import type { RoleDeps } from "../deps.ts";
import type { ProbedPage } from "./page_queries.ts";

/** Shared by all listings: reading a page, and passing filters to a statement. */

/** Dependencies of reading a page. */
export type ListingDeps = Pick<RoleDeps, "database" | "clock">;
/** The values of one filter, or undefined without it. */
export type List<T> = readonly T[] | undefined;

/** The roles that a listing covers: those with these ids, or all. */
export type RoleSelection = readonly number[] | "*";

/** See `whileSessionLives` and `whileSessionReaches`. */
interface PageRow {
  /** Null if a probe would take too long. */
  readonly rows: string | null;
  readonly walkedTo?: number | null;
}

/**
 * Reads one page of a listing, in one round trip unless a probe would take too long. Throws `TOKEN_INVALID` if the
 * actor's session has ended.
 */
export async function readPage<R extends { id: number }>(
  deps: ListingDeps,
  actor: Actor,
  statement: Statement | ProbedPage,
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
  const [probed, otherwise] = "probe" in statement
    ? [statement.probe, statement.otherwise]
    : [statement, undefined];
  let row = await readRow(deps, bindNamed(probed, args));
  if (row.rows === null && otherwise !== undefined) row = await readRow(deps, bindNamed(otherwise, args));
  if (row.rows === null) throw new TypeError("A page has no rows");
  const rows = (parseJson(row.rows) as R[]).sort((a, b) => a.id - b.id);
  const isFull = rows.length === page.limit;
  return { rows, next: (isFull ? rows.at(-1)?.id : row.walkedTo) ?? null };
}

async function readRow({ database }: ListingDeps, statement: BoundStatement): Promise<PageRow> {
  const [row] = await readRevised<PageRow>(database, statement);
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row;
}

/** A list as a statement parameter: JSON without duplicates, or null without a filter. */
export function toJson(list: readonly (number | string)[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify([...new Set(list)]);
}

/** The ids in both the path's selection and the filter's list, or undefined for all roles. */
export function intersect(selection: RoleSelection, list: List<number>): List<number> {
  if (selection === "*") return list;
  return list === undefined ? selection : selection.filter((id) => list.includes(id));
}
