const RESEND_URL = /^resend:\/\/([A-Za-z0-9_-]{1,256})$/;
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on (`smtps://`). */
  readonly secure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
  /** What `?tls=` asks for; without it, TLS is required but on this machine (`createSmtpTransport`). */
  readonly tls: "required" | "none" | undefined;
}

const SMTP_URL = /^smtps?:\/\/[^/?#\s]+\/?(?:\?tls=(required|none))?$/;

/**
 * Parses `smtp://user:pass@host:port` or `smtps://…`, default ports 587 and 465 (RFC 8314), with `?tls=required` or
 * `?tls=none`. User and password are percent-encoded. Throws a `RangeError` that repeats nothing of the text.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = SMTP_URL.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === "") {
    throw new RangeError(
      "must be smtp:// or smtps:// with a host, without a path, and with no parameter but tls=required or tls=none",
    );
  }
  const tls = SMTP_URL.exec(text)?.[1] as SmtpServer["tls"];
  const secure = url.protocol === "smtps:";
  if (secure && tls === "none") throw new RangeError("must be smtp://, not smtps://, with tls=none");
  const port = url.port === "" ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.username === "" && url.password === "") return { host, port, secure, auth: undefined, tls };
  try {
    const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
    return { host, port, secure, auth, tls };
  } catch {
    throw new RangeError("must have its user and password percent-encoded");
  }
}

/**
 * Validates and returns the URL of a mail server. Throws a `RangeError` that repeats nothing of it, because it holds
 * a secret.
 */
export function parseMailUrl(text: string): string {
  if (resendKeyOf(text) !== undefined) return text;
  if (text.startsWith("resend:")) throw new RangeError("must be resend:// and the key of the service");
  if (!/^smtps?:/.test(text)) throw new RangeError("must begin with smtp://, smtps:// or resend://");
  parseSmtpUrl(text);
  return text;
}

/** Whether mails leave in clear text because the URL says so. */
export function sendsInClear(mailUrl: string): boolean {
  return resendKeyOf(mailUrl) === undefined && parseSmtpUrl(mailUrl).tls === "none";
}

/** Returns how a host of a URL introduces itself to a mail server (RFC 5321, 4.1.3): an IP address in brackets. */
export function toMailName(hostname: string): string {
  if (hostname.startsWith("[")) return `[IPv6:${hostname.slice(1)}`;
  return /^[0-9.]+$/.test(hostname) ? `[${hostname}]` : hostname;
}

/** Returns the key in `resend://KEY`; undefined for other URLs. */
export function resendKeyOf(text: string): string | undefined {
  return RESEND_URL.exec(text)?.[1];
}
