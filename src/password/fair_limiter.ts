import { AppError } from "../core/errors.ts";

export interface FairLimits {
  /** Tasks that run at the same time. */
  readonly running: number;
  /** Tasks that wait beyond those. */
  readonly waiting: number;
  /** Tasks of one key, running and waiting together. */
  readonly perKey: number;
}

/**
 * Runs a bounded number of costly tasks at once and keeps a bounded queue. The keys (clients) that wait take turns,
 * so that one with many tasks does not hold up the others, and each key has a share it cannot exceed.
 */
export class FairLimiter {
  readonly #limits: FairLimits;
  readonly #tasksByKey = new Map<string, number>();
  /** Who waits, by key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /**
   * Runs a task when its turn comes and answers what it answers. Throws `UNAVAILABLE` at once, without running it,
   * when the queue is full or the key has used up its share.
   */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const ofKey = this.#tasksByKey.get(key) ?? 0;
    const mustWait = this.#runningCount >= this.#limits.running;
    if (ofKey >= this.#limits.perKey || (mustWait && this.#waitingCount >= this.#limits.waiting)) {
      throw new AppError("UNAVAILABLE", { retryAfterSeconds: 1 });
    }
    this.#tasksByKey.set(key, ofKey + 1);
    if (mustWait) await this.#waitForTurn(key);
    else this.#runningCount++;
    try {
      return await task();
    } finally {
      this.#forget(key);
      this.#passTurn();
    }
  }

  #waitForTurn(key: string): Promise<void> {
    this.#waitingCount++;
    return new Promise((resolve) => {
      const queue = this.#waiting.get(key);
      if (queue === undefined) this.#waiting.set(key, [resolve]);
      else queue.push(resolve);
    });
  }

  /** Hands the finished task's place to whoever is next, so that a newcomer cannot slip in between. */
  #passTurn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#runningCount--;
      return;
    }
    const [key, queue] = next;
    const start = queue.shift();
    this.#waiting.delete(key);
    if (queue.length > 0) this.#waiting.set(key, queue);
    this.#waitingCount--;
    start?.();
  }

  #forget(key: string): void {
    const left = (this.#tasksByKey.get(key) ?? 1) - 1;
    if (left === 0) this.#tasksByKey.delete(key);
    else this.#tasksByKey.set(key, left);
  }
}
