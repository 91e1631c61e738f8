import type { Actor } from "../../core/actor.ts";
import type { PageRequest } from "../../core/page.ts";
import { bindNamed } from "../../db/statement.ts";
import { toJson } from "../../graph/paging/page_service.ts";
import { type AsOf, momentArgs } from "../../graph/history/as_of.ts";
import { carryEnds, carryRights, type LineageRelation } from "../../graph/history/lineage.ts";
import { includesRights, NO_RIGHTS, type Rights, type RightsMask, toRights } from "../../graph/rights.ts";
import { type AccessPage, type AccessPageRow, cutPage, readPageRow } from "./access_page.ts";
import type { AccessDeps } from "./people_service.ts";
import { type NamedRow, type PastRolesRow, ROLES_PAGES } from "./roles_queries.ts";

/** Access of one person or key to a role. */
export interface RoleAccess {
  readonly roleId: number;
  readonly name: string;
  readonly rights: Rights;
  /** Whether they are a direct member of the role. */
  readonly direct: boolean;
  /** When the access ends, as an ISO time; absent if it does not. */
  readonly until?: string;
}

/** A person by their normalized address or the id of their account, or a key by its id. */
export type Principal =
  | { readonly userEmail: string }
  | { readonly userId: number }
  | { readonly keyId: number };

export interface RolesQuery {
  readonly principal: Principal;
  /** Only these roles. */
  readonly roleIds?: readonly number[] | undefined;
  /** Only roles on which they hold all of these rights. */
  readonly rights: RightsMask;
  /** The moment to show, in place of now. */
  readonly asOf?: AsOf | undefined;
}

export interface RoleAccessRow {
  readonly roleId: number;
  readonly name: string;
  readonly rights: RightsMask;
  readonly isDirect: number;
  readonly endsAt: number | null;
}

/**
 * Returns a page of the roles that a person or key has access to, by id: all of the actor's own, and of other
 * principals those that the actor sees as a manager. Throws the errors of `readPageRow`.
 */
export async function readRoles(
  { database, clock }: AccessDeps,
  { userId: actorId, sessionId }: Actor,
  { principal, roleIds, rights, asOf }: RolesQuery,
  page: PageRequest,
): Promise<AccessPage<RoleAccess>> {
  const pages = roleIds === undefined ? ROLES_PAGES.all : ROLES_PAGES.listed;
  const { userEmail: email, ...ids } = { keyId: null, userId: null, userEmail: null, ...principal };
  const person = { ...ids, email };
  const args = { now: clock(), actorId, sessionId, ...person, roleIds: toJson(roleIds), rights, ...page };
  if (asOf === undefined) {
    const row = await readPageRow(database, bindNamed(pages.now, args), asOf);
    return toPage(JSON.parse(row.rows) as RoleAccessRow[], row, page.limit);
  }
  const bound = bindNamed(pages.then, { ...args, ...momentArgs(asOf) });
  const row = await readPageRow(database, bound, asOf);
  const held = rolesHeldThen(row).filter((role) => includesRights(role.rights, rights));
  return toPage(held, row, page.limit);
}

/** Returns the roles that the person had access to at the moment, of those that the actor may ask about. */
function rolesHeldThen(row: PastRolesRow): RoleAccessRow[] {
  const roles = JSON.parse(row.roles) as [number, string, RightsMask | null][];
  const held = JSON.parse(row.held) as PastMembership[];
  return accessThen(roles, held, JSON.parse(row.relations) as LineageRelation[]);
}

/** A membership of a past moment, with its end or null. */
export type PastMembership = readonly [roleId: number, rights: RightsMask, endsAt: number | null];

/** Returns the access that one principal's memberships gave to these roles, which have their self rights, or null. */
export function accessThen(
  roles: readonly (readonly [id: number, name: string, selfRights: RightsMask | null])[],
  held: readonly PastMembership[],
  relations: readonly LineageRelation[],
): RoleAccessRow[] {
  const masks = new Map(held.map(([roleId, rights]) => [roleId, rights]));
  const carried = carryRights(relations, masks);
  const ends = carryEnds(relations, new Map(held.map(([roleId, , endsAt]) => [roleId, endsAt])));
  return roles.flatMap(([roleId, name, selfRights]) => {
    const mask = masks.get(roleId);
    const above = carried.get(roleId);
    if (mask === undefined && above === undefined) return [];
    const direct = (mask ?? NO_RIGHTS) & (selfRights ?? NO_RIGHTS);
    return [{
      roleId,
      name,
      rights: direct | (above ?? NO_RIGHTS),
      isDirect: mask === undefined ? 0 : 1,
      endsAt: ends.get(roleId) ?? null,
    }];
  });
}

function toPage(
  found: readonly RoleAccessRow[],
  { lookedTo, revision, principalId: userId, userEmail }:
    & NamedRow
    & Pick<AccessPageRow, "lookedTo" | "revision">,
  limit: number,
): AccessPage<RoleAccess> {
  const page = cutPage(found, lookedTo, { limit, placeOf: ({ roleId }) => roleId, show: toAccess });
  return { ...page, revision, ...(userId > 0 && found.length > 0 && { person: { userId, userEmail } }) };
}

export function toAccess({ roleId, name, rights, isDirect, endsAt }: RoleAccessRow): RoleAccess {
  return {
    roleId,
    name,
    rights: toRights(rights),
    direct: isDirect === 1,
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
  };
}
