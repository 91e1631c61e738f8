import { fromBase64Url, toBase64Url } from "./encoding.ts";

/** An entry of `SECRET_KEYS`: an id, which is stored beside the protected data, and at least 32 random bytes. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The error for a value sealed with a key that is no longer configured. The message names the key's id. */
export class MissingKeyError extends RangeError {
  override readonly name = "MissingKeyError";

  constructor(keyId: string) {
    super(`Cannot open a sealed value: no key "${keyId}" in SECRET_KEYS`);
  }
}

/** Keyed hashing and sealing. The newest key makes new values; all configured keys verify and open. */
export interface Secrets {
  /**
   * Returns the HMAC-SHA-256 of the parts under each key, newest first, as base64url. Values of different purposes
   * never match. Store the first; compare with all.
   */
  macs(purpose: string, ...parts: string[]): Promise<readonly [string, ...string[]]>;
  /** Seals a text with AES-256-GCM; `context` is authenticated and must be given again to open it. */
  seal(text: string, context: string): Promise<string>;
  /**
   * Opens a value that `seal` made with any configured key. Throws a `MissingKeyError` without the key, and other
   * errors if text or context was altered.
   */
  open(sealed: string, context: string): Promise<string>;
  /** Whether the newest key sealed the value, so that the older keys may be removed. */
  isSealedByNewest(sealed: string): boolean;
}

interface DerivedKey {
  readonly id: string;
  readonly mac: CryptoKey;
  readonly seal: CryptoKey;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const IV_BYTES = 12;

/** Derives (HKDF, RFC 5869) a MAC key and a sealing key from each configured key. Throws on an empty list. */
export async function createSecrets(keys: readonly SecretKey[]): Promise<Secrets> {
  const derived = await Promise.all(keys.map(deriveKey));
  const newest = derived[0];
  if (newest === undefined) throw new TypeError("Cannot create secrets: no key is configured");
  const byId = new Map(derived.map((key) => [key.id, key]));

  async function mac(key: DerivedKey, message: Uint8Array<ArrayBuffer>): Promise<string> {
    return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key.mac, message)));
  }

  return {
    async macs(purpose, ...parts): Promise<readonly [string, ...string[]]> {
      const message = lengthPrefixed([purpose, ...parts]);
      const [first, ...older] = await Promise.all(derived.map((key) => mac(key, message)));
      return [first as string, ...older];
    },
    async seal(text, context): Promise<string> {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(context) };
      const box = await crypto.subtle.encrypt(algorithm, newest.seal, encoder.encode(text));
      return `${newest.id}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(box))}`;
    },
    async open(sealed, context): Promise<string> {
      const [id = "", ivText = "", boxText = ""] = sealed.split(".");
      const key = byId.get(id);
      const iv = fromBase64Url(ivText);
      const box = fromBase64Url(boxText);
      if (key === undefined) throw new MissingKeyError(id);
      if (iv === undefined || box === undefined) {
        throw new RangeError("Cannot open a sealed value: malformed");
      }
      const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(context) };
      return decoder.decode(await crypto.subtle.decrypt(algorithm, key.seal, box));
    },
    isSealedByNewest: (sealed) => sealed.startsWith(`${newest.id}.`),
  };
}

async function deriveKey(key: SecretKey): Promise<DerivedKey> {
  const master = await crypto.subtle.importKey("raw", key.bytes, "HKDF", false, ["deriveKey"]);
  const hkdf = (info: string): HkdfParams => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: encoder.encode(info),
  });
  const hmac: HmacKeyGenParams = { name: "HMAC", hash: "SHA-256", length: 256 };
  const [mac, seal] = await Promise.all([
    crypto.subtle.deriveKey(hkdf("rolegrid mac"), master, hmac, false, ["sign"]),
    crypto.subtle.deriveKey(hkdf("rolegrid seal"), master, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
  ]);
  return { id: key.id, mac, seal };
}

/** Encodes a list of texts without ambiguity: each is preceded by its length in bytes. */
function lengthPrefixed(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoded = parts.map((part) => encoder.encode(part));
  return encoder.encode(parts.map((part, i) => `${encoded[i]?.byteLength ?? 0}:${part}`).join(""));
}
