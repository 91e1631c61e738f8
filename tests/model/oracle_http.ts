import assert from "node:assert/strict";
import type { Operation } from "./oracle.ts";
import type { GivenIds } from "./oracle_outcome.ts";
import { wireRights } from "./oracle_answers.ts";
import type { GraphApp, GraphRun } from "./oracle_run.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request and reads its JSON response. */
export async function call(
  { app }: Pick<GraphApp, "app">,
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
  const response = await app.request(path, init);
  return { status: response.status, body: await response.json() };
}

/** Sends an operation as its user. */
export async function send(run: GraphRun, operation: Operation): Promise<Answer> {
  const token = tokenOf(run, operation.userId);
  const askAt = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(run.target, method, path, body === undefined ? { token } : { token, body });
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    askAt(method, `/v1/role${path}`, body);
  switch (operation.kind) {
    case "createRole": {
      const { parentId, rights, name, selfRights } = operation;
      const role = { name, selfRights: wireRights(selfRights) };
      return await ask("POST", `?parentRoleId=${parentId}`, { manages: wireRights(rights), role });
    }
    case "putRelation": {
      const { parentId, childId, rights, password } = operation;
      const path = `/v1/role/${parentId}/manages?childRoleId=${childId}`;
      const headers = password === undefined ? {} : { "X-Child-Role-Password": password };
      return await call(run.target, "PUT", path, { token, body: wireRights(rights), headers });
    }
    case "putRelationById": {
      const { parentId, relationId, rights } = operation;
      return await ask("PUT", `/${parentId}/manages/${relationId}`, wireRights(rights));
    }
    case "deleteRelation": {
      const query = operation.dryRun ? "?dryRun=true" : "";
      return await ask("DELETE", `/${operation.parentId}/manages/${operation.relationId}${query}`);
    }
    case "updateRole": {
      const { roleId, name, selfRights } = operation;
      return await ask("PUT", `/${roleId}`, { name, selfRights: wireRights(selfRights) });
    }
    case "setPassword": {
      const { roleId, password, rights } = operation;
      const body = rights === undefined ? { password } : { password, rights: wireRights(rights) };
      return await ask("PUT", `/${roleId}/password`, body);
    }
    case "addMember": {
      const email = run.world.users.get(operation.subjectId) ?? "";
      return await ask("PUT", `/${operation.roleId}/member?userEmail=${encodeURIComponent(email)}`, {});
    }
    case "removeMember":
      return await ask("DELETE", `/${operation.roleId}/member/${operation.memberId}`);
    case "deleteAccount":
      return await askAt("DELETE", "/user");
    case "createDevice": {
      const { roleId, nodeId, name } = operation;
      return await askAt("POST", `/v1/device?roleId=${roleId}`, { properties: { nodeId, name } });
    }
    case "updateDevice": {
      const { deviceId, nodeId, mode, given } = operation;
      const properties = nodeId === undefined ? given : { nodeId, ...given };
      const query = mode === undefined ? "" : `?mode=${mode}`;
      return await askAt("PUT", `/v1/device/${deviceId}${query}`, { properties });
    }
    case "attachDevice":
      return await ask("PUT", `/${operation.roleId}/monitors?deviceId=${operation.deviceId}`, {});
    case "detachDevice":
      return await ask("DELETE", `/${operation.roleId}/monitors/${operation.monitorsId}`);
  }
}

/** The access token of a user of the run. */
export function tokenOf(run: GraphRun, userId: number): string {
  const token = run.tokens.get(userId);
  assert.ok(token !== undefined, `user ${userId} has no token`);
  return token;
}

/** The ids in a response; 0 if it names none, which the comparison then shows. */
export function givenIds({ body }: Answer): GivenIds {
  return {
    nodeId: idAt(body, "role") || idAt(body, "device"),
    relationId: idAt(body, "manages") || idAt(body, "member") || idAt(body, "monitors"),
  };
}

/** The message of an error response. */
export function messageOf(body: unknown): string | undefined {
  const message = fieldOf(body, "message");
  return typeof message === "string" ? message : undefined;
}

function idAt(body: unknown, key: string): number {
  const resource = fieldOf(body, key);
  const id = fieldOf(resource, "id");
  return typeof id === "number" ? id : 0;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/** Sorts the ids that a deletion names, since their order is not specified. */
export function normalized({ status, body }: Answer): Answer {
  const ids = fieldOf(body, "deletedRelationIds");
  const nodeIds = fieldOf(body, "deletedNodeIds");
  if (!Array.isArray(ids) || !Array.isArray(nodeIds)) return { status, body };
  const ascending = (a: number, b: number): number => a - b;
  return {
    status,
    body: {
      ...body as object,
      deletedNodeIds: nodeIds.toSorted(ascending),
      deletedRelationIds: ids.toSorted(ascending),
    },
  };
}
