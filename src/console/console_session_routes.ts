import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { AppError } from "../core/errors.ts";
import { type AppEnv, createRouter } from "../http/env.ts";
import { readBearerToken } from "../identity/guards.ts";
import { REFRESH_IDLE_SECONDS } from "../identity/lifetimes.ts";
import {
  isSameSession,
  issueAccessToken,
  logOut,
  rotateRefreshToken,
  validateRefreshToken,
} from "../identity/session_service.ts";
import type { ConsoleDeps } from "./deps.ts";
import { requireSameOrigin } from "./same_origin_middleware.ts";

const PATH = "/console/session";

/**
 * Creates the routes of the console's session. The refresh token is in a cookie that only these routes read; the page
 * keeps an access token in memory.
 *
 * - `PUT`, with a refresh token as `Authorization: Bearer`: stores it; 204. Ends a session stored before, which this
 *   browser could no longer end. With `If-None-Match: *`, a live one stays instead, and the new one ends; 412.
 * - `POST`: returns an access token, as text. 204 without a live session: the page asks at its start.
 * - `DELETE`: ends the session and clears the cookie; 204, also without a session.
 */
export function createConsoleSessionRoutes(deps: ConsoleDeps) {
  const cookie = describeCookie(deps.publicUrl);
  const keep = (c: Context<AppEnv>, token: string): void => setCookie(c, cookie.name, token, cookie.options);
  const clear = (c: Context<AppEnv>): void => void deleteCookie(c, cookie.name, cookie.options);

  return createRouter()
    .use(PATH, requireSameOrigin(deps.publicUrl))
    .put(PATH, async (c) => {
      const token = readBearerToken(c);
      await validateRefreshToken(deps, token, c.var.clientAddress);
      const former = getCookie(c, cookie.name);
      if (former !== undefined && !await isSameSession(deps, former, token)) {
        const yields = c.req.header("If-None-Match") === "*" &&
          await isLive(deps, former, c.var.clientAddress);
        await endSession(deps, yields ? token : former, c.var.clientAddress);
        if (yields) return c.body(null, 412);
      }
      keep(c, token);
      return c.body(null, 204);
    })
    .post(PATH, async (c) => {
      const token = getCookie(c, cookie.name);
      if (token === undefined) return c.body(null, 204);
      try {
        // In this order, a lost response loses nothing: the token in the cookie is valid until its successor is used.
        const accessToken = await issueAccessToken(deps, token, c.var.clientAddress);
        keep(c, await renewToken(deps, token, c.var.clientAddress));
        return c.text(accessToken);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        clear(c);
        return c.body(null, 204);
      }
    })
    .delete(PATH, async (c) => {
      const token = getCookie(c, cookie.name);
      if (token !== undefined) await endSession(deps, token, c.var.clientAddress);
      // Afterwards, so that the page can retry a failure.
      clear(c);
      return c.body(null, 204);
    });
}

/**
 * Returns the cookie's name and options. `__Host-` (RFC 6265bis, 4.1.3.2) keeps other hosts of the domain from
 * setting it, and requires https.
 */
function describeCookie(publicUrl: string): { name: string; options: CookieOptions } {
  const secure = publicUrl.startsWith("https:");
  return {
    name: secure ? "__Host-console" : "console",
    options: { path: "/", httpOnly: true, sameSite: "Strict", secure, maxAge: REFRESH_IDLE_SECONDS },
  };
}

/** Returns the successor of a token, or in a session's last days the token itself. */
async function renewToken(deps: ConsoleDeps, token: string, address: string): Promise<string> {
  try {
    return await rotateRefreshToken(deps, token, address);
  } catch (error) {
    if (isRefusal(error)) return token;
    throw error;
  }
}

async function isLive(deps: ConsoleDeps, token: string, address: string): Promise<boolean> {
  try {
    await validateRefreshToken(deps, token, address);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

async function endSession(deps: ConsoleDeps, token: string, address: string): Promise<void> {
  try {
    await logOut(deps, token, address);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === "TOKEN_INVALID";
}
