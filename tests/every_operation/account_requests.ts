import { bind } from "../../src/db/statement.ts";
import { send, succeed } from "../helpers/http.ts";
import { lastCode, lastLinkToken } from "../helpers/mails.ts";
import type { ListedRequest } from "./request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** The codes and the link that requests about passwords and addresses need. */
export interface AccountScene {
  readonly password: string;
  readonly resetEmail: string;
  readonly resetCode: string;
  readonly transferCode: string;
  readonly undoToken: string;
}

const FORGET_TRANSFER_MAILS = defineStatement("DELETE FROM throttle WHERE scope LIKE 'transfer_mail.%'");
const MOVED = "moved@example.com";
const RESET = "reset@example.com";

/** Creates an account that has moved and one with a pending reset, and starts to move the administrator's. */
export async function setAccountScene(
  target: TestApp,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<AccountScene> {
  await target.createUser(RESET);
  const moving = (await target.createUser(MOVED)).accessToken;
  await succeed(target, "POST", "/user/email/initiate", {
    token: moving,
    body: { email: "moved@example.org" },
  });
  const otp = await lastCode(target, "email_transfer_otp");
  await succeed(target, "PUT", "/user/email", { token: moving, body: { otp } });
  const undoToken = await lastLinkToken(target, "email_transferred_old");
  await send(target, "POST", "/user/password/reset/send", { body: { email: RESET }, from: "203.0.113.1" });
  const resetCode = await lastCode(target, "password_reset_otp");
  await succeed(target, "POST", "/user/email/initiate", { token, body: { email: "admin@example.org" } });
  const transferCode = await lastCode(target, "email_transfer_otp");
  // The catalogue requests another code, which would otherwise come too soon.
  await target.database.write([bind(FORGET_TRANSFER_MAILS, {})]);
  return { password, resetEmail: RESET, resetCode, transferCode, undoToken };
}

/** A successful request for every operation of passwords, email transfer and one's own account. */
export function accountRequests(scene: AccountScene): ListedRequest[] {
  const { password, resetEmail, resetCode, transferCode, undoToken } = scene;
  const open = { accepts: "none" } as const;
  const own = { accepts: "access" } as const;
  const newPassword = "four words nobody guesses";
  return [
    { ...open, route: "POST /user/password/reset/email", body: { email: resetEmail } },
    { ...open, route: "POST /v1/auth/forgot-password", body: { email: resetEmail } },
    { ...open, route: "POST /user/password/reset/send", body: { email: resetEmail } },
    { ...open, route: "POST /user/password/reset/validate", body: { email: resetEmail, otp: resetCode } },
    {
      ...open,
      route: "PUT /user/password/otp",
      body: { userEmail: resetEmail, otp: resetCode, newPassword },
    },
    {
      accepts: "sudo or access without factor",
      route: "PUT /user/password/old-password",
      body: { oldPassword: password, newPassword },
    },
    { accepts: "access without factor", route: "POST /user/password/authenticate", body: { password } },
    { accepts: "sudo*", route: "POST /user/email/initiate", body: { email: "another@example.org" } },
    { accepts: "access or sudo", route: "PUT /user/email", body: { otp: transferCode } },
    { ...open, route: "POST /user/email/undo", body: { token: undoToken } },
    { ...open, route: "GET /undo-email-transfer", isPage: true },
    { ...own, route: "GET /user" },
    { ...own, route: "PUT /user", body: { language: "nl" } },
    { ...own, route: "GET /user/security-log" },
    { ...own, route: "GET /user/export" },
    { accepts: "sudo*", route: "DELETE /user" },
  ];
}
