/** Crockford's base32: no I, L, O or U, so that no character is mistaken for another or spells a word. */
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A random code of `length` characters of Crockford base32, 5 bits each, in upper case. */
export function randomCrockford(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => CROCKFORD[byte & 31]).join("");
}

/**
 * Reads what a person typed of a Crockford code: upper case, O as 0, I and L as 1, without hyphens and spaces. Whatever
 * else it holds stays, and matches nothing.
 */
export function readCrockford(text: string): string {
  return text.normalize("NFKC").toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
}

/** A random code of `length` decimal digits, all codes equally likely. */
export function randomDigits(length: number): string {
  let digits = "";
  while (digits.length < length) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    // Bytes from 250 on would make the first digits likelier.
    if (byte < 250) digits += String(byte % 10);
  }
  return digits;
}
