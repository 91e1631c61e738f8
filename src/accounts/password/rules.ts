import type { ErrorCode } from "../../core/errors.ts";
import { isCommonPassword } from "./common_passwords.ts";

/** Bounds of a new password, in code points of its normalized form (NIST SP 800-63B, section 3.1.1.2). */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/**
 * In UTF-16 code units; a longer text always exceeds the limit, as a character decomposes into at most four of two
 * units. Checked first, because normalization is quadratic in the number of combining marks.
 */
const MAX_UNNORMALIZED_LENGTH = 4 * 2 * MAX_PASSWORD_LENGTH;

/** The errors of these rules. */
export type PasswordFault = Extract<
  ErrorCode,
  "PASSWORD_TOO_SHORT" | "PASSWORD_TOO_LONG" | "PASSWORD_TOO_COMMON" | "PASSWORD_EQUALS_NAME"
>;

/** Names that an attacker would try first. */
export interface PasswordNames {
  /** The account's address, if the account is known. */
  readonly email?: string | undefined;
  /** The service's name. */
  readonly issuerName: string;
}

/** Returns a password as it is checked and hashed: in NFC, because keyboards compose characters differently. */
export function normalizePassword(password: string): string {
  return password.normalize("NFC");
}

/** Returns the violated rule of a new password, if any. Without an address, the rules about it are skipped. */
export async function checkPassword(
  password: string,
  names: PasswordNames,
): Promise<PasswordFault | undefined> {
  return await checkPasswordItself(password) ?? checkPasswordName(password, names);
}

/** Checks the rules that need no account: length, and no common password. There are no composition rules. */
export async function checkPasswordItself(password: string): Promise<PasswordFault | undefined> {
  if (password.length > MAX_UNNORMALIZED_LENGTH) return "PASSWORD_TOO_LONG";
  const normalized = normalizePassword(password);
  const length = [...normalized].length;
  if (length < MIN_PASSWORD_LENGTH) return "PASSWORD_TOO_SHORT";
  if (length > MAX_PASSWORD_LENGTH) return "PASSWORD_TOO_LONG";
  return await isCommonPassword(normalized) ? "PASSWORD_TOO_COMMON" : undefined;
}

/** Refuses the account's address, its local part and the service's name, regardless of case and compatible forms. */
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
