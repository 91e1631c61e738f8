import type { Row } from "../database.ts";
import type { NativeConnection } from "../native_connection.ts";
import { type Batch, type BatchOutcome, toPlainError } from "./messages.ts";

/** Maximum age, in milliseconds, of a transaction that a batch joins: the earlier batches wait for its commit. */
const MAX_AGE_MS = 5;

/** A batch that takes a text of so many characters, such as a list of devices, may take longer than a commit. */
const LONG_TEXT = 32_768;

function isLong(batch: Batch): boolean {
  return batch.some(({ args }) =>
    Object.values(args).some((value) => typeof value === "string" && value.length >= LONG_TEXT)
  );
}

/**
 * Runs batches in one transaction, since a commit takes several times as long as a small batch. Returns the outcomes of
 * the begun batches, at least one, after the commit. A failed batch takes back only its own changes; the only one of a
 * group throws. On any other error nothing was written, and the batch at fault is unknown.
 */
export function writeGroup(connection: NativeConnection, batches: readonly Batch[]): BatchOutcome[] {
  const [only = []] = batches;
  if (batches.length <= 1) {
    const startedAt = performance.now();
    const rows = connection.transaction("IMMEDIATE", () => runBatch(connection, only));
    return [{ rows, ms: performance.now() - startedAt }];
  }
  const closesAt = performance.now() + MAX_AGE_MS;
  return connection.transaction("IMMEDIATE", () => {
    const outcomes: BatchOutcome[] = [];
    for (const batch of batches) {
      if (outcomes.length > 0 && (performance.now() > closesAt || isLong(batch))) break;
      outcomes.push(runPart(connection, batch));
    }
    return outcomes;
  });
}

function runPart(connection: NativeConnection, batch: Batch): BatchOutcome {
  const startedAt = performance.now();
  try {
    const rows = connection.savepoint(() => runBatch(connection, batch));
    return { rows, ms: performance.now() - startedAt };
  } catch (error) {
    // A full disk ends the whole transaction: earlier batches are lost, and a later one would commit by itself.
    if (!connection.inTransaction) throw error;
    return { error: toPlainError(error), ms: performance.now() - startedAt };
  }
}

function runBatch(connection: NativeConnection, batch: Batch): Row[][] {
  return batch.map((statement) => connection.all(statement));
}
