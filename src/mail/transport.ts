import type { RenderedMessage } from "./message_content.ts";
import type { Sender } from "./sender.ts";

/** A mail as it is handed to whoever carries it. */
export interface OutgoingMail {
  /** The outbox row's: the same at each attempt, so that a server that got it before can tell. */
  readonly id: string;
  readonly from: Sender;
  readonly to: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly message: RenderedMessage;
}

/**
 * `sent`: the server took it. `refused`: it never will, so it is not tried again. `failed`: another try may succeed.
 * `reason` is fit for the log: codes, never what the server wrote, which can repeat the address.
 */
export type SendOutcome =
  | { readonly result: "sent" }
  | { readonly result: "refused" | "failed"; readonly reason: string };

/** Carries mails. `send` answers within its time limit and does not throw. */
export interface MailTransport {
  send(mail: OutgoingMail): Promise<SendOutcome>;
}

/** The Message-ID (RFC 5322, 3.6.4) without its angle brackets. */
export function messageIdOf({ id, from }: OutgoingMail): string {
  return `${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}`;
}

/** Headers besides the usual ones: out-of-office replies to a machine help nobody (RFC 3834). */
export const EXTRA_HEADERS: Readonly<Record<string, string>> = { "Auto-Submitted": "auto-generated" };
