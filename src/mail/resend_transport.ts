import { SECOND_MS } from "../core/clock.ts";
import { toDeliverable } from "../core/email.ts";
import { HTTP_SECONDS } from "./lifetimes.ts";
import { formatSender } from "./sender.ts";
import {
  EXTRA_HEADERS,
  type MailTransport,
  messageIdOf,
  type OutgoingMail,
  type SendOutcome,
} from "./transport.ts";

const RESEND_URL = "https://api.resend.com";

/**
 * Statuses that do not concern the mail: a wrong or not yet activated key, an earlier attempt under way, too many
 * requests. Dropping mails for these would lose them.
 */
const PASSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);

export interface ResendOptions {
  /** Another service with the same interface, without a trailing slash. */
  readonly baseUrl?: string;
  readonly timeoutMs?: number;
}

/**
 * Creates a transport for the HTTP interface of Resend (`POST /emails`). The mail's id is the idempotency key, so
 * retries do no harm.
 */
export function createResendTransport(
  apiKey: string,
  { baseUrl = RESEND_URL, timeoutMs = HTTP_SECONDS * SECOND_MS }: ResendOptions = {},
): MailTransport {
  return {
    async send(mail): Promise<SendOutcome> {
      try {
        const response = await fetch(`${baseUrl}/emails`, {
          method: "POST",
          headers: {
            Authorization: `Bearer ${apiKey}`,
            "Content-Type": "application/json",
            "Idempotency-Key": mail.id,
          },
          body: JSON.stringify(toResend(mail)),
          // A redirect would send the mail elsewhere.
          redirect: "error",
          signal: AbortSignal.timeout(timeoutMs),
        });
        await response.body?.cancel();
        return judge(response.status);
      } catch (error) {
        return { result: "failed", reason: error instanceof Error ? error.name : "unknown" };
      }
    },
  };
}

function toResend(mail: OutgoingMail): Record<string, unknown> {
  const { from, to, message: { subject, text, html } } = mail;
  const headers = { "Message-ID": `<${messageIdOf(mail)}>`, ...EXTRA_HEADERS };
  return { from: formatSender(from), to: [toDeliverable(to)], subject, text, html, headers };
}

function judge(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { result: "sent" };
  const refused = status >= 400 && status < 500 && !PASSING_STATUSES.has(status);
  return { result: refused ? "refused" : "failed", reason: `HTTP ${status}` };
}
