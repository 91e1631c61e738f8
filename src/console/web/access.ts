import { isEmail } from "../../core/email.ts";
import type { RightName } from "../../graph/rights.ts";
import { api, dataOf } from "./api.ts";
import type { AsOf } from "./components/as_of.tsx";
import type { ListContent } from "./components/list_file.tsx";
import type { components } from "./openapi_types.ts";
import { type BodyOf, queryAccess } from "./ask_lists.ts";
import { find } from "./find.ts";
import { fillPage } from "./read_list.ts";
import { loadRoles, MOST_IDS } from "./roles.ts";
import type { Role } from "./schemas.ts";
import type { Page, PageStart } from "./use_pages.ts";

type PersonAccess = components["schemas"]["PersonAccess"];

/** A person's access, with the roles that give it. */
export interface ShownAccess extends PersonAccess {
  readonly roles: readonly Role[];
}

/** Which people with access to a role. */
export interface AccessQuestion {
  /** A part of their addresses. */
  readonly text?: string;
  readonly right?: RightName | undefined;
  /** A moment. By default now. */
  readonly asOf?: AsOf | undefined;
  /** Any time from one time to another one, at the latest now (ISO 8601). */
  readonly during?: { readonly from: string; readonly to: string | undefined } | undefined;
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
    const { body, next } = await toQuery(question, from, signal);
    if (body === undefined) return { items: [], next };
    if (body.limit !== undefined) return { items: (await queryAccess(roleId, body, signal)).access, next };
    const { access, nextCursor } = await queryAccess(roleId, { ...body, limit, ...from }, signal);
    return { items: access, next: nextCursor };
  });
  const roles = await loadRoles(items.flatMap(({ through }) => through), signal);
  return {
    items: items.map((access) => ({ ...access, roles: access.through.flatMap((id) => roles.get(id) ?? []) })),
    next,
  };
}

/**
 * Returns the query for a question, undefined if no one can match, and where the search for the text goes on. The search
 * finds those who are members now and whom the viewer manages; a whole address finds anyone.
 */
async function toQuery(
  { text = "", right, asOf, during }: AccessQuestion,
  start: PageStart,
  signal: AbortSignal,
): Promise<{ readonly body?: BodyOf<"queryAccessToRole">; readonly next?: string | null }> {
  const ofRight = right === undefined ? {} : { right: [right] };
  // The end is that of the request: a question that had it would be another one each time that it is asked.
  const now = new Date().toISOString();
  const when = {
    ...asOf !== undefined && { asOf },
    ...during && { during: { ...during, to: during.to === undefined || during.to > now ? now : during.to } },
  };
  if (text === "") return { body: { filter: ofRight, ...when } };
  const { person, nextCursor } = await find({ text, kind: ["person"], limit: PAGE, ...start }, signal);
  const whole = isEmail(text) && start.cursor === undefined ? [text] : [];
  const userEmail = [...new Set([...whole, ...person.map((each) => each.userEmail)])];
  if (userEmail.length === 0) return { next: nextCursor.person };
  return { body: { filter: { ...ofRight, userEmail }, ...when, limit: MOST_IDS }, next: nextCursor.person };
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

/**
 * Loads the list as a file; of the people with a part of an address, only the first ones. Calls `onLines` with the number
 * of lines so far.
 */
export async function readAccessFile(
  roleId: number,
  question: AccessQuestion,
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<ListContent> {
  const { body, next } = await toQuery(question, {}, signal);
  if (body === undefined) return { content: new Blob(), hasMore: false };
  const file = await dataOf(api.POST("/v1/role/{roleId}/access/query", {
    params: { path: { roleId } },
    body,
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
  return { content: await new Response(counted).blob(), hasMore: typeof next === "string" };
}

const LINE_FEED = 10;
