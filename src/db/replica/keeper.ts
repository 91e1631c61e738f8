import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { waitAtMost } from "../../core/deadline.ts";
import { describeError, type Log } from "../../core/log.ts";
import { createConnectionThreads } from "../thread/thread_pool.ts";
import { type Copy, startCopy } from "./copy.ts";
import { CopyLostError } from "./copy_lost_error.ts";
import type { Folder } from "./folder.ts";
import type { Place } from "./place.ts";
import { askPrimary, hasOtherProtocol, type PrimaryAddress, type PrimaryState } from "./primary_state.ts";
import { shareRounds } from "./rounds.ts";

/** A round begins at most this long after the one before, if there are readers. */
const SPACING_MS = 5;
/** After a round that failed, readers turn to the primary at once for this long. */
const REST_MS = 100;
/** The pause between the beginnings of two copies grows up to this. */
const MAX_PAUSE_MS = 600_000;
/** A copy that has lasted for this many pauses does not make the next one longer. */
const LASTING_PAUSES = 10;
/** Between the attempts of a new copy to catch up. */
const RETRY_MS = 1000;
const MAX_PENDING = 2;
/** How long the end waits for a copy to be put in order. */
const KEEP_LIMIT_MS = 1000;

export interface KeeperOptions {
  readonly folder: Folder;
  readonly address: PrimaryAddress;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  readonly fetch: typeof fetch;
  /**
   * Between the beginnings of two copies, in milliseconds. Doubled with each copy that does not last, since each is all of
   * the database.
   */
  readonly pauseMs: number;
  /** A copy that has not grown for this long while it waits for the primary gets a rival, for it may wait for ever. */
  readonly rivalAfterMs: number;
  /** Readers do not wait longer than this for a round. */
  readonly roundLimitMs: number;
}

/** Keeps a copy of the primary's database up to date, and replaces it when it must not be used any more. */
export interface Keeper {
  /**
   * The copy, with everything that was committed before this call. Undefined if there is none yet, or if it takes too
   * long.
   */
  fresh(): Promise<Copy | undefined>;
  /** The copy as it is, and its greatest possible age in milliseconds. Undefined if there is none yet. */
  latest(): { readonly copy: Copy; readonly ageMs: number } | undefined;
  /** Throws a copy away; another one is made. */
  drop(copy: Copy, reason: string): void;
  /** Leaves the copy to the next run. */
  close(): Promise<void>;
}

/** Starts the first copy, without waiting for it. `kept` is what an earlier run left. */
export function startKeeper(options: KeeperOptions, kept: Place | undefined): Keeper {
  const { folder, address, log, clock, monotonic, rivalAfterMs, roundLimitMs } = options;
  const threads = createConnectionThreads();
  let serving: Copy | undefined;
  /** When the last round began that `serving` passed, by both clocks. */
  let passed: { readonly copy: Copy; readonly at: number; readonly monotonicAt: number } | undefined;
  /** Copies that are being made, or that the primary keeps waiting; their files when last seen, and since when. */
  const pending = new Map<Copy, { readonly files: string; readonly since: number }>();
  /** How many rounds take too long. */
  let lateRounds = 0;
  let restsUntil = -Infinity;
  /** When the latest copy was begun, and how long after that the next one may be. */
  let begunAt = -Infinity;
  let pauseMs = 0;
  let isOver = false;

  async function runRound(): Promise<Copy | undefined> {
    const [at, monotonicAt] = [clock(), monotonic()];
    const copy = serving;
    if (copy === undefined && !mayBegin()) return undefined;
    const frameBefore = copy?.frame() ?? -1;
    const primary = await askPrimary(address, options.fetch);
    if (serving !== copy) return undefined;
    if (copy === undefined) {
      void begin(primary);
      return undefined;
    }
    const trouble = copy.troubleWith(primary, frameBefore);
    if (trouble !== undefined) {
      drop(copy, trouble);
      void begin(primary);
      return undefined;
    }
    while (serving === copy && copy.frame() < primary.frame) {
      await catchUp(copy, primary);
    }
    if (serving !== copy) return undefined;
    if (passed?.copy !== copy || passed.monotonicAt < monotonicAt) passed = { copy, at, monotonicAt };
    return copy;
  }

  /** Readers do not wait for a round that is late, and meanwhile no other one is begun. */
  async function runInTime(): Promise<Copy | undefined> {
    if (isOver || lateRounds > 0 || monotonic() < restsUntil) return undefined;
    let isLate = false;
    const round = runRound().catch((error: unknown) => {
      restsUntil = monotonic() + REST_MS;
      log.debug("replica.round_failed", describeError(error));
      return undefined;
    }).finally(() => isLate && lateRounds--);
    return await waitAtMost(roundLimitMs, round, () => {
      isLate = true;
      lateRounds++;
      return undefined;
    });
  }

  /** Waits until a copy has caught up, or has not grown for so long that it must not hold up others. */
  async function catchUp(copy: Copy, primary: PrimaryState): Promise<void> {
    let files = copy.files();
    const done = copy.catchUp(primary);
    try {
      for (;;) {
        if (await waitAtMost(rivalAfterMs, done.then(() => true), () => false)) return;
        const before = files;
        files = copy.files();
        if (files === before) break;
      }
    } catch (error) {
      if (error instanceof CopyLostError) drop(copy, error.message);
      throw error;
    }
    if (serving !== copy) return;
    serving = undefined;
    pending.set(copy, { files, since: -Infinity });
    settle(copy, done).catch(() => undefined);
  }

  /** Waits for a pending copy. Returns whether it serves from now on: not if another one does by then. */
  async function settle(copy: Copy, done: Promise<void>): Promise<boolean> {
    try {
      await done;
    } catch (error) {
      drop(copy, error instanceof CopyLostError ? error.message : "It took too long, and then failed");
      throw error;
    }
    if (!pending.delete(copy)) return false;
    if (isOver || serving !== undefined) discard(copy);
    else serving = copy;
    return serving === copy;
  }

  function mayBegin(): boolean {
    const now = monotonic();
    if (now < begunAt + pauseMs || pending.size >= MAX_PENDING) return false;
    for (const [copy, { files }] of pending) {
      if (copy.files() !== files) pending.set(copy, { files: copy.files(), since: now });
    }
    return pending.values().every(({ since }) => now - since > rivalAfterMs);
  }

  /** Makes a copy in the background. */
  async function begin(primary: PrimaryState): Promise<void> {
    if (isOver || !mayBegin() || primary.frame < 0) return;
    const now = monotonic();
    const hasLasted = now - begunAt > LASTING_PAUSES * pauseMs;
    pauseMs = hasLasted ? options.pauseMs : Math.min(2 * pauseMs, MAX_PAUSE_MS);
    begunAt = now;
    const hadKept = kept !== undefined;
    try {
      if (await hasOtherProtocol(address, options.fetch)) {
        isOver = true;
        log.warn("replica.off", { reason: "The server's protocol does not tell how far a copy has got" });
      }
      if (isOver) return;
      const place = await takePlace(primary);
      const copy = startCopy({ place, address, primary, threads: threads.readers });
      pending.set(copy, { files: copy.files(), since: now });
      const serves = await settle(copy, persist(copy, primary));
      if (serves) {
        log.info("replica.ready", { isNew: place.left === undefined, ms: Math.round(monotonic() - now) });
      }
    } catch (error) {
      // What an earlier run left has cost little, and is replaced at once.
      if (hadKept && kept === undefined) begunAt = -Infinity;
      log.warn("replica.failed", describeError(error));
    }
  }

  async function takePlace(primary: PrimaryState): Promise<Place> {
    const place = kept;
    kept = undefined;
    if (place?.left?.processId === primary.processId && place.left.logId === primary.logId) return place;
    await place?.remove();
    return folder.create();
  }

  /** The primary may be away for a while, or be tidying up its log. */
  async function persist(copy: Copy, primary: PrimaryState): Promise<void> {
    for (;;) {
      try {
        return await copy.catchUp(primary);
      } catch (error) {
        if (error instanceof CopyLostError || isOver || serving !== undefined) throw error;
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  function drop(copy: Copy, reason: string): void {
    const wasPending = pending.delete(copy);
    if (serving === copy) serving = undefined;
    else if (!wasPending) return;
    log.warn("replica.dropped", { reason });
    discard(copy);
  }

  function discard(copy: Copy): void {
    copy.discard().catch((error: unknown) => log.warn("replica.not_deleted", describeError(error)));
  }

  const fresh = shareRounds(runInTime, SPACING_MS);
  void fresh();
  return {
    fresh,
    latest() {
      if (passed === undefined || passed.copy !== serving) return undefined;
      const { copy, at, monotonicAt } = passed;
      return { copy, ageMs: Math.max(clock() - at, monotonic() - monotonicAt) };
    },
    drop,
    async close(): Promise<void> {
      isOver = true;
      if (kept?.left !== undefined) kept.leave(kept.left);
      for (const copy of pending.keys()) copy.abandon();
      const copy = serving;
      serving = undefined;
      try {
        if (copy !== undefined) await waitAtMost(KEEP_LIMIT_MS, copy.keep(), () => copy.abandon());
      } catch (error) {
        log.warn("replica.not_kept", describeError(error));
        copy?.abandon();
      } finally {
        threads.end();
      }
    },
  };
}
