import type { ErrorCode } from "../core/errors.ts";
import { isCommonPassword } from "./common_passwords.ts";

/** Bounds of a new password, in code points of its normalized form (NIST SP 800-63B, section 3.1.1.2). */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/**
 * Nothing longer, in UTF-16 units, can come down to the bound: a character decomposes into four at most, of two units
 * each. Normalizing takes time with the square of a text's combining marks, so longer texts are not even looked at.
 */
const MAX_UNNORMALIZED_LENGTH = 4 * 2 * MAX_PASSWORD_LENGTH;

/** What can be wrong with a new password by these rules. */
export type PasswordFault = Extract<
  ErrorCode,
  "PASSWORD_TOO_SHORT" | "PASSWORD_TOO_LONG" | "PASSWORD_TOO_COMMON" | "PASSWORD_EQUALS_NAME"
>;

/** Names that an attacker tries first. */
export interface PasswordNames {
  /** The account's address, where the account is known. */
  readonly email?: string | undefined;
  /** The service's name. */
  readonly issuerName: string;
}

/** The form in which a password is judged and hashed: NFC, so that every keyboard's spelling of it is the same. */
export function normalizePassword(password: string): string {
  return password.normalize("NFC");
}

/** Judges a new password by every rule. Without an address, those of the account are left to `checkPasswordName`. */
export function checkPassword(password: string, names: PasswordNames): PasswordFault | undefined {
  return checkPasswordItself(password) ?? checkPasswordName(password, names);
}

/** The rules that need no account: length, and not among the most common ones. No rule on composition. */
export function checkPasswordItself(password: string): PasswordFault | undefined {
  if (password.length > MAX_UNNORMALIZED_LENGTH) return "PASSWORD_TOO_LONG";
  const normalized = normalizePassword(password);
  const length = [...normalized].length;
  if (length < MIN_PASSWORD_LENGTH) return "PASSWORD_TOO_SHORT";
  if (length > MAX_PASSWORD_LENGTH) return "PASSWORD_TOO_LONG";
  return isCommonPassword(normalized) ? "PASSWORD_TOO_COMMON" : undefined;
}

/** Refuses the account's address, its local part and the service's name, ignoring case and compatible forms. */
export function checkPasswordName(password: string, names: PasswordNames): PasswordFault | undefined {
  const { email, issuerName } = names;
  const refused = [issuerName];
  if (email !== undefined) refused.push(email, email.slice(0, email.lastIndexOf("@")));
  const folded = foldCase(password);
  return refused.some((name) => foldCase(name) === folded) ? "PASSWORD_EQUALS_NAME" : undefined;
}

function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}
