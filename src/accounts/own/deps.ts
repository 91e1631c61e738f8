import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import type { AccessTokens } from "../../identity/token/access_token.ts";
import type { SudoTokens } from "../../identity/token/sudo_token.ts";

/** Dependencies of the operations on the caller's account. */
export interface AccountDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly accessTokens: AccessTokens;
  readonly sudoTokens: SudoTokens;
}
