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

/** The content of a genuine refresh token. Whether it is valid is only known from the session's row. */
export interface RefreshTokenParts {
  readonly family: string;
  readonly generation: number;
  /** Stored in the session's row in place of the family. */
  readonly familyHash: string;
}

/** Returns a new family: the random part shared by all refresh tokens of a session. */
export function generateFamily(): string {
  return randomToken(FAMILY_BYTES);
}

/**
 * Returns the refresh token of a generation (from 1). The same newest key gives the same token, so a repeated
 * rotation gets the same successor. Throws a `RangeError` for a malformed family or generation.
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

/** Parses a refresh token; undefined unless a configured key made it. Refuses forged tokens without a query. */
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
 * Returns the SHA-256 of a family as base64url, for the session's row: neither a leaked key nor a leaked database is
 * enough to make a token. A family is random enough to need no salt.
 */
export async function hashFamily(family: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(family));
  return toBase64Url(new Uint8Array(digest));
}

/**
 * Returns an HMAC of the client's network for the session's row, different for each family. It is only compared, and
 * the row outlives the comparison by months.
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
