import { escapeHtml } from "../../core/html.ts";
import { type LinkPageOptions, renderLinkPage } from "../../http/link_page/link_page.ts";
import { toLanguage } from "../../mail/languages.ts";
import { RESET_PAGE_SCRIPT } from "./reset_page_script.ts";
import { RESET_PAGE_TEXTS, type ResetPageTexts } from "./reset_page_texts.ts";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "./rules.ts";

/** Renders the page that invitation and reset links open, which asks twice for the new password. */
export function renderResetPage(options: LinkPageOptions): string {
  const language = toLanguage(options.language);
  const texts = RESET_PAGE_TEXTS[language];
  return renderLinkPage({ ...options, language }, {
    texts,
    next: {
      done: [{ href: "/console", text: texts.signIn }],
      signedIn: [
        { href: "/console", text: texts.openConsole },
        { href: "/console/account/passkey", text: texts.addPasskey },
      ],
      otherSession: [{ href: "/console", text: texts.openConsole }],
      fault: [{ href: "/console?forgot", text: texts.newLink }],
    },
    fields: renderFields(texts),
    values: {
      minLength: MIN_PASSWORD_LENGTH,
      maxLength: MAX_PASSWORD_LENGTH,
      save: texts.save,
      sendCode: texts.sendCode,
      sending: texts.sending,
      codeSent: texts.codeSent,
      signedIn: texts.signedIn,
      otherSession: texts.otherSession,
    },
    script: RESET_PAGE_SCRIPT,
  });
}

function renderFields(texts: ResetPageTexts): string {
  return `<input id="username" autocomplete="username" class="visually-hidden" readonly tabindex="-1" aria-hidden="true">
<div class="field" id="by-address" hidden>
<label for="address">${escapeHtml(texts.address)}</label>
<input id="address" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false"
 aria-describedby="status">
</div>
<div class="field" id="by-code" hidden>
<label for="code">${escapeHtml(texts.code)}</label>
<input id="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false"
 aria-describedby="status">
</div>
<div id="passwords">
<div class="field">
<label for="new-password">${escapeHtml(texts.newPassword)}</label>
<input id="new-password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false"
 required aria-describedby="hint status">
<p class="hint" id="hint">${escapeHtml(texts.hint)}</p>
</div>
<div class="field">
<label for="repeat-password">${escapeHtml(texts.repeatPassword)}</label>
<input id="repeat-password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false"
 required aria-describedby="status">
</div>
<label class="show"><input id="show" type="checkbox"> ${escapeHtml(texts.show)}</label>
</div>
`;
}
