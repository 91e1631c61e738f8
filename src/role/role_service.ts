import { type Actor, keyOfPrincipal } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { readRevised } from "../db/revisions.ts";
import { bind, type BoundStatement } from "../db/statement.ts";
import { runChange } from "../changes/change_service.ts";
import { accepted, type DecisionRow } from "../changes/decision.ts";
import type { RoleDeps } from "./deps.ts";
import { chooseBatch, type IdempotentRequest } from "../changes/idempotency.ts";
import { type AuthenticationPolicy, type DemandList, readDemand, toPolicy } from "./authentication_policy.ts";
import { PROBED_ROLES, UPDATES_ROLE } from "../graph/rules/guard_queries.ts";
import type { Effect } from "../changes/preview/effect.ts";
import { externalIdArgs } from "./external_id_queries.ts";
import { EFFECT_ON_ROLE } from "../changes/preview/effect_queries.ts";
import { halvesOf } from "../graph/paging/page_service.ts";
import { changeOrPreview, MAKE, type Mode } from "../changes/preview/preview_service.ts";
import type { Manages } from "./manages/manages_service.ts";
import {
  ALL_RIGHTS,
  includesRights,
  maskOf,
  NO_RIGHTS,
  type RightCheck,
  type Rights,
  type RightsMask,
  toMask,
  toRights,
} from "../graph/rights.ts";
import {
  CHECK_RIGHTS,
  CREATE_ROLE,
  PROBE_RIGHT,
  PROBE_RIGHTS,
  SESSION_LIVES,
  UPDATE_ROLE,
} from "./role_queries.ts";
import type { GraphDeps } from "../graph/deps.ts";

export interface Role {
  readonly id: number;
  readonly name: string;
  /** Its id in another system. Absent without one, and for an actor who may not update the role. */
  readonly externalId?: string;
  readonly selfRights: Rights;
  readonly userRights: Partial<Rights>;
}

export interface RoleRow {
  readonly id: number;
  readonly name: string;
  readonly selfRights: number;
  readonly externalId: string | null;
  /** A mask, in listings with `UPDATES_ROLE`. */
  readonly userRights: number | null;
}

interface ChangedRoleRow extends RoleRow, DecisionRow {
  readonly relationId: number;
  /** Of a created role: what it demanded at first, a `DemandList` as JSON. Null of one created before demands were kept. */
  readonly demand?: string | null;
}

/** Returns the response's form of a role. `mayUpdate`: whether the actor may update it. */
export function toRole(row: RoleRow, mayUpdate: boolean): Role {
  const { id, name, externalId, selfRights, userRights } = row;
  return {
    id,
    name,
    ...(mayUpdate && externalId !== null && { externalId }),
    selfRights: toRights(selfRights),
    userRights: toRights((userRights ?? NO_RIGHTS) & ALL_RIGHTS),
  };
}

/** The same for a role in a listing, whose rights tell whether the actor may update it. */
export function toListedRole(row: RoleRow): Role {
  return toRole(row, ((row.userRights ?? NO_RIGHTS) & UPDATES_ROLE) !== 0);
}

export interface CreateRoleInput {
  readonly parentRoleId: number;
  readonly name: string;
  readonly externalId?: string | null | undefined;
  readonly selfRights: Rights;
  /** Rights of the relation from the parent. */
  readonly manages: Rights;
  /** One key creates only one role. */
  readonly idempotency?: IdempotentRequest | undefined;
}

/**
 * Creates a role below a parent. Needs direct or indirect roleManagement on the parent. Throws `ROLE_WITHOUT_MANAGER`
 * for a relation without roleManagement, which would leave the role unmanaged, and `EXTERNAL_ID_TAKEN`. The role begins
 * with its parent's demand. A retry under its key returns the role of the first request. Throws `IDEMPOTENCY_KEY_REUSED`
 * for another request with that key.
 */
export async function createRole(
  deps: RoleDeps,
  actor: Actor,
  input: CreateRoleInput,
): Promise<{ manages: Manages; role: Role; authenticationPolicy?: AuthenticationPolicy }> {
  const { parentRoleId, name, selfRights, manages, idempotency } = input;
  const { externalId, externalIds } = externalIdArgs(input.externalId);
  const { batch, keyArgs } = chooseBatch(CREATE_ROLE, idempotency);
  const row = accepted(
    await runChange<ChangedRoleRow>(deps, actor, batch, {
      parentId: parentRoleId,
      name,
      externalId,
      externalIds,
      selfRights: toMask(selfRights),
      rights: toMask(manages),
      maxCost: deps.maxClosureChange,
      ...keyArgs,
    }),
    { maxCost: deps.maxClosureChange },
  );
  const role = toRole(row, true);
  const relation = { id: row.relationId, parentRoleId, childRoleId: role.id, ...toRights(toMask(manages)) };
  const demand = typeof row.demand === "string"
    ? readDemand(JSON.parse(row.demand) as DemandList)
    : undefined;
  if (demand === undefined || demand.needs === 0) return { manages: relation, role };
  return { manages: relation, role, authenticationPolicy: toPolicy(demand, deps.clock()) };
}

export interface UpdateRoleInput {
  readonly roleId: number;
  readonly name: string;
  /** Null for none. Absent: it stays. */
  readonly externalId?: string | null | undefined;
  readonly selfRights: Rights;
}

/**
 * Updates a role's name, self rights and external id. Needs indirect roleManagement on it: no role can raise its own
 * self rights. Only a preview returns an effect. Throws `EXTERNAL_ID_TAKEN`, and the errors of `changeOrPreview`.
 */
export async function updateRole(
  deps: RoleDeps,
  actor: Actor,
  input: UpdateRoleInput,
  mode: Mode = MAKE,
): Promise<{ role: Role; effect?: Effect }> {
  const { roleId, name } = input;
  const external = externalIdArgs(input.externalId);
  const selfRights = toMask(input.selfRights);
  const { row, ...preview } = await changeOrPreview<ChangedRoleRow>(deps, actor, mode, {
    request: ["role.update", roleId, name, selfRights, external.setsExternalId, external.externalId],
    batches: UPDATE_ROLE,
    args: { roleId, name, selfRights, ...external },
    accept: accepted,
    effectOf: (_, read) => bind(EFFECT_ON_ROLE, { ...read, roleId, selfRights }),
  });
  return { role: toRole(row, true), ...preview };
}

/** Whether the actor holds each right, directly or indirectly, in the order of `checks`. False for an unknown role. */
export async function checkRights(
  { database, clock }: GraphDeps,
  { userId: actorId, sessionId }: Actor,
  checks: readonly RightCheck[],
): Promise<boolean[]> {
  const args = { now: clock(), actorId, sessionId };
  async function read<T extends object>(statement: BoundStatement<T>): Promise<T> {
    const [row] = await readRevised(database, statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    return row;
  }

  const [first, second] = checks;
  if (first !== undefined && second === undefined) {
    const { roleId, right } = first;
    const probe = PROBE_RIGHT[keyOfPrincipal(actorId) === undefined ? "user" : "key"];
    const { isHeld } = await read(bind(probe, { ...args, roleId, mask: maskOf(right) }));
    if (isHeld !== null) return [isHeld === 1];
  }
  const roles = { roleIds: JSON.stringify(checks.map(({ roleId }) => roleId)) };
  const isProbe = second !== undefined && checks.length <= PROBED_ROLES;
  const probed = isProbe ? await read(bind(PROBE_RIGHTS, { ...args, ...roles })) : undefined;
  const readMasks = async (roleIds: string): Promise<RightsMask[]> => {
    const { rights } = await read(bind(CHECK_RIGHTS, { ...args, roleIds }));
    if (rights !== null) return JSON.parse(rights) as RightsMask[];
    const [one, other] = halvesOf(roleIds);
    return [...await readMasks(one), ...await readMasks(other)];
  };
  const masks = typeof probed?.rights === "string"
    ? JSON.parse(probed.rights) as RightsMask[]
    : await readMasks(roles.roleIds);
  return checks.map(({ right }, i) => includesRights(masks[i] ?? NO_RIGHTS, maskOf(right)));
}

/** Throws `TOKEN_INVALID` if the actor's session has ended, for operations that read nothing else. */
export async function requireSession(
  { database, clock }: GraphDeps,
  { userId: actorId, sessionId }: Actor,
): Promise<void> {
  const rows = await readRevised(database, bind(SESSION_LIVES, { now: clock(), actorId, sessionId }));
  if (rows.length === 0) throw new AppError("TOKEN_INVALID");
}
