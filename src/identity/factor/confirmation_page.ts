import { type LinkPageOptions, renderLinkPage } from "../../http/link_page/link_page.ts";
import { BUTTON_ONLY } from "../../http/link_page/link_page_script.ts";
import { toLanguage } from "../../mail/languages.ts";
import { CONFIRMATION_PAGE_TEXTS } from "./confirmation_page_texts.ts";

const CONFIRMATION_PAGE_SCRIPT = `${BUTTON_ONLY}
function describeRequest() {
  return { method: "POST", path: "/user/2fa/confirm", body: { token } };
}
`;

/** Renders the page that links to confirm a factor open: an explanation and a button. */
export function renderConfirmationPage(options: LinkPageOptions): string {
  const language = toLanguage(options.language);
  const texts = CONFIRMATION_PAGE_TEXTS[language];
  return renderLinkPage({ ...options, language }, {
    texts,
    next: { done: [{ href: "/console/account", text: texts.next }] },
    fields: "",
    values: {},
    script: CONFIRMATION_PAGE_SCRIPT,
  });
}
