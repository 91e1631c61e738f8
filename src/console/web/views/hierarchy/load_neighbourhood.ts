import { api, dataOf } from "../../api.ts";
import { me } from "../../me.ts";
import type { components } from "../../openapi_types.ts";
import { loadRoles } from "../../roles.ts";
import type { Manages } from "../../schemas.ts";
import type { Page, PageStart } from "../../use_pages.ts";
import type { Part, Person } from "./neighbourhood.ts";

type RoleAccess = components["schemas"]["RoleAccess"];
type Explanation = components["schemas"]["Explanation"];

/** Children of the focus in one page. */
export const CHILDREN = 24;
/** Roles above the focus, at most. */
const MAX_ABOVE = 100;
/** Relations that lead to these, at most. */
const MAX_RELATIONS = 1000;

/** What a picture is asked for by. */
export interface Subject {
  readonly focusId: number;
  /** Whose rights it shows; undefined for whoever looks. */
  readonly email: string | undefined;
}

/** The first role that whoever looks sees. */
export async function findFirstRole(signal: AbortSignal): Promise<number | undefined> {
  const params = { query: { limit: 1 } };
  const { role } = await dataOf(api.POST("/v1/role/query", { params, body: {}, signal }));
  return role[0]?.id;
}

/**
 * The focus, the roles above it that the viewer sees, and its first children. Mostly that takes two rounds of requests; a
 * third one loads roles above that only the second round named.
 */
export async function loadNeighbourhood(subject: Subject, signal: AbortSignal): Promise<Page<Part>> {
  const { focusId, email } = subject;
  const [parents, children, ways, memberOf] = await Promise.all([
    loadRelationsInto([focusId], signal),
    loadChildren(focusId, {}, signal),
    loadWays(focusId, undefined, signal),
    email === undefined ? undefined : loadWays(focusId, email, signal),
  ]);
  const below = children.items.map(({ childRoleId }) => childRoleId);
  const above = unique([...parents.map(parentOf), ...listFromBelow(ways)]).slice(0, MAX_ABOVE);
  const [known, into, between] = await Promise.all([
    loadPart(subject, [focusId, ...above, ...below], signal),
    loadRelationsInto(above, signal),
    loadRelationsInto(below, signal, [...above, ...below]),
  ]);
  const person = known.person && memberOf && { ...known.person, memberOf: listMemberships(memberOf) };
  const first = { ...known, person, relations: [...parents, ...children.items, ...into, ...between] };
  const further = unique(into.map(parentOf)).filter((id) => !above.includes(id))
    .slice(0, MAX_ABOVE - above.length);
  if (further.length === 0) return { items: [first], next: children.next };
  const [rest, relations] = await Promise.all([
    loadPart(subject, further, signal),
    loadRelationsInto(further, signal),
  ]);
  return { items: [first, { ...rest, relations }], next: children.next };
}

/** The next children of the focus, and the relations that lead to them from roles that are known already. */
export async function loadMoreChildren(
  subject: Subject,
  cursor: string,
  knownIds: readonly number[],
  signal: AbortSignal,
): Promise<Page<Part>> {
  const { items, next } = await loadChildren(subject.focusId, { cursor }, signal);
  const ids = items.map(({ childRoleId }) => childRoleId);
  const [known, between] = await Promise.all([
    loadPart(subject, ids, signal),
    loadRelationsInto(ids, signal, [...knownIds, ...ids]),
  ]);
  return { items: [{ ...known, relations: [...items, ...between] }], next };
}

async function loadChildren(
  roleId: number,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<Manages>> {
  const query = { limit: CHILDREN, ...start };
  const { manages, nextCursor } = await dataOf(
    api.POST("/v1/role/{parentRoleId}/manages/query", {
      params: { path: { parentRoleId: [roleId] }, query },
      body: {},
      signal,
    }),
  );
  return { items: manages, next: nextCursor };
}

/** The relations that lead to these roles, from any that whoever looks sees, or from some of them. */
async function loadRelationsInto(
  childRoleId: readonly number[],
  signal: AbortSignal,
  from?: readonly number[],
): Promise<Manages[]> {
  if (childRoleId.length === 0) return [];
  const { manages } = await dataOf(api.POST("/v1/role/{parentRoleId}/manages/query", {
    params: { path: { parentRoleId: from ? [...from] : "*" }, query: { limit: MAX_RELATIONS } },
    body: { filter: { childRoleId: [...childRoleId] } },
    signal,
  }));
  return manages;
}

/** The explanation of one right on a role. Its ways are a quick list of the roles above: they name most of them at once. */
async function loadWays(
  roleId: number,
  userEmail: string | undefined,
  signal: AbortSignal,
): Promise<Explanation> {
  const body = { roleId, right: "roleManagement" as const, ...userEmail !== undefined && { userEmail } };
  return await dataOf(api.POST("/v1/rights/explain", { body, signal }));
}

/** The roles on the ways, those nearest to their end first. */
function listFromBelow({ ways, blocked }: Explanation): number[] {
  const paths = [...ways, ...blocked].map(({ relations }) =>
    relations.flatMap((relation) => "hidden" in relation ? [] : [relation.parentRoleId]).reverse()
  );
  const longest = Math.max(0, ...paths.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => paths.flatMap((path) => path[i] ?? [])).flat();
}

/** The names of the roles with whose memberships the ways begin, by their ids. */
function listMemberships({ ways, blocked }: Explanation): Map<number, string> {
  return new Map(
    [...ways, ...blocked].flatMap(({ memberOf }) =>
      "hidden" in memberOf ? [] : [[memberOf.roleId, memberOf.name]]
    ),
  );
}

/** These roles, what is around them, and what the person may do on them. */
async function loadPart({ focusId, email }: Subject, id: number[], signal: AbortSignal): Promise<Part> {
  const [roles, { summary }, person] = await Promise.all([
    loadRoles(id, signal),
    dataOf(api.POST("/v1/role/summary", { body: { id }, signal })),
    email === undefined ? undefined : loadPerson(email, id, signal),
  ]);
  return { focusId, roles: [...roles.values()], relations: [], summaries: summary, person };
}

async function loadPerson(email: string, roleId: number[], signal: AbortSignal): Promise<Person> {
  const [theirs, own] = await Promise.all([
    loadAccess(email, roleId, signal),
    loadOwnEmail(signal).then((ownEmail) => loadAccess(ownEmail, roleId, signal)),
  ]);
  return {
    email,
    access: new Map(theirs.map((each) => [each.roleId, each])),
    memberOf: new Map(theirs.flatMap(({ roleId, name, direct }) => direct ? [[roleId, name]] : [])),
    ownRoleIds: new Set(own.flatMap(({ roleId, direct }) => direct ? [roleId] : [])),
  };
}

async function loadOwnEmail(signal: AbortSignal): Promise<string> {
  return (me.value ?? await dataOf(api.GET("/user", { signal }))).email;
}

async function loadAccess(userEmail: string, roleId: number[], signal: AbortSignal): Promise<RoleAccess[]> {
  const { access } = await dataOf(api.POST("/v1/access/query", { body: { userEmail, roleId }, signal }));
  return access;
}

function parentOf({ parentRoleId }: Manages): number {
  return parentRoleId;
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}
