import type { Actor } from "../core/actor.ts";
import { runChange } from "./change/change_service.ts";
import { accepted, type DecisionRow } from "./change/decision.ts";
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

export interface RelationRow extends ManagesRow, DecisionRow {
}

interface DeletionRow extends DecisionRow {
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
 * Creates or updates the relation of a pair of roles. One authorizing role must have direct or indirect roleManagement
 * on the parent and indirect roleManagement on the child. Throws `WOULD_CREATE_CYCLE`, `ROLE_WITHOUT_MANAGER` (for an
 * update that leaves the child without an incoming roleManagement), `CLOSURE_CHANGE_TOO_LARGE`.
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
 * Updates a relation by id. Taking rights away needs the rights for deleting the relation. Adding a right needs those
 * for creating it: managing only the parent must not be enough to gain more rights on the child.
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
 * Deletes a relation. If nothing else connects the child to the graph, deletes the child, too, with all roles, members,
 * monitors relations and devices that are reached only through it. Needs direct or indirect roleManagement on the
 * parent, or indirect roleManagement on the child. For a relation made with the child's password, direct roleManagement
 * on the child is enough if the child stays. A dry run returns the same ids and deletes nothing. Ids are ascending.
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

/** Merges id lists of the change log (JSON), in ascending order. */
export function readIds(...lists: readonly string[]): number[] {
  return lists.flatMap((json) => JSON.parse(json) as number[]).sort((a, b) => a - b);
}
