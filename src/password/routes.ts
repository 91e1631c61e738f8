import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi.ts";
import { validJson } from "../http/validation.ts";
import { randomToken } from "../core/encoding.ts";
import { type PasswordDeps, setPasswordByLink } from "./link_service.ts";
import { renderResetPage, resetPageCsp } from "./reset_page.ts";
import { LinkPasswordSchema, NullSchema, PageSchema } from "./schemas.ts";

const tag = "Password";
const NONCE_BYTES = 16;

// deno-lint-ignore explicit-module-boundary-types -- the chained routes are the type that clients are built from
export function createPasswordRoutes(deps: PasswordDeps) {
  return createRouter()
    .put(
      "/user/password/link",
      operation({
        operationId: "setPasswordByLink",
        tag,
        summary: "Set the password by a mailed link",
        description:
          "Takes the token of an invitation or reset link, once. A refused password does not use it up. " +
          "Ends all sessions of the user and gives no tokens: log in afterwards.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: [
          "OTP_INVALID_EXPIRED",
          "PASSWORD_TOO_SHORT",
          "PASSWORD_TOO_LONG",
          "PASSWORD_TOO_COMMON",
          "PASSWORD_EQUALS_NAME",
          "PASSWORD_BREACHED",
        ],
      }),
      validJson(LinkPasswordSchema),
      async (c) => {
        await setPasswordByLink(deps, c.var.clientAddress, c.req.valid("json"));
        return c.json(null, 200, { "Cache-Control": "no-store" });
      },
    )
    .get(
      "/reset-password",
      operation({
        operationId: "resetPasswordPage",
        tag,
        summary: "The page that mailed links open",
        description: "Changes nothing until its form is sent.",
        security: "none",
        success: PageSchema,
        successType: "text/html",
        takes: "nothing",
      }),
      (c) => {
        // Whatever else a mail program appends to the link must not keep the page from opening.
        const language = c.req.query("language") ?? c.req.header("Accept-Language")?.split(",")[0] ??
          "en";
        const nonce = randomToken(NONCE_BYTES);
        c.header("Content-Security-Policy", resetPageCsp(nonce));
        c.header("Cache-Control", "no-store");
        return c.html(renderResetPage({ language, issuerName: deps.issuerName, nonce }));
      },
    );
}
