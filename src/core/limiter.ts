import { currentAsker, isStrangerAsking } from "./asker.ts";
import { AskerQueue, type WaitingAsker } from "./asker_queue.ts";
import { type AppError, makeRefusal } from "./errors.ts";
import type { QueueMeter } from "./metrics.ts";
import { STRANGERS_REFUSED } from "./strangers_refused.ts";

export interface LimiterOptions {
  /** Maximum number of running tasks. */
  readonly running: number;
  /** Maximum number of waiting tasks, beyond the running ones. */
  readonly waiting: number;
  /** Maximum number of waiting tasks of strangers (`asker.ts`). Default: `waiting`. */
  readonly waitingForStrangers?: number;
  /** Maximum number of running tasks of one key, where tasks take long. Unlimited by default. */
  readonly runningPerKey?: number;
  /** Maximum number of tasks of one key, running and waiting together. Unlimited by default. */
  readonly perKey?: number;
  /** Maximum wait of a task, in milliseconds. One whose turn comes later is refused: its caller has given up. */
  readonly timeoutMs?: number;
  /** Refuses a task as soon as its wait is over, where others may run for longer than that. */
  readonly endsWaits?: boolean;
  readonly meter?: QueueMeter | undefined;
}

const CLOSED = makeRefusal("It is closed");
const TOO_MANY_WAIT = makeRefusal("Too many tasks wait already");
const TOO_MANY_OF_KEY = makeRefusal("Too many tasks of one key or share run or wait already");

interface WaitingTask extends WaitingAsker {
  readonly start: () => void;
  readonly reject: (error: unknown) => void;
}

/** A limit of tasks, running and waiting together, shared by several keys. */
export interface Share {
  /** Its name, which must not be a key. */
  readonly name: string;
  readonly most: number;
}

export interface Limiter {
  /**
   * Runs a task when its turn comes: keys take turns, and the tasks of a key run in order. `key` defaults to the
   * current asker; `deadline` is by `performance.now()`. Throws `UNAVAILABLE` without running it: at once if the
   * queue, key or a share is full or the limiter is closed; later if it waited too long or was displaced.
   */
  run<T>(task: (deadline: number) => Promise<T>, key?: string, shares?: readonly Share[]): Promise<T>;
  /** Whether `run` would accept such a task now. */
  hasRoom(key: string, shares: readonly Share[]): boolean;
  /** Refuses new tasks and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

function count(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const sum = (counts.get(name) ?? 0) + by;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}

function askerOf(asker: string): WaitingAsker {
  return { asker, isStranger: isStrangerAsking() };
}

/**
 * Limits the number of running and waiting tasks. A key (a client) with many tasks does not hold up others: in a full
 * queue, its latest task gives way to that of a key with fewer.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { running, waiting, perKey = Infinity, runningPerKey = Infinity, timeoutMs = Infinity } = options;
  const { waitingForStrangers = waiting, meter } = options;
  /** Tasks by key and by share. */
  const tasksOf = new Map<string, number>();
  /** Running tasks by key. */
  const runningOf = new Map<string, number>();
  const late = makeRefusal(`The turn did not come within ${timeoutMs} ms`);
  const queue = new AskerQueue<WaitingTask>();
  let runningCount = 0;
  let closed = false;
  const drained = Promise.withResolvers<void>();
  meter?.watch(() => queue.size);

  function refusal(error: AppError): AppError {
    meter?.refused();
    return error;
  }

  function findObstacle(asker: WaitingAsker, shares: readonly Share[]): AppError | undefined {
    if (closed) return CLOSED;
    if (shares.some(({ name, most }) => (tasksOf.get(name) ?? 0) >= most)) return TOO_MANY_OF_KEY;
    return isFull(asker) && !queue.canYieldTo(asker) ? TOO_MANY_WAIT : undefined;
  }

  function mayRun(key: string): boolean {
    return (runningOf.get(key) ?? 0) < runningPerKey;
  }

  function mustWait({ asker }: WaitingAsker): boolean {
    return runningCount >= running || !mayRun(asker);
  }

  function isFull(asker: WaitingAsker): boolean {
    return mustWait(asker) && queue.size >= waiting;
  }

  function waitForTurn(waitingAsker: WaitingAsker): Promise<void> {
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const task = { ...waitingAsker, start, reject };
    queue.push(task);
    if (options.endsWaits !== true) return promise;
    const timer = setTimeout(() => {
      queue.remove(task);
      reject(refusal(late));
    }, timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }

  function takeTurn(waitingAsker: WaitingAsker, shares: readonly Share[]): Promise<void> | undefined {
    const obstacle = findObstacle(waitingAsker, shares);
    if (obstacle !== undefined) throw refusal(obstacle);
    const waits = mustWait(waitingAsker);
    if (waits && waitingAsker.isStranger && queue.strangers >= waitingForStrangers) {
      const displaced = queue.yieldToStranger(waitingAsker);
      if (displaced === undefined) throw refusal(STRANGERS_REFUSED);
      displaced.reject(refusal(STRANGERS_REFUSED));
    } else if (isFull(waitingAsker)) {
      queue.yieldTo(waitingAsker)?.reject(refusal(TOO_MANY_WAIT));
    }
    for (const { name } of shares) count(tasksOf, name, 1);
    if (waits) return waitForTurn(waitingAsker);
    runningCount++;
    count(runningOf, waitingAsker.asker, 1);
    return undefined;
  }

  /** Passes the ended task's slot directly to the next one, so that no newcomer overtakes. */
  function passTurn(key: string): void {
    count(runningOf, key, -1);
    const next = queue.shift(mayRun);
    if (next !== undefined) {
      count(runningOf, next.asker, 1);
      next.start();
      return;
    }
    runningCount--;
    if (closed && runningCount === 0) drained.resolve();
  }

  return {
    async run<T>(
      task: (deadline: number) => Promise<T>,
      key = currentAsker(),
      shares: readonly Share[] = [],
    ): Promise<T> {
      const arrivedAt = performance.now();
      const deadline = arrivedAt + timeoutMs;
      const all = [{ name: key, most: perKey }, ...shares];
      const turn = takeTurn(askerOf(key), all);
      try {
        await turn;
      } catch (error) {
        for (const { name } of all) count(tasksOf, name, -1);
        throw error;
      }
      try {
        if (performance.now() > deadline) throw refusal(late);
        if (turn !== undefined) meter?.waited(performance.now() - arrivedAt);
        return await task(deadline);
      } finally {
        for (const { name } of all) count(tasksOf, name, -1);
        passTurn(key);
      }
    },
    hasRoom: (key, shares) =>
      findObstacle(askerOf(key), [{ name: key, most: perKey }, ...shares]) === undefined,
    async close(): Promise<void> {
      closed = true;
      if (runningCount > 0) await drained.promise;
    },
  };
}
