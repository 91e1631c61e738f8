import { AppError } from "../../core/errors.ts";
import { checkPassword } from "./rules.ts";

export interface NewPasswordDeps {
  readonly issuerName: string;
  /** Whether a password is known from a breach; without it, passwords are not looked up. */
  readonly isBreached?: ((password: string) => Promise<boolean>) | undefined;
}

/** Checks a new password against the rules that need no look-up. Throws the error of the violated rule. */
export async function requireAllowedPassword(
  { issuerName }: NewPasswordDeps,
  password: string,
  email: string,
): Promise<void> {
  const fault = await checkPassword(password, { email, issuerName });
  if (fault !== undefined) throw new AppError(fault);
}

/**
 * Looks a new password up in a service of breached passwords. Throws `PASSWORD_BREACHED`. Call it only after the
 * code, link or old password has been verified: it sends a request.
 */
export async function requireUnbreachedPassword(
  { isBreached }: NewPasswordDeps,
  password: string,
): Promise<void> {
  if (await isBreached?.(password)) throw new AppError("PASSWORD_BREACHED");
}
