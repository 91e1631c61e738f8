import assert from "node:assert/strict";
import { assertError, login, send } from "../../helpers/http.ts";
import { lastCode, lastLinkToken, otherCode } from "../../helpers/mails.ts";
import { signIn } from "../../helpers/security_scene.ts";
import { openTestApp } from "../../helpers/test_app.ts";
import { DATABASES, testKind } from "../../helpers/databases.ts";

const EMAIL = "ada@example.com";
const OLD = "a password that is right";
const LEAKED = "correct horse battery";
const FRESH = "nine quiet lighthouses";

for (const kind of DATABASES) {
  testKind(
    kind,
    "a breached password is refused at every way to set one, and spends no code or link",
    async () => {
      await using target = await openTestApp(kind, {
        isBreached: (password) => Promise.resolve(password === LEAKED),
      });
      const { accessToken: token } = await signIn(target, EMAIL, OLD);
      const change = { oldPassword: OLD, newPassword: LEAKED };
      const changed = await send(target, "PUT", "/user/password/old-password", { token, body: change });
      assertError(changed, 400, "PASSWORD_BREACHED");

      await send(target, "POST", "/user/password/reset/send", { body: { email: EMAIL } });
      const otp = await lastCode(target, "password_reset_otp");
      const byCode = (newPassword: string) =>
        send(target, "PUT", "/user/password/otp", { body: { userEmail: EMAIL, otp, newPassword } });
      assertError(await byCode(LEAKED), 400, "PASSWORD_BREACHED");
      const check = await send(target, "POST", "/user/password/reset/validate", {
        body: { email: EMAIL, otp },
      });
      assert.equal(check.status, 200, "the code still serves");

      target.clock.advance(60);
      await send(target, "POST", "/user/password/reset/email", { body: { email: EMAIL } });
      const link = await lastLinkToken(target, "password_reset_link");
      const byLink = (newPassword: string) =>
        send(target, "PUT", "/user/password/link", { body: { token: link, newPassword } });
      assertError(await byLink(LEAKED), 400, "PASSWORD_BREACHED");

      assert.equal((await byLink(FRESH)).status, 200, "the link still serves");
      assert.equal((await login(target, EMAIL, FRESH)).status, 200);
    },
  );
}

for (const kind of DATABASES) {
  testKind(
    kind,
    "a password is checked for breaches only after a right code, link or old password",
    async () => {
      let lookups = 0;
      await using target = await openTestApp(kind, {
        isBreached: (password) => {
          lookups++;
          return Promise.resolve(password === LEAKED);
        },
      });
      const { accessToken: token } = await signIn(target, EMAIL, OLD);
      await send(target, "POST", "/user/password/reset/send", { body: { email: EMAIL } });
      const otp = await lastCode(target, "password_reset_otp");
      const byCode = (code: string, newPassword: string, userEmail = EMAIL) =>
        send(target, "PUT", "/user/password/otp", { body: { userEmail, otp: code, newPassword } });
      const change = (oldPassword: string, newPassword: string) =>
        send(target, "PUT", "/user/password/old-password", { token, body: { oldPassword, newPassword } });
      for (let i = 0; i < 3; i++) {
        assertError(await byCode(otherCode(otp), FRESH), 401, "OTP_INVALID_EXPIRED");
      }
      assertError(await byCode(otp, FRESH, "nobody@example.com"), 401, "OTP_INVALID_EXPIRED");
      const body = { token: "A".repeat(43), newPassword: FRESH };
      assertError(await send(target, "PUT", "/user/password/link", { body }), 401, "OTP_INVALID_EXPIRED");
      assertError(await change("a wrong one", FRESH), 401, "PASSWORD_INCORRECT");
      assert.equal(lookups, 0);
      for (let i = 0; i < 5; i++) {
        assertError(await change(OLD, LEAKED), 400, "PASSWORD_BREACHED");
      }
      for (let i = 0; i < 5; i++) assertError(await byCode(otp, LEAKED), 400, "PASSWORD_BREACHED");
      assert.equal((await byCode(otp, FRESH)).status, 200, "neither code nor guess was spent");
      assert.equal(lookups, 11);
    },
  );
}
