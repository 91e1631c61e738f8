import { Buffer } from "node:buffer";
import { randomToken } from "./encoding.ts";
import type { SecretKey } from "./secrets.ts";

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Parses `SECRET_KEYS`: `id:base64[,id:base64…]`, newest first. Throws a `RangeError` that names the position and
 * fault of a key, never its value.
 */
export function parseSecretKeys(text: string): readonly [SecretKey, ...SecretKey[]] {
  const [newest = "", ...older] = text.split(",");
  const keys: [SecretKey, ...SecretKey[]] = [parseSecretKey(newest, 1)];
  for (const [i, entry] of older.entries()) keys.push(parseSecretKey(entry, i + 2));
  if (new Set(keys.map((key) => key.id)).size < keys.length) {
    throw new RangeError("has two keys with the same id: each id must be unique");
  }
  return keys;
}

/** Returns a new key in the format of `SECRET_KEYS`. To rotate, put it before the existing keys, with a comma. */
export function generateSecretKeys(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `${randomToken(6)}:${Buffer.from(bytes).toString("base64")}`;
}

function parseSecretKey(entry: string, position: number): SecretKey {
  const [id = "", base64, ...rest] = entry.trim().split(":");
  if (base64 === undefined || rest.length > 0) {
    throw new RangeError(`key ${position} must be an id, a colon and base64`);
  }
  if (!KEY_ID.test(id)) {
    throw new RangeError(`key ${position} must have an id of 1 to 32 letters, digits, "_" or "-"`);
  }
  const malformed = new RangeError(`key ${position} must be base64 with its padding`);
  // Older runtimes throw an error of their own on characters that newer ones skip.
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) throw malformed;
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  if (Buffer.from(bytes).toString("base64") !== base64) throw malformed;
  if (bytes.byteLength < KEY_BYTES) {
    throw new RangeError(`key ${position} must have at least ${KEY_BYTES} bytes`);
  }
  return { id, bytes };
}
