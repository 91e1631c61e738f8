import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { PageRequest } from "../../core/page.ts";
import { readRevised } from "../../db/revisions.ts";
import { bindNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
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
 * Reads one page of a listing. It takes one round trip unless the walk stops early. Throws `TOKEN_INVALID` if the
 * actor's session has ended.
 */
export async function readPage<R extends { id: number }>(
  deps: ListingDeps,
  actor: Actor,
  statement: Statement | ProbedPage,
  page: PageRequest,
  filters: SqlArgs,
): Promise<R[]> {
  const collected: R[] = [];
  let { afterId } = page;
  let read = "probe" in statement ? statement.probe : statement;
  for (;;) {
    const limit = page.limit - collected.length;
    const [row] = await readRevised<PageRow>(
      deps.database,
      bindNamed(read, {
        now: deps.clock(),
        actorId: actor.userId,
        sessionId: actor.sessionId,
        afterId,
        limit,
        ...filters,
      }),
    );
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    if (row.rows === null) {
      if (!("otherwise" in statement)) throw new TypeError("A page has no rows");
      read = statement.otherwise;
      continue;
    }
    const found = (parseJson(row.rows) as R[]).sort((a, b) => a.id - b.id);
    collected.push(...found);
    if (found.length === limit || typeof row.walkedTo !== "number") return collected;
    afterId = row.walkedTo;
  }
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
