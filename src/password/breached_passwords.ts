import { createHash } from "node:crypto";
import { SECOND_MS } from "../core/clock.ts";
import { runWithLimit } from "../core/deadline.ts";
import type { Log } from "../core/log.ts";
import { normalizePassword } from "./rules.ts";

/** Whether a password is known from a breach; also false if the lookup fails. */
export type BreachedPasswordCheck = (password: string) => Promise<boolean>;

export interface BreachedPasswordOptions {
  /** The URL that `/range/<prefix>` is appended to, such as `https://api.pwnedpasswords.com`. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly timeoutMs?: number;
}

const PREFIX_LENGTH = 5;

/**
 * Looks passwords up in a Pwned Passwords range service by k-anonymity: only five hex digits of the password's
 * SHA-1 leave this process, and padding hides the size of the response. A failing or slow (1 s) service is
 * logged and counts as "not breached", because it must not keep people from setting a password (ASVS 5.0,
 * 6.2.12).
 */
export function createBreachedPasswordCheck(options: BreachedPasswordOptions): BreachedPasswordCheck {
  const { log, timeoutMs = SECOND_MS } = options;
  const base = options.baseUrl.replace(/\/+$/, "");

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
      const range = await runWithLimit(timeoutMs, (signal) => fetchRange(prefix, signal));
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

/** Leaves out the message of a failed connection: it contains the URL, and so a part of the password's hash. */
function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
