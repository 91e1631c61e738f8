import { endsInNumber, isPlainDomain, toAce, toShown } from "./domain.ts";
import { trimBlanks } from "./text.ts";

/** Maximum length of an address, in code points after normalization. */
export const MAX_EMAIL_LENGTH = 256;

/**
 * In UTF-16 code units. Normalization joins at most four characters of two units each into one, so a longer text is
 * always too long.
 */
const MAX_UNNORMALIZED_LENGTH = 4 * 2 * MAX_EMAIL_LENGTH;

// Letters, marks and digits of any script (RFC 6531), and the ASCII signs of a dot-atom (RFC 5322). Quoted local
// parts, comments and lists are refused: their quotes, brackets and commas have a meaning in mail headers.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Returns the spelling of an address for storage, comparison and mail: NFKC, lower case, without blanks at its ends, and
 * the domain in its form for showing, of which each domain has one. No other is kept: the spelling in a response could
 * reveal whether an account existed before. Idempotent.
 */
export function normalizeEmail(text: string): string {
  // Some databases refuse lone surrogates. Lower-casing can undo the normal form (of "İ" with a dot below, for
  // example), hence the second pass.
  const typed = trimBlanks(text.toWellFormed().normalize("NFKC").toLowerCase().normalize("NFKC"));
  return withDomain(typed, toShown);
}

function withDomain(email: string, change: (domain: string) => string): string {
  const place = email.lastIndexOf("@") + 1;
  const domain = email.slice(place);
  return place === 0 || isPlainDomain(domain) ? email : email.slice(0, place) + change(domain);
}

/** Returns an address as mail programs without support for Unicode (RFC 6531) deliver it: with a domain in ASCII. */
export function toDeliverable(email: string): string {
  return withDomain(email, toAce);
}

/**
 * Whether a text, once normalized, is a deliverable address: one `@`, an unquoted local part, and a domain with a dot
 * that is not an IP address, or `localhost`. Spaces, control and invisible characters are refused.
 */
export function isEmail(text: string): boolean {
  if (text.length > MAX_UNNORMALIZED_LENGTH) return false;
  const email = normalizeEmail(text);
  const [localPart = "", domain = "", ...rest] = email.split("@");
  if (rest.length > 0 || [...email].length > MAX_EMAIL_LENGTH) return false;
  return LOCAL_PART.test(localPart) && isDomain(domain);
}

function isDomain(domain: string): boolean {
  if (domain === "localhost") return true;
  const labels = domain.split(".");
  return labels.length > 1 && !endsInNumber(domain) && labels.every((label) => DOMAIN_LABEL.test(label));
}
