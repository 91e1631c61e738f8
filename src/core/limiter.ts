import { currentAsker, isStrangerAsking } from "./asker.ts";
import { AppError, LoggableError } from "./errors.ts";
import { FairQueue } from "./fair_queue.ts";

export interface LimiterOptions {
  /** Maximum number of running tasks. */
  readonly running: number;
  /** Maximum number of waiting tasks, beyond the running ones. */
  readonly waiting: number;
  /** How many may wait already when a stranger's task comes (`asker.ts`). By default as many as `waiting`. */
  readonly waitingForStrangers?: number;
  /** Maximum number of tasks of one key, running and waiting together. Unlimited by default. */
  readonly perKey?: number;
  /**
   * A task that has waited longer, in milliseconds, is refused: its caller has given up, but that of the next one has
   * not.
   */
  readonly timeoutMs?: number;
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
   * the limiter is closed; later if the task waited too long.
   */
  run<T>(task: (deadline: number) => Promise<T>, key?: string, shares?: readonly Share[]): Promise<T>;
  /** Refuses new tasks and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

/** Limits how many tasks run at once and how many wait. A key (a client) with many tasks does not hold up the others. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { running, waiting, perKey = Infinity, timeoutMs = Infinity } = options;
  const { waitingForStrangers = waiting } = options;
  /** Tasks by key and by share. */
  const tasksOf = new Map<string, number>();
  const queue = new FairQueue<() => void>();
  let runningCount = 0;
  let closed = false;
  const drained = Promise.withResolvers<void>();

  async function takeTurn(key: string, shares: readonly Share[]): Promise<void> {
    if (closed) throw refusal("It is closed");
    for (const { name, most } of shares) {
      if ((tasksOf.get(name) ?? 0) >= most) {
        throw refusal(`${most} tasks of one key or share run or wait already`);
      }
    }
    const mustWait = runningCount >= running;
    const most = isStrangerAsking() ? waitingForStrangers : waiting;
    if (mustWait && queue.size >= most) throw refusal(`${most} tasks wait already`);
    for (const { name } of shares) tasksOf.set(name, (tasksOf.get(name) ?? 0) + 1);
    if (mustWait) await new Promise<void>((resolve) => queue.push(key, resolve));
    else runningCount++;
  }

  /** Passes the slot of the ended task straight to the next one, so that no newcomer can overtake. */
  function passTurn(): void {
    const start = queue.shift();
    if (start !== undefined) {
      start();
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
      await takeTurn(key, all);
      try {
        if (performance.now() > deadline) throw refusal(`The turn did not come within ${timeoutMs} ms`);
        return await task(deadline);
      } finally {
        for (const { name } of all) forget(name);
        passTurn();
      }
    },
    async close(): Promise<void> {
      closed = true;
      if (runningCount > 0) await drained.promise;
    },
  };
}

function refusal(reason: string): AppError {
  return new AppError("UNAVAILABLE", { cause: new LoggableError(reason) });
}
