import type { Context } from "hono";
import { randomToken } from "../../core/encoding.ts";
import type { AppEnv } from "../env.ts";
import { setPageHeaders } from "../page_headers.ts";
import { linkPageCsp, type LinkPageOptions, pageLanguage } from "./link_page.ts";

const NONCE_BYTES = 16;

/** Sets the headers of a link page, and returns the nonce that its script and style need. */
export function allowByNonce(c: Context<AppEnv>): string {
  const nonce = randomToken(NONCE_BYTES);
  setPageHeaders(c, linkPageCsp(nonce));
  return nonce;
}

/** Returns the handler of a page that mailed links open. Its language is that of the link, or else the browser's. */
export function respondLinkPage(issuerName: string, render: (options: LinkPageOptions) => string) {
  return (c: Context<AppEnv>) => {
    const language = pageLanguage(c.req.query("language"), c.req.header("Accept-Language"));
    const page = render({ language, issuerName, nonce: allowByNonce(c) });
    return c.html(page);
  };
}
