import { unavailable } from "./sql_errors.ts";

export interface BoundedQueueOptions {
  /** How many tasks may run at the same time. */
  readonly slots: number;
  /** How many may wait for their turn; one more is refused at once. */
  readonly maxWaiting: number;
  /** A task whose turn comes later than this is refused: its caller has given up, and the next one has not yet. */
  readonly timeoutMs: number;
}

export interface BoundedQueue {
  /**
   * Runs a task when its turn comes, in the order of the calls. `deadline` is on the clock of `performance.now()`.
   * Throws `AppError("UNAVAILABLE")` without having run it if too many wait, it waited too long, or the queue is closed.
   */
  run<T>(task: (deadline: number) => Promise<T>): Promise<T>;
  /** Refuses new tasks and resolves when the last accepted one has ended. */
  close(): Promise<void>;
}

/** A first-come first-served line in front of something that serves few at a time. */
export function createBoundedQueue({ slots, maxWaiting, timeoutMs }: BoundedQueueOptions): BoundedQueue {
  const waiting: (() => void)[] = [];
  let running = 0;
  let closed = false;
  let onIdle: (() => void) | undefined;

  async function takeSlot(): Promise<void> {
    if (closed) throw unavailable(new Error("The database is closed"));
    if (running < slots) {
      running++;
      return;
    }
    if (waiting.length >= maxWaiting) {
      throw unavailable(new Error(`${maxWaiting} calls wait for the database already`));
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Hands the slot to the next in line without freeing it in between, so that nobody can overtake. */
  function passSlotOn(): void {
    const next = waiting.shift();
    if (next !== undefined) return next();
    running--;
    if (running === 0) onIdle?.();
  }

  return {
    async run<T>(task: (deadline: number) => Promise<T>): Promise<T> {
      const deadline = performance.now() + timeoutMs;
      await takeSlot();
      try {
        if (performance.now() > deadline) {
          throw unavailable(new Error(`The database was occupied for ${timeoutMs} ms`));
        }
        return await task(deadline);
      } finally {
        passSlotOn();
      }
    },
    async close(): Promise<void> {
      closed = true;
      if (running > 0) await new Promise<void>((resolve) => onIdle = resolve);
    },
  };
}
