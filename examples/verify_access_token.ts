import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { say, setting } from "./client.ts";

/**
 * Verifies an access token as a sibling service does: by the published keys alone, without asking about the token.
 * Takes BASE_URL and ACCESS_TOKEN from the environment, and PUBLIC_URL where the service's own differs from BASE_URL.
 * Exits with 1 for a token that is not good.
 *
 * What the keys cannot tell is whether the session has ended since: such a token still verifies until it expires, 10
 * minutes after it was made. Where that is too long, ask `GET /auth/accesstoken/validate`.
 */

const baseUrl = setting("BASE_URL");
const publicUrl = Deno.env.get("PUBLIC_URL") ?? baseUrl;

// Made once for the life of the program: it keeps the keys, and fetches them anew when it meets one it does not know.
const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", baseUrl));

try {
  const { payload, protectedHeader } = await jwtVerify(setting("ACCESS_TOKEN"), keys, {
    issuer: publicUrl,
    audience: publicUrl,
    // Sudo and partial tokens are signed by the same keys: the type tells them apart (RFC 9068, 4).
    typ: "at+jwt",
    algorithms: ["EdDSA"],
    requiredClaims: ["sub", "exp", "sid", "aal"],
  });
  say(`Good: user ${payload.sub}, key ${protectedHeader.kid}.`);
  say(`Session ${String(payload["sid"])}, assurance level ${String(payload["aal"])}.`);
  say(`Expires ${new Date(Number(payload.exp) * 1000).toISOString()}.`);
} catch (error) {
  if (!(error instanceof errors.JOSEError)) throw error;
  say(`Not good: ${error.code}`);
  Deno.exitCode = 1;
}
