/** Every message, in every language: complete, with the same words in HTML, and safe from names that forge. */
import assert from "node:assert/strict";
import { LANGUAGES, toLanguage } from "../../src/mail/languages.ts";
import type { MessageContent, RenderedMessage } from "../../src/mail/message_content.ts";
import { type MessageRequest, renderMessage } from "../../src/mail/messages.ts";
import { collectStatements } from "../db/query_plans.ts";

const link = `https://grid.example/reset-password#token=${"A".repeat(43)}`;
const actorEmail = "anna@example.com";
const roleName = "Roof sensors";

const CONTENTS: readonly MessageContent[] = [
  { template: "invitation", params: { link, actorEmail, roleName } },
  { template: "member_added", params: { actorEmail, roleName } },
  { template: "password_set", params: {} },
  { template: "refresh_token_reused", params: {} },
  { template: "password_reset_link", params: { link } },
  { template: "password_reset_otp", params: { otp: "7K3M9Q" } },
  { template: "email_otp", params: { otp: "048213", purpose: "activation" } },
  { template: "email_otp", params: { otp: "048213", purpose: "sign_in" } },
  { template: "email_transfer_otp", params: { otp: "7K3M9Q" } },
  { template: "email_transferred", params: {} },
  { template: "email_transferred_old", params: { link } },
  { template: "transfer_undone", params: {} },
  { template: "factor_activated", params: { factor: "passkey" } },
  { template: "factor_activated", params: { factor: "totp" } },
  { template: "factor_activated", params: { factor: "email_otp" } },
  { template: "factor_confirmation", params: { factor: "passkey", link } },
  { template: "factor_confirmation", params: { factor: "totp", link } },
  { template: "factor_deactivated", params: { factor: "passkey" } },
  { template: "factor_deactivated", params: { factor: "totp" } },
  { template: "factor_deactivated", params: { factor: "email_otp" } },
  { template: "recovery_codes_reset", params: {} },
  { template: "recovery_code_used", params: { left: 7 } },
  { template: "recovery_code_used", params: { left: 0 } },
  { template: "second_factor_failures", params: {} },
  { template: "passkey_copied", params: {} },
  { template: "account_deleted", params: {} },
  { template: "operator_action", params: { action: "factor_disabled" } },
  { template: "operator_action", params: { action: "unlocked" } },
  { template: "operator_action", params: { action: "sessions_ended" } },
  { template: "operator_action", params: { action: "sessions_and_keys_ended" } },
  { template: "operator_action", params: { action: "invitation_resent" } },
  { template: "key_created", params: { roleName, keyName: "Gateway" } },
  ...[null, actorEmail].flatMap((actorEmail) =>
    [0, 1, 2].map((others) => ({
      template: "membership_ends" as const,
      params: { roleName, actorEmail, endsAt: Date.UTC(2026, 11, 4, 17, 30), others },
    }))
  ),
  ...[0, 1, 2].map((others) => ({
    template: "key_ends" as const,
    params: { roleName, keyName: "Gateway", endsAt: Date.UTC(2026, 11, 4, 17, 30), others },
  })),
  { template: "role_password_set", params: { roleName } },
];

function render(content: MessageContent, language = "en", issuerName = "Rolegrid"): RenderedMessage {
  return renderMessage({ ...content, language, issuerName });
}

function renderInvitation(
  params: { actorEmail?: string; roleName?: string },
  language = "en",
): RenderedMessage {
  return render({ template: "invitation", params: { link, actorEmail, roleName, ...params } }, language);
}

Deno.test("every message is filled in, in every language, names the service and has a subject of one line", () => {
  for (const language of LANGUAGES) {
    for (const content of CONTENTS) {
      const { subject, text } = render(content, language, "Grid & Co");
      const where = `${content.template} in ${language}`;
      assert.match(subject, /^[^\r\n]{10,90}$/, where);
      assert.ok(subject.includes("Grid & Co") && text.includes("Grid & Co"), where);
      assert.doesNotMatch(subject + text, /undefined|null|\[object|\$\{|\\u|\r/, where);
      assert.ok(text.endsWith(".\n"), where);
    }
  }
});

Deno.test("no two messages have the same text, in any language", () => {
  for (const language of LANGUAGES) {
    const texts = CONTENTS.map((content) => render(content, language).text);
    assert.equal(new Set(texts).size, CONTENTS.length, language);
  }
});

Deno.test("a code stands on its own line, in one piece in the HTML and never in the subject", () => {
  for (const language of LANGUAGES) {
    for (const content of CONTENTS) {
      if (!("otp" in content.params)) continue;
      const { otp } = content.params;
      const { subject, text, html } = render(content, language);
      assert.ok(text.split("\n").includes(otp), language);
      assert.ok(html.includes(`>${otp}</p>`), language);
      // Subjects are shown on lock screens.
      assert.ok(!subject.includes(otp));
    }
  }
});

Deno.test("the HTML says the same as the text, in its language, and loads nothing", () => {
  for (const language of LANGUAGES) {
    for (const content of CONTENTS) {
      const { subject, text, html } = render(content, language);
      assert.ok(html.includes(`<html lang="${language}">`) && html.includes(`<title>${subject}</title>`));
      for (const line of text.split("\n").filter((part) => part !== "" && part !== "-- ")) {
        assert.ok(html.includes(line), `${content.template} in ${language}: ${line}`);
      }
      assert.doesNotMatch(html, /<img|<script|<link|@import|url\(|src=/);
      const targets = Array.from(html.matchAll(/href="([^"]*)"/g), (match) => match[1]);
      assert.deepEqual(new Set(targets), new Set("link" in content.params ? [link] : []));
    }
  }
});

Deno.test("markup in a name is shown as text in the HTML", () => {
  const roleName = `</p><img src=x onerror=alert(1)> "'& <b>`;
  const { html } = renderInvitation({ roleName, actorEmail: "<i>@b.example" });
  assert.ok(html.includes("&lt;/p&gt;&lt;img src=x onerror=alert(1)&gt; &quot;&#39;&amp; &lt;b&gt;"));
  assert.ok(!html.includes("<img") && !html.includes("<i>") && !html.includes("<b>"));
});

Deno.test("a user with few recovery codes left is told to make new ones", () => {
  for (const language of LANGUAGES) {
    const used = (left: number): string =>
      render({ template: "recovery_code_used", params: { left } }, language).text;
    assert.ok(used(9).includes(" 9.") && used(0).includes(" 0."));
    assert.ok(used(2).length > used(3).length, language);
  }
});

Deno.test("no two languages have the same words for a message", () => {
  for (const content of CONTENTS) {
    const messages = LANGUAGES.map((language) => render(content, language));
    assert.equal(new Set(messages.map(({ subject }) => subject)).size, LANGUAGES.length);
    assert.equal(new Set(messages.map(({ text }) => text)).size, LANGUAGES.length);
  }
});

Deno.test("an unknown language falls back to English", () => {
  for (const language of ["xx", "", "e", "constructor", "it-IT"]) {
    assert.deepEqual(
      render(CONTENTS[0] as MessageContent, language),
      render(CONTENTS[0] as MessageContent, "en"),
    );
  }
  assert.equal(toLanguage("nl-BE"), "nl");
  assert.equal(toLanguage("DE"), "de");
});

Deno.test("an invitation names the actor, the role and the days, with the link on its own line", () => {
  for (const language of LANGUAGES) {
    const { text } = renderInvitation({}, language);
    assert.ok(text.includes(actorEmail) && text.includes(roleName) && text.includes("7 "), language);
    assert.ok(text.split("\n").includes(link), language);
  }
});

Deno.test("a membership message names the actor and the role, and holds no link", () => {
  for (const language of LANGUAGES) {
    const { text } = render({ template: "member_added", params: { actorEmail, roleName } }, language);
    assert.ok(text.includes(actorEmail) && text.includes(roleName), language);
    assert.doesNotMatch(text, /https?:/);
  }
});

Deno.test("a name cannot forge a line or a header", () => {
  const forged = "Roof\r\nBcc: eve@example.com\u2028\u2029\u0085\v\f\u0000\tOpen https://evil.example";
  for (const language of LANGUAGES) {
    const plain = renderInvitation({}, language);
    const { subject, text } = renderInvitation(
      { roleName: forged, actorEmail: "eve\n\n-- \nx@example.com" },
      language,
    );
    assert.equal(subject, plain.subject);
    assert.equal(text.split("\n").length, plain.text.split("\n").length, language);
    assert.doesNotMatch(text, /[\r\u2028\u2029\u0085\v\f\0\t]/);
    assert.ok(text.includes("Roof Bcc: eve@example.\u2060com Open …"), language);
    assert.ok(text.includes("eve -- x@example.com"), language);
  }
});

Deno.test("an address in a name does not become a link in mail programs", () => {
  for (const roleName of ["Verify at https://evil.example/login now", "see WWW.evil.example", "ftp://x"]) {
    const { text } = render(
      { template: "member_added", params: { actorEmail: "ann@example.com", roleName } },
      "en",
    );
    assert.doesNotMatch(text, /evil|ftp:/);
  }
  const params = { actorEmail: "ann@example.com", roleName: "Locked! evil-login.com/verify, v1.2" };
  const { text, html } = render({ template: "member_added", params }, "en");
  for (const shown of [text, html]) {
    assert.ok(
      !shown.includes("evil-login.com") && shown.includes("evil-login.\u2060com") && shown.includes("v1.2"),
    );
    assert.ok(shown.includes("ann@example.com"));
  }
});

Deno.test("the service's name cannot forge a header either", () => {
  const { subject } = render({ template: "password_set", params: {} }, "en", "Grid\r\nBcc: eve@example.com");
  assert.equal(subject, "Your Grid Bcc: eve@example.com password has been set");
});

Deno.test("direction marks and invisible characters are removed from names, except joiners within words", () => {
  const { text } = renderInvitation({ roleName: "\u202Eevil\u202C \u2066x\u2069 ad\u200Bmin 👩\u200D🔧" });
  assert.ok(text.includes("“evil x admin 👩\u200D🔧”"));
});

Deno.test("a long name is cut at a whole character and marked", () => {
  const { text } = renderInvitation({ roleName: "😀".repeat(101) });
  assert.ok(text.includes(`“${"😀".repeat(99)}…”`));
  const whole = renderInvitation({ roleName: "😀".repeat(100) });
  assert.ok(whole.text.includes(`“${"😀".repeat(100)}”`));
});

Deno.test("replacement patterns in a name stay as they are", () => {
  assert.ok(
    renderInvitation({ roleName: "$& $1 ${x} <b>{issuer}</b>" }).text.includes(
      "“$& $1 ${x} <b>{issuer}</b>”",
    ),
  );
});

Deno.test("the names of a key and its role become no link and forge no lines, in every language", () => {
  const name = "See https://evil.example\nor evil.example";
  for (const language of LANGUAGES) {
    const { text } = render({ template: "key_created", params: { roleName: name, keyName: name } }, language);
    assert.doesNotMatch(text, /https:|evil\.example|See …\n/, language);
  }
});

Deno.test("every template that a statement queues can be rendered", async () => {
  const known = new Set<string>(CONTENTS.map(({ template }) => template));
  const used = new Set<string>();
  for (const { name, statement: { sql, queuesMail = false } } of await collectStatements()) {
    assert.equal(queuesMail, sql.includes("INSERT INTO outbox"), name);
    if (!queuesMail) continue;
    const [, column = assert.fail(name)] = /SELECT [^,]*:\w+[^,]*, :(?:now|dueAt), ([^,]*)/.exec(sql) ?? [];
    const templates = Array.from(column.matchAll(/'(\w+)'/g), (match) => match[1] as string);
    assert.ok(
      templates.length > 0 && templates.every((template) => known.has(template)),
      `${name}: ${column}`,
    );
    for (const template of templates) used.add(template);
  }
  for (const template of ["invitation", "member_added", "password_set", "refresh_token_reused"]) {
    assert.ok(used.has(template), template);
  }
});

type Settings = { language: string; issuerName: string };
type IsRequest<T> = T & Settings extends MessageRequest ? true : false;

Deno.test("a template without its parameters does not compile", () => {
  // This is a test of the types: a wrong one fails before the test runs.
  const whole: IsRequest<{ template: "member_added"; params: { actorEmail: string; roleName: string } }> =
    true;
  const withoutLink: IsRequest<{ template: "invitation"; params: { actorEmail: string; roleName: string } }> =
    false;
  const withoutParams: IsRequest<{ template: "password_set" }> = false;
  const unknownTemplate: IsRequest<{ template: "unknown"; params: Record<string, never> }> = false;
  assert.deepEqual([whole, withoutLink, withoutParams, unknownTemplate], [true, false, false, false]);
});
