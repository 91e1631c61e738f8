import type { MiddlewareHandler } from "hono";
import { toBase64Url } from "../core/encoding.ts";
import type { AppEnv } from "./env.ts";

/** Of the 32 bytes of a SHA-256: more than enough to tell versions apart. */
const TAG_BYTES = 16;

/**
 * Adds an entity tag to successful responses, and responds with 304 to a client that has the current version
 * (RFC 9110, 13.1.2). Only for responses that are the same for everybody.
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

/** The entity tag of these bytes. It is weak, because a proxy may compress them. */
export async function makeEtag(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `W/"${toBase64Url(digest.subarray(0, TAG_BYTES))}"`;
}

/** In characters. No client keeps so many versions: a longer list only costs the time to scan it. */
const MAX_IF_NONE_MATCH = 2000;

/** Whether an `If-None-Match` names the tag, or is `*`. Weak comparison, as RFC 9110, 13.1.2, requires. */
export function hasCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > MAX_IF_NONE_MATCH) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");
  const named = ifNoneMatch.split(",").map(opaque);
  return named.includes("*") || named.includes(opaque(etag));
}
