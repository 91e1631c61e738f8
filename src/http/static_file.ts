import type { Context } from "hono";
import { promisify } from "node:util";
import type { AppEnv } from "./env.ts";
import { hasCurrent, makeEtag } from "./etag_middleware.ts";
import { setPageHeaders } from "./page_headers.ts";
import { respondBytes } from "./respond.ts";

/** Files of pages: compressed and tagged once, and cached by browsers as long as their URL names their content. */

/** A file, ready to send. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes, compressed with gzip. */
  readonly zipped: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** For content that changes with a deployment. */
export const BRIEFLY = "public, max-age=300";
/** For URLs that contain the version of their content. */
export const FOR_EVER = "public, max-age=31536000, immutable";

/** Compresses and tags a file once, instead of for each response. */
export async function makeFile(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<StaticFile> {
  // Loaded here, since it delays a start by a fiftieth.
  const { gzip } = await import("node:zlib");
  // The smallest, since this runs once.
  const [etag, zipped] = await Promise.all([makeEtag(bytes), promisify(gzip)(bytes, { level: 9 })]);
  return { type, bytes, zipped: new Uint8Array(zipped), etag };
}

/** Responds with a file, or with 304 if the client has it. */
export function respondFile(c: Context<AppEnv>, file: StaticFile, freshness: string): Response {
  setPageHeaders(c);
  c.header("ETag", file.etag);
  c.header("Vary", "Accept-Encoding");
  c.header("Cache-Control", freshness);
  if (hasCurrent(c.req.header("If-None-Match"), file.etag)) return c.body(null, 304);
  c.header("Content-Type", file.type);
  if (!acceptsGzip(c.req.header("Accept-Encoding"))) return respondBytes(c, file.bytes);
  c.header("Content-Encoding", "gzip");
  return respondBytes(c, file.zipped);
}

/**
 * Maximum length of an `Accept-Encoding`, in characters. For a longer one the content is not compressed, which every
 * client accepts.
 */
const MAX_ACCEPT_ENCODING = 1000;

/** Whether an `Accept-Encoding` allows gzip; weight 0 refuses it (RFC 9110, 12.5.3). */
function acceptsGzip(acceptEncoding = ""): boolean {
  if (acceptEncoding.length > MAX_ACCEPT_ENCODING) return false;
  return acceptEncoding.split(",").some((element) => {
    const [coding = "", ...parameters] = element.toLowerCase().split(";").map((part) => part.trim());
    return coding === "gzip" && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
