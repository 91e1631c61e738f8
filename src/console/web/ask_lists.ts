import { api, dataOf } from "./api.ts";
import type { components, operations } from "./openapi_types.ts";

/** Queries that several views send. */

type Schemas = components["schemas"];

/** The body of a query. */
export type BodyOf<Name extends "queryMembers" | "queryManages" | "queryAccessToRole" | "queryDevices"> =
  NonNullable<
    operations[Name]["requestBody"]
  >["content"]["application/json"];

/** Queries members of a role, or of all roles whose members the viewer manages, with the viewer's own memberships. */
export async function queryMembers(
  roleId: number | "*",
  body: BodyOf<"queryMembers">,
  signal: AbortSignal | null = null,
): Promise<Schemas["MemberList"]> {
  const params = { path: { roleId: roleId === "*" ? roleId : [roleId] } };
  return await dataOf(api.POST("/v1/role/{roleId}/member/query", { params, body, signal }));
}

/** Queries relations from a role, or from all that the viewer sees. */
export async function queryManages(
  roleId: number | "*",
  body: BodyOf<"queryManages">,
  signal: AbortSignal | null = null,
): Promise<Schemas["ManagesList"]> {
  const params = { path: { parentRoleId: roleId === "*" ? roleId : [roleId] } };
  return await dataOf(api.POST("/v1/role/{parentRoleId}/manages/query", { params, body, signal }));
}

/** Queries people and keys with access to a role. */
export async function queryAccess(
  roleId: number,
  body: BodyOf<"queryAccessToRole">,
  signal: AbortSignal,
): Promise<Schemas["AccessToRole"]> {
  const params = { path: { roleId } };
  const list = await dataOf(api.POST("/v1/role/{roleId}/access/query", { params, body, signal }));
  // The request accepts JSON alone, so the response is not text.
  return list as Schemas["AccessToRole"];
}

/** Queries devices. */
export async function queryDevices(body: BodyOf<"queryDevices">, signal: AbortSignal) {
  // Without `skipHash`, there is a list.
  return await dataOf(api.POST("/v1/device/query", { body, signal })) ?? { device: [], nextCursor: null };
}

/** A filter of changes; by default all visible ones. */
export interface LogFilter {
  /** About this role, or directly below it. */
  readonly roleId?: number | undefined;
  /** By the person with this address. */
  readonly actorEmail?: string | undefined;
  /** Of memberships of the person with this address, or of the account with this id. */
  readonly memberEmail?: string | undefined;
  readonly memberId?: number | undefined;
  /** By the account with this id. */
  readonly actorId?: number | undefined;
  readonly kind?: string | undefined;
  readonly decision?: string | undefined;
  /** The first and the last time (ISO 8601). */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Queries the log of changes, oldest first. */
export async function queryChanges(
  body: { filter?: LogFilter; after?: number; limit?: number; wait?: number },
  signal: AbortSignal | null = null,
): Promise<Schemas["ChangeList"]> {
  const list = await dataOf(api.POST("/v1/change/query", { body: body as object, signal }));
  // The request accepts JSON alone, so the response is not text.
  return list as Schemas["ChangeList"];
}
