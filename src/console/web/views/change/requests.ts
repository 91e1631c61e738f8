import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import type { Manages, Member } from "../../schemas.ts";
import type { Rights } from "../../../../role/rights.ts";

/** The effect of a change. */
export type Effect = components["schemas"]["Effect"];

/** A person or key that a change affects. */
export type Person = components["schemas"]["AffectedPerson"];

/** Whether to preview a change, or to make it if its effect is still the shown one. */
export type Mode =
  | { readonly kind: "preview"; readonly signal: AbortSignal }
  | { readonly kind: "apply"; readonly tag: string };

/** The response to a previewed or made change. */
export interface Answer {
  /** The effect; undefined once the change is made. */
  readonly effect: Effect | undefined;
  /** Whether the relation or membership does not exist yet. */
  readonly isNew: boolean;
  /** The nodes deleted with it. */
  readonly deletedNodeIds: readonly number[];
  /** Keys made by a removed member, which stay. */
  readonly keys: readonly { readonly name: string }[];
  /** Whether there may be further keys. */
  readonly hasMoreKeys: boolean;
}

/** A change that can be previewed and then made. */
export interface ChangeRequest {
  /** Identifies the change. */
  readonly key: string;
  /** The roles whose members are affected. Gains and losses of roles above are among theirs. */
  readonly actingRoleIds: readonly number[];
  /** How long the form must be unchanged before a preview. */
  readonly pauseMs: number;
  readonly send: (mode: Mode) => Promise<Answer>;
}

const PAUSE_MS = 300;
/** A preview of a new member counts as an invitation, whose number per day is limited. */
const LONG_PAUSE_MS = 900;

interface Response {
  readonly effect?: Effect;
  readonly manages?: { readonly id: number | null };
  readonly member?: { readonly id: number | null };
  readonly deletedNodeIds?: readonly number[];
  readonly keys?: readonly { readonly name: string }[];
  readonly moreKeys?: boolean;
}

async function answerOf(request: Parameters<typeof dataOf<Response>>[0]): Promise<Answer> {
  const { effect, manages, member, deletedNodeIds = [], keys = [], moreKeys: hasMoreKeys = false } =
    await dataOf(request);
  return { effect, isNew: (manages ?? member)?.id === null, deletedNodeIds, keys, hasMoreKeys };
}

function queryOf({ kind }: Mode): { dryRun?: true } {
  return kind === "preview" ? { dryRun: true } : {};
}

/** Returns the header with the tag, and the signal of a preview. */
function rest(mode: Mode) {
  return {
    header: mode.kind === "apply" ? { "If-Effect": mode.tag } : {},
    signal: mode.kind === "preview" ? mode.signal : null,
  };
}

/** Creates a relation between two roles. `replaced`: another relation to the same child, deleted at the same time. */
export function putRelation(
  parentRoleId: number,
  childRoleId: number,
  rights: Rights,
  replaced?: Manages,
): ChangeRequest {
  return {
    key: JSON.stringify(["put", parentRoleId, childRoleId, rights, replaced?.id]),
    actingRoleIds: [parentRoleId, ...(replaced === undefined ? [] : [replaced.parentRoleId])],
    pauseMs: PAUSE_MS,
    send: (mode) => {
      const { header, signal } = rest(mode);
      const replaces = replaced === undefined ? {} : { replaces: replaced.id };
      const query = { childRoleId, ...replaces, ...queryOf(mode) };
      const params = { path: { parentRoleId }, query, header };
      return answerOf(api.PUT("/v1/role/{parentRoleId}/manages", { params, body: rights, signal }));
    },
  };
}

/** Changes the rights of a relation. */
export function updateRelation({ id, parentRoleId }: Manages, rights: Rights): ChangeRequest {
  return {
    key: JSON.stringify(["update", id, rights]),
    actingRoleIds: [parentRoleId],
    pauseMs: PAUSE_MS,
    send: (mode) => {
      const { header, signal } = rest(mode);
      const params = { path: { parentRoleId, managesId: id }, query: queryOf(mode), header };
      return answerOf(
        api.PUT("/v1/role/{parentRoleId}/manages/{managesId}", { params, body: rights, signal }),
      );
    },
  };
}

/** Deletes a relation, and the nodes that go with it. */
export function deleteRelation({ id, parentRoleId }: Manages): ChangeRequest {
  return {
    key: JSON.stringify(["delete", id]),
    actingRoleIds: [parentRoleId],
    pauseMs: PAUSE_MS,
    send: (mode) => {
      const { header, signal } = rest(mode);
      const params = { path: { parentRoleId, managesId: id }, query: queryOf(mode), header };
      return answerOf(api.DELETE("/v1/role/{parentRoleId}/manages/{managesId}", { params, signal }));
    },
  };
}

/** Changes a role's name, or the rights of its direct members. */
export function updateRole(roleId: number, name: string, selfRights: Rights): ChangeRequest {
  return {
    key: JSON.stringify(["role", roleId, name, selfRights]),
    actingRoleIds: [roleId],
    pauseMs: PAUSE_MS,
    send: (mode) => {
      const { header, signal } = rest(mode);
      const params = { path: { roleId }, query: queryOf(mode), header };
      return answerOf(api.PUT("/v1/role/{roleId}", { params, body: { name, selfRights }, signal }));
    },
  };
}

/** The rights and end of a membership; null is no limit. */
export interface Terms {
  readonly until: string | null;
  readonly rights: Rights | null;
}

/** Adds a member, or changes a membership, with these terms. */
export function putMember(roleId: number, userEmail: string, terms: Terms): ChangeRequest {
  return {
    key: JSON.stringify(["member", roleId, userEmail, terms]),
    actingRoleIds: [roleId],
    pauseMs: LONG_PAUSE_MS,
    send: (mode) => {
      const { header, signal } = rest(mode);
      const params = { path: { roleId }, query: { userEmail, ...queryOf(mode) }, header };
      return answerOf(api.PUT("/v1/role/{roleId}/member", { params, body: { ...terms }, signal }));
    },
  };
}

/** Removes a member. */
export function removeMember({ id, roleId }: Member): ChangeRequest {
  return {
    key: JSON.stringify(["remove", id]),
    actingRoleIds: [roleId],
    pauseMs: PAUSE_MS,
    send: (mode) => {
      const { header, signal } = rest(mode);
      const params = { path: { roleId, memberId: id }, query: queryOf(mode), header };
      return answerOf(api.DELETE("/v1/role/{roleId}/member/{memberId}", { params, signal }));
    },
  };
}
