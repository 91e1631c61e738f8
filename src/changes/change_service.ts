import type { Actor } from "../core/actor.ts";
import { DAY_MS, SECOND_MS } from "../core/clock.ts";
import type { Metrics } from "../core/metrics.ts";
import { currentBranch } from "../core/request_scope.ts";
import { noteRevision } from "../db/revisions.ts";
import { pickNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import { judgementOf } from "./change_queries.ts";
import { isDecided } from "./command.ts";
import { runCommand, writeChange } from "./run_command.ts";
import type { Decision, DecisionRow } from "./decision.ts";
import type { ChangeDeps } from "./deps.ts";
import { levelToStepUp } from "../graph/rules/step_up.ts";
import type { StepUpLevel } from "../graph/rules/step_up_queries.ts";

/** Refusals that a further membership of the actor may lift. */
const FOR_LACK_OF_MEMBERSHIP: ReadonlySet<Decision> = new Set(["denied", "cannot_end", "period_outside"]);

/**
 * Runs the batch of one change. Returns the row that its last statement reads, or undefined if the actor's session has
 * ended. Notes the row's revision for the response, even if the change is refused. Takes one round trip, of a command
 * on a server two, and more if a server's response is lost; the change is made only once. A refusal for lack of a membership is
 * `needs_step_up` if a session of the actor that met more would not get it; `judgedWith` replaces arguments that an
 * earlier refusal has set. Throws `UNAVAILABLE` if the facts of a command change all the time.
 */
export async function runChange<T extends DecisionRow>(
  deps: Omit<ChangeDeps, "secrets">,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
  judgedWith: SqlArgs = {},
): Promise<T | undefined> {
  const all = {
    opId: crypto.randomUUID(),
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    branch: await currentBranch(),
    ...pickNamed(batch, limitArgs(deps)),
    ...args,
  };
  const command = batch.find(isDecided)?.command;
  const { row, levelFor } = command !== undefined
    ? await runCommand<T>(deps.database, command, batch, all)
    : {
      row: await writeChange<T>(deps.database, batch, all),
      levelFor: (refusal: Decision) => levelOfChange(deps, actor, batch, { ...args, ...judgedWith }, refusal),
    };
  if (row === undefined) return undefined;
  noteRevision(row.revision);
  countChange(deps.metrics, row);
  if (!FOR_LACK_OF_MEMBERSHIP.has(row.decision)) return row;
  const level = await levelFor(row.decision);
  return level === undefined ? row : { ...row, decision: "needs_step_up", needs: level };
}

function countChange(metrics: Metrics | undefined, { decision, cost }: DecisionRow): void {
  metrics?.add("rolegrid.changes", 1, { "rolegrid.decision": decision });
  if (decision === "ok" && cost !== null) metrics?.record("rolegrid.change.cost", cost, {});
}

/**
 * Returns the level at which a session of the actor would not get the refusal, or undefined. The log keeps it.
 */
async function levelOfChange(
  deps: Pick<ChangeDeps, "database" | "clock" | "storeLimits">,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
  refusal: Decision,
): Promise<StepUpLevel | undefined> {
  const statement = judgementOf(batch);
  if (statement === undefined) return undefined;
  return await levelToStepUp(deps, actor, {
    statement,
    args: { opId: "", ...limitArgs(deps), ...args },
    // Setting a demand may need a higher level than the membership by which the actor may set it.
    refuses: (judged) => judged === undefined || [refusal, "denied", "needs_step_up"].includes(judged.ruling),
    isLate: true,
  });
}

/** Returns the limits as parameters; see `charge_queries.ts`. */
function limitArgs({ clock, storeLimits }: Pick<ChangeDeps, "clock" | "storeLimits">): SqlArgs {
  const { roles, devices, bucket, trashDays, provisionPerDay } = storeLimits;
  const { capacity, drainSeconds } = bucket;
  const drainMs = drainSeconds * SECOND_MS;
  return {
    quotaRoles: roles,
    quotaDevices: devices,
    latestFreeAt: clock() + drainMs,
    msPerByte: drainMs / capacity,
    trashMs: trashDays * DAY_MS,
    provisionPerDay,
  };
}
