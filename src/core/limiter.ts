import { currentAsker, isStrangerAsking } from "./asker.ts";
import { AskerQueue, type WaitingAsker } from "./asker_queue.ts";
import { type AppError, makeRefusal } from "./errors.ts";
import { STRANGERS_REFUSED } from "./strangers_refused.ts";

export interface LimiterOptions {
  /** Maximum number of running tasks. */
  readonly running: number;
  /** Maximum number of waiting tasks, beyond the running ones. */
  readonly waiting: number;
  /** Maximum number of strangers' tasks (`asker.ts`) that wait. Default: `waiting`. */
  readonly waitingForStrangers?: number;
  /** Maximum number of tasks of one key, running and waiting together. Unlimited by default. */
  readonly perKey?: number;
  /**
   * A task that has waited longer, in milliseconds, is refused: its caller has given up, but that of the next one has
   * not.
   */
  readonly timeoutMs?: number;
}

const CLOSED = makeRefusal("It is closed");
const TOO_MANY_WAIT = makeRefusal("Too many tasks wait already");
const TOO_MANY_OF_KEY = makeRefusal("Too many tasks of one key or share run or wait already");

interface WaitingTask extends WaitingAsker {
  readonly start: () => void;
  readonly reject: (error: unknown) => void;
}

/** A maximum number of tasks, running and waiting together, that tasks of several keys share. */
export interface Share {
  /** Its name, which is no key. */
  readonly name: string;
  readonly most: number;
}

export interface Limiter {
  /**
   * Runs a task when its turn comes. Waiting keys take turns; tasks of one key run in the order of the calls. By
   * default the key is the asker of the current request. `deadline` is a time of `performance.now()`. Throws
   * `UNAVAILABLE` without running the task: at once if too many tasks wait, the key or one of `shares` is used up or
   * the limiter is closed; later if the task waited too long, or its place went to a key with fewer.
   */
  run<T>(task: (deadline: number) => Promise<T>, key?: string, shares?: readonly Share[]): Promise<T>;
  /** Whether `run` would not refuse such a task at once. */
  hasRoom(key: string, shares: readonly Share[]): boolean;
  /** Refuses new tasks and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

function askerOf(asker: string): WaitingAsker {
  return { asker, isStranger: isStrangerAsking() };
}

/**
 * Limits how many tasks run at once and how many wait. A key (a client) with many tasks does not hold up the others. In
 * a full queue, its latest task leaves for one of a key with fewer.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { running, waiting, perKey = Infinity, timeoutMs = Infinity } = options;
  const { waitingForStrangers = waiting } = options;
  /** Tasks by key and by share. */
  const tasksOf = new Map<string, number>();
  const late = makeRefusal(`The turn did not come within ${timeoutMs} ms`);
  const queue = new AskerQueue<WaitingTask>();
  let runningCount = 0;
  let closed = false;
  const drained = Promise.withResolvers<void>();

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
    if (obstacle !== undefined) throw obstacle;
    const mustWait = runningCount >= running;
    if (mustWait && waitingAsker.isStranger && queue.strangers >= waitingForStrangers) {
      const displaced = queue.yieldToStranger(waitingAsker);
      if (displaced === undefined) throw STRANGERS_REFUSED;
      displaced.reject(STRANGERS_REFUSED);
    } else if (isFull()) {
      queue.yieldTo(waitingAsker)?.reject(TOO_MANY_WAIT);
    }
    for (const { name } of shares) tasksOf.set(name, (tasksOf.get(name) ?? 0) + 1);
    if (mustWait) return new Promise((start, reject) => queue.push({ ...waitingAsker, start, reject }));
    runningCount++;
    return undefined;
  }

  /** Passes the slot of the ended task straight to the next one, so that no newcomer can overtake. */
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
      const deadline = performance.now() + timeoutMs;
      const all = [{ name: key, most: perKey }, ...shares];
      const turn = takeTurn(askerOf(key), all);
      try {
        await turn;
      } catch (error) {
        for (const { name } of all) forget(name);
        throw error;
      }
      try {
        if (performance.now() > deadline) throw late;
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
