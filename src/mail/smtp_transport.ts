import type { SMTPTransportOptions } from "nodemailer/lib/smtp-transport";
import { SECOND_MS } from "../core/clock.ts";
import { toDeliverable } from "../core/email.ts";
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

export interface SmtpOptions {
  /** How the client introduces itself (`toMailName`). */
  readonly name?: string | undefined;
  readonly sendMs?: number;
}

/**
 * Creates a transport for SMTP, with one connection per mail. Without TLS from the start, STARTTLS is required, so
 * that an attacker cannot strip it; on the local machine it is optional, and certificates are not verified. The
 * server's `tls` demands it there, too, or does without everywhere.
 */
export function createSmtpTransport(
  { host, port, secure, auth, tls }: SmtpServer,
  { name, sendMs = SEND_SECONDS * SECOND_MS }: SmtpOptions = {},
): MailTransport {
  const isRequired = tls === "required" || (tls === undefined && !isLoopback(host));
  const options: SMTPTransportOptions = {
    host,
    port,
    secure,
    ...(auth === undefined ? {} : { auth }),
    ...(name === undefined ? {} : { name }),
    requireTLS: !secure && isRequired,
    ignoreTLS: tls === "none",
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: isRequired },
    connectionTimeout: SMTP_CONNECT_SECONDS * SECOND_MS,
    greetingTimeout: SMTP_CONNECT_SECONDS * SECOND_MS,
    dnsTimeout: SMTP_CONNECT_SECONDS * SECOND_MS,
    socketTimeout: SMTP_SILENCE_SECONDS * SECOND_MS,
    // No part of a mail may come from a path or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const tooLate: SendOutcome = { result: "failed", reason: "time limit" };
  // The limits above restart with each byte from the server; this one does not.
  return { send: (mail) => waitAtMost(sendMs, sendOnce(options, mail), () => tooLate) };
}

async function sendOnce(options: SMTPTransportOptions, mail: OutgoingMail): Promise<SendOutcome> {
  try {
    // Loaded with the first mail, which keeps startup and tasks without mail fast.
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
    // As an object, an address is not parsed as a list.
    to: { name: "", address: toDeliverable(to) },
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: `<${messageIdOf(mail)}>`,
    date: new Date(createdAt),
    headers: { ...EXTRA_HEADERS },
  };
}

/**
 * Interprets a failure. Only a 5xx about the recipient or the message is final; wrong credentials or a closed relay
 * can be corrected.
 */
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
