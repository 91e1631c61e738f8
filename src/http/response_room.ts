import { AppError, LoggableError } from "../core/errors.ts";
import { type Held, Shares } from "../core/shares.ts";

/** Limits of the long responses that a process holds until their clients have fetched them. */

export interface ResponseRoomOptions {
  /** In characters; default 128 Mi. */
  readonly maxCharacters?: number;
  /** How long a client may be idle while there is no room for another, in milliseconds; default 5 seconds. */
  readonly fullTimeoutMs?: number;
}

/** A response in the room. */
export interface HeldResponse {
  /** Call with true while the client has something to fetch, and with false while the service makes the next part. */
  setWaiting(isWaiting: boolean): void;
  /** Releases the room. Further calls have no effect. */
  release(): void;
}

export interface ResponseRoom {
  /** Throws `UNAVAILABLE` if the caller holds responses already, and there is no room for another of this length. */
  requireShare(length: number): void;
  /** Throws `UNAVAILABLE` if there is no room for a response of this length. */
  require(length: number): void;
  /**
   * Reserves `length` characters for a response, in the caller's share (`core/shares.ts`). Without room, calls
   * `breakOff` of another response: the one whose client has been idle longest beyond the limit, else the longest idle
   * one of a larger branch. Throws `UNAVAILABLE` if there is none.
   */
  hold(length: number, breakOff: BreakOff): HeldResponse;
}

/** Breaks off a response. The reason is for the runtime's log. */
export type BreakOff = (reason: string) => void;

interface Waiting {
  readonly since: number;
  readonly held: Held;
  readonly breakOff: BreakOff;
}

const MAX_CHARACTERS = 128 * 1024 * 1024;
const FULL_TIMEOUT_MS = 5_000;
const LARGER = "The room for responses is used up, by this branch more than by another";

export function createResponseRoom(
  { maxCharacters = MAX_CHARACTERS, fullTimeoutMs = FULL_TIMEOUT_MS }: ResponseRoomOptions = {},
): ResponseRoom {
  const shares = new Shares({ size: maxCharacters, leavesRoom: true });
  /** Responses that wait for their clients, the longest idle first. */
  const waiting = new Map<HeldResponse, Waiting>();

  /** Returns how to break off the response that gives way to another of this length. Throws if there is none. */
  function findDisplaced(length: number): () => void {
    const [longest] = waiting.values();
    // With a share that is used up alone, others do not give way.
    const isFull = shares.free < length;
    if (isFull && longest !== undefined && performance.now() - longest.since >= fullTimeoutMs) {
      return () => longest.breakOff(tooSlow(fullTimeoutMs));
    }
    const isLarger = shares.findLarger(length);
    const other = waiting.values().find(({ held }) => isLarger?.(held));
    if (other === undefined) {
      throw new AppError("UNAVAILABLE", { cause: new LoggableError("The room for responses is used up") });
    }
    return () => other.breakOff(LARGER);
  }

  function require(length: number): void {
    if (!shares.hasRoom(length)) findDisplaced(length);
  }

  return {
    requireShare(length) {
      if (shares.isHolding()) require(length);
    },
    require,
    hold(length, breakOff) {
      while (!shares.hasRoom(length)) findDisplaced(length)();
      const held = shares.takeNow(length);
      let isHeld = true;
      const response: HeldResponse = {
        setWaiting(isWaiting) {
          waiting.delete(response);
          if (isWaiting && isHeld) waiting.set(response, { since: performance.now(), held, breakOff });
        },
        release() {
          isHeld = false;
          waiting.delete(response);
          held.release();
        },
      };
      return response;
    },
  };
}

/** Returns the reason for breaking off a response after `limitMs` of idleness. */
export function tooSlow(limitMs: number): string {
  return `The client did not fetch the response within ${limitMs} ms`;
}
