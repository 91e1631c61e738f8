import {
  factorLink,
  knownAddress,
  oneTimeCode,
  partialLogin,
  passkey,
  passwordLink,
  recoveryCode,
  reservedEmail,
  secondFactor,
  securityEvent,
  session,
  undoLink,
  userAccount,
} from "../db/schema/identity.ts";
import { changeLog, member } from "../db/schema/role.ts";
import { rateBucket } from "../db/schema/telemetry.ts";
import { throttle } from "../db/schema/throttle.ts";
import {
  assigned,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { CHANGED_USER, decideForActor, mailChangedUser, READ_RESULT } from "../identity/security_queries.ts";
import { isLastKeeper } from "../role/member/keeper_queries.ts";
import { memberLives } from "../role/guard/principal_queries.ts";
import { THROTTLE_SCOPES } from "../throttle/limits.ts";

const { now } = placeholdersOf({ now: int });

/** The account is the last lasting member with `roleManagement` of some root role. */
function isLastOfARoot(account: typeof userAccount): SQL {
  const own = row(member, "own");
  return sql`EXISTS (SELECT 1 FROM ${own}
  WHERE ${own.userId} = ${account.id} AND ${isLastKeeper(own)})`;
}

/**
 * A transfer of the account can still be undone. Until then, a thief who took it over must not be able to delete it.
 */
function canBeUndone(account: typeof userAccount): SQL {
  const link = row(undoLink, "link");
  return sql`EXISTS (SELECT 1 FROM ${link} WHERE ${link.userId} = ${account.id}
  AND ${link.endedAt} IS NULL AND ${link.expiresAt} > ${now})`;
}

/**
 * Throttle scopes keyed by the account's id. Those keyed by the HMAC of its address identify no account, and expire.
 */
const OWN_SCOPES = [
  THROTTLE_SCOPES.ownPassword,
  THROTTLE_SCOPES.transferMailGap,
  THROTTLE_SCOPES.transferMailHour,
  THROTTLE_SCOPES.invitationByCaller,
  THROTTLE_SCOPES.provisionByMaker,
  THROTTLE_SCOPES.preview,
  THROTTLE_SCOPES.evaluations,
  THROTTLE_SCOPES.rolePasswordOverRoles,
  THROTTLE_SCOPES.madeNotice,
  THROTTLE_SCOPES.passkeyMade,
];

/** Tables whose rows are deleted with their user. */
const OWN_TABLES = [
  member,
  session,
  partialLogin,
  knownAddress,
  secondFactor,
  passkey,
  factorLink,
  recoveryCode,
  oneTimeCode,
  passwordLink,
  undoLink,
  rateBucket,
];

const RECORD_ENDS = define({ opId: text, now: int, actorId: int, sessionId: text }, (args) => {
  const ending = row(member, "ending");
  const { names, values } = inserted(changeLog, {
    opId: sql`${args.opId} || ' ' || ${ending.id}`,
    at: now,
    actorId: args.actorId,
    viaRoleId: ending.roleId,
    sessionId: args.sessionId,
    kind: sql`CASE WHEN ${memberLives(ending)} THEN 'member.leave' ELSE 'member.end' END`,
    roleId: ending.roleId,
    relationId: ending.id,
    subjectId: ending.userId,
    decision: sql`'ok'`,
    effect: sql`'delete'`,
    oldRights: ending.rights,
    deletedRelationIds: sql`json_array(${ending.id})`,
    details: sql`json_object('oldUntil', ${ending.endsAt})`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values}
  FROM ${ending} WHERE ${ending.userId} = ${CHANGED_USER} ORDER BY ${memberLives(ending)}, ${ending.id}`;
});

/**
 * Deletes the actor's account and its data. The logs keep the user's id, which is never reused, but lose the
 * addresses. The end of each membership is recorded, so that managers of its role see it. Returns a `ResultRow`.
 */
export const LEAVE: readonly Statement[] = [
  decideForActor({}, {
    event: "account.delete",
    proof: "fresh",
    verdict: ({ account }) =>
      sql`CASE WHEN ${isLastOfARoot(account)} THEN 'root_without_member'
      WHEN ${canBeUndone(account)} THEN 'transferred' ELSE 'ok' END`,
  }),
  mailChangedUser("account_deleted"),
  RECORD_ENDS,
  define({ opId: text }, () =>
    sql`
    DELETE FROM ${reservedEmail} WHERE ${reservedEmail.userId} = ${CHANGED_USER}
      AND ${reservedEmail.email} IN (
        SELECT ${undoLink.email} FROM ${undoLink} WHERE ${undoLink.userId} = ${CHANGED_USER})`),
  ...OWN_TABLES.map((table) =>
    define({ opId: text }, () => sql`DELETE FROM ${table} WHERE ${table.userId} = ${CHANGED_USER}`)
  ),
  define({ opId: text }, () =>
    sql`
    DELETE FROM ${throttle} WHERE ${throttle.scope} IN (${quoted(...OWN_SCOPES)})
      AND ${throttle.key} = CAST(${CHANGED_USER} AS TEXT)`),
  define({ opId: text }, () =>
    sql`
    UPDATE ${securityEvent} SET ${assigned(securityEvent, { address: sql`NULL` })}
    WHERE ${securityEvent.userId} = ${CHANGED_USER}`),
  define({ opId: text }, () => sql`DELETE FROM ${userAccount} WHERE ${userAccount.id} = ${CHANGED_USER}`),
  READ_RESULT,
];
