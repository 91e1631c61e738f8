import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import type { PageRequest } from "../../core/page.ts";
import { bindNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import type { RoleDeps } from "../deps.ts";

/** What all listings have in common: how a page is read, and how filters reach a statement. */

/** What reading a page takes. */
export type ListingDeps = Pick<RoleDeps, "database" | "clock">;
/** The values of one filter, if it is given. */
export type List<T> = readonly T[] | undefined;

/** Which roles a listing is about: those with these ids, or all. */
export type RoleSelection = readonly number[] | "*";

/** What a statement adds to a row of a page that it did not look through to the end. */
interface Walked {
  readonly walkedTo?: number | null;
}

/**
 * Reads one page of a listing, in one round trip unless the statement had to stop on the way. Throws `TOKEN_INVALID` when
 * the actor's session is over.
 */
export async function readPage<R extends { id: number }>(
  deps: ListingDeps,
  actor: Actor,
  statement: Statement,
  page: PageRequest,
  filters: SqlArgs,
): Promise<R[]> {
  const collected: R[] = [];
  let { afterId } = page;
  for (;;) {
    const limit = page.limit - collected.length;
    const rows = await deps.database.read<(R | { id: null }) & Walked>(bindNamed(statement, {
      now: deps.clock(),
      actorId: actor.userId,
      sessionId: actor.sessionId,
      afterId,
      limit,
      ...filters,
    }));
    const [first] = rows;
    if (first === undefined) throw new AppError("TOKEN_INVALID");
    const found = rows.filter((row): row is R & Walked => row.id !== null);
    collected.push(...found);
    if (found.length === limit || typeof first.walkedTo !== "number") return collected;
    afterId = first.walkedTo;
    // A file database answers without ever giving way: let other requests have their turn.
    await yieldToEventLoop();
  }
}

/** A list as a statement takes it: JSON without duplicates, or null where there is no filter. */
export function toJson(list: readonly (number | string)[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify([...new Set(list)]);
}

/** The path's selection and the filter's list both hold; undefined stands for all roles. */
export function intersect(selection: RoleSelection, list: List<number>): List<number> {
  if (selection === "*") return list;
  return list === undefined ? selection : selection.filter((id) => list.includes(id));
}
