import type { Clock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import type { SqlArgs, Statement } from "../db/statement.ts";
import { takingTurns } from "../db/taking_turns.ts";
import { DELETE_DEVICES } from "../device/cascade_queries.ts";
import {
  END_MONITORS_AS_ADMINISTRATOR,
  REMOVE_MONITORS_AS_ADMINISTRATOR,
} from "../device/monitors_removal_queries.ts";
import { READ_DECISION } from "../changes/authority_queries.ts";
import type { Decision, DecisionRow } from "../changes/decision.ts";
import { runTask } from "../changes/run_command.ts";
import { IMPORT_SESSION_PREFIX } from "../changes/import_run_queries.ts";
import { DELETE_RELATION_AS_ADMINISTRATOR } from "../role/manages/deletion_queries.ts";
import { REMOVE_MEMBER_AS_ADMINISTRATOR } from "../role/member/member_removal_queries.ts";
import type { Removal } from "./missing.ts";

const DELETE_RELATION: readonly Statement[] = [
  ...DELETE_RELATION_AS_ADMINISTRATOR,
  ...DELETE_DEVICES,
  READ_DECISION,
];
const REFUSALS: Partial<Record<Decision, string>> = {
  root_without_member: "it is the last that keeps the root role",
  unmanaged: "a role would have no parent with roleManagement",
  would_delete: "roles or devices below it would go that the preview did not list",
  too_large: "it would change too many rows of the rights table",
};

export interface RemovalOptions {
  /** Named by the rows of the log. */
  readonly runId: string;
  /** Maximum cost of a deletion, in closure rows. */
  readonly maxCost: number;
  /** For how long a deleted device lies in the trash. */
  readonly trashMs: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Deletes what an import's files do not name, each thing in a step of its own, and returns what stayed, and why. What is
 * gone already counts as deleted.
 */
export async function removeMissing(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  removals: readonly Removal[],
  options: RemovalOptions,
): Promise<string[]> {
  const turning = { ...database, write: takingTurns(database) };
  const left: string[] = [];
  for (const [i, removal] of removals.entries()) {
    const { batch, args } = batchOf(removal, clock(), options);
    const row = await runTask<DecisionRow>(turning, batch, args);
    const refusal = REFUSALS[row?.decision ?? "denied"];
    if (refusal !== undefined) left.push(`${removal.text}: ${refusal}`);
    options.onProgress?.(i + 1, removals.length);
  }
  return left;
}

function batchOf(
  { kind, roleId, relationId, childId }: Removal,
  now: number,
  { runId, maxCost, trashMs }: RemovalOptions,
): { readonly batch: readonly Statement[]; readonly args: SqlArgs } {
  const [actorId, sessionId] = [0, `${IMPORT_SESSION_PREFIX}${runId}`];
  const removal = { opId: crypto.randomUUID(), now, actorId, sessionId, relationId };
  if (kind === "membership") return { batch: REMOVE_MEMBER_AS_ADMINISTRATOR, args: { ...removal, roleId } };
  if (kind === "ended place") return { batch: END_MONITORS_AS_ADMINISTRATOR, args: { ...removal, roleId } };
  if (kind === "deleted place") {
    return { batch: REMOVE_MONITORS_AS_ADMINISTRATOR, args: { ...removal, roleId, trashMs } };
  }
  const mayDelete = JSON.stringify(childId === undefined ? [] : [childId]);
  const args = { ...removal, parentId: roleId, maxCost, trashMs, refusesCascade: 0, mayDelete };
  return { batch: DELETE_RELATION, args };
}
