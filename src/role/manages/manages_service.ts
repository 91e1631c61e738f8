import type { Actor } from "../../core/actor.ts";
import { DAY_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { bind, type BoundStatement, type SqlArgs, type Statement } from "../../db/statement.ts";
import { runChange } from "../../changes/change_service.ts";
import { previewable } from "../../changes/change_queries.ts";
import { accepted, type DecisionRow } from "../../changes/decision.ts";
import type { ManagesDeps, RoleDeps } from "../deps.ts";
import { DELETE_RELATION, PREVIEW_DELETION, READ_DELETION } from "./deletion_queries.ts";
import { MOVE_RELATION, PUT_RELATION, UPDATE_RELATION } from "./manages_queries.ts";
import type { Effect } from "../../changes/preview/effect.ts";
import type { EffectRow } from "../../changes/preview/effect_rows.ts";
import {
  EFFECT_OF_GROWING,
  EFFECT_OF_SHRINKING,
  type EffectArgs,
} from "../../changes/preview/effect_queries.ts";
import {
  changeOrPreview,
  MAKE,
  type Mode,
  type PreviewableChange,
} from "../../changes/preview/preview_service.ts";
import { type Rights, toMask, toRights } from "../../graph/rights.ts";

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
  /** Only in a preview: the rights before, null for a new relation. */
  readonly oldRights?: number | null;
  /** Only in a preview: the parent of the relation that a move replaces. */
  readonly replacedParentId?: number | null;
}

export interface DeletionRow extends DecisionRow {
  readonly childRoleId: number;
  readonly deletedRoleIds: string;
  readonly deletedDeviceIds: string;
  readonly deletedRelationIds: string;
}

export function toManages({ id, parentRoleId, childRoleId, rights }: ManagesRow): Manages {
  return { id, parentRoleId, childRoleId, ...toRights(rights) };
}

/** A relation after a change, or a preview of it, which has an effect. A new relation has no id in a preview. */
export interface ChangedManages {
  readonly manages: Omit<Manages, "id"> & { readonly id: number | null };
  readonly effect?: Effect;
}

export interface PutManagesInput {
  readonly parentRoleId: number;
  readonly childRoleId: number;
  readonly rights: Rights;
}

export interface MoveManagesInput extends PutManagesInput {
  /** A relation from another parent to the child, which is deleted. */
  readonly replaces?: number | undefined;
}

type RelationChange = Pick<PreviewableChange<RelationRow>, "request" | "batches" | "args" | "begin">;

/** Changes a relation, or previews that. `args` are the parameters besides `:maxCost`. */
export async function changeRelation(
  deps: RoleDeps,
  actor: Actor,
  mode: Mode,
  { args, ...change }: RelationChange,
): Promise<ChangedManages> {
  const { maxClosureChange: maxCost } = deps;
  const { row, ...preview } = await changeOrPreview<RelationRow>(deps, actor, mode, {
    ...change,
    args: { ...args, maxCost },
    accept: (changed) => accepted(changed, { maxCost }),
    effectOf,
  });
  return { manages: toManages(row), ...preview };
}

/** Returns the read of the effect: a change that takes no rights only grows the closure. */
function effectOf(row: RelationRow, read: EffectArgs): BoundStatement<EffectRow> {
  const { parentRoleId: parentId, childRoleId: childId, rights, oldRights, replacedParentId = null } = row;
  const args = { ...read, parentId, childId, rights };
  const isNarrowed = ((oldRights ?? 0) & ~rights) !== 0;
  if (replacedParentId === null && !isNarrowed) return bind(EFFECT_OF_GROWING, args);
  return bind(EFFECT_OF_SHRINKING, { ...args, replacedParentId, deletedRoleIds: "[]" });
}

/**
 * Creates or updates the relation of two roles. One role must have direct or indirect roleManagement on the parent and
 * indirect on the child; the actor must be allowed to delete a replaced relation. Throws `WOULD_CREATE_CYCLE`,
 * `ROLE_WITHOUT_MANAGER` for the child, `CLOSURE_CHANGE_TOO_LARGE`, and the errors of `changeOrPreview`.
 */
export function putManages(
  deps: RoleDeps,
  actor: Actor,
  input: MoveManagesInput,
  mode: Mode = MAKE,
): Promise<ChangedManages> {
  const { parentRoleId: parentId, childRoleId: childId, replaces } = input;
  const args = { parentId, childId, rights: toMask(input.rights) };
  return replaces === undefined
    ? changeRelation(deps, actor, mode, {
      request: ["manages.put", parentId, childId, args.rights],
      batches: PUT_RELATION,
      args,
    })
    : changeRelation(deps, actor, mode, {
      request: ["manages.move", parentId, childId, args.rights, replaces],
      batches: MOVE_RELATION,
      args: { ...args, replaces },
    });
}

export interface UpdateManagesInput {
  readonly parentRoleId: number;
  readonly managesId: number;
  readonly rights: Rights;
}

/**
 * Updates a relation by id. Taking rights away needs the right to delete the relation. Adding rights needs the right to
 * create it, so that managing only the parent is not enough to gain rights on the child.
 */
export function updateManages(
  deps: RoleDeps,
  actor: Actor,
  { parentRoleId: parentId, managesId: relationId, rights: wanted }: UpdateManagesInput,
  mode: Mode = MAKE,
): Promise<ChangedManages> {
  const rights = toMask(wanted);
  return changeRelation(deps, actor, mode, {
    request: ["manages.update", parentId, relationId, rights],
    batches: UPDATE_RELATION,
    args: { parentId, relationId, rights },
  });
}

export interface DeleteManagesInput {
  readonly parentRoleId: number;
  readonly managesId: number;
  /** Refuses the deletion if roles or devices would be deleted with the relation. */
  readonly cascade?: "refuse" | undefined;
  /** Nothing that is deleted can be restored. */
  readonly permanent?: boolean | undefined;
}

export interface Deletion {
  readonly deletedNodeIds: number[];
  readonly deletedRelationIds: number[];
  /** Only in a preview. */
  readonly effect?: Effect;
}

/**
 * Deletes a relation with the roles, members, monitors relations and devices that only it connects to the graph. Needs
 * direct or indirect roleManagement on the parent, or indirect on the child; direct on the child is enough if the
 * relation was made by password and the child stays. Returns ids in ascending order, for a preview, too. A permanent
 * deletion of a relation that is deleted already deletes the devices that this left in the trash. Throws `WOULD_DELETE`,
 * `ROLE_WITHOUT_MANAGER`, `CLOSURE_CHANGE_TOO_LARGE`, and the errors of `changeOrPreview`.
 */
export async function deleteManages(
  deps: ManagesDeps,
  actor: Actor,
  { parentRoleId: parentId, managesId: relationId, cascade, permanent = false }: DeleteManagesInput,
  mode: Mode = MAKE,
): Promise<Deletion> {
  const { maxClosureChange: maxCost } = deps;
  const changing = changeOrPreview<DeletionRow>(deps, actor, mode, {
    request: ["manages.delete", parentId, relationId, cascade ?? null, ...(permanent ? ["permanent"] : [])],
    batches: previewable({
      make: [...DELETE_RELATION, ...deps.cascades, READ_DELETION],
      preview: PREVIEW_DELETION,
      changesDevices: true,
    }),
    args: {
      parentId,
      relationId,
      maxCost,
      refusesCascade: cascade === "refuse" ? 1 : 0,
      trashMs: trashMsOf(deps, permanent),
    },
    accept: (deleted) => accepted(deleted, { maxCost }),
    deletes: ({ deletedRoleIds, deletedDeviceIds }) => ({
      roles: readIds(deletedRoleIds).length,
      devices: readIds(deletedDeviceIds).length,
    }),
    effectOf: ({ childRoleId: childId, deletedRoleIds }, read) => {
      const deletion = { parentId, childId, rights: null, replacedParentId: null, deletedRoleIds };
      return bind(EFFECT_OF_SHRINKING, { ...read, ...deletion });
    },
  });
  const forget = permanent && mode.kind === "make"
    ? () => forgetDeleted(deps, actor, deps.forgetting, { parentId, relationId })
    : undefined;
  const { row, ...preview } =
    await (forget === undefined ? changing : changing.catch(forgetIfDenied(forget)));
  return {
    deletedNodeIds: readIds(row.deletedRoleIds, row.deletedDeviceIds),
    deletedRelationIds: readIds(row.deletedRelationIds),
    ...preview,
  };
}

/** Returns how long deleted devices are kept, in milliseconds. */
export function trashMsOf({ storeLimits }: Pick<RoleDeps, "storeLimits">, permanent: boolean): number {
  return permanent ? 0 : storeLimits.trashDays * DAY_MS;
}

/** Returns a handler of errors: of a deletion that is denied because it is over, perhaps, and left a trash. */
export function forgetIfDenied<T>(forget: () => Promise<T>): (error: unknown) => Promise<T> {
  return async (error) => {
    if (error instanceof AppError && error.code === "FORBIDDEN") return await forget();
    throw error;
  };
}

/** Deletes at once what an earlier deletion left in the trash. Throws `FORBIDDEN` if there is nothing. */
export async function forgetDeleted(
  deps: Pick<RoleDeps, "database" | "clock" | "storeLimits">,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<{ readonly row: DeletionRow }> {
  return { row: accepted(await runChange<DeletionRow>(deps, actor, batch, args)) };
}

/** Merges id lists of the change log (JSON), in ascending order. */
export function readIds(...lists: readonly string[]): number[] {
  return lists.flatMap((json) => JSON.parse(json) as number[]).sort((a, b) => a - b);
}
