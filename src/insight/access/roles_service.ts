import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import type { PageRequest } from "../../core/page.ts";
import { readRevised } from "../../db/revisions.ts";
import { bindNamed } from "../../db/statement.ts";
import { toJson } from "../../role/paging/page_service.ts";
import { type Rights, type RightsMask, toRights } from "../../role/rights.ts";
import { type AccessPage, type AccessPageRow, cutPage } from "./access_page.ts";
import type { AccessDeps } from "./people_service.ts";
import { ROLES_PAGES } from "./roles_queries.ts";

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

/** A person by their normalized address, or a key by its id. */
export type Principal = { readonly userEmail: string } | { readonly keyId: number };

export interface RolesQuery {
  readonly principal: Principal;
  /** Only these roles. */
  readonly roleIds?: readonly number[] | undefined;
  /** Only roles on which they hold all of these rights. */
  readonly rights: RightsMask;
}

interface RoleAccessRow {
  readonly roleId: number;
  readonly name: string;
  readonly rights: RightsMask;
  readonly isDirect: number;
  readonly endsAt: number | null;
}

/**
 * A page of the roles that a person or key has access to, by id: all of the actor's own, and of anybody else's those that
 * the actor sees as a manager. Throws `TOKEN_INVALID`.
 */
export async function readRoles(
  { database, clock }: AccessDeps,
  { userId: actorId, sessionId }: Actor,
  { principal, roleIds, rights }: RolesQuery,
  page: PageRequest,
): Promise<AccessPage<RoleAccess>> {
  const statement = roleIds === undefined ? ROLES_PAGES.all : ROLES_PAGES.listed;
  const person = "keyId" in principal
    ? { keyId: principal.keyId, email: null }
    : { keyId: null, email: principal.userEmail };
  const args = { now: clock(), actorId, sessionId, ...person, rights, roleIds: toJson(roleIds), ...page };
  const [row] = await readRevised<AccessPageRow>(database, bindNamed(statement, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const { rows, next } = cutPage<RoleAccessRow>(row, page.limit, ({ roleId }) => roleId);
  return { rows: rows.map(toAccess), next, revision: row.revision };
}

function toAccess({ roleId, name, rights, isDirect, endsAt }: RoleAccessRow): RoleAccess {
  return {
    roleId,
    name,
    rights: toRights(rights),
    direct: isDirect === 1,
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
  };
}
