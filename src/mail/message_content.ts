/** What a mail tells, by template. A template without its parameters does not compile. */
export type MessageContent =
  | { readonly template: "invitation"; readonly params: InvitationParams }
  | { readonly template: "member_added"; readonly params: MemberAddedParams }
  | { readonly template: "password_set"; readonly params: NoParams }
  | { readonly template: "refresh_token_reused"; readonly params: NoParams };

export type MessageTemplate = MessageContent["template"];

export interface MemberAddedParams {
  /** The address of the person who added the recipient. */
  readonly actorEmail: string;
  readonly roleName: string;
}

export interface InvitationParams extends MemberAddedParams {
  /** The whole address of the page where the first password is chosen, its token included. */
  readonly link: string;
}

export type NoParams = Readonly<Record<string, never>>;

export interface RenderedMessage {
  readonly subject: string;
  readonly text: string;
}

/** One language's texts. Every name handed in is already one safe line. */
export interface MessageTexts {
  invitation(params: InvitationParams, issuerName: string): RenderedMessage;
  member_added(params: MemberAddedParams, issuerName: string): RenderedMessage;
  password_set(issuerName: string): RenderedMessage;
  refresh_token_reused(issuerName: string): RenderedMessage;
  /** The last line of every mail. */
  footer(issuerName: string): string;
}
