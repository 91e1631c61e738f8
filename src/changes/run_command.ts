import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../core/errors.ts";
import { Shares } from "../core/shares.ts";
import type { Database } from "../db/database.ts";
import { typedRows } from "../db/rows.ts";
import { isOutcomeUnknown } from "../db/sql_errors.ts";
import {
  bindBatch,
  bindNamed,
  type BoundStatement,
  pickNamed,
  type SqlArgs,
  type Statement,
} from "../db/statement.ts";
import { MAX_PAUSE_MS, MAX_REPEATS, REPEAT_WITHIN_MS, writeOnce } from "../db/write_once.ts";
import type { Authorization, Membership } from "../graph/rules/rules.ts";
import { STEP_UP_LEVELS, type StepUpLevel } from "../graph/rules/step_up_queries.ts";
import { REFUSE_REPEATED_CHANGE } from "./change_queries.ts";
import { haveFactsChanged, isDecided, type RunnableCommand } from "./command.ts";
import type { Decision } from "./decision.ts";
import { MERGE_TRIED } from "./merge_queries.ts";
import { decisionOf } from "./ruled.ts";

/** Maximum number of times that a change is decided, while others change its facts between its read and its write. */
const MAX_ROUNDS = 20;
/** Maximum number of changes that wait for their turn with one target, and how long, in milliseconds. */
const WAITING = 100;
const WAIT_MS = 2000;
/** Facts of more characters, of a caller with thousands of different memberships, are not decided on the event loop. */
const MAX_JUDGED = 262_144;

export interface Run<T> {
  /** Undefined if the session has ended. */
  readonly row: T | undefined;
  /** Returns the lowest level at which a session of the caller would not get this refusal, or undefined. */
  readonly levelFor: (refusal: Decision) => StepUpLevel | undefined;
}

/** The turns of targets that changes fight over. While some wait, new ones wait, too. */
const turns = new Map<string, Shares>();

/**
 * Runs a batch that a command decides, once; see `command.ts`. If the facts have changed before the write, begins anew,
 * now in turn with other changes of the same target. Throws `UNAVAILABLE` after twenty rounds, and the errors of reads and
 * writes.
 */
export async function runCommand<T extends object>(
  database: Database,
  command: RunnableCommand,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<Run<T>> {
  if (database.decides) return await decideInWrite(database, command, batch, args);
  const target = command.target(args);
  if (!turns.has(target)) {
    const first = await decideAndWrite<T>(database, command, batch, args);
    if (first !== undefined) return first;
  }
  const turn = turns.get(target) ?? new Shares({ size: 1, waiting: WAITING, timeoutMs: WAIT_MS });
  turns.set(target, turn);
  try {
    return await turn.run(async () => {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const run = await decideAndWrite<T>(database, command, batch, args);
        if (run !== undefined) return run;
      }
      throw new AppError("UNAVAILABLE");
    });
  } finally {
    if (turn.free > 0) turns.delete(target);
  }
}

/** Runs the batch of a change that an administrator's task makes, once. Returns the row that its last statement reads. */
export async function runTask<T extends object>(
  database: Database,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  const all = { ...args, branch: "" };
  const command = batch.find(isDecided)?.command;
  if (command === undefined) return await writeChange<T>(database, batch, all);
  return (await runCommand<T>(database, command, batch, all)).row;
}

/** Writes the batch of a change, once; see `writeOnce`. Returns the row that its last statement reads. */
export async function writeChange<T extends object>(
  database: Database,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  return await writeOnce<T>(database, { guard: REFUSE_REPEATED_CHANGE, batch, after: [MERGE_TRIED], args });
}

/** The thread of the write decides, in its transaction. */
async function decideInWrite<T extends object>(
  database: Database,
  command: RunnableCommand,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<Run<T>> {
  const at = batch.findIndex(isDecided);
  const statements = bindBatch([...batch, MERGE_TRIED], { ...args, decided: null });
  const results = await database.write(statements);
  return {
    row: typedRows<T>(results[batch.length - 1])[0],
    levelFor: (refusal) => levelFor(command, args, results[at]?.[0]?.["facts"] as string, refusal),
  };
}

/** Returns undefined if the facts do not hold any more. */
async function decideAndWrite<T extends object>(
  database: Database,
  command: RunnableCommand,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<Run<T> | undefined> {
  const { facts, memberships } = await readFacts(database, command, args);
  const read = JSON.parse(facts) as Authorization<Membership>;
  if (read.caller === null) return { row: undefined, levelFor: () => undefined };
  const { text: decided, step } = decisionOf(command.decide(read, args));
  const all = { ...args, facts, decided };
  const guarded = [
    ...(command.refuseRepeated === undefined ? [] : [command.refuseRepeated]),
    command.guards[memberships],
    ...batch.with(batch.findIndex(isDecided), command.records)
      .filter(({ onSteps }) => onSteps?.includes(step) !== false),
  ];
  try {
    const row = await writeChange<T>(
      database,
      guarded,
      pickNamed([...guarded, MERGE_TRIED], all),
    );
    return { row, levelFor: (refusal) => levelFor(command, args, facts, refusal) };
  } catch (error) {
    if (haveFactsChanged(error)) return undefined;
    throw error;
  }
}

async function readFacts(database: Database, { reads }: RunnableCommand, args: SqlArgs) {
  const isUser = Number(args["actorId"]) > 0;
  for (const memberships of isUser ? ["few", "many"] as const : ["many"] as const) {
    const row = await readAgain(database, bindNamed(reads[memberships], args));
    if (typeof row?.facts === "string") return { facts: row.facts, memberships };
  }
  throw new TypeError("The facts of a change are no text");
}

/** Reads facts again if a server's response is lost, at most twice, as a write is sent again (`db/write_once.ts`). */
async function readAgain(
  database: Database,
  statement: BoundStatement,
): Promise<{ facts: string | null } | undefined> {
  const repeatUntil = performance.now() + REPEAT_WITHIN_MS;
  for (let repeats = 0;; repeats++) {
    try {
      return (await database.read<{ facts: string | null }>(statement))[0];
    } catch (error) {
      const isLast = repeats === MAX_REPEATS || performance.now() > repeatUntil;
      if (!isOutcomeUnknown(error) || isLast) throw error;
      await delay(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/**
 * Decides as if the session met more. A limit of the write refuses whatever the session meets, and keys have no session.
 */
function levelFor(
  { decide, judged = (facts) => facts }: RunnableCommand,
  args: SqlArgs,
  text: string,
  refusal: Decision,
): StepUpLevel | undefined {
  if (text.length > MAX_JUDGED) return undefined;
  const facts = judged(JSON.parse(text) as Authorization<Membership>);
  if (typeof facts.caller?.meets !== "number" || decide(facts, args).ruling !== refusal) return undefined;
  return STEP_UP_LEVELS.find((meets) => {
    const { ruling } = decide({ ...facts, caller: { meets } }, args);
    return ruling !== refusal && ruling !== "denied" && ruling !== "needs_step_up";
  });
}
