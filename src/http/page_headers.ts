import type { Context } from "hono";
import type { AppEnv } from "./env.ts";

/** What browsers heed for documents and what these load. An answer of the API has none of it: no browser shows one. */
const PAGE_HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};

/** Sets the headers of a page with its `Content-Security-Policy`, or of a file. */
export function setPageHeaders(c: Context<AppEnv>, contentSecurityPolicy?: string): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
  if (contentSecurityPolicy !== undefined) c.header("Content-Security-Policy", contentSecurityPolicy);
}
