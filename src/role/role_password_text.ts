import { raw } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { declaredIn } from "../mail/mail_text.ts";
import * as passwords from "./role_password_queries.ts";

/** The part of `role_password_queries.ts` for batches that are still texts. */
export function voidRolePasswords({ user, since }: { user: string; since: string }): readonly Statement[] {
  return passwords.voidRolePasswords(declaredIn(user, since), { user: raw(user), since: raw(since) });
}
