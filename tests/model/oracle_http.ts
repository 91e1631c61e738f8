import assert from "node:assert/strict";
import type { TestApp } from "../helpers/test_app.ts";
import type { Operation } from "./oracle.ts";
import type { GivenIds } from "./oracle_outcome.ts";
import { type WireRights, wireRights } from "./oracle_answers.ts";
import { ascending } from "./oracle_rights.ts";
import type { GraphRun } from "./oracle_run.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request and reads its JSON response. */
export async function call(
  target: Pick<TestApp, "request">,
  method: string,
  path: string,
  { token, body, headers: more = {} }: {
    token: string;
    body?: unknown;
    headers?: Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const headers: Record<string, string> = { ...more, Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await target.request(path, init);
  return { status: response.status, body: await response.json() };
}

/** A request that is about to be sent. */
interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a change is previewed: tried, or made only with the effect of this tag. */
export type Preview = { readonly dryRun: true } | { readonly ifEffect: string };

/** Sends an operation as its user. */
export async function send(run: GraphRun, operation: Operation, preview?: Preview): Promise<Answer> {
  const { method, path, body, headers = {} } = requestOf(run, operation);
  const isTried = preview !== undefined && "dryRun" in preview;
  const query = isTried ? `${path.includes("?") ? "&" : "?"}dryRun=true` : "";
  const tag = preview !== undefined && "ifEffect" in preview ? { "If-Effect": preview.ifEffect } : {};
  return await call(run.target, method, `${path}${query}`, {
    token: tokenOf(run, operation.userId),
    headers: { ...headers, ...tag },
    ...(body === undefined ? {} : { body }),
  });
}

function requestOf(run: GraphRun, operation: Operation): PlannedRequest {
  switch (operation.kind) {
    case "createRole": {
      const { parentId, rights, name, selfRights } = operation;
      const role = { name, selfRights: wireRights(selfRights) };
      const body = { manages: wireRights(rights), role };
      return { method: "POST", path: `/v1/role?parentRoleId=${parentId}`, body };
    }
    case "putRelation": {
      const { parentId, childId, rights, password, replaces } = operation;
      const move = replaces === undefined ? "" : `&replaces=${replaces}`;
      const path = `/v1/role/${parentId}/manages?childRoleId=${childId}${move}`;
      const headers = password === undefined ? {} : { "X-Child-Role-Password": password };
      return { method: "PUT", path, body: wireRights(rights), headers };
    }
    case "putRelationById": {
      const { parentId, relationId, rights } = operation;
      return { method: "PUT", path: `/v1/role/${parentId}/manages/${relationId}`, body: wireRights(rights) };
    }
    case "deleteRelation": {
      const { parentId, relationId, dryRun, keeps } = operation;
      const query = [...dryRun ? ["dryRun=true"] : [], ...keeps === true ? ["cascade=refuse"] : []].join("&");
      return { method: "DELETE", path: `/v1/role/${parentId}/manages/${relationId}${query && `?${query}`}` };
    }
    case "updateRole": {
      const { roleId, name, selfRights } = operation;
      return {
        method: "PUT",
        path: `/v1/role/${roleId}`,
        body: { name, selfRights: wireRights(selfRights) },
      };
    }
    case "setPassword": {
      const { roleId, password, rights } = operation;
      return {
        method: "PUT",
        path: `/v1/role/${roleId}/password`,
        body: { password, rights: wireMask(rights) },
      };
    }
    case "addMember": {
      const { subjectId, roleId, until, rights } = operation;
      const email = encodeURIComponent(run.world.users.get(subjectId) ?? "");
      const body = { until: wireTime(until), rights: wireMask(rights) };
      return { method: "PUT", path: `/v1/role/${roleId}/member?userEmail=${email}`, body };
    }
    case "removeMember":
      return { method: "DELETE", path: `/v1/role/${operation.roleId}/member/${operation.memberId}` };
    case "deleteAccount":
      return { method: "DELETE", path: "/user" };
    case "createKey": {
      const { roleId, name, rights, expiresAt, asks, provisions } = operation;
      const body = { name, rights: wireMask(rights), expiresAt: wireTime(expiresAt), asks, provisions };
      return { method: "POST", path: `/v1/role/${roleId}/key`, body };
    }
    case "adoptKey":
      return { method: "POST", path: `/v1/role/${operation.roleId}/key/${operation.keyId}/adopt` };
    case "deleteKey":
      return { method: "DELETE", path: `/v1/role/${operation.roleId}/key/${operation.keyId}` };
    case "createDevice": {
      const { roleId, nodeId, name } = operation;
      return { method: "POST", path: `/v1/device?roleId=${roleId}`, body: { properties: { nodeId, name } } };
    }
    case "updateDevice": {
      const { deviceId, nodeId, mode, given } = operation;
      const query = mode === undefined ? "" : `?mode=${mode}`;
      return {
        method: "PUT",
        path: `/v1/device/${deviceId}${query}`,
        body: { properties: { nodeId, ...given } },
      };
    }
    case "attachDevice": {
      const { roleId, deviceId, from, until } = operation;
      const path = `/v1/role/${roleId}/monitors?deviceId=${deviceId}`;
      return { method: "PUT", path, body: { from: wireTime(from), until: wireTime(until) } };
    }
    case "transferDevice": {
      const { deviceId, toRoleId } = operation;
      return { method: "POST", path: `/v1/device/${deviceId}/transfer?toRoleId=${toRoleId}` };
    }
    case "detachDevice":
      return { method: "DELETE", path: `/v1/role/${operation.roleId}/monitors/${operation.monitorsId}` };
  }
}

/** Takes over the secret of a key that a request made. */
export function keepSecret(run: GraphRun, { body }: Answer): void {
  const [keyId, secret] = [idAt(body, "key"), fieldOf(body, "secret")];
  if (typeof secret === "string") run.tokens.set(-keyId, secret);
}

/** JSON leaves out what is undefined. */
function wireTime(ms: number | null | undefined): string | null | undefined {
  return typeof ms === "number" ? new Date(ms).toISOString() : ms;
}

function wireMask(rights: number | null | undefined): WireRights | null | undefined {
  return typeof rights === "number" ? wireRights(rights) : rights;
}

/** The access token of a user of the run, or the secret of a key. */
export function tokenOf(run: GraphRun, userId: number): string {
  const token = run.tokens.get(userId);
  assert.ok(token !== undefined, `principal ${userId} has no token`);
  return token;
}

/** The ids in a response; 0 if it names none, which the comparison then shows. */
export function givenIds({ body }: Answer): GivenIds {
  return {
    nodeId: idAt(body, "role") || idAt(body, "device"),
    relationId: idAt(body, "manages") || idAt(body, "member") || idAt(body, "monitors") || idAt(body, "key"),
  };
}

/** The message of an error response. */
export function messageOf(body: unknown): string | undefined {
  const message = fieldOf(body, "message");
  return typeof message === "string" ? message : undefined;
}

function idAt(body: unknown, key: string): number {
  const id = fieldOf(fieldOf(body, key), "id");
  return typeof id === "number" ? id : 0;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/**
 * Sorts the ids that a deletion names, since their order is not specified, and leaves out the effect in a dry run, and
 * what a key's secret and its use decide.
 */
export function normalized({ status, body: whole }: Answer): Answer {
  const body = withoutEffect(whole);
  const key = fieldOf(body, "key");
  if (typeof key === "object" && key !== null) {
    const { prefix: _prefix, lastUsedAt: _lastUsedAt, ...rest } = key as Record<string, unknown>;
    return { status, body: { key: rest } };
  }
  const ids = fieldOf(body, "deletedRelationIds");
  const nodeIds = fieldOf(body, "deletedNodeIds");
  if (!Array.isArray(ids) || !Array.isArray(nodeIds)) return { status, body };
  const sorted = { deletedNodeIds: ascending(nodeIds), deletedRelationIds: ascending(ids) };
  return { status, body: { ...body as object, ...sorted } };
}

/** The effect of a dry run is compared elsewhere. */
function withoutEffect(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("effect" in body)) return body;
  const { effect: _effect, ...rest } = body;
  return rest;
}
