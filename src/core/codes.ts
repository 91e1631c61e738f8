/** Crockford's base32: without I, L, O and U, to avoid mix-ups and accidental words. */
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A random code of `length` characters of Crockford base32, 5 bits each, in upper case. */
export function randomCrockford(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => CROCKFORD[byte & 31]).join("");
}

/**
 * Normalizes a Crockford code that a person typed: upper case, O to 0, I and L to 1, hyphens and spaces removed.
 * Other characters stay, so that the code matches nothing.
 */
export function readCrockford(text: string): string {
  return text.normalize("NFKC").toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
}

/** A random code of `length` decimal digits, all codes equally likely. */
export function randomDigits(length: number): string {
  let digits = "";
  while (digits.length < length) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    // Bytes from 250 on are skipped: they would make the digits 0 to 5 more likely.
    if (byte < 250) digits += String(byte % 10);
  }
  return digits;
}
