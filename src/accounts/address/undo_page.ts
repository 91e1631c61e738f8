import { type LinkPageOptions, renderLinkPage } from "../../http/link_page/link_page.ts";
import { BUTTON_ONLY } from "../../http/link_page/link_page_script.ts";
import { toLanguage } from "../../mail/languages.ts";
import { UNDO_PAGE_TEXTS } from "./undo_page_texts.ts";

const UNDO_PAGE_SCRIPT = `${BUTTON_ONLY}
function describeRequest() {
  return { method: "POST", path: "/user/email/undo", body: { token } };
}
`;

/** Renders the page that undo links open: an explanation and a button. */
export function renderUndoPage(options: LinkPageOptions): string {
  const language = toLanguage(options.language);
  const texts = UNDO_PAGE_TEXTS[language];
  return renderLinkPage({ ...options, language }, {
    texts,
    next: { done: [{ href: "/console?forgot", text: texts.resetPassword }] },
    fields: "",
    values: {},
    script: UNDO_PAGE_SCRIPT,
  });
}
