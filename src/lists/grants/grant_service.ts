import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import { ALL_RIGHTS, type Rights, toRights } from "../../graph/rights.ts";
import type { AccessDeps } from "../access/people_service.ts";
import { GRANT_KINDS, GRANT_PAGES, type GrantRow, GRANTS_AT_ONCE } from "./grant_queries.ts";

export type GrantKind = typeof GRANT_KINDS[number];

/** Something that a principal gave and that still stands. */
export interface Grant {
  readonly kind: GrantKind;
  /** Of a membership, key or relation. */
  readonly id?: number;
  /** Of a relation: the child. */
  readonly roleId: number;
  /** Of a relation; null if the reader does not see it. */
  readonly parentRoleId?: number | null;
  /** Of a membership. Null if the account is deleted. */
  readonly userEmail?: string | null;
  /** Of a key. */
  readonly name?: string;
  /** Absent for a membership without a limit. */
  readonly rights?: Rights;
  /** When it ends by itself, as an ISO time; absent if it does not. */
  readonly until?: string;
  /** Of a key or a password: when it was made or set, as an ISO time; absent if that is not known. */
  readonly at?: string;
  /** The role through which it was given; null if the reader does not see it, or it is not known. */
  readonly viaRoleId: number | null;
}

export interface GrantPage {
  readonly grant: Grant[];
  /** The cursor of the next page, or null at the end. */
  readonly nextCursor: string | null;
  /** The revision of the first grants. */
  readonly revision: number;
}

export interface GrantQuery {
  /** Who gave: the id of an account, that of a key, or a normalized address. */
  readonly grantedBy: { readonly userId: number } | { readonly keyId: number } | {
    readonly userEmail: string;
  };
  readonly roleId?: number | undefined;
  readonly kinds?: readonly GrantKind[] | undefined;
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** A place in the list: after this grant of the role, or after all of it if `kind` is `END_OF_ROLE`. */
interface Place {
  readonly roleId: number;
  readonly kind: number;
  readonly id: number;
}
const START: Place = { roleId: 0, kind: 0, id: -1 };
const END_OF_ROLE = 9;

/** Maximum number of statements for a page whose grants are rare. */
const MAX_READS = 20;

/**
 * Returns a page of what a principal gave, on roles that the actor manages, in order of role, kind and id. An address
 * finds only what was given through roles that the actor sees. Throws `TOKEN_INVALID` if the session has ended.
 */
export async function listGrants(
  { database, clock }: AccessDeps,
  { userId: actorId, sessionId }: Actor,
  { grantedBy, roleId, kinds = GRANT_KINDS, limit, cursor }: GrantQuery,
): Promise<GrantPage> {
  const { userEmail: email, ...ids } = { userId: null, keyId: null, userEmail: null, ...grantedBy };
  const asked = {
    actorId,
    sessionId,
    ...ids,
    email,
    kinds: GRANT_KINDS.reduce((mask, kind, i) => kinds.includes(kind) ? mask | 1 << i : mask, 0),
  };
  const grant: Grant[] = [];
  let place: Place | null = cursor === undefined ? START : toPlace(cursor);
  let revision: number | undefined;
  for (let read = 0; read < MAX_READS && place !== null && grant.length < limit; read++) {
    const from: Place = place;
    const args = {
      ...asked,
      now: clock(),
      afterRole: from.roleId,
      afterKind: from.kind,
      afterGrant: from.id,
      afterId: from.kind === END_OF_ROLE ? from.roleId : from.roleId - 1,
    };
    const statement = roleId === undefined
      ? bind(GRANT_PAGES.all, args)
      : bind(GRANT_PAGES.role, { ...args, roleId });
    const [row] = await readRevised(database, statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    revision ??= row.revision;
    const found = (JSON.parse(row.grants) as GrantRow[]).sort(byPlace);
    const shown = found.slice(0, Math.min(GRANTS_AT_ONCE, limit - grant.length));
    grant.push(...shown.map(toGrant));
    const last = shown.at(-1);
    place = last !== undefined && found.length > shown.length
      ? { roleId: last.place, kind: last.kind, id: last.id }
      : row.lookedTo === null
      ? null
      : { roleId: row.lookedTo, kind: END_OF_ROLE, id: 0 };
  }
  const nextCursor = place === null ? null : `${place.roleId}.${place.kind}.${place.id}`;
  return { grant, nextCursor, revision: revision ?? 0 };
}

function toPlace(cursor: string): Place {
  const [roleId = 0, kind = 0, id = 0] = cursor.split(".").map(Number);
  return { roleId, kind, id };
}

function byPlace(a: GrantRow, b: GrantRow): number {
  return a.place - b.place || a.kind - b.kind || a.id - b.id;
}

function toGrant(row: GrantRow): Grant {
  const { id, roleId, parentRoleId, userEmail, name, endsAt, at, viaRoleId } = row;
  const kind = GRANT_KINDS[row.kind] ?? "membership";
  return {
    kind,
    ...(kind === "rolePassword" ? {} : { id }),
    roleId,
    ...(kind === "relation" ? { parentRoleId } : {}),
    ...(kind === "membership" ? { userEmail } : {}),
    ...(name === null ? {} : { name }),
    ...(kind === "membership" && row.rights === ALL_RIGHTS ? {} : { rights: toRights(row.rights) }),
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
    ...(at === null ? {} : { at: new Date(at).toISOString() }),
    viaRoleId,
  };
}
