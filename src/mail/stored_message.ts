import type { Secrets } from "../core/secrets.ts";
import { type MessageContent, NAMED_FACTORS, type RenderedMessage } from "./message_content.ts";
import { renderMessage } from "./messages.ts";
import { openMailParams, type SecretMailParams } from "./outbox.ts";

export interface StoredMessageDeps {
  readonly secrets: Secrets;
  /** The service's name; it also stands for the administrator as inviter. */
  readonly issuerName: string;
}

/** The columns of an outbox row that make up its mail's content. */
export interface StoredMessage {
  readonly id: string;
  readonly template: string;
  readonly language: string;
  readonly recipient: string | null;
  readonly roleName: string | null;
  readonly actorEmail: string | null;
  readonly detail: string | null;
  readonly sealedParams: string | null;
}

export interface OpenedMessage {
  readonly params: SecretMailParams;
  readonly message: RenderedMessage;
}

/**
 * Opens the sealed parameters and renders the mail. Throws a `RangeError` that names the missing key, template or
 * parameter, or WebCrypto's error for altered parameters.
 */
export async function openStoredMessage(
  { secrets, issuerName }: StoredMessageDeps,
  row: StoredMessage,
): Promise<OpenedMessage> {
  const params = await openMailParams(secrets, row.id, row.sealedParams);
  const content = toContent(row, params, issuerName);
  return { params, message: renderMessage({ ...content, language: row.language, issuerName }) };
}

function toContent(row: StoredMessage, params: SecretMailParams, issuerName: string): MessageContent {
  const { template } = row;
  const names = { actorEmail: row.actorEmail ?? issuerName, roleName: row.roleName ?? "" };
  switch (template) {
    case "invitation":
      return { template, params: { ...names, link: linkOf(row, params) } };
    case "member_added":
      return { template, params: names };
    case "password_reset_link":
      return { template, params: { link: linkOf(row, params) } };
    case "email_transferred_old":
      return { template, params: { link: secretOf(params, "link") } };
    case "password_reset_otp":
    case "email_transfer_otp":
      return { template, params: { otp: secretOf(params, "otp") } };
    case "email_otp":
      return {
        template,
        params: { otp: secretOf(params, "otp"), purpose: detailOf(row, ["activation", "sign_in"]) },
      };
    case "factor_activated":
    case "factor_deactivated":
      return { template, params: { factor: detailOf(row, NAMED_FACTORS) } };
    case "factor_confirmation":
      return {
        template,
        params: { factor: detailOf(row, NAMED_FACTORS), link: secretOf(params, "link") },
      };
    case "recovery_code_used":
      return { template, params: { left: countOf(row) } };
    case "key_created":
      return { template, params: { roleName: names.roleName, keyName: row.detail ?? "" } };
    case "membership_ends": {
      const { endsAt, others } = endOf(row);
      return { template, params: { roleName: names.roleName, actorEmail: row.actorEmail, endsAt, others } };
    }
    case "key_ends": {
      const { endsAt, others, name = "" } = endOf(row);
      return { template, params: { roleName: names.roleName, keyName: name, endsAt, others } };
    }
    case "role_password_set":
      return { template, params: { roleName: names.roleName } };
    case "operator_action":
      return {
        template,
        params: {
          action: detailOf(row, [
            "factor_disabled",
            "unlocked",
            "sessions_ended",
            "sessions_and_keys_ended",
            "invitation_resent",
          ]),
        },
      };
    case "password_set":
    case "refresh_token_reused":
    case "email_transferred":
    case "transfer_undone":
    case "recovery_codes_reset":
    case "second_factor_failures":
    case "passkey_copied":
    case "account_deleted":
      return { template, params: {} };
    default:
      throw new RangeError(`This version does not know the template "${template}"`);
  }
}

/**
 * Returns the link that sets a password, with the recipient's address beside its token, in the part that browsers never
 * send: the page tells it to password managers, and to the sign-in that follows.
 */
function linkOf({ recipient }: StoredMessage, params: SecretMailParams): string {
  const link = secretOf(params, "link");
  return recipient === null ? link : `${link}&email=${encodeURIComponent(recipient)}`;
}

function secretOf(params: SecretMailParams, name: "link" | "otp"): string {
  const value = params[name];
  if (value === undefined) {
    throw new RangeError(name === "link" ? "Its link is missing" : "Its code is missing");
  }
  return value;
}

function detailOf<const T extends string>({ template, detail }: StoredMessage, known: readonly T[]): T {
  const found = known.find((word) => word === detail);
  if (found === undefined) throw new RangeError(`This version does not know this detail of "${template}"`);
  return found;
}

function countOf({ template, detail }: StoredMessage): number {
  if (detail !== null && /^[0-9]{1,3}$/.test(detail)) return Number(detail);
  throw new RangeError(`This version does not know this detail of "${template}"`);
}

function endOf({ detail }: StoredMessage): { endsAt: number; others: number; name?: string } {
  return JSON.parse(detail ?? "") as { endsAt: number; others: number; name?: string };
}
