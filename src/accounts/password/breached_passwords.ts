import { createHash } from "node:crypto";
import { type Clock, isWithin, MINUTE_MS, SECOND_MS } from "../../core/clock.ts";
import { runWithLimit } from "../../core/deadline.ts";
import type { Log } from "../../core/log.ts";
import { normalizePassword } from "./rules.ts";

/** Whether a password is known from a breach; also false if the lookup fails. */
export type BreachedPasswordCheck = (password: string) => Promise<boolean>;

export interface BreachedPasswordOptions {
  /** The URL that `/range/<prefix>` is appended to, such as `https://api.pwnedpasswords.com`. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

const PREFIX_LENGTH = 5;

/** Maximum number of look-ups per process: at the same time, and per minute from the first one. */
const LOOKUPS_AT_ONCE = 8;
const LOOKUPS_PER_MINUTE = 120;

/**
 * Creates a check against a Pwned Passwords range service. Only five hex digits of the SHA-1 leave the process, and
 * padding hides the size of the response. Look-ups are limited, so that callers cannot flood that service. Beyond the
 * limits, or if it fails or is slow (1 s), passwords count as not breached, with a log line (ASVS 5.0, 6.2.12).
 */
export function createBreachedPasswordCheck(options: BreachedPasswordOptions): BreachedPasswordCheck {
  const { log, clock, timeoutMs = SECOND_MS } = options;
  const base = options.baseUrl.replace(/\/+$/, "");
  let running = 0;
  let minuteBegin = -Infinity;
  let inMinute = 0;

  async function lookUp(prefix: string): Promise<string> {
    if (!isWithin(MINUTE_MS, minuteBegin, clock())) [minuteBegin, inMinute] = [clock(), 0];
    if (running >= LOOKUPS_AT_ONCE) throw new RangeError(`${LOOKUPS_AT_ONCE} look-ups run already`);
    if (inMinute >= LOOKUPS_PER_MINUTE) {
      throw new RangeError(`${LOOKUPS_PER_MINUTE} look-ups within a minute`);
    }
    inMinute++;
    running++;
    try {
      return await runWithLimit(timeoutMs, (signal) => fetchRange(prefix, signal));
    } finally {
      running--;
    }
  }

  async function fetchRange(prefix: string, signal: AbortSignal): Promise<string> {
    const headers = { "Add-Padding": "true" };
    const response = await options.fetch(`${base}/range/${prefix}`, { headers, signal, redirect: "error" });
    if (response.ok) return await response.text();
    await response.body?.cancel();
    throw new RangeError(`The breached password service responded with ${response.status}`);
  }

  return async function isBreached(password): Promise<boolean> {
    const digest = createHash("sha1").update(normalizePassword(password)).digest("hex").toUpperCase();
    const prefix = digest.slice(0, PREFIX_LENGTH);
    try {
      const range = await lookUp(prefix);
      return listsSuffix(range, digest.slice(PREFIX_LENGTH));
    } catch (error) {
      log.warn("breached_password_check_failed", { reason: describeFailure(error) });
      return false;
    }
  };
}

/** Searches lines of `SUFFIX:COUNT`. A count of 0 marks padding. */
function listsSuffix(range: string, suffix: string): boolean {
  for (const line of range.split("\n")) {
    const [lineSuffix = "", count = ""] = line.trim().split(":");
    if (lineSuffix.toUpperCase() === suffix) return Number(count) > 0;
  }
  return false;
}

/** Describes a failure for the log. The message of a failed connection is left out: its URL has a part of the hash. */
function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
