import type { World } from "./oracle_rights.ts";

/** The ids that the service assigned. The model cannot predict them and takes them over. */
export interface GivenIds {
  readonly nodeId: number;
  readonly relationId: number;
}

/** The expected response, and the world after it. A refused operation leaves the very same world. */
export interface Outcome {
  readonly status: number;
  readonly body: unknown;
  readonly after: World;
  readonly createdNodeIds: readonly number[];
  readonly createdRelationIds: readonly number[];
}

export function success(after: World, body: unknown): Outcome {
  return { status: 200, body, after, createdNodeIds: [], createdRelationIds: [] };
}

export function forbidden(world: World): Outcome {
  const body = { statusCode: 403, error: "Forbidden", message: "User does not have sufficient rights" };
  return { status: 403, body, after: world, createdNodeIds: [], createdRelationIds: [] };
}

export function conflict(world: World, message: string, named: Record<string, unknown> = {}): Outcome {
  const body = { statusCode: 409, error: "Conflict", message, ...named };
  return { status: 409, body, after: world, createdNodeIds: [], createdRelationIds: [] };
}

export function unprocessable(world: World, message: string): Outcome {
  const body = { statusCode: 422, error: "Unprocessable Entity", message };
  return { status: 422, body, after: world, createdNodeIds: [], createdRelationIds: [] };
}

/** The credentials are unknown or no longer valid. */
export function unauthorized(world: World): Outcome {
  const body = { statusCode: 401, error: "Unauthorized", message: "Failed to verify token" };
  return { status: 401, body, after: world, createdNodeIds: [], createdRelationIds: [] };
}
