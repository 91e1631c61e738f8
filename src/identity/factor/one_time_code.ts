import type { Secrets } from "../../core/secrets.ts";
import type { CodePurpose } from "./one_time_code_queries.ts";

/** Lifetime of mailed codes, in seconds. */
export const CODE_SECONDS = 600;

/**
 * Returns the HMAC of a code under each key, newest first, bound to purpose and subject. The database stores the
 * first.
 */
export function codeMacs(
  secrets: Secrets,
  purpose: CodePurpose,
  subject: string,
  code: string,
): Promise<readonly [string, ...string[]]> {
  return secrets.macs("one_time_code", purpose, subject, code);
}
