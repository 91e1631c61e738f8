/** The pages of mailed links are complete in each language, load nothing, and let no name become markup. */
import assert from "node:assert/strict";
import { renderUndoPage } from "../../src/accounts/address/undo_page.ts";
import { UNDO_PAGE_TEXTS } from "../../src/accounts/address/undo_page_texts.ts";
import { renderResetPage } from "../../src/accounts/password/reset_page.ts";
import { RESET_PAGE_TEXTS } from "../../src/accounts/password/reset_page_texts.ts";
import { renderConfirmationPage } from "../../src/identity/factor/confirmation_page.ts";
import { CONFIRMATION_PAGE_TEXTS } from "../../src/identity/factor/confirmation_page_texts.ts";
import { LANGUAGES } from "../../src/mail/languages.ts";
import { queryNumber, send, testApp } from "../helpers/http.ts";

const nonce = "bm9uY2Utbm9uY2UtMQ==";
const PAGES = [
  { name: "sets a password", render: renderResetPage, texts: RESET_PAGE_TEXTS },
  { name: "confirms a factor", render: renderConfirmationPage, texts: CONFIRMATION_PAGE_TEXTS },
  { name: "undoes a change of address", render: renderUndoPage, texts: UNDO_PAGE_TEXTS },
];

for (const { name, render, texts } of PAGES) {
  Deno.test(`the page that ${name} exists in each language, with all placeholders but the wait filled in`, () => {
    const renderIn = (language: string) => render({ language, issuerName: "Rolegrid", nonce });
    for (const language of LANGUAGES) {
      const page = renderIn(language);
      assert.ok(page.includes(`<html lang="${language}">`));
      assert.ok(page.includes(`<h1>${texts[language].title}</h1>`));
      assert.doesNotMatch(page, /\{issuer\}/);
      assert.ok(texts[language].faults.BUSY.includes("{wait}"), "which comes with the response");
    }
    assert.equal(renderIn('"><script>'), renderIn("en"), "an unknown language");
  });

  Deno.test(`on the page that ${name}, the service's name cannot become markup or script`, () => {
    const issuerName = `A&B "<script>alert(1)</script>' $& {issuer}`;
    const page = render({ language: "en", issuerName, nonce });
    assert.equal(page.match(/<script/g)?.length, 1);
    assert.doesNotMatch(page, /<script>|alert\(1\)<\/script>/);
    assert.ok(page.includes("A&amp;B &quot;&lt;script&gt;alert(1)&lt;/script&gt;&#39; $&amp; {issuer}</p>"));
  });

  Deno.test(`the page that ${name} loads nothing, and only elements with the nonce run`, () => {
    for (const language of LANGUAGES) {
      const page = render({ language, issuerName: "Rolegrid", nonce });
      assert.doesNotMatch(page, /https?:|\ssrc=|\shref=|\son[a-z]+=|\sstyle=|@import|url\(/);
      const elements = page.match(/<(script|style)\b/g)?.length;
      assert.equal(elements, page.match(new RegExp(`nonce="${nonce}"`, "g"))?.length);
    }
  });
}

testApp("a page has the reader's language and its own nonce, and changes nothing", async (target) => {
  const seen = new Set<string>();
  for (const [path, language] of [["", "nl"], ["?language=de&utm=1", "de"]] as const) {
    const answer = await send(target, "GET", `/undo-email-transfer${path}`, {
      headers: { "Accept-Language": "nl-BE,en;q=0.5" },
    });
    assert.equal(answer.status, 200);
    assert.ok(answer.text.includes(`<html lang="${language}">`));
    const policy = answer.headers.get("Content-Security-Policy") ?? "";
    const [, used = ""] = /script-src 'nonce-([^']+)'/.exec(policy) ?? [];
    assert.ok(used !== "" && answer.text.includes(`nonce="${used}"`));
    seen.add(used);
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
  }
  assert.equal(seen.size, 2);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM security_event"), 0);
});
