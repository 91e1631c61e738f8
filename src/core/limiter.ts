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
  /** Maximum number of tasks of one key, running and waiting together. Unlimited by default. */
  readonly perKey?: number;
  /**
   * Maximum wait of a task, in milliseconds. A later one is refused: its caller has given up, unlike that of the next
   * task.
   */
  readonly timeoutMs?: number;
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

function askerOf(asker: string): WaitingAsker {
  return { asker, isStranger: isStrangerAsking() };
}

/**
 * Limits the number of running and waiting tasks. A key (a client) with many tasks does not hold up others: in a full
 * queue, its latest task gives way to that of a key with fewer.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { running, waiting, perKey = Infinity, timeoutMs = Infinity } = options;
  const { waitingForStrangers = waiting, meter } = options;
  /** Tasks by key and by share. */
  const tasksOf = new Map<string, number>();
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
    return isFull() && !queue.canYieldTo(asker) ? TOO_MANY_WAIT : undefined;
  }

  function isFull(): boolean {
    return runningCount >= running && queue.size >= waiting;
  }

  function takeTurn(waitingAsker: WaitingAsker, shares: readonly Share[]): Promise<void> | undefined {
    const obstacle = findObstacle(waitingAsker, shares);
    if (obstacle !== undefined) throw refusal(obstacle);
    const mustWait = runningCount >= running;
    if (mustWait && waitingAsker.isStranger && queue.strangers >= waitingForStrangers) {
      const displaced = queue.yieldToStranger(waitingAsker);
      if (displaced === undefined) throw refusal(STRANGERS_REFUSED);
      displaced.reject(refusal(STRANGERS_REFUSED));
    } else if (isFull()) {
      queue.yieldTo(waitingAsker)?.reject(refusal(TOO_MANY_WAIT));
    }
    for (const { name } of shares) tasksOf.set(name, (tasksOf.get(name) ?? 0) + 1);
    if (mustWait) return new Promise((start, reject) => queue.push({ ...waitingAsker, start, reject }));
    runningCount++;
    return undefined;
  }

  /** Passes the ended task's slot directly to the next one, so that no newcomer overtakes. */
  function passTurn(): void {
    const next = queue.shift();
    if (next !== undefined) {
      next.start();
      return;
    }
    runningCount--;
    if (closed && runningCount === 0) drained.resolve();
  }

  function forget(name: string): void {
    const left = (tasksOf.get(name) ?? 1) - 1;
    if (left === 0) tasksOf.delete(name);
    else tasksOf.set(name, left);
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
        for (const { name } of all) forget(name);
        throw error;
      }
      try {
        if (performance.now() > deadline) throw refusal(late);
        if (turn !== undefined) meter?.waited(performance.now() - arrivedAt);
        return await task(deadline);
      } finally {
        for (const { name } of all) forget(name);
        passTurn();
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
