import { defineStatement, type Statement } from "../db/statement.ts";

/** Writes to `password_link`, for the batches of every area. Values and conditions are SQL expressions. */

export interface NewPasswordLink {
  readonly purpose: "invitation" | "reset";
  readonly user: string;
  readonly expiresAt: string;
  /** SQL: `FROM … WHERE …`, which gives one row or none. */
  readonly source: string;
}

/** Inserts a link for setting a password. Parameters: `:linkMac` and `:now`. */
export function insertPasswordLink({ purpose, user, expiresAt, source }: NewPasswordLink): Statement {
  return defineStatement(`
    INSERT INTO password_link (mac, purpose, user_id, created_at, expires_at)
    SELECT :linkMac, '${purpose}', ${user}, :now, ${expiresAt} ${source}`);
}

/** Ends the live links that meet the condition. Parameter: `:now`. */
export function endPasswordLinks(condition: string): Statement {
  return defineStatement(
    `UPDATE password_link SET ended_at = :now WHERE ${condition} AND ended_at IS NULL`,
  );
}
