import type { IdentityDeps } from "../../identity/deps.ts";

/** What the email OTP area needs from outside. */
export interface EmailOtpDeps extends IdentityDeps {
  /** Names of the sender brands that `origin` may ask for. */
  readonly mailBrands: ReadonlySet<string>;
}
