import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { randomToken } from "../../core/encoding.ts";
import type { Secrets } from "../../core/secrets.ts";

/**
 * The secret of a role's key: `rgk_<id>_<random><proof><checksum>`. Secret scanners recognize it by prefix and
 * checksum. The proof, a MAC, lets the service refuse forged keys without a query: until then a request already
 * counts to its key, whose share no other caller may use up.
 */

/** The prefix of every secret of a key, followed by the id. */
export const ROLE_KEY_PREFIX = "rgk_";
const RANDOM_BYTES = 24;
/** 132 bits, in base64url. */
const PROOF_LENGTH = 22;
/** Characters of the random part that listings show to tell keys apart. 168 bits remain. */
const SHOWN_LENGTH = 4;

const REMEMBERED_KEYS = 10_000;

const PROOF_PURPOSE = "role_key.proof";
const STORED_PURPOSE = "role_key";

/** An id without leading zeros, 32 and 22 characters of base64url, and 8 hexadecimal digits. */
const ROLE_KEY = /^(rgk_([1-9][0-9]{0,15})_([A-Za-z0-9_-]{32})([A-Za-z0-9_-]{22}))([0-9a-f]{8})$/;

/** A key that has no id yet. */
export interface NewRoleKey {
  readonly random: string;
  /** Stored in place of the secret. */
  readonly mac: string;
  /** The part of `random` that may be shown. */
  readonly shown: string;
}

/** The content of a genuine secret. Whether it is valid is only known from the key's row. */
export interface RoleKeyParts {
  readonly keyId: number;
  readonly mac: string;
}

/** Draws the random part of a secret. Its row gets the id. */
export async function drawRoleKey(secrets: Secrets): Promise<NewRoleKey> {
  const random = randomToken(RANDOM_BYTES);
  const [mac] = await secrets.macs(STORED_PURPOSE, random);
  return { random, mac, shown: random.slice(0, SHOWN_LENGTH) };
}

/** Returns the secret of a key that has its id. */
export async function makeRoleKey(secrets: Secrets, keyId: number, random: string): Promise<string> {
  const [mac] = await secrets.macs(PROOF_PURPOSE, String(keyId), random);
  const text = `${ROLE_KEY_PREFIX}${keyId}_${random}${mac.slice(0, PROOF_LENGTH)}`;
  return text + checksum(text);
}

/** Whether a bearer token looks like a key; JWTs begin otherwise. */
export function claimsToBeRoleKey(token: string): boolean {
  return token.startsWith(ROLE_KEY_PREFIX);
}

/** Like `readRoleKey`, with a cache of `mostRemembered` secrets, so that further requests are not verified anew. */
export function rememberRoleKeys(
  secrets: Secrets,
  mostRemembered = REMEMBERED_KEYS,
): (token: string) => Promise<RoleKeyParts | undefined> {
  const remembered = new Map<string, RoleKeyParts>();
  return async function readRemembered(token) {
    const known = remembered.get(token);
    if (known !== undefined) return known;
    const key = await readRoleKey(secrets, token);
    if (key === undefined) return undefined;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= mostRemembered) remembered.delete(oldest);
    remembered.set(token, key);
    return key;
  };
}

/** Parses the secret of a key; undefined unless a configured secret key made it. */
export async function readRoleKey(secrets: Secrets, token: string): Promise<RoleKeyParts | undefined> {
  const [, text = "", digits = "", random = "", proof = "", sum = ""] = ROLE_KEY.exec(token) ?? [];
  // All parts are empty if the text is not a key.
  if (checksum(text) !== sum) return undefined;
  const [proofs, macs] = await Promise.all([
    secrets.macs(PROOF_PURPOSE, digits, random),
    secrets.macs(STORED_PURPOSE, random),
  ]);
  // The same secret key made both parts.
  const mac = macs[proofs.findIndex((expected) => isProof(proof, expected))];
  return mac === undefined ? undefined : { keyId: Number(digits), mac };
}

function isProof(proof: string, mac: string): boolean {
  return timingSafeEqual(Buffer.from(proof), Buffer.from(mac.slice(0, PROOF_LENGTH)));
}

/**
 * Returns the first 32 bits of SHA-256, in hexadecimal. It excludes texts that only look like keys; it proves
 * nothing.
 */
function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
