import assert from "node:assert/strict";
import { assertError, login, send } from "../helpers/http.ts";
import { lastCode, lastLinkToken } from "../helpers/mails.ts";
import { signIn } from "../helpers/security_scene.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { DATABASES, testKind } from "../helpers/databases.ts";

const EMAIL = "ada@example.com";
const OLD = "a password that is right";
const LEAKED = "correct horse battery";
const FRESH = "nine quiet lighthouses";

for (const kind of DATABASES) {
  testKind(
    kind,
    "a password known from a breach is refused wherever one is set, and costs no code or link",
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
