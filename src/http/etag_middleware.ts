import type { MiddlewareHandler } from "hono";
import { toBase64Url } from "../core/encoding.ts";
import type { AppEnv } from "./env.ts";

/** Of a SHA-256: more than enough to tell versions apart. */
const TAG_BYTES = 16;

/**
 * Tags successful answers by what they hold, and answers 304 to whoever has that already (RFC 9110, 13.1.2). For answers
 * that are the same for everybody.
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

/** The entity tag of these bytes, weak: what stands between may compress them. */
export async function makeEtag(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `W/"${toBase64Url(digest.subarray(0, TAG_BYTES))}"`;
}

/** Whether an `If-None-Match` names the tag, or any (`*`). Compares weakly, as that header wants it. */
export function hasCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");
  const asked = (ifNoneMatch ?? "").split(",").map(opaque);
  return asked.includes("*") || asked.includes(opaque(etag));
}
