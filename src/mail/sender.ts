import { isEmail } from "../core/email.ts";

/** The sender of a mail. */
export interface Sender {
  /** Undefined if there is only the address. */
  readonly name: string | undefined;
  readonly address: string;
}

/** Parses `Name <address>` or an address. Throws a `RangeError` that repeats nothing of the text. */
export function parseSender(text: string): Sender {
  const [, name, bracketed] = /^([^<>\p{Cc}]+)<([^<>]+)>$/u.exec(text) ?? [];
  const address = bracketed ?? text;
  if (!isEmail(address) || address !== address.trim()) {
    throw new RangeError('must be an email address, or "Sender <address>"');
  }
  const shown = name?.trim().replace(/^"(.*)"$/, "$1");
  return { name: shown === "" ? undefined : shown, address };
}

/** Returns the value of a From header. The name is quoted (RFC 5322, 3.2.4): a comma would begin another address. */
export function formatSender({ name, address }: Sender): string {
  return name === undefined ? address : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}
