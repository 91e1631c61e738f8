import { type LinkPageOptions, renderLinkPage } from "../http/link_page/link_page.ts";
import { toLanguage } from "../mail/languages.ts";
import { UNDO_PAGE_TEXTS } from "./undo_page_texts.ts";

/** The form has no fields to check. */
const UNDO_PAGE_SCRIPT = `
function findFault() {
  return undefined;
}

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
    next: { done: { href: "/console?forgot", text: texts.resetPassword } },
    fields: "",
    values: {},
    script: UNDO_PAGE_SCRIPT,
  });
}
