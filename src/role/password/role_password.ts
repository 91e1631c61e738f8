/** Bounds of a role's password, in code points of its normalized form. */
export const MIN_ROLE_PASSWORD_LENGTH = 12;
export const MAX_ROLE_PASSWORD_LENGTH = 128;

/**
 * Maximum length before normalization, in UTF-16 units. A longer text cannot have a valid length: a character
 * decomposes into at most four, of two units each. Normalizing takes time by the square of the number of combining
 * marks.
 */
const MAX_UNNORMALIZED_LENGTH = 4 * 2 * MAX_ROLE_PASSWORD_LENGTH;

/** Whether a text has a valid length for a role's password. Any other text is wrong for every role. */
export function isRolePassword(text: string): boolean {
  if (text.length > MAX_UNNORMALIZED_LENGTH) return false;
  const { length } = [...text.normalize("NFC")];
  return length >= MIN_ROLE_PASSWORD_LENGTH && length <= MAX_ROLE_PASSWORD_LENGTH;
}

/**
 * Decodes a header's value, in which each character is one byte. Clients send non-ASCII text as UTF-8, some as ISO
 * 8859-1.
 */
export function readHeaderText(value: string): string {
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}
