import { isEmail } from "../../core/email.ts";
import { foldText } from "../../core/text.ts";
import type { RightName } from "../../graph/rights.ts";
import { api, dataOf } from "./api.ts";
import type { AsOf } from "./components/as_of.tsx";
import { readCsv } from "./csv.ts";
import type { ListContent } from "./components/list_file.tsx";
import type { components } from "./openapi_types.ts";
import { type BodyOf, queryAccess } from "./ask_lists.ts";
import { fillPage } from "./read_list.ts";
import { loadRoles } from "./roles.ts";
import type { Role } from "./schemas.ts";
import type { Page, PageStart } from "./use_pages.ts";

type PersonAccess = components["schemas"]["PersonAccess"];

/** A person's access, with the roles that give it. */
export interface ShownAccess extends PersonAccess {
  readonly roles: readonly Role[];
  /** Of a period: whether this person has no access now. Not known of keys. */
  readonly hasLeft: boolean;
}

/** Which people with access to a role. */
export interface AccessQuestion {
  /** A part of their addresses. */
  readonly text?: string;
  readonly right?: RightName | undefined;
  /** A moment. By default now. */
  readonly asOf?: AsOf | undefined;
  /** Any time from one time to another one, at the latest now by the clock of the service (ISO 8601). */
  readonly during?: { readonly from: string; readonly to?: string } | undefined;
}

const PAGE = 50;
/** Maximum number of roles that a response names. */
export const NAMED_ROLES = 10;

/** Maximum number of people that a request for a part of an address reads: with a page, fewer than a filter takes (1000). */
const SCANNED = 950;
/** Maximum number of such requests for a page. */
const MOST_REQUESTS = 10;

/**
 * Loads a page of people with access to a role. The service finds whole addresses; of a part of one, the list itself is read,
 * so that it also finds those who had access once, or by a role whose members the viewer does not manage.
 */
export async function loadAccess(
  roleId: number,
  question: AccessQuestion,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<ShownAccess>> {
  const part = partOf(question);
  const { items, next } = await fillPage(start, PAGE, async (from, missing) => {
    const body = { ...toQuery(question), limit: part === "" ? missing : SCANNED, ...from };
    const { access, nextCursor } = await queryAccess(roleId, body, signal);
    const isFound = ({ userEmail, key }: PersonAccess): boolean =>
      foldText(userEmail ?? key?.name ?? "").includes(part);
    return { items: part === "" ? access : access.filter(isFound), next: nextCursor };
  }, MOST_REQUESTS);
  const [roles, present] = await Promise.all([
    loadRoles(items.flatMap(({ through }) => through), signal),
    question.during && findPresent(roleId, items.flatMap(({ userEmail }) => userEmail ?? []), signal),
  ]);
  return {
    items: items.map((access) => ({
      ...access,
      roles: access.through.flatMap((id) => roles.get(id) ?? []),
      hasLeft: typeof access.userEmail === "string" && present?.has(access.userEmail) === false,
    })),
    next,
  };
}

/** Returns the part of an address that is asked for, as it is compared; empty without one, and for a whole address. */
function partOf({ text = "" }: AccessQuestion): string {
  return isEmail(text) ? "" : foldText(text);
}

/** Returns the query for a question, without a part of an address. */
function toQuery({ text = "", right, asOf, during }: AccessQuestion): BodyOf<"queryAccessToRole"> {
  return {
    filter: { ...right !== undefined && { right: [right] }, ...isEmail(text) && { userEmail: [text] } },
    ...asOf !== undefined && { asOf },
    ...during && { during },
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
    const body = { filter: { userEmail }, limit: SCANNED, ...start };
    const { access, nextCursor } = await queryAccess(roleId, body, signal);
    return { items: access, next: nextCursor };
  });
  return new Set(items.flatMap(({ userEmail }) => userEmail ?? []));
}

/**
 * Loads the list as a file; of a part of an address, its people without keys, the first ones. Calls `onLines` with the number
 * of lines so far.
 */
export async function readAccessFile(
  roleId: number,
  question: AccessQuestion,
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<ListContent> {
  const { filter, ...when } = toQuery(question);
  const found = partOf(question) === "" ? undefined : await loadAccess(roleId, question, {}, signal);
  const userEmail = found?.items.flatMap((each) => each.userEmail ?? []).slice(0, SCANNED);
  if (userEmail?.length === 0) return { content: new Blob(), hasMore: false };
  const file = await dataOf(api.POST("/v1/role/{roleId}/access/query", {
    params: { path: { roleId } },
    body: { filter: { ...filter, ...userEmail && { userEmail } }, ...when },
    headers: { Accept: "text/csv" },
    parseAs: "stream",
    signal,
  }));
  return { content: await readCsv(file, onLines), hasMore: typeof found?.next === "string" };
}
