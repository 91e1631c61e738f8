import { lastCode, lastLinkToken } from "../helpers/mails.ts";
import { callsWith, type Count } from "./round_trip_counts.ts";
import { Authenticator, mailedCode } from "../helpers/second_factors.ts";
import { signIn } from "../helpers/security_scene.ts";
import type { TestApp } from "../helpers/test_app.ts";

const EMAIL = "grace@example.com";
const PASSWORD = "nine quiet lighthouses";

/** Runs the operations of account security, and counts the requests of each to the server. */
export async function secureAccount(count: Count, target: TestApp): Promise<void> {
  await resetPassword(count, target);
  await transferAddress(count, target);
  await proveFactors(count, target);
}

async function resetPassword(count: Count, target: TestApp): Promise<void> {
  await signIn(target, EMAIL, PASSWORD);
  const post = (path: string, body: unknown) => ({ method: "POST", path, body });
  await count("send a reset code", 2, post("/user/password/reset/send", { email: EMAIL }));
  const otp = await lastCode(target, "password_reset_otp");
  await count("check a reset code", 1, post("/user/password/reset/validate", { email: EMAIL, otp }));
  const body = { userEmail: EMAIL, otp, newPassword: PASSWORD };
  await count("set a password by a code", 2, { method: "PUT", path: "/user/password/otp", body });
  target.clock.advance(60);
  await count("send a reset link", 2, post("/user/password/reset/email", { email: EMAIL }));
}

async function transferAddress(count: Count, target: TestApp): Promise<void> {
  const { accessToken: token } = await signIn(target, "joan@example.com", PASSWORD);
  const call = callsWith(token);
  const passwords = { oldPassword: PASSWORD, newPassword: "ten quiet lighthouses" };
  await count("change the password", 2, call("PUT", "/user/password/old-password", passwords));
  const password = passwords.newPassword;
  await count("prove the password", 2, call("POST", "/user/password/authenticate", { password }));
  await count("begin a transfer", 1, call("POST", "/user/email/initiate", { email: "joan@example.org" }));
  const otp = await lastCode(target, "email_transfer_otp");
  await count("complete a transfer", 1, call("PUT", "/user/email", { otp }));
  const undo = { token: await lastLinkToken(target, "email_transferred_old") };
  await count("undo a transfer", 2, { method: "POST", path: "/user/email/undo", body: undo });
}

async function proveFactors(count: Count, target: TestApp): Promise<void> {
  const ada = await signIn(target, "ada@example.com", PASSWORD);
  const call = callsWith(ada.accessToken);
  const post = (path: string, body: object) => call("POST", `/user/2fa/${path}`, body);
  const setup = await count("set TOTP up", 1, post("totp/setup", {}));
  const app = new Authenticator(target, JSON.parse(setup).url);
  // The recovery codes are hashed in between, and only if the code is right.
  const totp = post("totp/enable", { totp: app.code() });
  const activated = await count("activate TOTP, and make recovery codes", 3, totp);
  target.clock.advance(60);
  const proof = post("totp/authenticate", { totp: app.code() });
  const { sudoToken } = JSON.parse(await count("prove TOTP", 2, proof));
  const [recoveryCode] = JSON.parse(activated).recoveryCodes;
  await count("prove a recovery code", 2, post("recovery-code/authenticate", { recoveryCode }));
  const email = "ada.codes@example.org";
  await count("set email OTP up", 1, callsWith(sudoToken)("POST", "/user/2fa/email-otp/setup", { email }));
  const otp = await mailedCode(target, email);
  await count("activate email OTP", 1, post("email-otp/enable", { otp }));
  target.clock.advance(120);
  await count("send a code", 1, post("email-otp/challenge", {}));
  const code = await mailedCode(target, email);
  await count("prove a mailed code", 1, post("email-otp/authenticate", { otp: code }));
  await count("list factors", 1, call("GET", "/user/2fa"));
  await count("time until the next guess", 1, call("GET", "/user/2fa/totp/next-guess"));
  await count("read the security log", 1, call("GET", "/user/security-log"));
}
