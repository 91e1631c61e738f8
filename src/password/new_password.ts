import { AppError } from "../core/errors.ts";
import { checkPassword } from "./rules.ts";

export interface NewPasswordDeps {
  readonly issuerName: string;
  /** Whether a password is known from a breach; without it, passwords are not looked up. */
  readonly isBreached?: ((password: string) => Promise<boolean>) | undefined;
}

/** Checks a new password against the rules that need no look-up. Throws the error of the rule that it violates. */
export function requireAllowedPassword(
  { issuerName }: NewPasswordDeps,
  password: string,
  email: string,
): void {
  const fault = checkPassword(password, { email, issuerName });
  if (fault !== undefined) throw new AppError(fault);
}

/**
 * Looks a new password up among those known from a breach. Throws `PASSWORD_BREACHED`. A look-up is a request to
 * another service: call this only once the code, link or old password has proved who asks.
 */
export async function requireUnbreachedPassword(
  { isBreached }: NewPasswordDeps,
  password: string,
): Promise<void> {
  if (await isBreached?.(password)) throw new AppError("PASSWORD_BREACHED");
}
