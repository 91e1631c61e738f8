/** Greatest length of an address, in UTF-16 code units after normalization. */
export const MAX_EMAIL_LENGTH = 256;

// Letters, marks and digits of any script (RFC 6531) and the ASCII signs of a dot-atom (RFC 5322). Quoted local
// parts, comments and lists are left out: their quotes, brackets and commas mean something in a mail's header.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * The one spelling of an address that is stored, compared and written to: NFKC, without surrounding white space,
 * in lower case. Normalizing twice changes nothing.
 */
export function normalizeEmail(text: string): string {
  // Half a surrogate pair is no text: not every database takes it. Lower-casing can undo the normal form ("İ" with a dot
  // below, for one), hence the second pass.
  return text.toWellFormed().normalize("NFKC").toLowerCase().normalize("NFKC").trim();
}

/**
 * Whether a text is, once normalized, an address that mail can be sent to: one `@`, a local part without quotes,
 * and a domain that has a dot or is `localhost`. Spaces, control and invisible characters are refused.
 */
export function isEmail(text: string): boolean {
  // Spares the work on a text that no normalization makes short enough.
  if (text.length > 4 * MAX_EMAIL_LENGTH) return false;
  const email = normalizeEmail(text);
  const [localPart = "", domain = "", ...rest] = email.split("@");
  if (rest.length > 0 || email.length > MAX_EMAIL_LENGTH) return false;
  return LOCAL_PART.test(localPart) && isDomain(domain);
}

function isDomain(domain: string): boolean {
  if (domain === "localhost") return true;
  const labels = domain.split(".");
  return labels.length > 1 && labels.every((label) => DOMAIN_LABEL.test(label));
}
