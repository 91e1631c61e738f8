import type { Clock } from "../../core/clock.ts";
import type { Secrets } from "../../core/secrets.ts";
import type { Database } from "../../db/database.ts";
import type { AccessTokens } from "../../identity/token/access_token.ts";
import type { SudoTokens } from "../../identity/token/sudo_token.ts";

/** Dependencies of the email transfer area. */
export interface EmailTransferDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accessTokens: AccessTokens;
  readonly sudoTokens: SudoTokens;
  readonly issuerName: string;
  /** Base of the links in mails, without a trailing slash. */
  readonly publicUrl: string;
  /** Names of the sender brands that `origin` may select. */
  readonly mailBrands: ReadonlySet<string>;
}
