import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { fromBase64Url, randomToken, toBase64Url } from "../../core/encoding.ts";
import type { Secrets } from "../../core/secrets.ts";
import { addressBucket } from "../../http/client_address.ts";

const FAMILY_BYTES = 32;
const MAC_PURPOSE = "refresh";
const NETWORK_PURPOSE = "refresh.network";

/** `<family>.<generation>.<mac>`: 43 characters, a decimal without leading zeros, 43 characters. */
const REFRESH_TOKEN = /^([A-Za-z0-9_-]{43})\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{43})$/;

/** The content of a genuine refresh token. Only the session's row tells whether it is still valid. */
export interface RefreshTokenParts {
  readonly family: string;
  readonly generation: number;
  /** Stored in the session's row in place of the family. */
  readonly familyHash: string;
}

/** A new family: the random part that all refresh tokens of one session share. */
export function generateFamily(): string {
  return randomToken(FAMILY_BYTES);
}

/**
 * The refresh token of a generation (from 1). While the newest key stays the same, so does the result, so that
 * a repeated refresh gets the same successor. Throws a `RangeError` for a malformed family or generation.
 */
export async function makeRefreshToken(
  secrets: Secrets,
  family: string,
  generation: number,
): Promise<string> {
  if (!isFamily(family)) throw new RangeError("Cannot make a refresh token: the family is malformed");
  if (!Number.isSafeInteger(generation) || generation < 1) {
    throw new RangeError("Cannot make a refresh token: the generation must be a positive integer");
  }
  const [mac] = await secrets.macs(MAC_PURPOSE, family, String(generation));
  return `${family}.${generation}.${mac}`;
}

/**
 * Parses a refresh token; undefined unless it was made with one of the configured keys. A forged token is
 * refused without asking the database.
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
 * SHA-256 of a family as base64url, which the session's row holds. So neither a leaked key nor a leaked
 * database is enough to make a token. A family is random enough to need no salt.
 */
export async function hashFamily(family: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(family));
  return toBase64Url(new Uint8Array(digest));
}

/**
 * The client network of a rotation, as the session's row holds it: an HMAC, because it is only compared, and the
 * row outlives the comparison by months. Differs from family to family.
 */
export async function networkMac(secrets: Secrets, family: string, address: string): Promise<string> {
  const [mac] = await secrets.macs(NETWORK_PURPOSE, family, addressBucket(address));
  return mac;
}

function isFamily(text: string): boolean {
  return fromBase64Url(text)?.byteLength === FAMILY_BYTES;
}

/** Compares with all keys in constant time, so that timing reveals neither the MAC nor its key. */
function matchesAny(mac: string, expected: readonly string[]): boolean {
  let matches = false;
  for (const candidate of expected) {
    const equal = candidate.length === mac.length &&
      timingSafeEqual(Buffer.from(candidate), Buffer.from(mac));
    matches = equal || matches;
  }
  return matches;
}
