import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { say, setting } from "./client.ts";

/**
 * Verifies an access token as another service does: with the published keys alone, without a request per token. Reads
 * BASE_URL and ACCESS_TOKEN from the environment, and PUBLIC_URL if it differs from BASE_URL. Exits with status 1 if
 * the token is invalid.
 *
 * The keys cannot tell whether the session has ended: its tokens verify until they expire, 10 minutes after they were
 * issued. If that is too long, use `GET /auth/accesstoken/validate`.
 */

const baseUrl = setting("BASE_URL");
const publicUrl = Deno.env.get("PUBLIC_URL") ?? baseUrl;

// Created once: it caches the keys, and fetches them again when it meets an unknown one.
const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", baseUrl));

try {
  const { payload, protectedHeader } = await jwtVerify(setting("ACCESS_TOKEN"), keys, {
    issuer: publicUrl,
    audience: publicUrl,
    // Sudo and partial tokens are signed with the same keys. The type tells them apart (RFC 9068, 4).
    typ: "at+jwt",
    algorithms: ["EdDSA"],
    requiredClaims: ["sub", "exp", "sid", "aal"],
  });
  say(`Valid: user ${payload.sub}, key ${protectedHeader.kid}.`);
  say(`Session ${String(payload["sid"])}, assurance level ${String(payload["aal"])}.`);
  say(`Expires ${new Date(Number(payload.exp) * 1000).toISOString()}.`);
} catch (error) {
  if (!(error instanceof errors.JOSEError)) throw error;
  say(`Invalid: ${error.code}`);
  Deno.exitCode = 1;
}
