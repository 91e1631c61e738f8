import { AppError } from "../core/errors.ts";
import { checkPassword } from "./rules.ts";

export interface NewPasswordDeps {
  readonly issuerName: string;
  /** Whether a password is known from a breach; absent: not looked up. */
  readonly isBreached?: ((password: string) => Promise<boolean>) | undefined;
}

/** Judges a new password by every rule. Throws the code of the one that it breaks. */
export async function requireGoodPassword(
  { issuerName, isBreached }: NewPasswordDeps,
  password: string,
  email: string,
): Promise<void> {
  const fault = checkPassword(password, { email, issuerName });
  if (fault !== undefined) throw new AppError(fault);
  if (await isBreached?.(password)) throw new AppError("PASSWORD_BREACHED");
}
