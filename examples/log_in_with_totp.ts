import { generateHOTP } from "@oslojs/otp";
import { ask, Refusal, say, setting } from "./client.ts";

/**
 * Logs in with a password and a code from an authenticator app, renews the access token, and steps up to a sudo token.
 * Reads BASE_URL, LOGIN_EMAIL, LOGIN_PASSWORD and TOTP_SECRET (base32) from the environment.
 */

const PERIOD_SECONDS = 30;
const DIGITS = 6;

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly sudoToken: string;
}

/** Sends the password. With a second factor, the response to the right one is a 401 with a partial token. */
async function sendPassword(): Promise<string> {
  const body = { username: setting("LOGIN_EMAIL"), password: setting("LOGIN_PASSWORD") };
  try {
    await ask<string>("POST", "/auth/login", { body });
  } catch (error) {
    if (!(error instanceof Refusal) || error.message !== "401 2FA_REQUIRED") throw error;
    const { partialAuthToken, methods } = error.body;
    say(`The password is right. A second factor is required: ${String(methods)}.`);
    return String(partialAuthToken);
  }
  throw new Error("This account has no second factor: its password alone is a login");
}

/** The code that the app shows in a period (RFC 6238). Periods are counted from 1970. */
function codeOf(secret: Uint8Array, period: number): string {
  return generateHOTP(secret, BigInt(period), DIGITS);
}

/** Decodes base32 (RFC 4648), in which `otpauth:` URLs contain the secret. */
function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text.replace(/=+$/, "").toUpperCase(), (letter) => {
    const value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter);
    if (value === -1) throw new Error("TOTP_SECRET is not base32");
    return value.toString(2).padStart(5, "0");
  }).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

const secret = fromBase32(setting("TOTP_SECRET"));
const period = Math.floor(Date.now() / 1000 / PERIOD_SECONDS);

const partialToken = await sendPassword();
const login = await ask<Tokens>("POST", "/user/2fa/totp/authenticate", {
  token: partialToken,
  body: { totp: codeOf(secret, period) },
});
say("The code is right. The login gave an access token, a refresh token and a sudo token.");

// An access token is valid for 10 minutes. The refresh token gets the next one.
const accessToken = await ask<string>("GET", "/auth/accesstoken", { token: login.refreshToken });
const { userId } = await ask<{ userId: number }>("GET", "/auth/accesstoken/validate", { token: accessToken });
say(`Logged in as user ${userId}.`);

// Once the sudo token of the login has expired, operations that need one respond with 401 SUDO_TOKEN_REQUIRED, and
// another code gets a new token. Each code works once; the service accepts the next one up to 30 seconds early.
const { sudoToken } = await ask<{ sudoToken: string }>("POST", "/user/2fa/totp/authenticate", {
  token: accessToken,
  body: { totp: codeOf(secret, period + 1) },
});
say("Stepped up: a new sudo token, valid for 5 minutes.");

if (Deno.args.includes("--new-recovery-codes")) {
  const { recoveryCodes } = await ask<{ recoveryCodes: string[] }>("POST", "/user/2fa/recovery-code/reset", {
    token: sudoToken,
    body: {},
  });
  say(`New recovery codes, shown this once:\n${recoveryCodes.join("\n")}`);
}

await ask("POST", "/auth/logout", { token: login.refreshToken });
say("Logged out.");
