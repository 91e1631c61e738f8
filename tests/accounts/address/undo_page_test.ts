import assert from "node:assert/strict";
import { LANGUAGES } from "../../../src/mail/languages.ts";
import { renderUndoPage } from "../../../src/accounts/address/undo_page.ts";
import { UNDO_PAGE_TEXTS } from "../../../src/accounts/address/undo_page_texts.ts";
import { queryNumber, send, testApp } from "../../helpers/http.ts";

const nonce = "bm9uY2Utbm9uY2UtMQ==";

Deno.test("each language has its own page with every placeholder filled in but the waiting time", () => {
  for (const language of LANGUAGES) {
    const page = renderUndoPage({ language, issuerName: "Rolegrid", nonce });
    assert.ok(page.includes(`<html lang="${language}">`));
    assert.ok(page.includes(`<h1>${UNDO_PAGE_TEXTS[language].title}</h1>`));
    assert.doesNotMatch(page, /\{issuer\}/);
    assert.ok(UNDO_PAGE_TEXTS[language].faults.BUSY.includes("{wait}"));
  }
});

Deno.test("the service's name cannot become markup or script", () => {
  const issuerName = `A&B "<script>alert(1)</script>' $& {issuer}`;
  const page = renderUndoPage({ language: "en", issuerName, nonce });
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.ok(page.includes("A&amp;B &quot;&lt;script&gt;alert(1)&lt;/script&gt;&#39; $&amp; {issuer}</p>"));
});

Deno.test("the page loads nothing from elsewhere, and all its scripts and styles carry the nonce", () => {
  const page = renderUndoPage({ language: "fr", issuerName: "Rolegrid", nonce });
  assert.doesNotMatch(page, /https?:|\ssrc=|\shref=|\son[a-z]+=|\sstyle=|@import|url\(/);
  assert.equal(
    page.match(/<(script|style)\b/g)?.length,
    page.match(new RegExp(`nonce="${nonce}"`, "g"))?.length,
  );
});

testApp("the page has the reader's language and its own nonce, and changes nothing", async (target) => {
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
