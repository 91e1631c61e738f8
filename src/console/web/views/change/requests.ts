import type { Rights } from "../../../../graph/rights.ts";
import { api, dataOf, revisionOf } from "../../api.ts";
import type { Language } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { loadRoles } from "../../roles.ts";
import type { Demand, Manages, Member, Role } from "../../schemas.ts";
import { lastingApi } from "../account/sudo.ts";
import type { Drawing } from "./draw_to_be.ts";

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
  /** Of a made change: its own; undefined if it is one of several. */
  readonly revision: number | undefined;
  /** Whether the relation or membership does not exist yet. */
  readonly isNew: boolean;
  /** The nodes deleted with it. */
  readonly deletedNodeIds: readonly number[];
  /** Keys made by a removed member, which stay. */
  readonly keys: readonly { readonly name: string }[];
  /** Whether there may be further keys. */
  readonly hasMoreKeys: boolean;
  /** Whether the root role may be left without a manager who meets its demand of a second factor. */
  readonly isLastAwake: boolean;
  /** How much an undone deletion brings back, and how much not; undefined for other changes. */
  readonly restored: Restored | undefined;
  readonly leftOut: Restored | undefined;
  /** The first relations to devices that do not return whole. */
  readonly shortened: readonly Shortened[];
}

export type Restored = components["schemas"]["Restored"];
type Shortened = components["schemas"]["ShortenedMonitors"];

/** What can be previewed and then made. */
export interface PreviewRequest<A> {
  /** Identifies the change. */
  readonly key: string;
  /** How long the form must be unchanged before a preview; by default `PAUSE_MS`. */
  readonly pauseMs?: number;
  readonly send: (mode: Mode) => Promise<A>;
}

/** A change of roles, relations or memberships. */
export interface ChangeRequest extends PreviewRequest<Answer> {
  /** The roles whose members are affected. Gains and losses of roles above are among theirs. */
  readonly actingRoleIds: readonly number[];
  /** How a picture shows it; undefined if no picture can. */
  readonly drawing: Drawing | undefined;
}

/** Milliseconds for which a form must be unchanged before a preview. */
export const PAUSE_MS = 300;
/** A preview of a new member counts as an invitation, whose number per day is limited. */
const LONG_PAUSE_MS = 900;

/** A response of the service, which has what the change is about. */
interface Response
  extends Partial<Pick<Answer, "effect" | "deletedNodeIds" | "keys" | "restored" | "leftOut" | "shortened">> {
  readonly manages?: { readonly id: number | null };
  readonly member?: { readonly id: number | null };
  readonly moreKeys?: boolean;
  readonly lastAwake?: boolean;
}

/** What a request has besides the change: it is the same for all. */
export interface Rest {
  readonly query: { dryRun?: true };
  readonly header: { "If-Effect"?: string };
  readonly signal: AbortSignal | null;
}

/** An empty tag makes the change with any effect. */
export function restOf(mode: Mode): Rest {
  return mode.kind === "preview"
    ? { query: { dryRun: true }, header: {}, signal: mode.signal }
    : { query: {}, header: mode.tag === "" ? {} : { "If-Effect": mode.tag }, signal: null };
}

/** Returns a change, with the request that previews or makes it. */
function changeBy(
  key: readonly unknown[],
  actingRoleIds: readonly number[],
  drawing: Drawing | undefined,
  request: (rest: Rest) => Parameters<typeof dataOf<Response>>[0],
  pauseMs = PAUSE_MS,
): ChangeRequest {
  return {
    key: JSON.stringify(key),
    actingRoleIds,
    drawing,
    pauseMs,
    send: async (mode) => {
      const sent = request(restOf(mode));
      const { manages, member, moreKeys = false, lastAwake = false, ...answer } = await dataOf(sent);
      const revision = revisionOf((await sent).response);
      const { effect, deletedNodeIds = [], keys = [], restored, leftOut, shortened = [] } = answer;
      const isNew = (manages ?? member)?.id === null;
      const notes = { keys, hasMoreKeys: moreKeys, isLastAwake: lastAwake };
      return { effect, revision, isNew, deletedNodeIds, ...notes, restored, leftOut, shortened };
    },
  };
}

/** Creates a relation between two roles. `replaced`: another relation to the same child, deleted at the same time. */
export function putRelation(parent: Role, child: Role, rights: Rights, replaced?: Manages): ChangeRequest {
  const [parentRoleId, childRoleId] = [parent.id, child.id];
  const replaces = replaced === undefined ? {} : { replaces: replaced.id };
  return changeBy(
    ["put", parentRoleId, childRoleId, rights, replaced?.id],
    [parentRoleId, ...(replaced === undefined ? [] : [replaced.parentRoleId])],
    {
      roleId: childRoleId,
      put: { parentRoleId, childRoleId, rights, ends: [parent, child] },
      deletedId: replaced?.id,
    },
    ({ query, header, signal }) => {
      const params = { path: { parentRoleId }, query: { childRoleId, ...replaces, ...query }, header };
      return api.PUT("/v1/role/{parentRoleId}/manages", { params, body: rights, signal });
    },
  );
}

/** Changes the rights of a relation. */
export function updateRelation(
  { id, parentRoleId, childRoleId }: Manages,
  rights: Rights,
): ChangeRequest {
  const drawing = { roleId: childRoleId, put: { parentRoleId, childRoleId, rights } };
  return changeBy(["update", id, rights], [parentRoleId], drawing, ({ signal, ...rest }) => {
    const params = { path: { parentRoleId, managesId: id }, ...rest };
    return api.PUT("/v1/role/{parentRoleId}/manages/{managesId}", { params, body: rights, signal });
  });
}

/** Deletes a relation, and the nodes that go with it. */
export function deleteRelation({ id, parentRoleId, childRoleId }: Manages): ChangeRequest {
  const drawing = { roleId: childRoleId, deletedId: id };
  return changeBy(["delete", id], [parentRoleId], drawing, ({ signal, ...rest }) => {
    const params = { path: { parentRoleId, managesId: id }, ...rest };
    return api.DELETE("/v1/role/{parentRoleId}/manages/{managesId}", { params, signal });
  });
}

/** What a role is changed to. Without an external id, it keeps its own. */
interface UpdatedRole {
  readonly name: string;
  readonly selfRights: Rights;
  readonly externalId?: string | null;
}

/** Changes a role's name, its external id, or the rights of its direct members. */
export function updateRole(roleId: number, body: UpdatedRole): ChangeRequest {
  const drawing = { roleId, isAlone: true, name: body.name };
  return changeBy(["role", roleId, body], [roleId], drawing, ({ signal, ...rest }) => {
    const params = { path: { roleId }, ...rest };
    return api.PUT("/v1/role/{roleId}", { params, body, signal });
  });
}

/** The rights and end of a membership; null is no limit. */
export interface Terms {
  readonly until: string | null;
  readonly rights: Rights | null;
}

/** Adds a member, or changes a membership, with these terms. `mailLanguage` is for a new member. */
export function putMember(
  roleId: number,
  userEmail: string,
  terms: Terms,
  mailLanguage?: Language,
): ChangeRequest {
  const drawing = { roleId, email: userEmail };
  const what = ["member", roleId, userEmail, terms, mailLanguage];
  return changeBy(what, [roleId], drawing, ({ query, header, signal }) => {
    const ofMail = mailLanguage && { language: mailLanguage };
    const params = { path: { roleId }, query: { userEmail, ...ofMail, ...query }, header };
    return api.PUT("/v1/role/{roleId}/member", { params, body: { ...terms }, signal });
  }, LONG_PAUSE_MS);
}

/** Removes a member. */
export function removeMember({ id, roleId, userEmail }: Member): ChangeRequest {
  return changeBy(["remove", id], [roleId], { roleId, email: userEmail }, ({ signal, ...rest }) => {
    const params = { path: { roleId, memberId: id }, ...rest };
    return api.DELETE("/v1/role/{roleId}/member/{memberId}", { params, signal });
  });
}

/** A change on record. */
type Change = components["schemas"]["Change"];

/** Undoes a change. */
export function undoChange(change: Change): ChangeRequest {
  const { revision, kind, roleId, parentRoleId } = change;
  const acting = [parentRoleId ?? roleId].filter((id) => id !== null);
  const undo = changeBy(["undo", revision], acting, drawingOfUndo(change), ({ signal, ...rest }) => {
    const params = { path: { revision }, ...rest };
    return api.POST("/v1/change/{revision}/undo", { params, signal });
  });
  if (kind !== "role.create" || roleId === null) return undo;
  // The response only counts it: a role that was made is deleted, and nothing else.
  return { ...undo, send: async (mode) => ({ ...await undo.send(mode), deletedNodeIds: [roleId] }) };
}

/** Returns how a picture shows an undo. Where a moved role came from is not on record. */
function drawingOfUndo(change: Change): Drawing | undefined {
  const { kind, roleId, parentRoleId, managesId, memberEmail, oldRights } = change;
  if (roleId === null) return undefined;
  if (kind === "role.update") return { roleId, isAlone: true };
  // Of a person whom the viewer does not see, the picture shows nothing.
  if (kind.startsWith("member.")) return { roleId, email: memberEmail ?? "" };
  if (parentRoleId === null) return { roleId };
  const rights = kind === "manages.move" ? null : oldRights;
  return rights === null
    ? { roleId, deletedId: managesId ?? undefined }
    : { roleId, put: { parentRoleId, childRoleId: roleId, rights } };
}

/** What ends of a person's access, and what stays. */
export interface Ending extends Omit<components["schemas"]["EndedAccess"], "effect"> {
  /** Undefined once it has ended. */
  readonly effect: components["schemas"]["EndingEffect"] | undefined;
  /** The roles that it names. */
  readonly roles: ReadonlyMap<number, Role>;
}

/** Ends a person's access at and below a role, and with `granted` what they gave. */
export function endAccess(
  person: { readonly userId: number } | { readonly userEmail: string },
  under: number,
  granted: boolean,
): PreviewRequest<Ending> {
  return {
    key: JSON.stringify(["end", person, under, granted]),
    send: async (mode) => {
      const { signal, ...params } = restOf(mode);
      // A preview needs no proof.
      const client = mode.kind === "preview" ? api : lastingApi;
      const body = { ...person, under, granted };
      const { effect, ...answer } = await dataOf(client.POST("/v1/access/end", { params, body, signal }));
      const { ended, relations } = answer;
      const named = [
        ...ended.map(({ roleId }) => roleId),
        ...relations.flatMap(({ parentRoleId, childRoleId }) => [parentRoleId ?? 0, childRoleId]),
      ];
      return { ...answer, effect, roles: effect ? await loadRoles(named, signal) : new Map() };
    },
  };
}

/** What a role will demand of its members, and how many have not met it. */
export interface SetDemand extends Omit<components["schemas"]["SetAuthenticationPolicy"], "effect"> {
  readonly effect: Effect | undefined;
}

/** Sets what a role demands of its members, from a time on or at once. */
export function setDemand(
  roleId: number,
  secondFactor: Demand,
  from: string | undefined,
): PreviewRequest<SetDemand> {
  return {
    key: JSON.stringify(["demand", roleId, secondFactor, from]),
    send: async (mode) => {
      const { signal, ...rest } = restOf(mode);
      const params = { path: { roleId }, ...rest };
      const body = { secondFactor, ...from !== undefined && { from } };
      // A preview needs no proof.
      const client = mode.kind === "preview" ? api : lastingApi;
      const { effect, ...answer } = await dataOf(
        client.PUT("/v1/role/{roleId}/authentication-policy", { params, body, signal }),
      );
      return { ...answer, effect };
    },
  };
}
