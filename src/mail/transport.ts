import type { RenderedMessage } from "./message_content.ts";
import type { Sender } from "./sender.ts";

/** A mail, ready for a transport. */
export interface OutgoingMail {
  /** The outbox row's id: the same in each attempt, so that a server can recognize a repetition. */
  readonly id: string;
  readonly from: Sender;
  readonly to: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly message: RenderedMessage;
}

/**
 * `sent`: accepted by the server. `refused`: permanently, no retry. `failed`: a retry may succeed. `reason` may be
 * logged: it has codes, never the server's text, which can repeat the address.
 */
export type SendOutcome =
  | { readonly result: "sent" }
  | { readonly result: "refused" | "failed"; readonly reason: string };

/** Sends mails. `send` settles within its time limit and never rejects. */
export interface MailTransport {
  send(mail: OutgoingMail): Promise<SendOutcome>;
}

/** Returns the Message-ID (RFC 5322, 3.6.4) without its angle brackets. */
export function messageIdOf({ id, from }: OutgoingMail): string {
  return `${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}`;
}

/** Additional headers. `Auto-Submitted` prevents out-of-office replies (RFC 3834). */
export const EXTRA_HEADERS: Readonly<Record<string, string>> = { "Auto-Submitted": "auto-generated" };
