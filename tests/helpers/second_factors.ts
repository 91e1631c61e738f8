import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { openMailParams } from "../../src/mail/outbox.ts";
import { besideBystander } from "./bystander.ts";
import type { DatabaseKind } from "./databases.ts";
import { login, logInFully, query, send, succeed, testApp } from "./http.ts";
import { createSpyHasher, type SpyHasher } from "./spy_hasher.ts";
import { openTestApp, type TestApp } from "./test_app.ts";

/** A user with a password, and helpers that set up and prove second factors over HTTP. */

export const EMAIL = "ada@example.com";
export const PASSWORD = "a password that is right";
export const CODES_AT = "ada.codes@example.org";

export interface Ada {
  readonly target: TestApp;
  readonly userId: number;
  /** Of a new session that a password alone opened. */
  readonly accessToken: string;
  /** Another access token of that session, valid from now on. */
  readonly renew: () => Promise<string>;
  readonly hasher: SpyHasher;
}

/** Registers a test, by default on one kind of database, with a user who has a password, and a hasher that costs nothing. */
export function testAda(
  name: string,
  body: (ada: Ada) => Promise<void>,
  register: typeof testApp = besideBystander(testApp),
): void {
  const hashers = new WeakMap<TestApp, SpyHasher>();
  register(name, async (target) => {
    const hasher = hashers.get(target);
    assert.ok(hasher);
    await body({ ...await createAda(target), hasher });
  }, async (kind: DatabaseKind) => {
    const hasher = createSpyHasher();
    const target = await openTestApp(kind, { passwords: hasher, hasher });
    hashers.set(target, hasher);
    return target;
  });
}

/** The same without a bystander, for tests that read all rows of a table. */
export function testAdaAlone(name: string, body: (ada: Ada) => Promise<void>): void {
  testAda(name, body, testApp);
}

/** A user with a password, logged in. */
export async function createAda(target: TestApp): Promise<Omit<Ada, "hasher">> {
  const { userId } = await target.createUser(EMAIL);
  await target.setPassword(userId, PASSWORD);
  const { accessToken } = await logInFully(target, EMAIL, PASSWORD);
  const { accessTokens } = target.deps;
  const claims = await accessTokens.verify(accessToken);
  return { target, userId, accessToken, renew: () => accessTokens.sign(claims) };
}

/** A time-based code (RFC 6238), computed independently of the service. */
export function totpOf(secret: Uint8Array, nowMs: number, digits = 6): string {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(Math.floor(nowMs / 30_000)));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const start = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(start) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** Reads base32 (RFC 4648). */
export function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) => {
    const value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter);
    assert.notEqual(value, -1, letter);
    return value.toString(2).padStart(5, "0");
  }).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** An authenticator app that has scanned the URL of a setup. */
export class Authenticator {
  readonly #target: TestApp;
  readonly secret: Uint8Array;

  constructor(target: TestApp, url: string) {
    this.#target = target;
    this.secret = fromBase32(new URL(url).searchParams.get("secret") ?? "");
  }

  /** The code it shows, `seconds` from now. */
  code(seconds = 0): string {
    return totpOf(this.secret, this.#target.clock.now() + seconds * 1000);
  }

  /** A code that is not valid at any time around now. */
  wrongCode(): string {
    const near = [-60, -30, 0, 30, 60].map((seconds) => this.code(seconds));
    return ["111111", "222222", "333333", "444444", "555555", "666666"].find((code) =>
      !near.includes(code)
    ) ??
      "";
  }
}

/** Sets up TOTP without activating it. */
export async function setUpTotp(target: TestApp, token: string): Promise<Authenticator> {
  const { url } = await succeed<{ url: string }>(target, "POST", "/user/2fa/totp/setup", { token });
  return new Authenticator(target, url);
}

export interface Activated {
  readonly app: Authenticator;
  readonly recoveryCodes: string[];
}

/** Sets up and activates TOTP. Advances the clock by a minute, so that the code used is no longer valid. */
export async function activateTotp(target: TestApp, token: string): Promise<Activated> {
  const app = await setUpTotp(target, token);
  const body = { totp: app.code() };
  const { recoveryCodes } = await succeed<{ recoveryCodes: string[] }>(
    target,
    "POST",
    "/user/2fa/totp/enable",
    { token, body },
  );
  target.clock.advance(60);
  return { app, recoveryCodes };
}

/** The code in the latest mail to an address, opened as delivery opens it. */
export async function mailedCode(target: TestApp, recipient = CODES_AT): Promise<string> {
  const [mail] = await query<{ id: string; sealed: string | null }>(
    target,
    `SELECT id, sealed_params AS sealed FROM outbox WHERE recipient = :recipient AND template = 'email_otp'
     ORDER BY created_at DESC LIMIT 1`,
    { recipient },
  );
  assert.ok(mail, `no code for ${recipient}`);
  const { otp = "" } = await openMailParams(target.deps.secrets, mail.id, mail.sealed);
  assert.match(otp, /^[0-9]{6}$/);
  return otp;
}

/** Another six-digit code. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, "0");
}

/** Sets up and activates email OTP. Returns the recovery codes. */
export async function activateEmailOtp(target: TestApp, token: string, email = CODES_AT): Promise<string[]> {
  await succeed(target, "POST", "/user/2fa/email-otp/setup", { token, body: { email } });
  const body = { otp: await mailedCode(target, email) };
  const { recoveryCodes } = await succeed<{ recoveryCodes: string[] }>(
    target,
    "POST",
    "/user/2fa/email-otp/enable",
    { token, body },
  );
  target.clock.advance(60);
  return recoveryCodes;
}

/** Requests a code by mail and returns it. */
export async function challengeByMail(target: TestApp, token: string): Promise<string> {
  assert.equal(await succeed(target, "POST", "/user/2fa/email-otp/challenge", { token }), null);
  return await mailedCode(target);
}

/** Logs in up to the second factor, by default from Ada's address, and returns the partial token. */
export async function startLogin(target: TestApp, from?: string): Promise<string> {
  const answer = await login(target, EMAIL, PASSWORD, { from });
  assert.equal(answer.status, 401, answer.text);
  const body = answer.body as { message: string; partialAuthToken: string };
  assert.equal(body.message, "2FA_REQUIRED");
  return body.partialAuthToken;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly sudoToken: string;
}

/** Steps up with the app and returns the sudo token. Advances the clock by a minute. */
export async function stepUp(target: TestApp, token: string, app: Authenticator): Promise<string> {
  const body = { totp: app.code() };
  const { sudoToken } = await succeed<Tokens>(target, "POST", "/user/2fa/totp/authenticate", { token, body });
  target.clock.advance(60);
  return sudoToken;
}

/** Whether the session of an access token lives. */
export async function isLive(target: TestApp, token: string): Promise<boolean> {
  return (await send(target, "GET", "/auth/accesstoken/validate", { token })).status === 200;
}

/** Templates and details of the mails to an address, oldest first. */
export async function mailsTo(target: TestApp, recipient: string): Promise<[string, string | null][]> {
  const rows = await query<{ template: string; detail: string | null }>(
    target,
    "SELECT template, detail FROM outbox WHERE recipient = :recipient ORDER BY created_at, rowid",
    { recipient },
  );
  return rows.map(({ template, detail }) => [template, detail]);
}

/** Results of an event in the log, oldest first. */
export async function eventsOf(target: TestApp, event: string): Promise<string[]> {
  const rows = await query<{ result: string }>(
    target,
    "SELECT result FROM security_event WHERE event = :event ORDER BY id",
    { event },
  );
  return rows.map(({ result }) => result);
}
