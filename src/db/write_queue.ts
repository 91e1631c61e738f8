import { LoggableError, makeRefusal } from "../core/errors.ts";
import type { Metrics, QueueMeter } from "../core/metrics.ts";
import { type Held, Shares } from "../core/shares.ts";
import type { Row } from "./database.ts";
import { pauseWhileLocked } from "./retry.ts";
import { isBusy, translateError, unavailable } from "./sql_errors.ts";
import { type Batch, type BatchOutcome, fromPlainError } from "./thread/messages.ts";

/** Maximum number of batches in a commit. */
const MAX_GROUP = 32;
/** Interval of the checks for late batches while a group runs, in milliseconds. */
const LATE_CHECK_MS = 100;

const CLOSED = makeRefusal("The database is closed");

export interface WriteQueueOptions {
  /** Writes a group; see `ThreadConnection`. */
  readonly writeGroup: (batches: readonly Batch[]) => Promise<BatchOutcome[]>;
  /** Maximum number of waiting batches. */
  readonly waiting: number;
  /** Time within which a batch must begin, in milliseconds; otherwise it is refused, even while a longer one runs. */
  readonly timeoutMs: number;
  readonly metrics?: Metrics | undefined;
  readonly meter?: QueueMeter | undefined;
}

/**
 * Writes batches, waiting ones together in one transaction. Callers take turns (`core/shares.ts`); the batches of one
 * caller are written in the order of the calls.
 */
export interface WriteQueue {
  /** Resolves after the commit. Throws `UNAVAILABLE` if nothing was written and may be later. */
  write(batch: Batch): Promise<Row[][]>;
  /** Refuses further batches, and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

/** A batch with a place in the next group. */
interface Placed {
  readonly batch: Batch;
  readonly held: Held;
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Whether it was part of a transaction that failed as a whole. */
  readonly alone: boolean;
  readonly resolve: (rows: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { writeGroup, timeoutMs, metrics, meter, waiting } = options;
  const places = new Shares({ size: MAX_GROUP, waiting, timeoutMs, meter });
  let placed: Placed[] = [];
  let running: Promise<void> | undefined;
  let closed = false;
  /** The error of another process's lock that the writes wait for. */
  let lock: unknown;

  async function run(): Promise<void> {
    const timer = setInterval(refuseLate, LATE_CHECK_MS);
    // Callers whose turn has just come are placed by microtasks that are already queued.
    for (await undefined; placed.length > 0; await undefined) {
      refuseLate();
      const group = takeGroup();
      if (group.length > 0) await runGroup(group);
    }
    clearInterval(timer);
    running = undefined;
  }

  /** Callers who owe nothing go first, so that they do not wait for the commit of those who do. */
  function takeGroup(): Placed[] {
    const light = placed.filter(({ held, alone }) => !alone && !held.owes());
    if (light.length > 0) {
      placed = placed.filter((one) => !light.includes(one));
      return light;
    }
    const alone = placed.findIndex((one) => one.alone);
    return placed.splice(0, alone < 0 ? placed.length : Math.max(alone, 1));
  }

  function refuseLate(): void {
    const now = performance.now();
    const isLate = ({ deadline }: Placed): boolean => now > deadline;
    const late = placed.filter(isLate);
    placed = placed.filter((one) => !isLate(one));
    for (const one of late) {
      const reason = `The write could not begin within ${timeoutMs} ms`;
      meter?.refused();
      end(one, () => one.reject(unavailable(new LoggableError(reason, { cause: lock }))));
    }
  }

  async function runGroup(group: readonly Placed[]): Promise<void> {
    try {
      const outcomes = await writeGroup(group.map(({ batch }) => batch));
      lock = undefined;
      metrics?.record("rolegrid.commit.batches", outcomes.length, {});
      // There was no time for these. The first of them is the next.
      for (const one of group.slice(outcomes.length).reverse()) place(one, one.held.putBack());
      for (const [i, outcome] of outcomes.entries()) settle(group[i] as Placed, outcome);
    } catch (error) {
      // In every case nothing was written, and no caller was told otherwise.
      if (isBusy(error)) {
        lock = error;
        placed.unshift(...group);
        await pauseWhileLocked();
      } else if (group.length > 1) {
        placed.unshift(...group.map((one) => ({ ...one, alone: true })));
      } else {
        for (const one of group) end(one, () => one.reject(translateError(error)));
      }
    }
  }

  function end({ held }: Placed, tell: () => void, threadMs = 0): void {
    tell();
    held.release(threadMs);
  }

  function settle(one: Placed, outcome: BatchOutcome): void {
    end(one, () => {
      if ("rows" in outcome) one.resolve(outcome.rows);
      else one.reject(translateError(fromPlainError(outcome.error)));
    }, outcome.ms);
  }

  function place(one: Omit<Placed, "held">, taken: Held | Promise<Held>): void {
    if (taken instanceof Promise) {
      taken.then((held) => place(one, held), one.reject);
      return;
    }
    placed.push({ ...one, held: taken });
    // Concurrent calls share the first group.
    running ??= run();
  }

  return {
    async write(batch): Promise<Row[][]> {
      if (closed) throw CLOSED;
      const taken = places.take();
      return await new Promise((resolve, reject) => {
        place({ batch, deadline: performance.now() + timeoutMs, alone: false, resolve, reject }, taken);
      });
    },
    async close(): Promise<void> {
      closed = true;
      await places.close();
      await running;
    },
  };
}
