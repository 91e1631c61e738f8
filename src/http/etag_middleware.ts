import type { MiddlewareHandler } from "hono";
import { toBase64Url } from "../core/encoding.ts";
import type { AppEnv } from "./env.ts";

/** Bytes of the SHA-256 that a tag keeps: 16 of 32 are enough to tell versions apart. */
const TAG_BYTES = 16;

/**
 * Adds an entity tag to successful responses, and responds with 304 to a client that has the current version (RFC
 * 9110, 13.1.2). Only for responses that do not depend on the caller.
 */
export function withEtag(): MiddlewareHandler<AppEnv> {
  return async function tagResponse(c, next) {
    await next();
    if (c.res.status !== 200) return;
    const etag = await makeEtag(await c.res.clone().arrayBuffer());
    c.res.headers.set("ETag", etag);
    if (hasCurrent(c.req.header("If-None-Match"), etag)) c.res = new Response(null, { status: 304 });
  };
}

/** Returns the entity tag of these bytes. It is weak, because a proxy may compress them. */
export async function makeEtag(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `W/"${toBase64Url(digest.subarray(0, TAG_BYTES))}"`;
}

/** Maximum length of an `If-None-Match`, in characters. Longer ones are ignored: real clients keep few versions. */
const MAX_IF_NONE_MATCH = 2000;

/** Whether an `If-None-Match` names the tag, or is `*`. Compares weakly (RFC 9110, 13.1.2). */
export function hasCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > MAX_IF_NONE_MATCH) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");
  const named = ifNoneMatch.split(",").map(opaque);
  return named.includes("*") || named.includes(opaque(etag));
}
