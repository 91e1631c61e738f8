import type { RightName } from "../../graph/rights.ts";
import { api, dataOf } from "./api.ts";
import type { AsOf } from "./components/as_of.tsx";
import type { ListContent } from "./components/list_file.tsx";
import type { components } from "./openapi_types.ts";
import { queryAccess } from "./ask_lists.ts";
import { fillPage } from "./read_list.ts";
import { loadRoles } from "./roles.ts";
import type { Role } from "./schemas.ts";
import type { Page, PageStart } from "./use_pages.ts";

type PersonAccess = components["schemas"]["PersonAccess"];

/** A person's access, with the roles that give it. */
export interface ShownAccess extends PersonAccess {
  readonly roles: readonly Role[];
}

/** Which people with access to a role. */
export interface AccessQuestion {
  readonly filter?: { readonly right?: [RightName]; readonly userEmail?: [string] };
  /** By default now. */
  readonly asOf?: AsOf;
}

const PAGE = 50;
/** Maximum number of roles that a response names. */
export const NAMED_ROLES = 10;

/** Loads a page of people with access to a role. */
export async function loadAccess(
  roleId: number,
  question: AccessQuestion,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<ShownAccess>> {
  const { items, next } = await fillPage(start, PAGE, async (from, limit) => {
    const { access, nextCursor } = await queryAccess(roleId, { ...question, limit, ...from }, signal);
    return { items: access, next: nextCursor };
  });
  const roles = await loadRoles(items.flatMap(({ through }) => through), signal);
  return {
    items: items.map((access) => ({ ...access, roles: access.through.flatMap((id) => roles.get(id) ?? []) })),
    next,
  };
}

/** Returns those of these people, by address, who have access to the role. */
export async function findPresent(
  roleId: number,
  userEmail: string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (userEmail.length === 0) return new Set();
  const { items } = await fillPage({}, Infinity, async (start) => {
    const body = { filter: { userEmail }, limit: PAGE, ...start };
    const { access, nextCursor } = await queryAccess(roleId, body, signal);
    return { items: access, next: nextCursor };
  });
  return new Set(items.flatMap(({ userEmail }) => userEmail ?? []));
}

/** Loads the whole list as a file. Calls `onLines` with the number of lines so far. */
export async function readAccessFile(
  roleId: number,
  question: AccessQuestion,
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<ListContent> {
  const file = await dataOf(api.POST("/v1/role/{roleId}/access/query", {
    params: { path: { roleId } },
    body: question,
    headers: { Accept: "text/csv" },
    parseAs: "stream",
    signal,
  }));
  // The first line has the names of the columns.
  let lines = -1;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      for (const byte of part) if (byte === LINE_FEED) lines++;
      onLines(Math.max(0, lines));
      controller.enqueue(part);
    },
  });
  const counted = (file as ReadableStream<Uint8Array>).pipeThrough(counting);
  return { content: await new Response(counted).blob(), hasMore: false };
}

const LINE_FEED = 10;
