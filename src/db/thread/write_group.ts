import type { Row } from "../database.ts";
import type { BoundStatement, SqlArgs } from "../statement.ts";
import type { NativeConnection } from "../native_connection.ts";
import { type Batch, type BatchOutcome, toPlainError } from "./messages.ts";
import type { Deciders, ThreadDecision } from "./deciders.ts";

/** Maximum age, in milliseconds, of a transaction that a batch joins: the earlier batches wait for its commit. */
const MAX_AGE_MS = 5;

/** A batch that takes a text of so many characters, such as a list of devices, may take longer than a commit. */
const LONG_TEXT = 32_768;

function isLong(batch: Batch): boolean {
  // The statements of a batch mostly share their arguments.
  return [...new Set(batch.map(({ args }) => args))].some((args) =>
    Object.values(args).some((value) => typeof value === "string" && value.length >= LONG_TEXT)
  );
}

/**
 * Runs batches in one transaction, since a commit takes several times as long as a small batch. Returns the outcomes of
 * the begun batches, at least one, after the commit. A failed batch takes back only its own changes; the only one of a
 * group throws. On any other error nothing was written, and the batch at fault is unknown.
 */
export function writeGroup(
  connection: NativeConnection,
  batches: readonly Batch[],
  deciders: Deciders = {},
): BatchOutcome[] {
  const [only = []] = batches;
  if (batches.length <= 1) {
    const startedAt = performance.now();
    const rows = connection.transaction("IMMEDIATE", () => runBatch(connection, only, deciders));
    return [{ rows, ms: performance.now() - startedAt }];
  }
  const closesAt = performance.now() + MAX_AGE_MS;
  return connection.transaction("IMMEDIATE", () => {
    const outcomes: BatchOutcome[] = [];
    for (const batch of batches) {
      if (outcomes.length > 0 && (performance.now() > closesAt || isLong(batch))) break;
      outcomes.push(runPart(connection, batch, deciders));
    }
    return outcomes;
  });
}

function runPart(connection: NativeConnection, batch: Batch, deciders: Deciders): BatchOutcome {
  const startedAt = performance.now();
  try {
    const rows = connection.savepoint(() => runBatch(connection, batch, deciders));
    return { rows, ms: performance.now() - startedAt };
  } catch (error) {
    // A full disk ends the whole transaction: earlier batches are lost, and a later one would commit by itself.
    if (!connection.inTransaction) throw error;
    return { error: toPlainError(error), ms: performance.now() - startedAt };
  }
}

function runBatch(connection: NativeConnection, batch: Batch, deciders: Deciders): Row[][] {
  let decision: ThreadDecision | undefined;
  const run = (statement: BoundStatement): Row[] => {
    const { args, names } = statement;
    return names?.has("decided") && decision !== undefined
      ? connection.all({ ...statement, args: { ...args, decided: decision.text } })
      : connection.all(statement);
  };
  return batch.map((statement) => {
    const { args, decided, onSteps } = statement;
    if (decision !== undefined && onSteps?.includes(decision.step) === false) return [];
    if (decided === undefined) return run(statement);
    const decide = deciders[decided.by];
    if (decide === undefined) throw new RangeError(`This thread cannot decide ${decided.by}`);
    const facts = readFacts(connection, decided.on, args);
    decision = decide(facts, args);
    run(statement);
    return [{ facts }];
  });
}

function readFacts(connection: NativeConnection, reads: readonly BoundStatement[], args: SqlArgs): string {
  for (const read of reads) {
    const facts = connection.all({ ...read, args })[0]?.["facts"];
    if (typeof facts === "string") return facts;
  }
  throw new TypeError("The facts of a change are no text");
}
