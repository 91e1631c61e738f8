import assert from "node:assert/strict";
import { ERROR_RESPONSES } from "../../../src/http/openapi/error_responses.ts";
import { LANGUAGES } from "../../../src/mail/languages.ts";
import { linkPageCsp } from "../../../src/http/link_page/link_page.ts";
import { renderResetPage } from "../../../src/accounts/password/reset_page.ts";
import { RESET_PAGE_TEXTS } from "../../../src/accounts/password/reset_page_texts.ts";

const nonce = "bm9uY2Utbm9uY2UtMQ==";

Deno.test("the policy allows only the page's own script, style and requests to the service", () => {
  assert.equal(
    linkPageCsp(nonce),
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; ` +
      "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
      "trusted-types 'none'",
  );
});

Deno.test("each language has its own page, and an unknown language gets the English one", () => {
  for (const language of LANGUAGES) {
    const page = renderResetPage({ language, issuerName: "Rolegrid", nonce });
    assert.ok(page.includes(`<html lang="${language}">`));
    assert.ok(page.includes(`<h1>${RESET_PAGE_TEXTS[language].title}</h1>`));
  }
  const english = renderResetPage({ language: "en", issuerName: "Rolegrid", nonce });
  assert.equal(renderResetPage({ language: '"><script>', issuerName: "Rolegrid", nonce }), english);
});

Deno.test("every placeholder is filled in, except the waiting time, which comes with the response", () => {
  for (const language of LANGUAGES) {
    assert.doesNotMatch(renderResetPage({ language, issuerName: "Rolegrid", nonce }), /\{issuer\}/);
    assert.ok(RESET_PAGE_TEXTS[language].faults.BUSY.includes("{wait}"));
  }
});

Deno.test("the service's name cannot become markup or script", () => {
  const issuerName = `A&B "<script>alert(1)</script>' $& {issuer}`;
  const page = renderResetPage({ language: "en", issuerName, nonce });
  assert.doesNotMatch(page, /<script>|alert\(1\)<\/script>/);
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.ok(page.includes("A&amp;B &quot;&lt;script&gt;alert(1)&lt;/script&gt;&#39; $&amp; {issuer}</p>"));
});

Deno.test("the page loads nothing, and only elements with the nonce run", () => {
  const page = renderResetPage({ language: "de", issuerName: "Rolegrid", nonce });
  assert.doesNotMatch(page, /https?:|\ssrc=|\shref=|\son[a-z]+=|\sstyle=|@import|url\(/);
  assert.equal(
    page.match(/<(script|style)\b/g)?.length,
    page.match(new RegExp(`nonce="${nonce}"`, "g"))?.length,
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
