/** The parameters of a mail, by template. A template without its parameters does not compile. */
export type MessageContent =
  | { readonly template: "invitation"; readonly params: InvitationParams }
  | { readonly template: "member_added"; readonly params: MemberAddedParams }
  | { readonly template: "password_reset_link"; readonly params: LinkParams }
  | { readonly template: "password_reset_otp"; readonly params: CodeParams }
  | { readonly template: "email_otp"; readonly params: EmailOtpParams }
  | { readonly template: "email_transfer_otp"; readonly params: CodeParams }
  | { readonly template: "email_transferred_old"; readonly params: LinkParams }
  | { readonly template: "factor_activated" | "factor_deactivated"; readonly params: FactorParams }
  | { readonly template: "factor_confirmation"; readonly params: FactorConfirmationParams }
  | { readonly template: "recovery_code_used"; readonly params: RecoveryCodeUsedParams }
  | { readonly template: "key_created"; readonly params: KeyCreatedParams }
  | { readonly template: "membership_ends"; readonly params: MembershipEndsParams }
  | { readonly template: "key_ends"; readonly params: KeyEndsParams }
  | { readonly template: "role_password_set"; readonly params: RoleParams }
  | { readonly template: "operator_action"; readonly params: AdministratorActionParams }
  | { readonly template: PlainTemplate; readonly params: NoParams };

/** Notices that name nothing but the service. */
export type PlainTemplate =
  | "password_set"
  | "refresh_token_reused"
  | "email_transferred"
  | "transfer_undone"
  | "recovery_codes_reset"
  | "second_factor_failures"
  | "passkey_copied"
  | "account_deleted";

export type MessageTemplate = MessageContent["template"];

export interface MemberAddedParams {
  /** The address of the person who added the recipient. */
  readonly actorEmail: string;
  readonly roleName: string;
}

export interface InvitationParams extends MemberAddedParams {
  /** URL of the page for choosing the first password, with its token. */
  readonly link: string;
}

export interface LinkParams {
  /** URL of the linked page, with its token. */
  readonly link: string;
}

export interface CodeParams {
  /** In upper case, without spaces or hyphens. */
  readonly otp: string;
}

export interface EmailOtpParams extends CodeParams {
  readonly purpose: "activation" | "sign_in";
}

/** The kinds of second factors named in mails. A missing factor does not compile. */
export const NAMED_FACTORS = ["passkey", "totp", "email_otp"] as const;

export interface FactorParams {
  readonly factor: (typeof NAMED_FACTORS)[number];
}

export interface FactorConfirmationParams extends FactorParams, LinkParams {}

export interface RecoveryCodeUsedParams {
  /** Number of unused codes. */
  readonly left: number;
}

export interface RoleParams {
  readonly roleName: string;
}

export interface KeyCreatedParams extends RoleParams {
  readonly keyName: string;
}

/** What ends, and how many others of its kind end soon. */
export interface EndsParams extends RoleParams {
  /** In milliseconds. */
  readonly endsAt: number;
  readonly others: number;
}

export interface MembershipEndsParams extends EndsParams {
  /** The address of the person who added the recipient; null if it is not known. */
  readonly actorEmail: string | null;
}

export interface KeyEndsParams extends EndsParams {
  readonly keyName: string;
}

export interface AdministratorActionParams {
  readonly action:
    | "factor_disabled"
    | "unlocked"
    | "sessions_ended"
    | "sessions_and_keys_ended"
    | "invitation_resent";
}

export type NoParams = Readonly<Record<string, never>>;

/** A paragraph, a link with its label, or a code. */
export type MessageBlock = string | { readonly link: string; readonly label: string } | {
  readonly code: string;
};

/** A mail before layout. Plain text and HTML come from the same blocks. */
export interface MessageDraft {
  readonly subject: string;
  readonly blocks: readonly MessageBlock[];
}

export interface RenderedMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The texts of one language. Names in the parameters are already one safe line. */
export interface MessageTexts {
  invitation(params: InvitationParams, issuerName: string): MessageDraft;
  member_added(params: MemberAddedParams, issuerName: string): MessageDraft;
  password_reset_link(params: LinkParams, issuerName: string): MessageDraft;
  password_reset_otp(params: CodeParams, issuerName: string): MessageDraft;
  email_otp(params: EmailOtpParams, issuerName: string): MessageDraft;
  email_transfer_otp(params: CodeParams, issuerName: string): MessageDraft;
  email_transferred_old(params: LinkParams, issuerName: string): MessageDraft;
  factor_activated(params: FactorParams, issuerName: string): MessageDraft;
  factor_confirmation(params: FactorConfirmationParams, issuerName: string): MessageDraft;
  factor_deactivated(params: FactorParams, issuerName: string): MessageDraft;
  recovery_code_used(params: RecoveryCodeUsedParams, issuerName: string): MessageDraft;
  key_created(params: KeyCreatedParams, issuerName: string): MessageDraft;
  role_password_set(params: RoleParams, issuerName: string): MessageDraft;
  membership_ends(params: MembershipEndsParams, issuerName: string): MessageDraft;
  key_ends(params: KeyEndsParams, issuerName: string): MessageDraft;
  operator_action(params: AdministratorActionParams, issuerName: string): MessageDraft;
  /** Notices that name nothing but the service. */
  plain: Readonly<Record<PlainTemplate, (issuerName: string) => MessageDraft>>;
  /** The last line of every mail. */
  footer(issuerName: string): string;
}
