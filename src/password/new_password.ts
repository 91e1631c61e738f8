import { AppError } from "../core/errors.ts";
import { checkPassword } from "./rules.ts";

export interface NewPasswordDeps {
  readonly issuerName: string;
  /** Whether a password is known from a breach; without it, passwords are not looked up. */
  readonly isBreached?: ((password: string) => Promise<boolean>) | undefined;
}

/** Checks a new password against all rules. Throws the error of the rule that it violates. */
export async function requireGoodPassword(
  { issuerName, isBreached }: NewPasswordDeps,
  password: string,
  email: string,
): Promise<void> {
  const fault = checkPassword(password, { email, issuerName });
  if (fault !== undefined) throw new AppError(fault);
  if (await isBreached?.(password)) throw new AppError("PASSWORD_BREACHED");
}
