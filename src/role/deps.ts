import type { Clock } from "../core/clock.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import type { PasswordVerifier } from "../identity/deps.ts";
import type { StoreLimits } from "./change/store_limits.ts";

/** Dependencies of the role area. */
export interface RoleDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: PasswordVerifier;
  /** Maximum cost of the closure change of one request; see `costedVerdict`. */
  readonly maxClosureChange: number;
  /** What may be stored below each root. */
  readonly storeLimits: StoreLimits;
  /** Base of the links in mails, without a trailing slash. */
  readonly publicUrl: string;
  /** Names of the sender brands that `origin` may ask for. */
  readonly mailBrands: ReadonlySet<string>;
  /** Whether to refuse secrets in query strings. */
  readonly refuseQuerySecrets: boolean;
  readonly metrics?: Metrics | undefined;
}

/** Dependencies of deleting relations. */
export interface ManagesDeps extends RoleDeps {
  /**
   * Statements of other areas in a deletion's batch. They delete the rows that belong to the roles, relations and
   * devices in its change log row (`cascade_queries.ts`).
   */
  readonly cascades: readonly Statement[];
  /**
   * A batch that deletes at once what an earlier deletion of the relation left in the trash. Its last statement returns a
   * `DeletionRow`.
   */
  readonly forgetting: readonly Statement[];
}
