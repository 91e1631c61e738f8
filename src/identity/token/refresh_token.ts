import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { fromBase64Url, randomToken, toBase64Url } from "../../core/encoding.ts";
import type { Secrets } from "../../core/secrets.ts";

const FAMILY_BYTES = 32;
const MAC_PURPOSE = "refresh";

/** `<family>.<generation>.<mac>`: 43 characters, a decimal without leading zeros, 43 characters. */
const REFRESH_TOKEN = /^([A-Za-z0-9_-]{43})\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{43})$/;

/** What a genuine refresh token names. Whether it is still good is for the session's row to say. */
export interface RefreshTokenParts {
  readonly family: string;
  readonly generation: number;
  /** What the session's row holds in place of the family. */
  readonly familyHash: string;
}

/** A new family: the random part that all refresh tokens of one session share. */
export function generateFamily(): string {
  return randomToken(FAMILY_BYTES);
}

/**
 * The refresh token of a generation (from 1 on). The same input always gives the same token as long as the newest key
 * stays, so that a repeated refresh gets the same successor. Throws a `RangeError` on what could not be read again.
 */
export async function makeRefreshToken(
  secrets: Secrets,
  family: string,
  generation: number,
): Promise<string> {
  if (!isFamily(family)) throw new RangeError("Cannot make a refresh token: the family is malformed");
  if (!Number.isSafeInteger(generation) || generation < 1) {
    throw new RangeError("Cannot make a refresh token: the generation must be an integer from 1 on");
  }
  const [mac] = await secrets.macs(MAC_PURPOSE, family, String(generation));
  return `${family}.${generation}.${mac}`;
}

/**
 * Reads a refresh token: undefined unless it was made here, under any of the configured keys. A text that was not is
 * refused before the database is asked.
 */
export async function readRefreshToken(
  secrets: Secrets,
  text: string,
): Promise<RefreshTokenParts | undefined> {
  const [, family = "", digits = "", mac = ""] = REFRESH_TOKEN.exec(text) ?? [];
  const generation = Number(digits);
  if (!isFamily(family) || !Number.isSafeInteger(generation)) return undefined;
  const expected = await secrets.macs(MAC_PURPOSE, family, digits);
  if (!matchesAny(mac, expected)) return undefined;
  return { family, generation, familyHash: await hashFamily(family) };
}

/**
 * SHA-256 of a family as base64url: what the session's row holds. So neither a leaked key nor a leaked database makes
 * a token; a family is random enough to need no salt.
 */
export async function hashFamily(family: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(family));
  return toBase64Url(new Uint8Array(digest));
}

function isFamily(text: string): boolean {
  return fromBase64Url(text)?.byteLength === FAMILY_BYTES;
}

/** Compares in constant time, and with all keys, so that the time tells neither the MAC nor which key made it. */
function matchesAny(mac: string, expected: readonly string[]): boolean {
  let matches = false;
  for (const candidate of expected) {
    const equal = candidate.length === mac.length &&
      timingSafeEqual(Buffer.from(candidate), Buffer.from(mac));
    matches = equal || matches;
  }
  return matches;
}
