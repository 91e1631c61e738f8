import { currentAsker, isStrangerAsking } from "../core/asker.ts";
import { LoggableError } from "../core/errors.ts";
import { FairQueue } from "../core/fair_queue.ts";
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
  /** Maximum number of waiting batches: of everybody, and of one asker. The second half is only for users and jobs. */
  readonly waiting: number;
  readonly waitingPerAsker: number;
  /** A batch that could not begin within this time, in milliseconds, is refused, even while a longer one runs. */
  readonly timeoutMs: number;
}

/**
 * Writes batches, those that wait together in one transaction. Askers take turns; the batches of one of them are
 * written in the order of the calls.
 */
export interface WriteQueue {
  /** Resolves after the commit. Throws `UNAVAILABLE` if nothing was written and may be later. */
  write(batch: Batch): Promise<Row[][]>;
  /** Refuses further batches, and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

interface Waiting {
  readonly asker: string;
  readonly batch: Batch;
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Whether it was part of a transaction that failed as a whole. */
  readonly alone: boolean;
  readonly resolve: (rows: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { writeGroup, timeoutMs } = options;
  const queue = new FairQueue<Waiting>();
  let running: Promise<void> | undefined;
  let closed = false;
  /** The error of the lock that the writes wait for, of another process. */
  let lock: unknown;

  async function run(): Promise<void> {
    const timer = setInterval(refuseLate, LATE_CHECK_MS);
    while (queue.size > 0) {
      const group = takeGroup();
      if (group.length > 0) await runGroup(group);
    }
    clearInterval(timer);
    running = undefined;
  }

  function refuseLate(): void {
    const now = performance.now();
    for (const { reject } of queue.takeWhile(({ deadline }) => now > deadline)) {
      const reason = `The write could not begin within ${timeoutMs} ms`;
      reject(unavailable(new LoggableError(reason, { cause: lock })));
    }
  }

  function takeGroup(): Waiting[] {
    refuseLate();
    const group: Waiting[] = [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next.alone && group.length > 0) {
        putBack([next]);
        break;
      }
      group.push(next);
      if (next.alone || group.length === MAX_GROUP) break;
    }
    return group;
  }

  function putBack(batches: readonly Waiting[]): void {
    queue.putBack(Map.groupBy(batches, ({ asker }) => asker));
  }

  async function runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await writeGroup(group.map(({ batch }) => batch));
      lock = undefined;
      for (const [i, outcome] of outcomes.entries()) settle(group[i], outcome);
      putBack(group.slice(outcomes.length));
    } catch (error) {
      // In every case nothing was written, and nobody was told otherwise.
      if (isBusy(error)) {
        lock = error;
        putBack(group);
        await pauseWhileBusy();
      } else if (group.length > 1) {
        putBack(group.map((one) => ({ ...one, alone: true })));
      } else {
        group[0]?.reject(translateError(error));
      }
    }
  }

  return {
    write(batch): Promise<Row[][]> {
      if (closed) return Promise.reject(unavailable(new LoggableError("The database is closed")));
      const asker = currentAsker();
      const most = isStrangerAsking() ? options.waiting / 2 : options.waiting;
      if (queue.size >= most || queue.sizeOf(asker) >= options.waitingPerAsker) {
        return Promise.reject(unavailable(new LoggableError("Too many writes wait already")));
      }
      return new Promise((resolve, reject) => {
        const deadline = performance.now() + timeoutMs;
        queue.push(asker, { asker, batch, deadline, alone: false, resolve, reject });
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
