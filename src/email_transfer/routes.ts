import { randomToken } from "../core/encoding.ts";
import { createRouter } from "../http/env.ts";
import { linkPageCsp, pageLanguage } from "../http/link_page/link_page.ts";
import { MailQuerySchema } from "../http/mail_query.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson, validQuery } from "../http/validation.ts";
import { requireSudoToken } from "../identity/guards.ts";
import { NullSchema } from "../identity/schemas.ts";
import { PageSchema } from "../password/schemas.ts";
import type { EmailTransferDeps } from "./deps.ts";
import { EMAIL_TRANSFER_EXAMPLES } from "./examples.ts";
import { CompleteTransferSchema, InitiateTransferSchema, UndoTransferSchema } from "./schemas.ts";
import { completeTransfer, initiateTransfer, undoTransfer } from "./service.ts";
import { renderUndoPage } from "./undo_page.ts";

const tag = "Email transfer";
const NO_STORE = { "Cache-Control": "no-store" };
const NONCE_BYTES = 16;

export function createEmailTransferRoutes(deps: EmailTransferDeps) {
  const requireSudo = requireSudoToken(deps);

  return createRouter()
    .post(
      "/user/email/initiate",
      operation({
        operationId: "initiateEmailTransfer",
        tag,
        summary: "Begin to change the own address",
        description:
          "Mails a code to the new address; whether somebody has that address is not told. Takes a sudo token; " +
          "without a second factor also an access token of a session whose password sign-in is at most 15 minutes old. " +
          "Codes go out 60 seconds apart and 3 an hour, serve 10 minutes, and end the one before. Within 72 hours of a " +
          "transfer there is no other.",
        security: ["sudoBearerAuth", "accessBearerAuth"],
        takes: "body",
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "TRANSFER_TOO_SOON", "TOO_MANY_TRANSFER_ATTEMPTS"],
        example: EMAIL_TRANSFER_EXAMPLES.initiateEmailTransfer,
      }),
      requireSudo,
      validQuery(MailQuerySchema),
      validJson(InitiateTransferSchema),
      async (c) => {
        const input = { ...c.req.valid("query"), ...c.req.valid("json") };
        await initiateTransfer(deps, c.var.sudoActor, c.var.clientAddress, input);
        return c.json(null, 200, NO_STORE);
      },
    )
    .put(
      "/user/email",
      operation({
        operationId: "completeEmailTransfer",
        tag,
        summary: "Change the own address",
        description:
          "Takes the code that was mailed to the new address, which bears 5 wrong guesses. Ends the user's other " +
          "sessions, his pending codes and links, and every sudo token. Mails both addresses; the old one, reserved for 72 " +
          "hours, gets a link that undoes the transfer for as long.",
        security: ["accessBearerAuth", "sudoBearerAuth"],
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED", "NEW_EMAIL_ALREADY_IN_USE"],
        example: EMAIL_TRANSFER_EXAMPLES.completeEmailTransfer,
      }),
      requireSudo,
      validJson(CompleteTransferSchema),
      async (c) => {
        await completeTransfer(deps, c.var.sudoActor, c.var.clientAddress, c.req.valid("json").otp);
        return c.json(null, 200, NO_STORE);
      },
    )
    .post(
      "/user/email/undo",
      operation({
        operationId: "undoEmailTransfer",
        tag,
        summary: "Undo a change of address",
        description:
          "Takes no bearer token but the one of the link that was mailed to the old address, once, within 72 " +
          "hours. Restores that address, ends a pending transfer and all sessions, and removes the password: reset it " +
          "afterwards. Mails both addresses.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED"],
        example: EMAIL_TRANSFER_EXAMPLES.undoEmailTransfer,
      }),
      validJson(UndoTransferSchema),
      async (c) => {
        await undoTransfer(deps, c.var.clientAddress, c.req.valid("json").token);
        return c.json(null, 200, NO_STORE);
      },
    )
    .get(
      "/undo-email-transfer",
      operation({
        operationId: "undoEmailTransferPage",
        tag,
        summary: "The page that undo links open",
        description: "Changes nothing until its form is sent.",
        security: "none",
        success: PageSchema,
        successType: "text/html",
        takes: "nothing",
        example: EMAIL_TRANSFER_EXAMPLES.undoEmailTransferPage,
      }),
      (c) => {
        const nonce = randomToken(NONCE_BYTES);
        c.header("Content-Security-Policy", linkPageCsp(nonce));
        c.header("Cache-Control", "no-store");
        const language = pageLanguage(c.req.query("language"), c.req.header("Accept-Language"));
        return c.html(renderUndoPage({ language, issuerName: deps.issuerName, nonce }));
      },
    );
}
