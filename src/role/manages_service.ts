import type { Actor } from "../core/actor.ts";
import { runChange } from "./change/change_service.ts";
import { accepted, type Decision } from "./change/decision.ts";
import type { ManagesDeps, RoleDeps } from "./deps.ts";
import { DELETE_RELATION, PUT_RELATION, READ_DELETION, UPDATE_RELATION } from "./manages_queries.ts";
import { type Rights, toMask, toRights } from "./rights.ts";

export interface Manages extends Rights {
  readonly id: number;
  readonly parentRoleId: number;
  readonly childRoleId: number;
}

export interface ManagesRow {
  readonly id: number;
  readonly parentRoleId: number;
  readonly childRoleId: number;
  readonly rights: number;
}

export interface RelationRow extends ManagesRow {
  readonly decision: Decision;
  readonly cost: number | null;
}

interface DeletionRow {
  readonly decision: Decision;
  readonly cost: number | null;
  readonly deletedRoleIds: string;
  readonly deletedDeviceIds: string;
  readonly deletedRelationIds: string;
}

export function toManages({ id, parentRoleId, childRoleId, rights }: ManagesRow): Manages {
  return { id, parentRoleId, childRoleId, ...toRights(rights) };
}

export interface PutManagesInput {
  readonly parentRoleId: number;
  readonly childRoleId: number;
  readonly rights: Rights;
}

/**
 * Creates or updates the relation of a pair. Needs, of one authorizing role, direct or indirect roleManagement on the
 * parent and indirect roleManagement on the child. Throws `WOULD_CREATE_CYCLE`, `ROLE_WITHOUT_MANAGER` (an update that
 * takes the last roleManagement from the child), `CLOSURE_CHANGE_TOO_LARGE`.
 */
export async function putManages(deps: RoleDeps, actor: Actor, input: PutManagesInput): Promise<Manages> {
  const row = await runChange<RelationRow>(deps, actor, PUT_RELATION, {
    parentId: input.parentRoleId,
    childId: input.childRoleId,
    rights: toMask(input.rights),
    maxCost: deps.maxClosureChange,
  });
  return toManages(accepted(row, { maxCost: deps.maxClosureChange }));
}

export interface UpdateManagesInput {
  readonly parentRoleId: number;
  readonly managesId: number;
  readonly rights: Rights;
}

/**
 * Updates a relation by id. Taking rights away needs what deleting it needs; adding any right needs all that putting it
 * anew needs, else whoever manages only the parent could widen what the child let through.
 */
export async function updateManages(
  deps: RoleDeps,
  actor: Actor,
  input: UpdateManagesInput,
): Promise<Manages> {
  const row = await runChange<RelationRow>(deps, actor, UPDATE_RELATION, {
    parentId: input.parentRoleId,
    relationId: input.managesId,
    rights: toMask(input.rights),
    maxCost: deps.maxClosureChange,
  });
  return toManages(accepted(row, { maxCost: deps.maxClosureChange }));
}

export interface DeleteManagesInput {
  readonly parentRoleId: number;
  readonly managesId: number;
  readonly dryRun: boolean;
}

export interface Deletion {
  readonly deletedNodeIds: number[];
  readonly deletedRelationIds: number[];
}

/**
 * Deletes a relation, and the child with all that hung on it alone if nothing else connects it to the graph: roles,
 * members, monitors relations, and the devices that no staying role monitors. Needs
 * direct or indirect roleManagement on the parent, or indirect roleManagement on the child; for a relation made with the
 * child's password also direct roleManagement on the child while the child does not hang on it alone. A dry run answers
 * the same and changes nothing. Ids are in ascending order.
 */
export async function deleteManages(
  deps: ManagesDeps,
  actor: Actor,
  input: DeleteManagesInput,
): Promise<Deletion> {
  const batch = [...DELETE_RELATION, ...deps.cascades, READ_DELETION];
  const row = accepted(
    await runChange<DeletionRow>(deps, actor, batch, {
      parentId: input.parentRoleId,
      relationId: input.managesId,
      dryRun: input.dryRun ? 1 : 0,
      maxCost: deps.maxClosureChange,
    }),
    { maxCost: deps.maxClosureChange },
  );
  return {
    deletedNodeIds: readIds(row.deletedRoleIds, row.deletedDeviceIds),
    deletedRelationIds: readIds(row.deletedRelationIds),
  };
}

/** The ids of several lists of the change log, in ascending order. */
export function readIds(...lists: readonly string[]): number[] {
  return lists.flatMap((json) => JSON.parse(json) as number[]).sort((a, b) => a - b);
}
