/** Breached passwords are refused at every way to set one, after the proof. */
import assert from "node:assert/strict";
import type { DatabaseKind } from "../../helpers/databases.ts";
import { type Answer, assertError, forEachApp, login, send } from "../../helpers/http.ts";
import { lastCode, lastLinkToken, otherCode } from "../../helpers/mails.ts";
import { signIn } from "../../helpers/security_scene.ts";
import { openTestApp, type TestApp } from "../../helpers/test_app.ts";

const EMAIL = "ada@example.com";
const OLD = "a password that is right";
const LEAKED = "correct horse battery";
const FRESH = "nine quiet lighthouses";

const INVALID = "OTP_INVALID_EXPIRED";

let lookups = 0;

/** An app for which one password is breached, and which counts the look-ups. */
function open(kind: DatabaseKind): Promise<TestApp> {
  lookups = 0;
  return openTestApp(kind, {
    isBreached: (password) => {
      lookups++;
      return Promise.resolve(password === LEAKED);
    },
  });
}

async function mailCode(target: TestApp): Promise<string> {
  await send(target, "POST", "/user/password/reset/send", { body: { email: EMAIL } });
  return await lastCode(target, "password_reset_otp");
}

function setByCode(target: TestApp, otp: string, newPassword: string, userEmail = EMAIL): Promise<Answer> {
  return send(target, "PUT", "/user/password/otp", { body: { userEmail, otp, newPassword } });
}

function setByLink(target: TestApp, token: string, newPassword: string): Promise<Answer> {
  return send(target, "PUT", "/user/password/link", { body: { token, newPassword } });
}

function change(target: TestApp, token: string, oldPassword: string, newPassword: string): Promise<Answer> {
  return send(target, "PUT", "/user/password/old-password", { token, body: { oldPassword, newPassword } });
}

forEachApp("a breached password is refused everywhere, and spends no code or link", async (target) => {
  const { accessToken: token } = await signIn(target, EMAIL, OLD);
  assertError(await change(target, token, OLD, LEAKED), 400, "PASSWORD_BREACHED");

  const otp = await mailCode(target);
  assertError(await setByCode(target, otp, LEAKED), 400, "PASSWORD_BREACHED");
  const check = await send(target, "POST", "/user/password/reset/validate", { body: { email: EMAIL, otp } });
  assert.equal(check.status, 200, "the code still serves");

  target.clock.advance(60);
  await send(target, "POST", "/user/password/reset/email", { body: { email: EMAIL } });
  const link = await lastLinkToken(target, "password_reset_link");
  assertError(await setByLink(target, link, LEAKED), 400, "PASSWORD_BREACHED");
  assert.equal((await setByLink(target, link, FRESH)).status, 200, "the link still serves");
  assert.equal((await login(target, EMAIL, FRESH)).status, 200);
}, open);

forEachApp("a password is looked up only after a right code, link or old password", async (target) => {
  const { accessToken: token } = await signIn(target, EMAIL, OLD);
  const otp = await mailCode(target);
  for (let i = 0; i < 3; i++) assertError(await setByCode(target, otherCode(otp), FRESH), 401, INVALID);
  assertError(await setByCode(target, otp, FRESH, "unknown@example.com"), 401, INVALID);
  assertError(await setByLink(target, "A".repeat(43), FRESH), 401, INVALID);
  assertError(await change(target, token, "a wrong one", FRESH), 401, "PASSWORD_INCORRECT");
  assert.equal(lookups, 0);
  for (let i = 0; i < 5; i++) {
    assertError(await change(target, token, OLD, LEAKED), 400, "PASSWORD_BREACHED");
    assertError(await setByCode(target, otp, LEAKED), 400, "PASSWORD_BREACHED");
  }
  assert.equal((await setByCode(target, otp, FRESH)).status, 200, "neither code nor guess was spent");
  assert.equal(lookups, 11);
}, open);
