import { isEmail } from "../core/email.ts";

/** Whom a mail is from. */
export interface Sender {
  /** Absent: the address stands alone. */
  readonly name: string | undefined;
  readonly address: string;
}

/** Reads `Name <address>` or an address. Throws a `RangeError` that repeats nothing of the text. */
export function parseSender(text: string): Sender {
  const [, name, bracketed] = /^([^<>\p{Cc}]+)<([^<>]+)>$/u.exec(text) ?? [];
  const address = bracketed ?? text;
  if (!isEmail(address) || address !== address.trim()) {
    throw new RangeError('must be an email address, or "Sender <address>"');
  }
  const shown = name?.trim().replace(/^"(.*)"$/, "$1");
  return { name: shown === "" ? undefined : shown, address };
}

/** A sender as a header has it, its name quoted (RFC 5322, 3.2.4): a comma would begin another address. */
export function formatSender({ name, address }: Sender): string {
  return name === undefined ? address : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}
