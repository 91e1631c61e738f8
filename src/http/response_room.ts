import { currentAsker } from "../core/asker.ts";
import { AppError, LoggableError } from "../core/errors.ts";

/** Limits of the long responses that a process holds until their clients have fetched them. */

export interface ResponseRoomOptions {
  /** In characters; default 128 Mi. One payer may use half. */
  readonly maxCharacters?: number;
  /** How long a client may be idle while the room is full, in milliseconds; default 5 seconds. */
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
  /** Throws `UNAVAILABLE` if the asker has no room left for another response of this length. */
  requireShare(length: number): void;
  /** Throws `UNAVAILABLE` if there is no room for a response of this length. */
  require(length: number): void;
  /**
   * Reserves `length` characters for the asker's response. In a full room, calls `breakOff` of another response: the
   * one whose client has been idle longest beyond the limit, else one of the payer with the most, if that is more
   * than the asker would have. Throws `UNAVAILABLE` if there is none.
   */
  hold(length: number, breakOff: BreakOff): HeldResponse;
}

/** Breaks off a response. The reason is for the runtime's log. */
export type BreakOff = (reason: string) => void;

interface Waiting {
  readonly since: number;
  readonly payer: string;
  readonly breakOff: BreakOff;
}

interface Displaced extends Waiting {
  readonly reason: string;
}

const MAX_CHARACTERS = 128 * 1024 * 1024;
const PAYER_SHARE = 1 / 2;
const FULL_TIMEOUT_MS = 5_000;

export function createResponseRoom(
  { maxCharacters = MAX_CHARACTERS, fullTimeoutMs = FULL_TIMEOUT_MS }: ResponseRoomOptions = {},
): ResponseRoom {
  /** Responses that wait for their clients, the longest idle first. */
  const waiting = new Map<HeldResponse, Waiting>();
  const heldFor = new Map<string, number>();
  let held = 0;

  function add(payer: string, length: number): void {
    held += length;
    const ofPayer = (heldFor.get(payer) ?? 0) + length;
    if (ofPayer > 0) heldFor.set(payer, ofPayer);
    else heldFor.delete(payer);
  }

  function requireShare(length: number): void {
    const ofPayer = heldFor.get(currentAsker()) ?? 0;
    if (ofPayer + length > PAYER_SHARE * maxCharacters) {
      throw refusal("One payer's share of the responses is used up");
    }
  }

  /**
   * Returns the response that gives way in a full room (see `hold`), so that a few slow clients do not keep others
   * out.
   */
  function findDisplaced(length: number): Displaced | undefined {
    const [longest] = waiting.values();
    if (longest !== undefined && performance.now() - longest.since >= fullTimeoutMs) {
      return { ...longest, reason: tooSlow(fullTimeoutMs) };
    }
    const [payer, most] = heldFor.entries().reduce((one, other) => other[1] > one[1] ? other : one, ["", 0]);
    if (most <= (heldFor.get(currentAsker()) ?? 0) + length) return undefined;
    const ofPayer = waiting.values().find((each) => each.payer === payer);
    return ofPayer &&
      { ...ofPayer, reason: "The room for responses is used up, by this payer more than by others" };
  }

  function requireDisplaced(length: number): Displaced {
    const displaced = findDisplaced(length);
    if (displaced === undefined) throw refusal("The room for responses is used up");
    return displaced;
  }

  return {
    requireShare,
    require(length) {
      requireShare(length);
      if (held + length > maxCharacters) requireDisplaced(length);
    },
    hold(length, breakOff) {
      const payer = currentAsker();
      requireShare(length);
      while (held + length > maxCharacters) {
        const { breakOff: leave, reason } = requireDisplaced(length);
        leave(reason);
      }
      add(payer, length);
      let isHeld = true;
      const response: HeldResponse = {
        setWaiting(isWaiting) {
          waiting.delete(response);
          if (isWaiting && isHeld) waiting.set(response, { since: performance.now(), payer, breakOff });
        },
        release() {
          if (!isHeld) return;
          isHeld = false;
          waiting.delete(response);
          add(payer, -length);
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

function refusal(reason: string): AppError {
  return new AppError("UNAVAILABLE", { cause: new LoggableError(reason) });
}
