import { SECOND_MS } from "../core/clock.ts";
import { makeRefusal } from "../core/errors.ts";
import { createLimiter } from "../core/limiter.ts";
import type { QueueMeter } from "../core/metrics.ts";

/** Limits on request bodies: memory, time to arrive, and turns to parse long ones. */

const MEBIBYTE = 1024 * 1024;

/** Bytes of request bodies that a process holds at the same time. */
const BUDGET_BYTES = 64 * MEBIBYTE;

/** The largest parts of the budget for one user, for one client, and for all strangers (callers without a token). */
const USER_SHARE = 1 / 8;
const CLIENT_SHARE = 1 / 8;
const STRANGERS_SHARE = 1 / 2;

/** Ticks in which a body, or at least `WINDOW_BYTES` of it, must arrive. */
const WINDOW_TICKS = 10;

/** Minimum bytes per window: 8 KiB a second. A smaller body must arrive within one window. */
export const WINDOW_BYTES = 80 * 1024;

/** Maximum number of client addresses in the cache of networks. */
const MAX_KNOWN_ADDRESSES = 1000;

/** Maximum number of long texts that wait to be parsed, and how long each may wait, in milliseconds. */
const MAX_WAITING_TEXTS = 1000;
const TURN_TIMEOUT_MS = 10_000;

/** The key of the share of all strangers. */
const STRANGERS = "strangers";

const BUDGET_USED = makeRefusal("The budget for request bodies is used up");
const SHARE_USED = makeRefusal("A share of that budget is used up");

/** The sender of a body. */
export interface Sender {
  readonly address: string;
  /** The asker of the request once a token is verified (`core/asker.ts`): `user 5` or `root 2`. */
  readonly asker: string | undefined;
}

/** A body that is being received, or held while its request is handled. */
export interface HeldBody {
  /**
   * Reserves room for the first `bytes` of the body. Throws `UNAVAILABLE` if the budget or a share of it is used up.
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
  admit(sender: Sender): HeldBody;
  /**
   * Parses a long text when its asker's turn comes, one text at a time. After each step, other requests get at least
   * as much time as the step took. Throws `UNAVAILABLE` if the turn does not come.
   */
  parseInTurn<T>(steps: Iterator<void, T>): Promise<T>;
}

/** The networks of a client's address, each with the factor by which its share exceeds that of one client. */
export type NetworksOf = (address: string) => Readonly<Record<string, number>>;

export interface BodyRoomOptions {
  readonly budgetBytes?: number;
  /** Milliseconds; the time limits are multiples of it. */
  readonly tickMs?: number;
  /** Measures the turns to parse long texts. */
  readonly meter?: QueueMeter | undefined;
}

/** A part of the budget, and the most bytes that it may take. */
interface Share {
  readonly key: string;
  readonly most: number;
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
  networksOf: NetworksOf,
  { budgetBytes = BUDGET_BYTES, tickMs = SECOND_MS, meter }: BodyRoomOptions = {},
): BodyRoom {
  const heldBy = new Map<string, number>();
  const arrivals = new Set<Arrival>();
  const turns = createLimiter({
    running: 1,
    waiting: MAX_WAITING_TEXTS,
    timeoutMs: TURN_TIMEOUT_MS,
    meter,
  });
  let heldBytes = 0;
  /** Earliest time of the next step of a long text, by `performance.now()`. */
  let restUntil = 0;
  let nextTick: AbortSignal | undefined;

  function add(key: string, bytes: number): void {
    const sum = (heldBy.get(key) ?? 0) + bytes;
    if (sum === 0) heldBy.delete(key);
    else heldBy.set(key, sum);
  }

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

  // Cached: the lookup costs as much as reading a small body.
  const networkShares = new Map<string, readonly Share[]>();
  function findNetworkShares(address: string): readonly Share[] {
    let shares = networkShares.get(address);
    if (shares === undefined) {
      shares = Object.entries(networksOf(address)).map(([network, factor]) => ({
        key: `network ${network}`,
        most: factor * CLIENT_SHARE * budgetBytes,
      }));
      if (networkShares.size === MAX_KNOWN_ADDRESSES) networkShares.clear();
      networkShares.set(address, shares);
    }
    return shares;
  }

  return {
    admit({ address, asker }) {
      const shares: readonly Share[] = [
        ...findNetworkShares(address),
        asker === undefined
          ? { key: STRANGERS, most: STRANGERS_SHARE * budgetBytes }
          : { key: asker, most: USER_SHARE * budgetBytes },
      ];
      let held = 0;
      let arrival: Arrival | undefined;

      function grow(bytes: number): void {
        heldBytes += bytes;
        for (const { key } of shares) add(key, bytes);
        held += bytes;
      }

      return {
        hold(bytes) {
          const more = bytes - held;
          if (more <= 0) return;
          const left = budgetBytes - heldBytes - more;
          if (left < 0) throw BUDGET_USED;
          const isAlone = heldBytes === held;
          for (const { key, most } of shares) {
            const others = (heldBy.get(key) ?? 0) - held;
            // A share may not exceed what is left of the budget, so callers with full shares leave room for others.
            if (!isAlone && key !== STRANGERS && others + bytes > left) throw SHARE_USED;
            // The largest body exceeds a share, so a body that has a share to itself always fits.
            if (others > 0 && others + bytes > most) throw SHARE_USED;
          }
          grow(more);
        },
        expect(arrived, onLate) {
          arrival = { hasToken: asker !== undefined, arrived, onLate, marks: [arrived()] };
          arrivals.add(arrival);
          if (nextTick === undefined) startTicking();
        },
        stopExpecting() {
          if (arrival !== undefined) arrivals.delete(arrival);
        },
        release() {
          grow(-held);
        },
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
