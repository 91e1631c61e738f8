/** Maximum length of an address, in code points after normalization. */
export const MAX_EMAIL_LENGTH = 256;

/**
 * In UTF-16 code units. Normalization joins at most four characters, of at most two units each, into one, so a longer
 * text is too long in any case.
 */
const MAX_UNNORMALIZED_LENGTH = 4 * 2 * MAX_EMAIL_LENGTH;

// Letters, marks and digits of any script (RFC 6531) and the ASCII signs of a dot-atom (RFC 5322). Quoted local
// parts, comments and lists are refused: their quotes, brackets and commas have a meaning in a mail header.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * The spelling of an address that is stored, compared and mailed to: NFKC, lower case, without surrounding white
 * space. No other is kept: the spelling in a response could reveal whether an account existed before. Idempotent.
 */
export function normalizeEmail(text: string): string {
  // Some databases refuse half a surrogate pair. Lower-casing can undo the normal form (of "İ" with a dot below, for
  // example), hence the second pass.
  return text.toWellFormed().normalize("NFKC").toLowerCase().normalize("NFKC").trim();
}

/**
 * Whether a text, once normalized, is an address that mail can be sent to: one `@`, a local part without quotes, and
 * a domain that has a dot or is `localhost`. Spaces, control and invisible characters are refused.
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
  return labels.length > 1 && labels.every((label) => DOMAIN_LABEL.test(label));
}
