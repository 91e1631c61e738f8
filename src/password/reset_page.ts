import { escapeHtml, toScriptLiteral } from "../core/html.ts";
import { toLanguage } from "../mail/languages.ts";
import { RESET_PAGE_SCRIPT } from "./reset_page_script.ts";
import { RESET_PAGE_STYLE } from "./reset_page_style.ts";
import { RESET_PAGE_TEXTS } from "./reset_page_texts.ts";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "./rules.ts";

export interface ResetPageOptions {
  /** A language tag; English is written for any that is not offered. */
  readonly language: string;
  /** The service's name. */
  readonly issuerName: string;
  /** Fresh for each answer, and the same as in the `Content-Security-Policy`. */
  readonly nonce: string;
}

/** The `Content-Security-Policy` that the page is served with: nothing runs or loads but its own script and style. */
export function resetPageCsp(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * The page that invitation and reset links open. It takes the token from the fragment, which browsers never send, so
 * that opening the page, as mail scanners do, neither logs the token nor uses it up. Only its form changes anything.
 */
export function renderResetPage({ language: tag, issuerName, nonce }: ResetPageOptions): string {
  const language = toLanguage(tag);
  const texts = RESET_PAGE_TEXTS[language];
  const withIssuer = (text: string): string => text.replaceAll("{issuer}", () => issuerName);
  const html = (text: string): string => escapeHtml(withIssuer(text));
  const faults = Object.entries(texts.faults).map(([code, text]) => [code, withIssuer(text)]);
  const page = toScriptLiteral({
    language,
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    saving: texts.saving,
    done: texts.done,
    faults: Object.fromEntries(faults),
  });
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${html(texts.title)} – ${html("{issuer}")}</title>
<style nonce="${escapeHtml(nonce)}">${RESET_PAGE_STYLE}</style>
</head>
<body>
<main>
<p class="brand">${html("{issuer}")}</p>
<h1>${html(texts.title)}</h1>
<noscript><p class="fault">${html(texts.noScript)}</p></noscript>
<p id="status" role="status" aria-live="polite" tabindex="-1"></p>
<form id="form" method="post" novalidate hidden>
<p>${html(texts.intro)}</p>
<label for="new-password">${html(texts.newPassword)}</label>
<input id="new-password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false"
 required aria-describedby="hint status">
<p class="hint" id="hint">${html(texts.hint)}</p>
<label for="repeat-password">${html(texts.repeatPassword)}</label>
<input id="repeat-password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false"
 required aria-describedby="status">
<label class="show"><input id="show" type="checkbox"> ${html(texts.show)}</label>
<button id="save">${html(texts.save)}</button>
</form>
</main>
<script type="module" nonce="${escapeHtml(nonce)}">
const page = ${page};
${RESET_PAGE_SCRIPT}</script>
</body>
</html>
`;
}
