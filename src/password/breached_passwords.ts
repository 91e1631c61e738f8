import { createHash } from "node:crypto";
import { SECOND_MS } from "../core/clock.ts";
import { runWithLimit } from "../core/deadline.ts";
import type { Log } from "../core/log.ts";
import { normalizePassword } from "./rules.ts";

/** Whether a password is known from a breach; false as well when nobody can tell in time. */
export type BreachedPasswordCheck = (password: string) => Promise<boolean>;

export interface BreachedPasswordOptions {
  /** Where `/range/<prefix>` is served, such as `https://api.pwnedpasswords.com`. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly timeoutMs?: number;
}

const PREFIX_LENGTH = 5;

/**
 * Looks passwords up in a Pwned Passwords range service by k-anonymity: five hex digits of the password's SHA-1 leave
 * this process, and the padded answer hides how many passwords share them. A service that is slow (1 s) or fails is
 * logged and counts as "not breached": it must not keep people from setting a password (ASVS 5.0, 6.2.12).
 */
export function createBreachedPasswordCheck(options: BreachedPasswordOptions): BreachedPasswordCheck {
  const { log, timeoutMs = SECOND_MS } = options;
  const base = options.baseUrl.replace(/\/+$/, "");

  async function fetchRange(prefix: string, signal: AbortSignal): Promise<string> {
    const headers = { "Add-Padding": "true" };
    const response = await options.fetch(`${base}/range/${prefix}`, { headers, signal, redirect: "error" });
    if (response.ok) return await response.text();
    await response.body?.cancel();
    throw new RangeError(`The breached password service answered ${response.status}`);
  }

  return async function isBreached(password): Promise<boolean> {
    const digest = createHash("sha1").update(normalizePassword(password)).digest("hex").toUpperCase();
    const prefix = digest.slice(0, PREFIX_LENGTH);
    try {
      const range = await runWithLimit(timeoutMs, (signal) => fetchRange(prefix, signal));
      return listsSuffix(range, digest.slice(PREFIX_LENGTH));
    } catch (error) {
      log.warn("breached_password_check_failed", { reason: describeFailure(error) });
      return false;
    }
  };
}

/** Reads lines of `SUFFIX:COUNT`. A count of 0 marks padding. */
function listsSuffix(range: string, suffix: string): boolean {
  for (const line of range.split("\n")) {
    const [lineSuffix = "", count = ""] = line.trim().split(":");
    if (lineSuffix.toUpperCase() === suffix) return Number(count) > 0;
  }
  return false;
}

/** The message of a failed connection names the URL, and with it part of the password's hash: it is left out. */
function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
