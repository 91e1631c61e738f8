import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import type { Manages, Member } from "../../schemas.ts";
import type { Rights } from "../../../../role/rights.ts";

/** What a change does. */
export type Effect = components["schemas"]["Effect"];

/** Previews a change, or makes it if it still does what was shown. */
export type Mode =
  | { readonly kind: "preview"; readonly signal: AbortSignal }
  | { readonly kind: "apply"; readonly tag: string };

/** What the service says of a change that is previewed or made. */
export interface Answer {
  /** What the change would do; undefined once it is made. */
  readonly effect: Effect | undefined;
  /** Whether the relation or membership is not there yet. */
  readonly isNew: boolean;
  /** Roles and devices that go with it. */
  readonly deletedNodeIds: readonly number[];
  /** Keys that a removed member made, and that stay. */
  readonly keys: readonly { readonly name: string }[];
  /** Whether there may be others. */
  readonly hasMoreKeys: boolean;
}

/** A change that can be previewed, and then made. */
export interface ChangeRequest {
  /** Tells it apart from others. */
  readonly key: string;
  /** The roles whose members act by what changes. What roles above them gain or lose is among what they do. */
  readonly actingRoleIds: readonly number[];
  /** How long the form is to stay as it is before the change is previewed. */
  readonly pauseMs: number;
  readonly send: (mode: Mode) => Promise<Answer>;
}

const PAUSE_MS = 300;
/** Asking what a new member would get counts as an invitation, and the number of invitations a day is limited. */
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

/** The tag, and the signal that ends a preview. */
function rest(mode: Mode) {
  return {
    header: mode.kind === "apply" ? { "If-Effect": mode.tag } : {},
    signal: mode.kind === "preview" ? mode.signal : null,
  };
}

/** A relation between two roles; `replaces` is another one to the same child, which goes at the same time. */
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

/** Other rights for a relation. */
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

/** One relation less, and what is deleted with it. */
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

/** Another name, or other rights of a role's direct members. */
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

/** What a membership carries, and until when; null is no limit. */
export interface Terms {
  readonly until: string | null;
  readonly rights: Rights | null;
}

/** Somebody as a member on these terms, whether or not they are one already. */
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

/** One member less. */
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
