import type { Secrets } from "../core/secrets.ts";

/**
 * What the database stores of a password link's token: its HMAC under each key, newest first. Invitation and
 * reset links share one purpose, since both set a password. No other code or link ever matches.
 */
export function passwordLinkMacs(secrets: Secrets, token: string): Promise<readonly [string, ...string[]]> {
  return secrets.macs("password_link", token);
}
