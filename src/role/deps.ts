import type { ChangeDeps } from "../changes/deps.ts";
import type { Statement } from "../db/statement.ts";
import type { PasswordVerifier } from "../identity/deps.ts";

/** Dependencies of the role area. */
export interface RoleDeps extends ChangeDeps {
  readonly passwords: PasswordVerifier;
  /** Maximum cost of the closure change of one request; see `costedVerdict`. */
  readonly maxClosureChange: number;
  /** Base of the links in mails, without a trailing slash. */
  readonly publicUrl: string;
  /** Names of the sender brands that `origin` may ask for. */
  readonly mailBrands: ReadonlySet<string>;
  /** Whether to refuse secrets in query strings. */
  readonly refuseQuerySecrets: boolean;
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
