import { createHash } from "node:crypto";

/** The key that a client chose for a request, so that it may repeat it. */
export interface IdempotentRequest {
  readonly key: string;
  /** What the request says; see `fingerprintRequest`. */
  readonly fingerprint: string;
}

/** A request without what varies from one sending to the next. */
export interface RequestContent {
  readonly method: string;
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * SHA-256 (base64url) over what a request says: equal for two that differ in white space and in the order of their keys
 * alone. It hides nothing from whoever reads the database: a role's request stands in the change log, a device's
 * properties in its row, and those of one that is gone can be guessed at.
 */
export function fingerprintRequest({ method, path, query, body }: RequestContent): string {
  const text = JSON.stringify([method, path, query, body], sortKeys);
  return createHash("sha256").update(text).digest("base64url");
}

/** Parameters of the idempotency statements: null without a key. */
export function idempotencyArgs(
  request: IdempotentRequest | undefined,
): { idempotencyKey: string | null; fingerprint: string | null } {
  return { idempotencyKey: request?.key ?? null, fingerprint: request?.fingerprint ?? null };
}

/** For `JSON.stringify`: an object's keys in the order of their code units (compare RFC 8785, section 3.2.3). */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
