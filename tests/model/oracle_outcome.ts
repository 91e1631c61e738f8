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
  return refused(world, 403, "Forbidden", "User does not have sufficient rights");
}

export function conflict(world: World, message: string, named: Record<string, unknown> = {}): Outcome {
  return refused(world, 409, "Conflict", message, named);
}

export function unprocessable(world: World, message: string): Outcome {
  return refused(world, 422, "Unprocessable Entity", message);
}

/** The credentials are unknown or no longer valid. */
export function unauthorized(world: World): Outcome {
  return refused(world, 401, "Unauthorized", "Failed to verify token");
}

function refused(world: World, status: number, error: string, message: string, named: object = {}): Outcome {
  return { ...success(world, { statusCode: status, error, message, ...named }), status };
}
