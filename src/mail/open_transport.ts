import { parseSmtpUrl, resendKeyOf } from "./mail_url.ts";
import { createResendTransport, type ResendOptions } from "./resend_transport.ts";
import { createSmtpTransport, type SmtpOptions } from "./smtp_transport.ts";
import type { MailTransport } from "./transport.ts";

/** Creates the transport for `smtp://user:pass@host:port`, `smtps://…` or `resend://KEY`; see `parseMailUrl`. */
export function openTransport(mailUrl: string, options: ResendOptions & SmtpOptions = {}): MailTransport {
  const key = resendKeyOf(mailUrl);
  return key === undefined
    ? createSmtpTransport(parseSmtpUrl(mailUrl), options)
    : createResendTransport(key, options);
}
