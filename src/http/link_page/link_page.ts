import { escapeHtml, toScriptLiteral } from "../../core/html.ts";
import { LINK_PAGE_SCRIPT, LINK_PAGE_START } from "./link_page_script.ts";
import { LINK_PAGE_STYLE } from "./link_page_style.ts";

export interface LinkPageOptions {
  /** A language tag. Languages that are not offered fall back to English. */
  readonly language: string;
  /** The service's name. */
  readonly issuerName: string;
  /** Fresh for each response, and the same as in its `Content-Security-Policy`. */
  readonly nonce: string;
}

/** The texts that every link page has. `{issuer}` stands for the service's name. */
export interface LinkPageTexts {
  readonly title: string;
  readonly intro: string;
  readonly save: string;
  readonly saving: string;
  readonly done: string;
  readonly noScript: string;
  readonly faults: Readonly<Record<string, string>>;
}

/** A link shown once the form is finished: a path of this service, and the text. */
export interface NextStep {
  readonly href: string;
  readonly text: string;
}

export interface LinkPageContent {
  readonly texts: LinkPageTexts;
  /** After success, and after a link that is no longer valid; the page's own script may name others. */
  readonly next: Readonly<Record<string, readonly NextStep[]>> & { readonly done: readonly NextStep[] };
  /** HTML of the form's fields, in which `{issuer}` is replaced. */
  readonly fields: string;
  /** Further fields of the script's `page` object. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The page's own script, appended to the shared one. */
  readonly script: string;
}

/**
 * Returns the `Content-Security-Policy` of a link page. It allows only the page's own script and style; Trusted Types
 * keep text from becoming markup or script.
 */
export function linkPageCsp(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** Returns the language of a page: that of the link, or else the browser's first. */
export function pageLanguage(asked: string | undefined, acceptLanguage: string | undefined): string {
  return asked ?? acceptLanguage?.split(",")[0] ?? "en";
}

/**
 * Renders the page that a mailed link opens. The token is in the fragment, which browsers never send. Opening the
 * page, as mail scanners do, therefore neither logs the token nor uses it up; submitting the form does.
 */
export function renderLinkPage(
  { language, issuerName, nonce }: LinkPageOptions,
  { texts, next, fields, values, script }: LinkPageContent,
): string {
  const withIssuer = (text: string): string => text.replaceAll("{issuer}", () => issuerName);
  const html = (text: string): string => escapeHtml(withIssuer(text));
  const faults = Object.entries(texts.faults).map(([code, text]) => [code, withIssuer(text)]);
  const steps = Object.entries(next).map(([kind, links]) =>
    [kind, links.map(({ href, text }) => ({ href, text: withIssuer(text) }))] as const
  );
  const page = toScriptLiteral({
    language,
    ...values,
    next: Object.fromEntries(steps),
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
<meta name="color-scheme" content="light dark">
<title>${html(texts.title)} – ${html("{issuer}")}</title>
<style nonce="${escapeHtml(nonce)}">${LINK_PAGE_STYLE}</style>
</head>
<body>
<main class="alone">
<p class="brand">${html("{issuer}")}</p>
<h1>${html(texts.title)}</h1>
<noscript><p class="fault">${html(texts.noScript)}</p></noscript>
<p id="status" role="status" tabindex="-1"></p>
<p id="next" hidden></p>
<form id="form" method="post" novalidate hidden>
<p>${html(texts.intro)}</p>
${
    fields.replaceAll("{issuer}", () =>
      escapeHtml(issuerName))
  }<div class="actions"><button id="save" class="go">${html(texts.save)}</button></div>
</form>
</main>
<script type="module" nonce="${escapeHtml(nonce)}">
const page = ${page};
${LINK_PAGE_SCRIPT}${script}${LINK_PAGE_START}</script>
</body>
</html>
`;
}
