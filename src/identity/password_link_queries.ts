import { passwordLink } from "../db/schema/identity.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";

/** Writes to `password_link`, for the batches of all areas. `declared`: the arguments of their parts. */

const { linkMac, now } = placeholdersOf({ linkMac: text, now: int });

export interface NewPasswordLink {
  readonly purpose: "invitation" | "reset";
  readonly user: Value;
  readonly expiresAt: Value;
  /** `FROM … WHERE …`, which selects at most one row. */
  readonly source: SQL;
}

/** Inserts a link for setting a password. */
export function insertPasswordLink(
  declared: Declared,
  { purpose, user, expiresAt, source }: NewPasswordLink,
): Statement {
  const { names, values } = inserted(passwordLink, {
    mac: linkMac,
    purpose: quoted(purpose),
    userId: user,
    createdAt: now,
    expiresAt,
  });
  return define({ ...declared, linkMac: text, now: int }, () =>
    sql`
    INSERT INTO ${passwordLink} (${names})
    SELECT ${values} ${source}`);
}

/** Ends the live links that meet the condition. */
export function endPasswordLinks(declared: Declared, condition: SQL): Statement {
  return define(
    { ...declared, now: int },
    () =>
      sql`UPDATE ${passwordLink} SET ${assigned(passwordLink, { endedAt: now })}
    WHERE ${condition} AND ${passwordLink.endedAt} IS NULL`,
  );
}
