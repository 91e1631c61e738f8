import { SECOND_MS } from "../core/clock.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { type Held, Shares } from "../core/shares.ts";

/** Limits on request bodies: memory, time to arrive, and turns to parse long ones. */

const MEBIBYTE = 1024 * 1024;

/** Bytes of request bodies that a process holds at the same time. */
const BUDGET_BYTES = 64 * MEBIBYTE;

/** What a body counts at least: so many bytes are held for a request beside its body. */
const LEAST_BYTES = 16 * 1024;

/** Ticks in which a body, or at least `WINDOW_BYTES` of it, must arrive. */
const WINDOW_TICKS = 10;

/** Minimum bytes per window: 8 KiB a second. A smaller body must arrive within one window. */
export const WINDOW_BYTES = 80 * 1024;

/** Maximum number of long texts that wait to be parsed, and how long each may wait, in milliseconds. */
const MAX_WAITING_TEXTS = 1000;
const TURN_TIMEOUT_MS = 10_000;

/** A body that is being received, or held while its request is handled. */
export interface HeldBody {
  /**
   * Reserves room for the first `bytes` of the body, in the caller's share. Throws `UNAVAILABLE` without room.
   */
  hold(bytes: number): void;
  /** Watches the speed from now on, and calls `onLate` if too little arrives. `arrived` returns the bytes so far. */
  expect(arrived: () => number, onLate: () => void): void;
  /** Ends the watch: the body is complete, or abandoned. */
  stopExpecting(): void;
  /** Gives the room back. */
  release(): void;
}

export interface BodyRoom {
  /** Admits a body, of a caller with a token or without one. Throws `UNAVAILABLE` without room. */
  admit(hasToken: boolean): HeldBody;
  /**
   * Parses a long text when the caller's turn comes, one text at a time. After each step, other requests get at least
   * as much time as the step took. Throws `UNAVAILABLE` if the turn does not come.
   */
  parseInTurn<T>(steps: Iterator<void, T>): Promise<T>;
}

export interface BodyRoomOptions {
  readonly budgetBytes?: number;
  /** Milliseconds; the time limits are multiples of it. */
  readonly tickMs?: number;
  /** Measures the turns to parse long texts. */
  readonly meter?: QueueMeter | undefined;
}

interface Arrival {
  readonly hasToken: boolean;
  readonly arrived: () => number;
  readonly onLate: () => void;
  /** Bytes received by each of the last ticks, at most `WINDOW_TICKS` of them. */
  readonly marks: number[];
}

/** Creates the room for the bodies of a process. */
export function createBodyRoom(
  { budgetBytes = BUDGET_BYTES, tickMs = SECOND_MS, meter }: BodyRoomOptions = {},
): BodyRoom {
  const shares = new Shares({ size: budgetBytes, leavesRoom: true });
  const turns = new Shares({ size: 1, waiting: MAX_WAITING_TEXTS, timeoutMs: TURN_TIMEOUT_MS, meter });
  const arrivals = new Set<Arrival>();
  /** Earliest time of the next step of a long text, by `performance.now()`. */
  let restUntil = 0;
  let nextTick: AbortSignal | undefined;

  function startTicking(): void {
    // Unlike other timers, it does not keep the process, or a test, from ending.
    nextTick = AbortSignal.timeout(tickMs);
    nextTick.addEventListener("abort", tick);
  }

  // One timer for all bodies, which stops once there are none: a timer per body would cost more than reading a small
  // one.
  function tick(): void {
    nextTick = undefined;
    if (arrivals.size > 0) startTicking();
    for (const arrival of arrivals) {
      const { marks, hasToken, arrived, onLate } = arrival;
      const now = arrived();
      if (marks.length === WINDOW_TICKS) {
        const before = marks.shift() ?? 0;
        if (!hasToken || now - before < WINDOW_BYTES) {
          onLate();
        }
      }
      marks.push(now);
    }
  }

  /** Without room for a stranger, breaks off the slowest one, so that there is room when they try again. */
  function takeOrBreakOff(hasToken: boolean, bytes: number): Held {
    try {
      return shares.takeNow(bytes);
    } catch (error) {
      if (!hasToken) arrivals.values().find(({ hasToken, marks }) => !hasToken && marks.length > 1)?.onLate();
      throw error;
    }
  }

  return {
    admit(hasToken) {
      let arrival: Arrival | undefined;
      let bytesHeld = LEAST_BYTES;
      const held = takeOrBreakOff(hasToken, bytesHeld);
      return {
        hold(bytes) {
          if (bytes <= bytesHeld) return;
          held.grow(bytes - bytesHeld);
          bytesHeld = bytes;
        },
        expect(arrived, onLate) {
          arrival = { hasToken, arrived, onLate, marks: [arrived()] };
          arrivals.add(arrival);
          if (nextTick === undefined) startTicking();
        },
        stopExpecting() {
          if (arrival !== undefined) arrivals.delete(arrival);
        },
        release: () => held.release(),
      };
    },
    parseInTurn<T>(steps: Iterator<void, T>): Promise<T> {
      return turns.run(async () => {
        for (;;) {
          const restMs = restUntil - performance.now();
          if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
          const startedAt = performance.now();
          try {
            const { done, value } = steps.next();
            if (done) return value;
          } finally {
            const endedAt = performance.now();
            restUntil = endedAt + (endedAt - startedAt);
          }
        }
      });
    },
  };
}
