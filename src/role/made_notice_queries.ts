import { userAccount } from "../db/schema/identity.ts";
import { changeLog, role } from "../db/schema/role.ts";
import { type Declared, int, placeholdersOf, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { DAY_SECONDS, MADE_NOTICES_PER_DAY, THROTTLE_SCOPES } from "../throttle/limits.ts";
import { type Budget, countInBudgets, withinBudgets } from "../throttle/throttle_queries.ts";
import { whenStep } from "../graph/step_queries.ts";

/**
 * Notices to users about keys and passwords made with their account: these outlast the session, and a thief may have
 * made them.
 */

const MADE = { opId: text, actorId: int, now: int };
const { actorId } = placeholdersOf(MADE);
const { mailExpiresAt } = placeholdersOf({ mailExpiresAt: int });

const BUDGETS: readonly Budget[] = [{
  scope: THROTTLE_SCOPES.madeNotice,
  key: sql`CAST(${actorId} AS TEXT)`,
  windowSeconds: DAY_SECONDS,
  most: MADE_NOTICES_PER_DAY,
}];

interface Notice {
  readonly detail?: Value;
  /** The arguments of the detail. */
  readonly declared?: Declared;
  /** Whether to mail about the change of this row. */
  readonly when?: (made: typeof changeLog) => SQL;
}

/** Mails the actor that this operation has written something about a role. */
export function mailMaker(
  template: "key_created" | "role_password_set",
  { detail = sql`NULL`, declared = {}, when = () => sql`true` }: Notice,
): readonly Statement[] {
  const { made, maker } = rowsOf({ made: changeLog, maker: userAccount });
  const written = sql`SELECT ${changeLog.rev} FROM ${changeLog} WHERE ${whenStep("write")}`;
  const source = sql`FROM ${made} CROSS JOIN ${maker} ON ${maker.id} = ${made.actorId}
    CROSS JOIN ${role} ON ${role.id} = ${made.roleId}
    WHERE ${made.rev} = (${written}) AND ${when(made)}
      AND ${withinBudgets(BUDGETS)}`;
  return [
    queueMail({ ...MADE, ...declared, mailExpiresAt: int }, {
      template,
      language: maker.language,
      recipient: maker.email,
      roleName: role.name,
      detail,
      expiresAt: mailExpiresAt,
      source,
    }),
    ...countInBudgets(MADE, BUDGETS, sql`EXISTS (SELECT 1 ${source})`),
  ];
}
