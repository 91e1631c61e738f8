import { currentWaitingAsker } from "../core/asker.ts";
import { AskerQueue, type WaitingAsker } from "../core/asker_queue.ts";
import { type AppError, LoggableError, makeRefusal } from "../core/errors.ts";
import type { Metrics, QueueMeter } from "../core/metrics.ts";
import { STRANGERS_REFUSED } from "../core/strangers_refused.ts";
import type { Row } from "./database.ts";
import { pauseWhileLocked } from "./retry.ts";
import { isBusy, translateError, unavailable } from "./sql_errors.ts";
import { type Batch, type BatchOutcome, fromPlainError } from "./thread/messages.ts";

/** Maximum number of batches in a commit. */
const MAX_GROUP = 32;
const CLOSED = makeRefusal("The database is closed");
const TOO_MANY_WAIT = makeRefusal("Too many writes wait already");

/** Interval of the checks for late batches while a group runs, in milliseconds. */
const LATE_CHECK_MS = 100;

export interface WriteQueueOptions {
  /** Writes a group; see `ThreadConnection`. */
  readonly writeGroup: (batches: readonly Batch[]) => Promise<BatchOutcome[]>;
  /** Maximum number of waiting batches: in all, of one asker, and of all strangers (`core/asker.ts`). */
  readonly waiting: number;
  readonly waitingPerAsker: number;
  readonly waitingForStrangers: number;
  /** Time within which a batch must begin, in milliseconds; otherwise it is refused, even while a longer one runs. */
  readonly timeoutMs: number;
  readonly metrics?: Metrics | undefined;
  readonly meter?: QueueMeter | undefined;
}

/**
 * Writes batches, waiting ones together in one transaction. Askers take turns; the batches of one asker are written in
 * the order of the calls.
 */
export interface WriteQueue {
  /** Resolves after the commit. Throws `UNAVAILABLE` if nothing was written and may be later. */
  write(batch: Batch): Promise<Row[][]>;
  /** Refuses further batches, and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

interface Waiting extends WaitingAsker {
  readonly batch: Batch;
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Whether it was part of a transaction that failed as a whole. */
  readonly alone: boolean;
  readonly resolve: (rows: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { writeGroup, timeoutMs, metrics, meter } = options;
  const queue = new AskerQueue<Waiting>();
  let running: Promise<void> | undefined;
  let closed = false;
  /** The error of another process's lock that the writes wait for. */
  let lock: unknown;
  meter?.watch(() => queue.size);

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
      reject(refusal(unavailable(new LoggableError(reason, { cause: lock }))));
    }
  }

  function takeGroup(): Waiting[] {
    refuseLate();
    const group: Waiting[] = [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next.alone && group.length > 0) {
        queue.putBack([next]);
        break;
      }
      group.push(next);
      if (next.alone || group.length === MAX_GROUP) break;
    }
    return group;
  }

  async function runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const begunAt = performance.now();
      const outcomes = await writeGroup(group.map(({ batch }) => batch));
      lock = undefined;
      metrics?.record("rolegrid.commit.batches", outcomes.length, {});
      for (const [i, outcome] of outcomes.entries()) {
        const waiting = group[i] as Waiting;
        meter?.waited(begunAt - (waiting.deadline - timeoutMs));
        settle(waiting, outcome);
      }
      queue.putBack(group.slice(outcomes.length));
    } catch (error) {
      // In every case nothing was written, and no caller was told otherwise.
      if (isBusy(error)) {
        lock = error;
        queue.putBack(group);
        await pauseWhileLocked();
      } else if (group.length > 1) {
        queue.putBack(group.map((one) => ({ ...one, alone: true })));
      } else {
        group[0]?.reject(translateError(error));
      }
    }
  }

  function refusal(error: AppError): AppError {
    meter?.refused();
    return error;
  }

  function requireRoom(asker: WaitingAsker): void {
    if (closed) throw CLOSED;
    if (asker.isStranger && queue.strangers >= options.waitingForStrangers) {
      const displaced = queue.yieldToStranger(asker);
      if (displaced === undefined) throw refusal(STRANGERS_REFUSED);
      displaced.reject(refusal(STRANGERS_REFUSED));
    } else if (queue.sizeOf(asker) >= options.waitingPerAsker) {
      throw refusal(TOO_MANY_WAIT);
    } else if (queue.size >= options.waiting) {
      const displaced = queue.yieldTo(asker);
      if (displaced === undefined) throw refusal(TOO_MANY_WAIT);
      displaced.reject(refusal(TOO_MANY_WAIT));
    }
  }

  return {
    async write(batch): Promise<Row[][]> {
      const waitingAsker = currentWaitingAsker();
      requireRoom(waitingAsker);
      return await new Promise((resolve, reject) => {
        const deadline = performance.now() + timeoutMs;
        queue.push({ ...waitingAsker, batch, deadline, alone: false, resolve, reject });
        // Concurrent calls share the first group.
        running ??= Promise.resolve().then(run);
      });
    },
    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}

function settle({ resolve, reject }: Waiting, outcome: BatchOutcome): void {
  if ("rows" in outcome) resolve(outcome.rows);
  else reject(translateError(fromPlainError(outcome.error)));
}
