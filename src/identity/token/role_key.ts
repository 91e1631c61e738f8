import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { randomToken } from "../../core/encoding.ts";
import type { Secrets } from "../../core/secrets.ts";

/**
 * The secret of a role's key: `rgk_<id>_<random><proof><checksum>`. The prefix and the checksum let secret scanners
 * recognize it. The proof, a MAC, lets the service refuse what it has not made itself without asking the database:
 * until that is asked, a request already counts as this key's, and nobody else may use up its share.
 */

/** What every secret of a key begins with. The id follows. */
export const ROLE_KEY_PREFIX = "rgk_";
const RANDOM_BYTES = 24;
/** 132 bits, in base64url. */
const PROOF_LENGTH = 22;
/** Of the random part, this much is shown in listings, which tells keys apart. It leaves 168 bits. */
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

/** The content of a genuine secret. Only the key's row tells whether it is still valid. */
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

/** The secret of a key, once it has an id. */
export async function makeRoleKey(secrets: Secrets, keyId: number, random: string): Promise<string> {
  const [mac] = await secrets.macs(PROOF_PURPOSE, String(keyId), random);
  const text = `${ROLE_KEY_PREFIX}${keyId}_${random}${mac.slice(0, PROOF_LENGTH)}`;
  return text + checksum(text);
}

/** Whether a bearer token is meant as a key, and no JWT, which begins otherwise. */
export function claimsToBeRoleKey(token: string): boolean {
  return token.startsWith(ROLE_KEY_PREFIX);
}

/** Like `readRoleKey`, but remembers this many secrets, so that a program's next request is not verified anew. */
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

/** Parses the secret of a key; undefined unless it was made with one of the configured secret keys. */
export async function readRoleKey(secrets: Secrets, token: string): Promise<RoleKeyParts | undefined> {
  const [, text = "", digits = "", random = "", proof = "", sum = ""] = ROLE_KEY.exec(token) ?? [];
  // Of a text that is no key, all parts are empty.
  if (checksum(text) !== sum) return undefined;
  const [proofs, macs] = await Promise.all([
    secrets.macs(PROOF_PURPOSE, digits, random),
    secrets.macs(STORED_PURPOSE, random),
  ]);
  // Both parts of a key were made with the same one of the secret keys.
  const mac = macs[proofs.findIndex((expected) => isProof(proof, expected))];
  return mac === undefined ? undefined : { keyId: Number(digits), mac };
}

function isProof(proof: string, mac: string): boolean {
  return timingSafeEqual(Buffer.from(proof), Buffer.from(mac.slice(0, PROOF_LENGTH)));
}

/** The first 32 bits of SHA-256, in hexadecimal. It finds texts that only look like keys; it proves nothing. */
function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
