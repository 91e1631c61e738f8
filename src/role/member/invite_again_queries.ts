import { REVISION_COLUMN } from "../../db/revisions.ts";
import { passwordLink, userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, role } from "../../db/schema/role.ts";
import { define, int, nullable, placeholdersOf, row, type SQL, sql, text, type Value } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { endPasswordLinks, insertPasswordLink } from "../../identity/password_link_queries.ts";
import { neverOpened } from "../../identity/user_queries.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import {
  INVITATION_WINDOW_SECONDS,
  INVITATIONS_AGAIN_PER_ACCOUNT,
  THROTTLE_SCOPES,
} from "../../throttle/limits.ts";
import { type Budget, budgetsFreeAt, countInWindow, withinBudgets } from "../../throttle/throttle_queries.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { CHANGE, recordChange } from "../../changes/change_queries.ts";
import { firstAuthorizingRole, someAuthorizingRole } from "../../graph/rules/guard_queries.ts";
import { ACTOR_IS_USER, holderLives, ONE_ROW, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { type Acting, managesMembersOf } from "../../graph/rules/rule_queries.ts";
import { INVITATIONS_OF_CALLER } from "./member_queries.ts";
import { whenStep } from "../../graph/step_queries.ts";

/** Mailing an invitation once more. */

const INVITE = { roleId: int, memberId: int };
const { roleId, memberId } = placeholdersOf(INVITE);
const { opId, now } = placeholdersOf(CHANGE);
const MAIL = {
  opId: text,
  mailId: text,
  mailLanguage: nullable(text),
  brand: nullable(text),
  sealedParams: text,
  linkExpiresAt: int,
};
const { mailId, mailLanguage, brand, sealedParams, linkExpiresAt } = placeholdersOf(MAIL);

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, roleId);
}

/** The invitations that an account gets again. */
function toAccount(userId: Value): Budget {
  return {
    scope: THROTTLE_SCOPES.invitationAgain,
    key: sql`CAST(${userId} AS TEXT)`,
    windowSeconds: INVITATION_WINDOW_SECONDS,
    most: INVITATIONS_AGAIN_PER_ACCOUNT,
  };
}

/** Decides. An account that was opened needs no invitation, so that is a noop. */
function decideInvite(): Statement {
  const [existing, invited] = [row(member, "existing"), row(userAccount, "invited")];
  return recordChange(INVITE, {
    kind: sql`'member.invite'`,
    ruled: sql`SELECT ${existing.id} AS relation_id, ${existing.userId} AS subject_id, CASE
      WHEN ${existing.id} IS NULL THEN 'denied'
      WHEN NOT (${ACTOR_IS_USER} AND ${someAuthorizingRole(managesMembers)}) THEN 'denied'
      WHEN NOT ${neverOpened(invited)} THEN 'noop'
      WHEN NOT ${
      withinBudgets([INVITATIONS_OF_CALLER, toAccount(existing.userId)])
    } THEN 'too_many_invitations'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing} ON ${existing.id} = ${memberId} AND ${existing.roleId} = ${roleId}
        AND ${existing.userId} > 0 AND ${holderLives(existing)}
      LEFT JOIN ${invited} ON ${invited.id} = ${existing.userId}
    WHERE ${PRINCIPAL_LIVES}`,
    via: firstAuthorizingRole(managesMembers),
    values: { roleId, relationId: sql`relation_id`, subjectId: sql`subject_id` },
  });
}

const SUBJECT = sql`(SELECT ${changeLog.subjectId} FROM ${changeLog} WHERE ${changeLog.opId} = ${opId})`;
const IS_SENT = sql`EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenStep("write")})`;
const invited = row(userAccount, "invited");
const inviter = row(userAccount, "inviter");

/**
 * Mails the invitation of a member who has never opened their account once more, with a link that replaces earlier
 * ones. The last statement returns an `InvitedRow`.
 */
export const INVITE_AGAIN: readonly Statement[] = [
  decideInvite(),
  countInWindow({ opId: text, actorId: int }, INVITATIONS_OF_CALLER, IS_SENT),
  countInWindow({ opId: text }, toAccount(SUBJECT), IS_SENT),
  endPasswordLinks(
    { opId: text },
    sql`${passwordLink.userId} = ${SUBJECT} AND ${passwordLink.purpose} = 'invitation' AND ${IS_SENT}`,
  ),
  insertPasswordLink({ opId: text, linkExpiresAt: int }, {
    purpose: "invitation",
    user: changeLog.subjectId,
    expiresAt: linkExpiresAt,
    source: sql`FROM ${changeLog} WHERE ${whenStep("write")}`,
  }),
  queueMail(MAIL, {
    id: mailId,
    template: "invitation",
    language: sql`coalesce(${mailLanguage}, ${invited.language})`,
    brand,
    recipient: invited.email,
    roleName: role.name,
    actorEmail: inviter.email,
    sealedParams,
    expiresAt: linkExpiresAt,
    source: sql`FROM ${changeLog} CROSS JOIN ${invited} ON ${invited.id} = ${changeLog.subjectId}
      CROSS JOIN ${role} ON ${role.id} = ${changeLog.roleId}
      CROSS JOIN ${inviter} ON ${inviter.id} = ${changeLog.actorId}
    WHERE ${whenStep("write")}`,
  }),
  define({ opId: text, actorId: int, now: int }, () =>
    sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    (${
      budgetsFreeAt([INVITATIONS_OF_CALLER, toAccount(changeLog.subjectId)])
    } - ${now}) / ${SECOND_MS}.0 AS retryAfterSeconds
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`),
];
