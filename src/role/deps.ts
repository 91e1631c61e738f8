import type { Clock } from "../core/clock.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import type { PasswordVerifier } from "../identity/deps.ts";

/** What the role area needs from outside. */
export interface RoleDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: PasswordVerifier;
  /** Greatest cost of a closure change that a request may cause; see `rectangleSize` and `recomputeSize`. */
  readonly maxClosureChange: number;
  /** Where links in mails lead, without a trailing slash. */
  readonly publicUrl: string;
  /** Names of the sender brands that `origin` may ask for. */
  readonly mailBrands: ReadonlySet<string>;
  /** Refuse secrets in query strings. */
  readonly refuseQuerySecrets: boolean;
}

/** What deleting relations needs besides. */
export interface ManagesDeps extends RoleDeps {
  /**
   * Deletes what other areas hold of the roles, relations and devices that a deletion's change log row lists
   * (`cascade_queries.ts`), in its batch.
   */
  readonly cascades: readonly Statement[];
}
