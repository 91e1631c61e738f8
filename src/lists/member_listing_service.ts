import type { Actor } from "../core/actor.ts";
import { mapPage, type Page, type PageRequest } from "../core/page.ts";
import { MEMBER_PAGES } from "./member_listing_queries.ts";
import { intersect, type List, readPage, type RoleSelection, toJson } from "../graph/paging/page_service.ts";
import { type Member, type MemberRow, toMember } from "../role/member/member_service.ts";
import type { GraphDeps } from "../graph/deps.ts";

export interface MemberFilter {
  readonly id?: List<number>;
  /** Ids of accounts. */
  readonly userId?: List<number>;
  /** Normalized addresses. */
  readonly userEmail?: List<string>;
  readonly externalId?: List<string>;
  /** Whether the invitation waits: the member has never opened their account. */
  readonly waiting?: boolean | undefined;
  /** Only memberships that end before this time, in milliseconds. */
  readonly endsBefore?: number | undefined;
}

/** Returns the actor's own memberships, and those of roles whose members they manage. */
export async function listMembers(
  deps: GraphDeps,
  actor: Actor,
  selection: RoleSelection,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<Member>> {
  const roles = intersect(selection, undefined);
  const { id, userId, userEmail, externalId, waiting, endsBefore } = filter;
  const driver = id
    ? "id"
    : userId
    ? "user"
    : userEmail
    ? "email"
    : externalId
    ? "externalId"
    : roles
    ? "role"
    : "none";
  const filters = {
    ids: toJson(id),
    userIds: toJson(userId),
    emails: toJson(userEmail),
    memberExternalIds: toJson(externalId),
    roleIds: toJson(roles),
    waiting: waiting === undefined ? null : Number(waiting),
    endsBefore: endsBefore ?? null,
  };
  return mapPage(await readPage<MemberRow>(deps, actor, MEMBER_PAGES[driver], page, filters), toMember);
}
