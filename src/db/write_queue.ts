import { LoggableError } from "../core/errors.ts";
import type { Row } from "./database.ts";
import { pauseWhileBusy } from "./retry.ts";
import { isBusy, translateError, unavailable } from "./sql_errors.ts";
import { type Batch, type BatchOutcome, fromPlainError } from "./thread/messages.ts";

/** How many batches share a commit at most. */
const MAX_GROUP = 32;
/** How often batches that have waited too long are looked for, in milliseconds, while a group runs. */
const LATE_CHECK_MS = 100;

export interface WriteQueueOptions {
  /** See `ThreadConnection`. */
  readonly writeGroup: (batches: readonly Batch[]) => Promise<BatchOutcome[]>;
  /** Maximum number of waiting batches. */
  readonly waiting: number;
  /** A batch that could not begin within this time, in milliseconds, is refused, even while a longer one runs. */
  readonly timeoutMs: number;
}

/** Writes batches in the order of the calls, those that wait together in one transaction. */
export interface WriteQueue {
  /** Resolves after the commit. Throws `UNAVAILABLE` if nothing was written and may be later. */
  write(batch: Batch): Promise<Row[][]>;
  /** Refuses further batches, and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

interface Waiting {
  readonly batch: Batch;
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Whether it was part of a transaction that failed as a whole. */
  readonly alone: boolean;
  readonly resolve: (rows: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

export function createWriteQueue({ writeGroup, waiting, timeoutMs }: WriteQueueOptions): WriteQueue {
  const queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  let closed = false;
  /** The error of the lock that the writes wait for, of another process. */
  let lock: unknown;

  async function run(): Promise<void> {
    const timer = setInterval(refuseLate, LATE_CHECK_MS);
    while (queue.length > 0) {
      const group = takeGroup();
      if (group.length > 0) await runGroup(group);
    }
    clearInterval(timer);
    running = undefined;
  }

  /** The oldest are at the front. */
  function refuseLate(): void {
    for (let next = queue[0]; next !== undefined && performance.now() > next.deadline; next = queue[0]) {
      queue.shift();
      const reason = `The write could not begin within ${timeoutMs} ms`;
      next.reject(unavailable(new LoggableError(reason, { cause: lock })));
    }
  }

  function takeGroup(): Waiting[] {
    refuseLate();
    const group: Waiting[] = [];
    for (let next = queue[0]; next !== undefined && group.length < MAX_GROUP; next = queue[0]) {
      if (next.alone && group.length > 0) break;
      queue.shift();
      group.push(next);
      if (next.alone) break;
    }
    return group;
  }

  async function runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await writeGroup(group.map(({ batch }) => batch));
      lock = undefined;
      for (const [i, outcome] of outcomes.entries()) settle(group[i], outcome);
      queue.unshift(...group.slice(outcomes.length));
    } catch (error) {
      // In every case nothing was written, and nobody was told otherwise.
      if (isBusy(error)) {
        lock = error;
        queue.unshift(...group);
        await pauseWhileBusy();
      } else if (group.length > 1) {
        queue.unshift(...group.map((one) => ({ ...one, alone: true })));
      } else {
        group[0]?.reject(translateError(error));
      }
    }
  }

  return {
    write(batch): Promise<Row[][]> {
      if (closed) return Promise.reject(unavailable(new LoggableError("The database is closed")));
      if (queue.length >= waiting) {
        return Promise.reject(unavailable(new LoggableError(`${waiting} writes wait already`)));
      }
      return new Promise((resolve, reject) => {
        queue.push({ batch, deadline: performance.now() + timeoutMs, alone: false, resolve, reject });
        // Those that are called at the same time share the first group.
        running ??= Promise.resolve().then(run);
      });
    },
    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}

function settle(waiting: Waiting | undefined, outcome: BatchOutcome): void {
  if ("rows" in outcome) waiting?.resolve(outcome.rows);
  else waiting?.reject(translateError(fromPlainError(outcome.error)));
}
