import type { Context } from "hono";
import { promisify } from "node:util";
import type { AppEnv } from "./env.ts";
import { hasCurrent, makeEtag } from "./etag_middleware.ts";
import { setPageHeaders } from "./page_headers.ts";
import { respondBytes } from "./respond.ts";

/** Files of pages: compressed and tagged once, and cached by browsers as long as their URL names their content. */

/** Content codings, the smallest first. Browsers take Brotli by HTTPS and from localhost. */
const CODINGS = ["br", "gzip"] as const;

/** A file, ready to send. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes, compressed. */
  readonly encoded: Readonly<Record<(typeof CODINGS)[number], Uint8Array<ArrayBuffer>>>;
  readonly etag: string;
}

/** For content that changes with a deployment. */
export const BRIEFLY = "public, max-age=300";
/** For URLs that contain the version of their content. */
export const FOR_EVER = "public, max-age=31536000, immutable";

/** A larger file takes Brotli too long at its best, before the first response. */
const MOST_AT_BEST = 300_000;

/** Compresses and tags a file once, instead of for each response. */
export async function makeFile(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<StaticFile> {
  // Loaded here, since it delays a start by a fiftieth.
  const { brotliCompress, constants, gzip } = await import("node:zlib");
  const quality = bytes.length <= MOST_AT_BEST ? 10 : 5;
  const [etag, br, gzipped] = await Promise.all([
    makeEtag(bytes),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  return { type, bytes, encoded: { br: new Uint8Array(br), gzip: new Uint8Array(gzipped) }, etag };
}

/** Responds with a file, or with 304 if the client has it. */
export function respondFile(c: Context<AppEnv>, file: StaticFile, freshness: string): Response {
  setPageHeaders(c);
  c.header("ETag", file.etag);
  c.header("Vary", "Accept-Encoding");
  c.header("Cache-Control", freshness);
  if (hasCurrent(c.req.header("If-None-Match"), file.etag)) return c.body(null, 304);
  c.header("Content-Type", file.type);
  const coding = CODINGS.find((each) => accepts(each, c.req.header("Accept-Encoding")));
  if (coding === undefined) return respondBytes(c, file.bytes);
  c.header("Content-Encoding", coding);
  return respondBytes(c, file.encoded[coding]);
}

/**
 * Maximum length of an `Accept-Encoding`, in characters. For a longer one the content is not compressed, which every
 * client accepts.
 */
const MAX_ACCEPT_ENCODING = 1000;

/** Whether an `Accept-Encoding` allows a coding; weight 0 refuses it (RFC 9110, 12.5.3). */
function accepts(wanted: string, acceptEncoding = ""): boolean {
  if (acceptEncoding.length > MAX_ACCEPT_ENCODING) return false;
  return acceptEncoding.split(",").some((element) => {
    const [coding = "", ...parameters] = element.toLowerCase().split(";").map((part) => part.trim());
    return coding === wanted && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
