import { type Language, toLanguage } from "./languages.ts";
import { renderHtml } from "./html_layout.ts";
import type {
  MemberAddedParams,
  MessageBlock,
  MessageContent,
  MessageDraft,
  MessageTexts,
  RenderedMessage,
} from "./message_content.ts";
import { de } from "./templates/de.ts";
import { en } from "./templates/en.ts";
import { fr } from "./templates/fr.ts";
import { nl } from "./templates/nl.ts";

/** Maximum lengths in mails, in code points: names of roles and keys, and addresses. */
const MAX_ROLE_NAME_LENGTH = 100;
const MAX_ADDRESS_LENGTH = 256;

const TEXTS: Readonly<Record<Language, MessageTexts>> = { en, nl, fr, de };

export type MessageRequest = MessageContent & {
  /** A language tag. Languages that are not offered fall back to English. */
  readonly language: string;
  /** The service's name, as the administrator configured it. */
  readonly issuerName: string;
};

/** Renders a mail: subject, plain text with a final newline, and HTML. */
export function renderMessage(request: MessageRequest): RenderedMessage {
  const language = toLanguage(request.language);
  const texts = TEXTS[language];
  const issuerName = toPlainLine(request.issuerName, MAX_ROLE_NAME_LENGTH);
  const draft = draftMessage(texts, request, issuerName);
  const footer = texts.footer(issuerName);
  return {
    subject: draft.subject,
    text: `${draft.blocks.map(toText).join("\n\n")}\n\n-- \n${footer}\n`,
    html: renderHtml(draft, footer, language),
  };
}

function draftMessage(texts: MessageTexts, content: MessageContent, issuerName: string): MessageDraft {
  switch (content.template) {
    case "invitation": {
      const params = { ...toPlainNames(content.params), link: content.params.link };
      return texts.invitation(params, issuerName);
    }
    case "member_added":
      return texts.member_added(toPlainNames(content.params), issuerName);
    case "password_reset_link":
    case "email_transferred_old":
      return texts[content.template](content.params, issuerName);
    case "password_reset_otp":
    case "email_transfer_otp":
      return texts[content.template](content.params, issuerName);
    case "email_otp":
      return texts.email_otp(content.params, issuerName);
    case "factor_activated":
    case "factor_deactivated":
      return texts[content.template](content.params, issuerName);
    case "factor_confirmation":
      return texts.factor_confirmation(content.params, issuerName);
    case "recovery_code_used":
      return texts.recovery_code_used(content.params, issuerName);
    case "key_created": {
      const { roleName, keyName } = content.params;
      return texts.key_created(
        { roleName: toPlainName(roleName), keyName: toPlainName(keyName) },
        issuerName,
      );
    }
    case "membership_ends": {
      const { params } = content;
      const { actorEmail } = params;
      return texts.membership_ends({
        ...params,
        roleName: toPlainName(params.roleName),
        actorEmail: actorEmail && toPlainLine(actorEmail, MAX_ADDRESS_LENGTH),
      }, issuerName);
    }
    case "key_ends": {
      const { params } = content;
      const names = { roleName: toPlainName(params.roleName), keyName: toPlainName(params.keyName) };
      return texts.key_ends({ ...params, ...names }, issuerName);
    }
    case "role_password_set":
      return texts.role_password_set({ roleName: toPlainName(content.params.roleName) }, issuerName);
    case "operator_action":
      return texts.operator_action(content.params, issuerName);
    default:
      return texts.plain[content.template](issuerName);
  }
}

/** Returns a block as text. Links and codes have lines of their own, unbroken. */
function toText(block: MessageBlock): string {
  if (typeof block === "string") return block;
  return "code" in block ? block.code : block.link;
}

function toPlainNames(params: MemberAddedParams): MemberAddedParams {
  return {
    actorEmail: toPlainLine(params.actorEmail, MAX_ADDRESS_LENGTH),
    roleName: toPlainName(params.roleName),
  };
}

/** Returns the name of a role or key as one safe line. */
function toPlainName(name: string): string {
  return unlink(toPlainLine(name, MAX_ROLE_NAME_LENGTH));
}

/** Adds an invisible word joiner after each dot, so that mail programs do not link names that look like domains. */
function unlink(name: string): string {
  return name.replace(/\.(?=\p{L})/gu, ".\u2060");
}

/**
 * Turns user-supplied text into one line of at most `maxLength` code points. Removes control characters, which could
 * forge lines, and direction marks and invisible characters, which could make names look alike.
 */
function toPlainLine(text: string, maxLength: number): string {
  const line = text
    .replace(
      /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0]/g,
      "",
    )
    // Mail programs link URLs, and a name in an official mail must not lead anywhere.
    .replace(/(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S*/gi, "…")
    .replace(/[\p{Cc}\p{Cs}\p{Z}]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`;
}
