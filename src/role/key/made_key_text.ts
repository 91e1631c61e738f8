import { raw } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { declaredIn } from "../../mail/mail_text.ts";
import * as keys from "./made_key_queries.ts";

/** The part of `made_key_queries.ts` for batches that are still texts. */
export function deleteKeysMadeBy({ user, since }: { user: string; since: string }): readonly Statement[] {
  return keys.deleteKeysMadeBy(declaredIn(user, since), { user: raw(user), since: raw(since) });
}
