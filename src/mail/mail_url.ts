const RESEND_URL = /^resend:\/\/([A-Za-z0-9_-]{1,256})$/;
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on (`smtps://`). */
  readonly secure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
}

/**
 * Parses `smtp://user:pass@host:port` or `smtps://…`, default ports 587 and 465 (RFC 8314). User and password are
 * percent-encoded. Throws a `RangeError` that repeats nothing of the text.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = /^smtps?:\/\/[^/?#\s]+\/?$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === "") {
    throw new RangeError("must be smtp:// or smtps:// with a host, and without a path");
  }
  const secure = url.protocol === "smtps:";
  const port = url.port === "" ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.username === "" && url.password === "") return { host, port, secure, auth: undefined };
  try {
    const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
    return { host, port, secure, auth };
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

/** Returns the key in `resend://KEY`; undefined for other URLs. */
export function resendKeyOf(text: string): string | undefined {
  return RESEND_URL.exec(text)?.[1];
}
