/** Crockford's base32 in lower case: no characters that are easily confused, 5 bits each. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Returns a random password of 80 bits that is easy to read and type: `k7pm-3xqd-9tfw-2hvn`. */
export function makeReadablePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH));
  const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return letters.match(/.{4}/g)?.join("-") ?? letters;
}
