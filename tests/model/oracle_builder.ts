import assert from "node:assert/strict";
import type { TestApp } from "../helpers/test_app.ts";
import type { Operation } from "./oracle.ts";
import { perform } from "./oracle_driver.ts";
import { type GraphRun, startRun } from "./oracle_run.ts";

/** Builds graphs by requests that must get an expected status. */

/** Sends an operation, compares the result with the model, and asserts its status. */
export async function must(run: GraphRun, status: number, operation: Operation): Promise<unknown> {
  const outcome = await perform(run, operation);
  assert.equal(outcome.status, status, run.trace.at(-1) ?? "");
  return outcome.body;
}

export interface SmallWorld {
  readonly run: GraphRun;
  /** The first root and its only member. */
  readonly rootId: number;
  readonly adminId: number;
  /** The second root and its only member; the first root if there is only one. */
  readonly otherRootId: number;
  /** A user without any role. */
  readonly userId: number;
}

/** A fresh world of roots, each with one member, and one more user. */
export async function startSmallWorld(target: TestApp, roots: 1 | 2 = 1): Promise<SmallWorld> {
  const run = await startRun(target, { roots, otherUsers: 1, secondRootBelowFirst: null });
  const [first, second] = [...run.world.members.values()];
  const userId = [...run.world.users.keys()].at(-1);
  assert.ok(first !== undefined && userId !== undefined);
  const otherRootId = second?.roleId ?? first.roleId;
  return { run, rootId: first.roleId, adminId: first.userId, otherRootId, userId };
}

export interface NewRole {
  readonly parentId: number;
  /** Rights of the relation from the parent. */
  readonly rights: number;
  readonly selfRights?: number;
  readonly name?: string;
}

/** Creates a role as this user and returns its id. */
export async function createRole(run: GraphRun, userId: number, role: NewRole): Promise<number> {
  const { parentId, rights, selfRights = 0, name = "role" } = role;
  const before = new Set(run.world.roles.keys());
  await must(run, 200, { kind: "createRole", userId, parentId, rights, name, selfRights });
  const created = [...run.world.roles.keys()].find((id) => !before.has(id));
  assert.ok(created !== undefined);
  return created;
}

/** Sets the relation between two roles as this user and returns its id. */
export async function link(
  run: GraphRun,
  userId: number,
  relation: { parentId: number; childId: number; rights: number },
): Promise<number> {
  await must(run, 200, { kind: "putRelation", userId, ...relation });
  return relationBetween(run, relation.parentId, relation.childId);
}

/** The id of the relation between two roles that have one. */
export function relationBetween({ world }: GraphRun, parentId: number, childId: number): number {
  const relation = [...world.relations.values()].find((r) =>
    r.parentId === parentId && r.childId === childId
  );
  assert.ok(relation !== undefined, `no relation from role ${parentId} to role ${childId}`);
  return relation.id;
}

/** Deletes the relation between two roles as this user, and asserts the status of the response. */
export async function unlink(
  run: GraphRun,
  userId: number,
  relation: { parentId: number; childId: number; status?: number },
): Promise<unknown> {
  const { parentId, childId, status = 200 } = relation;
  const relationId = relationBetween(run, parentId, childId);
  return await must(run, status, { kind: "deleteRelation", userId, parentId, relationId, dryRun: false });
}
