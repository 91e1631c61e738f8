import assert from "node:assert/strict";
import { SignJWT } from "jose";
import { createAccessTokens } from "../../src/identity/token/access_token.ts";
import { generateTokenKeys, importTokenKeys } from "../../src/identity/token/token_keys.ts";
import { send } from "../helpers/http.ts";
import { SIBLING_URL, TEST_URL } from "../helpers/test_app.ts";
import type { Scene } from "./request_catalogue.ts";

/** Authorization headers that no operation accepts. */
export const NOT_BEARER: Readonly<Record<string, string>> = {
  "an empty header": "",
  "the scheme alone": "Bearer",
  "another scheme": "Basic YTpi",
  "a scheme that begins alike": "Bearertoken not-a-token",
  "a token without a scheme": "bm90LWEtdG9rZW4",
  "two tokens": "Bearer not-a-token another-one",
  "text that is no token": "Bearer not-a-token",
  "three empty segments": "Bearer ..",
  "a token of 100,000 characters": `Bearer ${"A".repeat(100_000)}`,
};

/** The same text with another first character. A fixed replacement could be the original character. */
function withAnotherStart(text: string): string {
  return (text.startsWith("A") ? "B" : "A") + text.slice(1);
}

/** Forged access tokens. Tokens of the wrong kind, time or person are in `token_kinds.ts`. */
export async function forgedAccessTokens(scene: Scene): Promise<Record<string, string>> {
  const { accessTokens, clock, tokenKeys } = scene.target.deps;
  const { userId, sessionId } = await accessTokens.verify(scene.accessToken);
  const claims = { userId, sessionId, authenticatedAtMs: clock(), assuranceLevel: 1 } as const;
  const other = await importTokenKeys(await generateTokenKeys());
  const make = (change: Partial<Parameters<typeof createAccessTokens>[0]>): Promise<string> =>
    createAccessTokens({ keys: tokenKeys, publicUrl: TEST_URL, clock, ...change }).sign(claims);
  const now = Math.floor(clock() / 1000);
  const jwt = (typ: string, audience: string): Promise<string> =>
    new SignJWT({ sid: sessionId, auth_time: now, aal: 1 })
      .setProtectedHeader({ alg: "EdDSA", typ, kid: tokenKeys.signingKeyId })
      .setIssuer(TEST_URL).setAudience(audience).setSubject(String(userId)).setJti("x")
      .setIssuedAt(now).setExpirationTime(now + 600).sign(tokenKeys.signingKey);
  const [header = "", payload = "", signature = ""] = scene.accessToken.split(".");
  const none = btoa(JSON.stringify({ alg: "none", typ: "at+jwt" })).replaceAll("=", "");
  const { sign } = accessTokens;
  // Made in the same way without a forgery, the token is valid.
  const control = await send(scene.target, "GET", "/user/session", { token: await jwt("at+jwt", TEST_URL) });
  assert.equal(control.status, 200);
  return {
    "a token from the future": await make({ clock: () => clock() + 6_000 }),
    "a token of a key that is not configured": await make({ keys: other }),
    "a token signed by another key under our key's id": await make({
      keys: { ...other, signingKeyId: tokenKeys.signingKeyId },
    }),
    "a token of another issuer": await make({ publicUrl: "https://elsewhere.test" }),
    "a token for a sibling": await scene.target.deps.audienceTokens.get(SIBLING_URL)?.sign(claims) ?? "",
    "a token for another audience": await jwt("at+jwt", `${TEST_URL}/user`),
    "a token of another kind": await jwt("sudo+jwt", TEST_URL),
    "a token without a kind": await jwt("JWT", TEST_URL),
    "an unsigned token": `${none}.${payload}.`,
    "a token with an altered payload": `${header}.${withAnotherStart(payload)}.${signature}`,
    "a token with an altered signature": `${header}.${payload}.${withAnotherStart(signature)}`,
    "a token with padding": `${scene.accessToken}=`,
    "a token of a session that never was": await sign({ ...claims, sessionId: "AAAAAAAAAAAAAAAAAAAAAA" }),
    "a token of a user who does not exist": await sign({ ...claims, userId: 999_999 }),
  };
}

/** Forged refresh tokens. */
export function forgedRefreshTokens(scene: Scene): Record<string, string> {
  const [family = "", generation = "", mac = ""] = scene.refreshToken.split(".");
  return {
    "another generation": [family, Number(generation) + 1, mac].join("."),
    "another family": [withAnotherStart(family), generation, mac].join("."),
    "another code": [family, generation, withAnotherStart(mac)].join("."),
    "a part too many": `${scene.refreshToken}.x`,
    "padding": `${scene.refreshToken}=`,
  };
}
