import type { Secrets } from "../core/secrets.ts";

/**
 * Returns the HMAC of a password link's token under each key, newest first; the database stores the first. Invitation
 * and reset links share this purpose, since both set a password; nothing else matches.
 */
export function passwordLinkMacs(secrets: Secrets, token: string): Promise<readonly [string, ...string[]]> {
  return secrets.macs("password_link", token);
}
