import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readMails } from "../helpers/mails.ts";
import { fromBase32 } from "../helpers/second_factors.ts";
import { SUDO_HEADER, withSudo } from "../helpers/sudo.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** Records all secrets in requests to the app and in its responses and mails. */
export interface SecretRecorder {
  /** The app, with every request and response searched for secrets. */
  readonly target: TestApp;
  /** Secrets by kind. */
  readonly secrets: Map<string, Set<string>>;
  /** Adds the secrets in the mails so far. */
  recordMails(): Promise<void>;
}

/** The fields of requests and responses that hold secrets. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "password",
  "newPassword",
  "oldPassword",
  "otp",
  "totp",
  "recoveryCode",
  "recoveryCodes",
  "token",
  "accessToken",
  "refreshToken",
  "sudoToken",
  "partialAuthToken",
  "secret",
]);

/** Wraps an app so that all secrets of a test's flow are recorded. */
export function recordSecrets(app: TestApp): SecretRecorder {
  const secrets = new Map<string, Set<string>>();
  const add = (kind: string, text: string): void => {
    if (text !== "") secrets.set(kind, (secrets.get(kind) ?? new Set()).add(text));
    // A token's last part is its signature or MAC. The first part of a refresh token is its family.
    const parts = text.split(".");
    if (parts.length === 3) add(`${kind}'s last part`, parts[2] ?? "");
    // Listings show the beginning of a key.
    const [, random] = /^rgk_[0-9]+_.{4}(.{28})/.exec(text) ?? [];
    if (random !== undefined) add("key's hidden part", random);
    if (parts.length === 3 && /^[1-9][0-9]*$/.test(parts[1] ?? "")) add("refresh family", parts[0] ?? "");
  };
  const addFields = (value: unknown, field = ""): void => {
    if (typeof value === "string" && SECRET_FIELDS.has(field)) add(field, value);
    if (typeof value === "string" && field === "url") {
      add("totp secret", new URL(value).searchParams.get("secret") ?? "");
    }
    if (Array.isArray(value)) { for (const item of value) addFields(item, field); }
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) addFields(inner, key);
    }
  };
  const request: TestApp["request"] = async (path, plain = {}) => {
    const init = await withSudo(app.deps, path, plain);
    const headers = new Headers(init.headers);
    add("sudo token", headers.get(SUDO_HEADER) ?? "");
    add("bearer token", headers.get("Authorization")?.replace("Bearer ", "") ?? "");
    add("role password", headers.get("X-Child-Role-Password") ?? "");
    if (typeof init.body === "string") addFields(JSON.parse(init.body));
    const response = await app.request(path, init);
    for (const cookie of response.headers.getSetCookie()) add("cookie", /=([^;]*)/.exec(cookie)?.[1] ?? "");
    const type = response.headers.get("Content-Type") ?? "";
    if (type.startsWith("application/json")) addFields(await response.clone().json());
    if (type.startsWith("text/plain")) add("token text", await response.clone().text());
    return response;
  };
  return {
    target: { ...app, request },
    secrets,
    async recordMails(): Promise<void> {
      for (const { params } of await readMails(app)) {
        for (const [name, text] of Object.entries(params)) {
          if (name === "link") add("link token", text.split("#token=")[1] ?? "");
          else add(`mailed ${name}`, text);
        }
      }
    },
  };
}

/**
 * The forms in which a secret must not be found: itself, its bytes in base64 and hex, and its unkeyed hashes, which an
 * attacker could compare with those of all possible codes.
 */
export function spellingsOf(secret: string): Set<string> {
  const texts = new Set([secret, secret.toLowerCase(), secret.toUpperCase(), secret.replace(/[-\s]/g, "")]);
  const bytes = [...texts].map((text) => Buffer.from(text));
  // An encoding of bytes is also searched for as those bytes.
  if (/^[A-Za-z0-9_-]{43}$/.test(secret)) bytes.push(Buffer.from(secret, "base64url"));
  if (/^[A-Z2-7]{32}$/.test(secret)) bytes.push(Buffer.from(fromBase32(secret)));
  const spellings = new Set(texts);
  for (const value of bytes) {
    const digests = ["sha256", "sha1", "md5", "sha512"].map((name) =>
      createHash(name).update(value).digest()
    );
    for (const coded of [value, ...digests]) {
      spellings.add(coded.toString("hex"));
      for (const coding of ["base64", "base64url"] as const) {
        spellings.add(coded.toString(coding).replace(/=+$/, ""));
      }
    }
  }
  return spellings;
}

/** Whether a stored text holds a form. Short ones must be whole words, since six digits occur in any time. */
export function holds(text: string, spelling: string): boolean {
  if (spelling.length > 8) return text.includes(spelling);
  for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, at + 1)) {
    const around = (text[at - 1] ?? " ") + (text[at + spelling.length] ?? " ");
    if (!/[A-Za-z0-9_-]/.test(around)) return true;
  }
  return false;
}
