import { queueMail } from "../mail/mail_text.ts";
import type { Statement } from "../db/statement.ts";
import { DAY_SECONDS, MADE_NOTICES_PER_DAY, THROTTLE_SCOPES } from "../throttle/limits.ts";
import { countInBudgets, withinBudgets } from "../throttle/throttle_text.ts";
import { whenEffect } from "./change/change_text.ts";

/** Notices to users about what was made with their account and outlasts the session: a thief may have made it. */

const BUDGETS = [{
  scope: THROTTLE_SCOPES.madeNotice,
  key: "CAST(:actorId AS TEXT)",
  windowSeconds: DAY_SECONDS,
  most: MADE_NOTICES_PER_DAY,
}];

/**
 * Mails the actor that `:opId` has written something about a role. `detail` is SQL. Parameters: `:opId`, `:actorId`,
 * `:now`, `:mailExpiresAt`.
 */
export function mailMaker(
  template: "key_created" | "role_password_set",
  { detail = "NULL", when = "true" }: { readonly detail?: string; readonly when?: string },
): readonly Statement[] {
  const made = `FROM change_log made CROSS JOIN user_account maker ON maker.id = made.actor_id
    CROSS JOIN role ON role.id = made.role_id
    WHERE made.rev = (SELECT rev FROM change_log WHERE ${whenEffect("write")}) AND ${when}
      AND ${withinBudgets(BUDGETS)}`;
  return [
    queueMail({
      template,
      language: "maker.language",
      recipient: "maker.email",
      roleName: "role.name",
      detail,
      expiresAt: ":mailExpiresAt",
      source: made,
    }),
    ...countInBudgets(BUDGETS, `EXISTS (SELECT 1 ${made})`),
  ];
}
