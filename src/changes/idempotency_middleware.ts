import type { Context, MiddlewareHandler } from "hono";
import { resolver, uniqueSymbol } from "hono-openapi";
import * as v from "valibot";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "../http/env.ts";
import { fingerprintRequest, type IdempotentRequest } from "./idempotency.ts";

const HEADER = "Idempotency-Key";
const MAX_LENGTH = 64;

/** 1 to 64 printable ASCII characters. */
const KeySchema = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(MAX_LENGTH),
  v.regex(/^[\x20-\x7e]*$/),
  v.description(
    "A unique value that the client chooses for each new request, of 1 to 64 printable ASCII characters. If the same " +
      "request is repeated with the same key within 24 hours, for example after a lost response, the first success is " +
      "returned again and nothing is created. A different request with the same key gets a 422. A refused request does " +
      "not use up the key.",
  ),
);
const HeaderSchema = v.object({ [HEADER]: v.optional(KeySchema) });

interface ValidatedKey {
  in: { header: { [HEADER]?: string | undefined } };
  out: { header: { key?: string | undefined } };
}

/** Validates the optional header `Idempotency-Key`. Throws `MALFORMED_REQUEST`. */
export function validIdempotencyKey(): MiddlewareHandler<AppEnv, string, ValidatedKey> {
  const middleware: MiddlewareHandler<AppEnv, string, ValidatedKey> = async function validateKey(c, next) {
    const key = c.req.header(HEADER);
    if (key !== undefined && !v.is(KeySchema, key)) {
      const message = `Expected 1 to ${MAX_LENGTH} printable ASCII characters`;
      throw new AppError("MALFORMED_REQUEST", { details: [{ path: `header.${HEADER}`, message }] });
    }
    c.req.addValidatedData("header", { key });
    await next();
  };
  return Object.assign(middleware, { [uniqueSymbol]: { target: "header", ...resolver(HeaderSchema) } });
}

/**
 * Refuses the header for an operation that cannot repeat its first response: if it were ignored, a client would take a
 * retry for safe. `message` says what to do.
 */
export function refuseIdempotencyKey(message: string): MiddlewareHandler<AppEnv> {
  return async function refuseKey(c, next) {
    if (c.req.header(HEADER) !== undefined) throw new AppError("MALFORMED_REQUEST", { message });
    await next();
  };
}

/** Returns the key and fingerprint of a request, or undefined without a key. Call it after the request's validators. */
export function readIdempotentRequest(
  c: Context<AppEnv>,
  content: { readonly key: string | undefined; readonly query: unknown; readonly body: unknown },
): IdempotentRequest | undefined {
  const { key, query, body } = content;
  if (key === undefined) return undefined;
  const { method, path } = c.req;
  return { key, fingerprint: fingerprintRequest({ method, path, query, body }) };
}
