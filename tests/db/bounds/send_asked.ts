import type { Hono } from "hono";
import type { AppDeps } from "../../../src/app.ts";
import type { AppEnv } from "../../../src/http/env.ts";
import { withSudo } from "../../helpers/sudo.ts";
import type { Asked } from "./world_requests.ts";

/** A response that was read to its end, or until it broke off. */
export interface Sent {
  readonly status: number;
  readonly text: string;
  /** The revision that the response tells. */
  readonly revision: number;
}

/** An app with these parts. */
export interface AskedApp {
  readonly app: Hono<AppEnv>;
  readonly deps: AppDeps;
}

/**
 * Sends a request to the app, with fresh proof where it needs that. A text is sent as it is, any other body as JSON.
 */
export async function sendAsked(
  { app, deps }: AskedApp,
  { method, path, body, headers }: Asked,
  token: string | undefined,
): Promise<Sent> {
  const isJson = body !== undefined && typeof body !== "string";
  const init = {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(isJson && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : String(body) }),
  };
  const response = await app.request(path, await withSudo(deps, path, init), {
    remoteAddr: { hostname: "192.0.2.1" },
  });
  // A response breaks off if the database fails.
  const revision = Number(response.headers.get("X-Rolegrid-Revision") ?? 0);
  return { status: response.status, text: await response.text().catch(() => ""), revision };
}

/** The body of a JSON response, and an empty object for any other, with the revision. */
export function bodyOf({ text, revision }: Sent): unknown {
  return { ...(text.startsWith("{") ? JSON.parse(text) : {}), revision };
}
