import type { Clock } from "../../core/clock.ts";
import type { Metrics } from "../../core/metrics.ts";
import type { Secrets } from "../../core/secrets.ts";
import type { Database } from "../../db/database.ts";
import type { AccessTokens } from "../../identity/token/access_token.ts";
import type { SudoTokens } from "../../identity/token/sudo_token.ts";
import type { PasswordHasher } from "./hasher.ts";
import type { NewPasswordDeps } from "./new_password.ts";

/** The dependencies of the password area. */
export interface PasswordDeps extends NewPasswordDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly hasher: PasswordHasher;
  readonly accessTokens: AccessTokens;
  readonly sudoTokens: SudoTokens;
  /** The base URL of links in mails, without a trailing slash. */
  readonly publicUrl: string;
  /** Names of the sender brands that `origin` may select. */
  readonly mailBrands: ReadonlySet<string>;
  readonly metrics?: Metrics | undefined;
}
