import type { IdentityDeps } from "../../../identity/deps.ts";

/** The dependencies of the email OTP area. */
export interface EmailOtpDeps extends IdentityDeps {
  /** Names of the sender brands that `origin` may select. */
  readonly mailBrands: ReadonlySet<string>;
}
