import type { MiddlewareHandler } from "hono";
import { toBase64Url } from "../core/encoding.ts";
import type { AppEnv } from "./env.ts";

/** The first bytes of a SHA-256, enough to distinguish versions. */
const TAG_BYTES = 16;

/**
 * Adds an ETag to successful responses, and responds with 304 to clients that already have the content (RFC 9110, 13.1.2).
 * For responses that are the same for everybody.
 */
export function withEtag(): MiddlewareHandler<AppEnv> {
  return async function tagAnswer(c, next) {
    await next();
    if (c.res.status !== 200) return;
    const etag = await makeEtag(await c.res.clone().arrayBuffer());
    c.header("ETag", etag);
    if (hasCurrent(c.req.header("If-None-Match"), etag)) c.res = new Response(null, { status: 304 });
  };
}

/** The entity tag of these bytes. It is weak, since intermediaries may compress them. */
export async function makeEtag(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `W/"${toBase64Url(digest.subarray(0, TAG_BYTES))}"`;
}

/** Whether an `If-None-Match` names the tag, or any (`*`). Compares weakly, as that header requires. */
export function hasCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");
  const asked = (ifNoneMatch ?? "").split(",").map(opaque);
  return asked.includes("*") || asked.includes(opaque(etag));
}
