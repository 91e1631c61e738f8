/** Crockford's base32: without I, L, O and U, to avoid mix-ups and accidental words. */
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns a random code of `length` characters of Crockford base32, 5 bits each, in upper case. */
export function randomCrockford(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => CROCKFORD[byte & 31]).join("");
}

/**
 * Normalizes a typed Crockford code: upper case, O to 0, I and L to 1, hyphens and spaces removed. Other characters
 * stay, and match nothing.
 */
export function readCrockford(text: string): string {
  return text.normalize("NFKC").toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
}

/** Returns a random code of `length` decimal digits, all equally likely. */
export function randomDigits(length: number): string {
  let digits = "";
  while (digits.length < length) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    // Bytes from 250 on would make the digits 0 to 5 more likely.
    if (byte < 250) digits += String(byte % 10);
  }
  return digits;
}
