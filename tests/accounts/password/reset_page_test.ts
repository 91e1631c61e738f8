/** The page that sets a password runs nothing but its own, and knows every fault of a password. */
import assert from "node:assert/strict";
import { ERROR_RESPONSES } from "../../../src/http/openapi/error_responses.ts";
import { LANGUAGES } from "../../../src/mail/languages.ts";
import { linkPageCsp } from "../../../src/http/link_page/link_page.ts";
import { RESET_PAGE_TEXTS } from "../../../src/accounts/password/reset_page_texts.ts";

Deno.test("the policy allows only the page's own script, style and requests to the service", () => {
  const nonce = "bm9uY2Utbm9uY2UtMQ==";
  assert.equal(
    linkPageCsp(nonce),
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; ` +
      "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
      "trusted-types 'none'",
  );
});

Deno.test("every password error of the service has a text in every language", () => {
  const messages = Object.values(ERROR_RESPONSES)
    .filter(({ status, message }) => status === 400 && message.startsWith("PASSWORD_"))
    .map(({ message }) => message);
  assert.ok(messages.length >= 5);
  for (const language of LANGUAGES) {
    for (const message of messages) {
      assert.ok(Object.hasOwn(RESET_PAGE_TEXTS[language].faults, message), message);
    }
  }
});
