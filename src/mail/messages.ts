import { type Language, toLanguage } from "./languages.ts";
import type { MemberAddedParams, MessageContent, MessageTexts, RenderedMessage } from "./message_content.ts";
import { de } from "./templates/de.ts";
import { en } from "./templates/en.ts";
import { fr } from "./templates/fr.ts";
import { nl } from "./templates/nl.ts";

/** Greatest length of a role's name, in code points, and of an address, as a mail shows them. */
const MAX_ROLE_NAME_LENGTH = 100;
const MAX_ADDRESS_LENGTH = 256;

const TEXTS: Readonly<Record<Language, MessageTexts>> = { en, nl, fr, de };

export type MessageRequest = MessageContent & {
  /** A language tag; English is written for any that is not offered. */
  readonly language: string;
  /** The service's name, as the operator configured it. */
  readonly issuerName: string;
};

/** Writes a mail: its subject and its plain text, which ends with a newline. Pure. */
export function renderMessage(request: MessageRequest): RenderedMessage {
  const texts = TEXTS[toLanguage(request.language)];
  const issuerName = toPlainLine(request.issuerName, MAX_ROLE_NAME_LENGTH);
  const { subject, text } = renderBody(texts, request, issuerName);
  return { subject, text: `${text}\n\n-- \n${texts.footer(issuerName)}\n` };
}

function renderBody(texts: MessageTexts, content: MessageContent, issuerName: string): RenderedMessage {
  switch (content.template) {
    case "invitation": {
      const params = { ...toPlainNames(content.params), link: content.params.link };
      return texts.invitation(params, issuerName);
    }
    case "member_added":
      return texts.member_added(toPlainNames(content.params), issuerName);
    case "password_set":
      return texts.password_set(issuerName);
    case "refresh_token_reused":
      return texts.refresh_token_reused(issuerName);
  }
}

function toPlainNames(params: MemberAddedParams): MemberAddedParams {
  return {
    actorEmail: toPlainLine(params.actorEmail, MAX_ADDRESS_LENGTH),
    roleName: toPlainLine(params.roleName, MAX_ROLE_NAME_LENGTH),
  };
}

/**
 * A name that somebody chose, as one line of bounded length (code points). Control characters and line breaks would
 * forge lines, direction marks and invisible characters would make a name look like another.
 */
function toPlainLine(text: string, maxLength: number): string {
  const line = text
    .replace(
      /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0]/g,
      "",
    )
    // Mail programs make links of addresses, and a name in an official mail must not lead anywhere.
    .replace(/(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S*/gi, "…")
    .replace(/[\p{Cc}\p{Cs}\p{Z}]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`;
}
