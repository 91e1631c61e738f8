import type { SMTPTransportOptions } from "nodemailer/lib/smtp-transport";
import { SECOND_MS } from "../core/clock.ts";
import { waitAtMost } from "../core/deadline.ts";
import type { SmtpServer } from "./mail_url.ts";
import { SEND_SECONDS, SMTP_CONNECT_SECONDS, SMTP_SILENCE_SECONDS } from "./lifetimes.ts";
import {
  EXTRA_HEADERS,
  type MailTransport,
  messageIdOf,
  type OutgoingMail,
  type SendOutcome,
} from "./transport.ts";

/**
 * Mail over SMTP, a connection a mail. Without TLS from the start, STARTTLS is required, so that nobody between can strip
 * it; on the machine itself it is used where offered, whatever the certificate, since nobody stands between.
 */
export function createSmtpTransport(
  { host, port, secure, auth }: SmtpServer,
  { sendMs = SEND_SECONDS * SECOND_MS }: { readonly sendMs?: number } = {},
): MailTransport {
  const local = isLoopback(host);
  const options: SMTPTransportOptions = {
    host,
    port,
    secure,
    ...(auth === undefined ? {} : { auth }),
    requireTLS: !secure && !local,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: !local },
    connectionTimeout: SMTP_CONNECT_SECONDS * SECOND_MS,
    greetingTimeout: SMTP_CONNECT_SECONDS * SECOND_MS,
    dnsTimeout: SMTP_CONNECT_SECONDS * SECOND_MS,
    socketTimeout: SMTP_SILENCE_SECONDS * SECOND_MS,
    // No content of a mail is ever a path or an address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const tooLate: SendOutcome = { result: "failed", reason: "time limit" };
  // The limits above start anew with each byte that the server sends; this one does not.
  return { send: (mail) => waitAtMost(sendMs, sendOnce(options, mail), () => tooLate) };
}

async function sendOnce(options: SMTPTransportOptions, mail: OutgoingMail): Promise<SendOutcome> {
  try {
    // Loaded when the first mail goes out: a service that starts, and a task that sends none, need not wait for it.
    const { createTransport } = await import("nodemailer");
    await createTransport(options).sendMail(toNodemailer(mail));
    return { result: "sent" };
  } catch (error) {
    return judgeFailure(error);
  }
}

function toNodemailer(mail: OutgoingMail) {
  const { from, to, createdAt, message } = mail;
  return {
    from: { name: from.name ?? "", address: from.address },
    // As an object, an address is never read as a list of addresses.
    to: { name: "", address: to },
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: `<${messageIdOf(mail)}>`,
    date: new Date(createdAt),
    headers: { ...EXTRA_HEADERS },
  };
}

/** Only a 5xx about the recipient or the message itself is final: wrong credentials or a closed relay can be mended. */
function judgeFailure(error: unknown): SendOutcome {
  const { code, command, responseCode } = error as {
    code?: unknown;
    command?: unknown;
    responseCode?: unknown;
  };
  const status = typeof responseCode === "number" ? responseCode : undefined;
  const words = [code, command, status].filter((word) =>
    typeof word === "string" || typeof word === "number"
  );
  const aboutMail = command === "RCPT TO" || command === "DATA" || code === "EMESSAGE";
  const refused = status !== undefined && status >= 500 && aboutMail;
  return { result: refused ? "refused" : "failed", reason: words.join(" ") || "unknown" };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.[0-9]{1,3}){3}$/.test(host);
}
