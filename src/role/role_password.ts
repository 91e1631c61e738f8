/** Bounds of a role's password, in code points of its normalized form. */
const MIN_ROLE_PASSWORD_LENGTH = 12;
const MAX_ROLE_PASSWORD_LENGTH = 128;

/**
 * Nothing longer, in UTF-16 units, can come down to the bound: a character decomposes into four at most, of two units
 * each. Normalizing takes time with the square of a text's combining marks, so longer texts are not even looked at.
 */
export const MAX_UNNORMALIZED_LENGTH = 4 * 2 * MAX_ROLE_PASSWORD_LENGTH;

/** Whether a text has the length of a role's password. Any other is none, whatever the role. */
export function isRolePassword(text: string): boolean {
  if (text.length > MAX_UNNORMALIZED_LENGTH) return false;
  const { length } = [...text.normalize("NFC")];
  return length >= MIN_ROLE_PASSWORD_LENGTH && length <= MAX_ROLE_PASSWORD_LENGTH;
}

/**
 * The text of a header's value. HTTP hands bytes over one by one; clients that send more than ASCII send UTF-8, some
 * ISO 8859-1.
 */
export function readHeaderText(value: string): string {
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}
