import { AsyncLocalStorage } from "node:async_hooks";
import { SECOND_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { currentChain } from "../../core/request_scope.ts";
import { Shares } from "../../core/shares.ts";

/** Maximum number of requests that wait, of which a branch leaves room for others. */
const WAITS = 1024;

/** Seconds after which a caller without room may retry. */
const RETRY_SECONDS = 1;

/** Maximum number of woken requests that read at a time, so that other requests get their turn. */
const READING = 8;

/** Maximum number of requests that a check wakes. They may see none of the changes, so each of them only reads. */
const WOKEN_PER_LOOK = 64;

/** The source of time of a watch, in milliseconds. */
export interface WatchTime {
  now(): number;
  /** Runs the task later. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void;
}

const SYSTEM_TIME: WatchTime = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export interface ChangeWatchOptions {
  readonly readRevision: () => Promise<number>;
  /** Ends all waits, later ones, too. */
  readonly stopping?: AbortSignal | undefined;
  readonly time?: WatchTime | undefined;
  /** Milliseconds between two checks. */
  readonly lookEveryMs?: number | undefined;
}

/** Why a wait is over: there may be changes, its time is up, or its response is no longer needed. */
export type WaitEnd = "changed" | "expired" | "stopped";

/** A request that waits. */
export interface Wait {
  /** Resolves when a check has found a later revision than this, or the wait is over. */
  untilAfter(revision: number): Promise<WaitEnd>;
  /** Reads in its turn, since a change wakes many requests at once. */
  read<T>(task: () => Promise<T>): Promise<T>;
  /** Whether its time is up. */
  isOver(): boolean;
  end(): void;
}

/**
 * Lets requests wait for changes. While any request waits, it checks the latest revision once a second, for all of
 * them. Each check wakes a bounded number, in turns by top branch (`core/chain.ts`), in each those with the oldest reads
 * first. So changes cost the same however many requests wait; the others stay for the next check.
 */
export interface ChangeWatch {
  /**
   * Begins a wait of up to this many seconds, which `signal` ends earlier. The caller must end it. Throws
   * `TOO_MANY_WAITS` if there is no room for the branch of the request.
   */
  begin(seconds: number, signal: AbortSignal): Wait;
}

interface Waiter {
  readonly above: number;
  readonly until: number;
  readonly branch: string;
  readonly resolve: (end: WaitEnd) => void;
}

/** The first of each branch, then the second, and so on: in order of arrival. A request that has read joins the end. */
function* inTurns(waiters: Iterable<Waiter>): Generator<Waiter, void> {
  const branches = [...Map.groupBy(waiters, ({ branch }) => branch).values()];
  for (let turn = 0, more = true; more; turn++) {
    more = false;
    for (const { [turn]: waiter } of branches) {
      if (waiter === undefined) continue;
      more = true;
      yield waiter;
    }
  }
}

export function createChangeWatch(options: ChangeWatchOptions): ChangeWatch {
  const { readRevision, stopping, time = SYSTEM_TIME, lookEveryMs = SECOND_MS } = options;
  const waits = new Shares({ size: WAITS, leavesRoom: true });
  const waiters = new Set<Waiter>();
  const turns = new Shares({ size: READING, waiting: Infinity });
  // Checks run outside of any request: they take no user's turn, and no maximum age from a request.
  const outsideRequests = AsyncLocalStorage.snapshot();
  let cancelLook: (() => void) | undefined;
  let isLooking = false;

  function scheduleLook(): void {
    if (cancelLook !== undefined || isLooking) return;
    cancelLook = time.after(lookEveryMs, () => {
      cancelLook = undefined;
      outsideRequests(look);
    });
  }

  async function look(): Promise<void> {
    isLooking = true;
    // A woken request meets the same failure and reports it; one that waits on may never notice.
    const revision = await readRevision().catch(() => -1);
    isLooking = false;
    let left = WOKEN_PER_LOOK;
    for (const waiter of inTurns(waiters)) {
      // First: every check may find changes that the waiter does not see.
      if (time.now() >= waiter.until) finish(waiter, "expired");
      else if (revision > waiter.above && left-- > 0) finish(waiter, "changed");
    }
    if (waiters.size > 0) scheduleLook();
  }

  function finish(waiter: Waiter, end: WaitEnd): void {
    waiters.delete(waiter);
    waiter.resolve(end);
    if (waiters.size > 0) return;
    cancelLook?.();
    cancelLook = undefined;
  }

  stopping?.addEventListener("abort", () => {
    for (const waiter of waiters) finish(waiter, "stopped");
  }, { once: true });

  return {
    begin(seconds, signal) {
      if (!waits.hasRoom()) throw new AppError("TOO_MANY_WAITS", { retryAfterSeconds: RETRY_SECONDS });
      const held = waits.takeNow(1);
      const until = time.now() + seconds * SECOND_MS;
      return {
        untilAfter(above) {
          if (stopping?.aborted || signal.aborted) return Promise.resolve("stopped");
          const { promise, resolve } = Promise.withResolvers<WaitEnd>();
          const [branch = ""] = currentChain()();
          const waiter = { above, until, branch, resolve };
          const leave = (): void => finish(waiter, "stopped");
          waiters.add(waiter);
          signal.addEventListener("abort", leave);
          scheduleLook();
          return promise.finally(() => signal.removeEventListener("abort", leave));
        },
        read: (task) => turns.run(task),
        isOver: () => time.now() >= until,
        end: () => held.release(),
      };
    },
  };
}
