import type { Log } from "../core/log.ts";
import { sendsInClear } from "../mail/mail_url.ts";
import type { Config } from "./config.ts";

/** Names under which browsers treat a page as secure without encryption (W3C Secure Contexts, 3.1). */
const THIS_MACHINE =
  /^http:\/\/(?:[a-z0-9.-]*\.)?localhost(?::|$)|^http:\/\/(?:127(?:\.[0-9]+){3}|\[::1\])(?::|$)/;

/** Says at the start what the configuration lets cross the network without encryption, and what to do about it. */
export function warnOfClearText(
  { publicUrl, mailUrl }: Pick<Config, "publicUrl" | "mailUrl">,
  log: Log,
): void {
  if (publicUrl.startsWith("http:") && !THIS_MACHINE.test(publicUrl)) {
    log.warn("public_url.in_clear", {
      meaning:
        "Browsers have neither sign-in to the console nor passkeys at an http address, and others on the " +
        "network can read passwords and tokens",
      remedy: "Put a proxy with a certificate before the service, and set PUBLIC_URL to its https:// address",
    });
  }
  if (mailUrl !== undefined && sendsInClear(mailUrl)) {
    log.warn("mail.in_clear", {
      meaning:
        "tls=none: others on the way to the mail server can read its password, and the links and codes in " +
        "mails, with which they can sign in",
      remedy: "Use tls=none only in a network of your own; otherwise remove it from MAIL_URL",
    });
  }
}
