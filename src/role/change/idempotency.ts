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
 * SHA-256 (base64url) of a request's content. White space and the order of object keys make no difference. It is no
 * secret: the change log and the rows hold the same values, and those of a deleted device can be guessed from it.
 */
export function fingerprintRequest({ method, path, query, body }: RequestContent): string {
  const text = JSON.stringify([method, path, query, body], sortKeys);
  return createHash("sha256").update(text).digest("base64url");
}

/** The batch for a request with or without a key, and its parameters for that key. */
export function chooseBatch<B>(
  { keyed, keyless }: { readonly keyed: B; readonly keyless: B },
  request: IdempotentRequest | undefined,
): { batch: B; keyArgs: Readonly<Record<string, string>> } {
  if (request === undefined) return { batch: keyless, keyArgs: {} };
  return { batch: keyed, keyArgs: { idempotencyKey: request.key, fingerprint: request.fingerprint } };
}

/** Replacer for `JSON.stringify` that sorts keys by code units (compare RFC 8785, section 3.2.3). */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
