import { createHash } from "node:crypto";

/** A request with the key that its client chose in order to repeat it safely. */
export interface IdempotentRequest {
  readonly key: string;
  /** See `fingerprintRequest`. */
  readonly fingerprint: string;
}

/** The parts of a request that stay the same when it is repeated. */
export interface RequestContent {
  readonly method: string;
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Returns the SHA-256 (base64url) of a request's content, without regard to white space and the order of object keys.
 * It need not hide the content: the log and the tables hold it, too, except for a deleted device's, which can be
 * guessed from the hash.
 */
export function fingerprintRequest({ method, path, query, body }: RequestContent): string {
  const text = JSON.stringify([method, path, query, body], sortKeys);
  return createHash("sha256").update(text).digest("base64url");
}

/** Returns the batch for a request with or without a key, and its parameters for that key. */
export function chooseBatch<B>(
  { keyed, keyless }: { readonly keyed: B; readonly keyless: B },
  request: IdempotentRequest | undefined,
): { batch: B; keyArgs: Readonly<Record<string, string>> } {
  if (request === undefined) return { batch: keyless, keyArgs: {} };
  return { batch: keyed, keyArgs: { idempotencyKey: request.key, fingerprint: request.fingerprint } };
}

/** Sorts keys by code units, as a replacer for `JSON.stringify` (compare RFC 8785, section 3.2.3). */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
