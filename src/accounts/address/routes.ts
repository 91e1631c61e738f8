import { NullSchema, PageSchema } from "../../http/common_schemas.ts";
import { createRouter } from "../../http/env.ts";
import { respondLinkPage } from "../../http/link_page/respond_link_page.ts";
import { MailQuerySchema } from "../../http/mail_query.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { allowAnyQuery, validJson, validQuery } from "../../http/validation.ts";
import { SUDO_RULE } from "../../identity/descriptions.ts";
import { requireSudoToken } from "../../identity/guards.ts";
import type { EmailTransferDeps } from "./deps.ts";
import { EMAIL_TRANSFER_EXAMPLES } from "./examples.ts";
import { CompleteTransferSchema, InitiateTransferSchema, UndoTransferSchema } from "./schemas.ts";
import { completeTransfer, initiateTransfer, undoTransfer } from "./service.ts";
import { renderUndoPage } from "./undo_page.ts";

const tag = "Email transfer";

export function createEmailTransferRoutes(deps: EmailTransferDeps) {
  const requireSudo = requireSudoToken(deps);

  return createRouter()
    .post(
      "/user/email/initiate",
      operation({
        operationId: "initiateEmailTransfer",
        tag,
        summary: "Initiate an email address transfer",
        description:
          "Mails a one-time code to the new address. The response does not reveal whether another account " +
          "has that address. Codes can be sent 60 seconds apart and up to 3 times an hour; each is valid " +
          "for 10 minutes and replaces the previous one. For 72 hours after a transfer, no other can be " +
          "initiated.\n\n" +
          SUDO_RULE,
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
        const email = c.req.valid("json").email;
        const input = { ...c.req.valid("query"), email };
        await initiateTransfer(deps, c.var.sudoActor, c.var.clientAddress, input);
        return c.json(null);
      },
    )
    .put(
      "/user/email",
      operation({
        operationId: "completeEmailTransfer",
        tag,
        summary: "Complete an email address transfer",
        description:
          "Moves the account to the new address with the one-time code that was mailed to it. A code " +
          "allows 5 wrong guesses. Ends the user's other sessions and pending codes and links, and makes " +
          "all sudo tokens invalid. Both addresses get a mail. The old address stays reserved for 72 " +
          "hours and gets a link that undoes the transfer during that time.",
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
        return c.json(null);
      },
    )
    .post(
      "/user/email/undo",
      operation({
        operationId: "undoEmailTransfer",
        tag,
        summary: "Undo an email address transfer",
        description:
          "Takes the token of the link that was mailed to the old address; it works once, within 72 " +
          "hours. Restores the old address, cancels a pending transfer, ends all sessions and removes the " +
          "password, which has to be reset afterwards. Also removes second factors that were activated, and " +
          "recovery codes that were made, 72 hours or less before the transfer was initiated, since then, or " +
          "at any time by a session that initiated or completed it. If no factor is left, neither are " +
          "recovery codes. Role passwords that the account has set in that time become void, and keys of roles " +
          "that it has made are deleted. Both addresses get a mail.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED"],
        example: EMAIL_TRANSFER_EXAMPLES.undoEmailTransfer,
      }),
      validJson(UndoTransferSchema),
      async (c) => {
        await undoTransfer(deps, c.var.clientAddress, c.req.valid("json").token);
        return c.json(null);
      },
    )
    .get(
      "/undo-email-transfer",
      operation({
        operationId: "undoEmailTransferPage",
        tag,
        summary: "Open the undo page",
        description: "The page that undo links open. It changes nothing until its form is submitted.",
        security: "none",
        success: PageSchema,
        successType: "text/html",
        takes: "nothing",
        example: EMAIL_TRANSFER_EXAMPLES.undoEmailTransferPage,
      }),
      allowAnyQuery(),
      respondLinkPage(deps.issuerName, renderUndoPage),
    );
}
