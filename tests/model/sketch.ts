import { decide, type Operation } from "./oracle.ts";
import type { Outcome } from "./oracle_outcome.ts";
import {
  ALL_RIGHTS,
  EMPTY_WORLD,
  type ModelMember,
  type ModelPassword,
  type ModelRelation,
  type ModelRole,
  type World,
} from "./oracle_rights.ts";

/** Worlds and operations in few words, for tests of the model itself. */

interface Sketch {
  /** [id, selfRights]; ids below 10 are roots. */
  roles: [number, number][];
  /** [id, parentId, childId, rights] */
  relations: [number, number, number, number][];
  /** [id, roleId, userId, rights, endsAt] */
  members?: [number, number, number, number?, (number | null)?][];
  /** By role id. */
  passwords?: Record<number, ModelPassword>;
  /** Ids of relations that only a password made possible. */
  byPassword?: number[];
}

/** A world with four users. */
export function sketch({ roles, relations, members = [], passwords = {}, byPassword = [] }: Sketch): World {
  const keyed = <T extends { id: number }>(rows: T[]): Map<number, T> => new Map(rows.map((r) => [r.id, r]));
  return {
    ...EMPTY_WORLD,
    users: new Map([1, 2, 3, 4].map((id) => [id, `u${id}@example.com`])),
    roles: keyed(roles.map(([id, selfRights]): ModelRole => {
      return { id, name: `r${id}`, selfRights, isRoot: id < 10, password: passwords[id] ?? null };
    })),
    relations: keyed(relations.map(([id, parentId, childId, rights]): ModelRelation => {
      return { id, parentId, childId, rights, byPassword: byPassword.includes(id) };
    })),
    members: keyed(members.map(([id, roleId, userId, rights = ALL_RIGHTS, endsAt = null]): ModelMember => {
      return { id, roleId, userId, rights, endsAt };
    })),
  };
}

/** The ids that things get in a decision. */
export const GIVEN = { nodeId: 500, relationId: 900 };

export function decideGiven(world: World, operation: Operation): Outcome {
  return decide(world, operation, GIVEN);
}

type Of<K extends Operation["kind"]> = Extract<Operation, { kind: K }>;

export function create(userId: number, parentId: number, rights: number): Of<"createRole"> {
  return { kind: "createRole", userId, parentId, rights, name: "new", selfRights: ALL_RIGHTS };
}

export function put(userId: number, parentId: number, childId: number, rights: number): Of<"putRelation"> {
  return { kind: "putRelation", userId, parentId, childId, rights };
}

export function putById(userId: number, parentId: number, relationId: number, rights: number): Operation {
  return { kind: "putRelationById", userId, parentId, relationId, rights };
}

export function remove(userId: number, parentId: number, relationId: number): Of<"deleteRelation"> {
  return { kind: "deleteRelation", userId, parentId, relationId, dryRun: false };
}

export function update(userId: number, roleId: number, selfRights = ALL_RIGHTS): Operation {
  return { kind: "updateRole", userId, roleId, name: "renamed", selfRights };
}

export function setPassword(
  userId: number,
  roleId: number,
  password: string | null,
  rights?: number,
): Operation {
  return { kind: "setPassword", userId, roleId, password, ...rights !== undefined && { rights } };
}

export type Bounds = Pick<Of<"addMember">, "until" | "rights">;

export function add(userId: number, roleId: number, subjectId: number, bounds: Bounds = {}): Operation {
  return { kind: "addMember", userId, roleId, subjectId, ...bounds };
}

export function removeMember(userId: number, roleId: number, memberId: number): Operation {
  return { kind: "removeMember", userId, roleId, memberId };
}

export function makeKey(
  userId: number,
  roleId: number,
  bounds: { rights?: number; expiresAt?: number } = {},
): Operation {
  return { kind: "createKey", userId, roleId, name: "new", ...bounds };
}

export function adoptKey(userId: number, roleId: number, keyId: number): Operation {
  return { kind: "adoptKey", userId, roleId, keyId };
}

export function deleteKey(userId: number, roleId: number, keyId: number): Operation {
  return { kind: "deleteKey", userId, roleId, keyId };
}
