import { and, compile, isNull, update } from "../db/builder.ts";
import { passwordLink } from "../db/schema/identity.ts";
import {
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
  return compile(
    { ...declared, now: int },
    () => update(passwordLink, { endedAt: now }).where(and(condition, isNull(passwordLink.endedAt))),
  );
}
