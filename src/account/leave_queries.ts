import { and, compile, deleteFrom, eq, inArray, insertFrom, select, update } from "../db/builder.ts";
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
import { int, placeholdersOf, quoted, row, type SQL, sql, text } from "../db/sql.ts";
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

const RECORD_ENDS = compile({ opId: text, now: int, actorId: int, sessionId: text }, (args) => {
  const ending = row(member, "ending");
  const ends = select({
    opId: sql<string>`${args.opId} || ' ' || ${ending.id}`,
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
  }).from(ending).where(eq(ending.userId, CHANGED_USER)).orderBy(memberLives(ending), ending.id);
  return insertFrom(changeLog, ends);
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
  compile({ opId: text }, () => {
    const transferred = select({ email: undoLink.email }).from(undoLink).where(
      eq(undoLink.userId, CHANGED_USER),
    );
    return deleteFrom(reservedEmail)
      .where(and(eq(reservedEmail.userId, CHANGED_USER), inArray(reservedEmail.email, transferred)));
  }),
  ...OWN_TABLES.map((table) =>
    compile({ opId: text }, () => deleteFrom(table).where(eq(table.userId, CHANGED_USER)))
  ),
  compile({ opId: text }, () =>
    deleteFrom(throttle).where(sql`${throttle.scope} IN (${quoted(...OWN_SCOPES)})
      AND ${throttle.key} = CAST(${CHANGED_USER} AS TEXT)`)),
  compile(
    { opId: text },
    () => update(securityEvent, { address: null }).where(eq(securityEvent.userId, CHANGED_USER)),
  ),
  compile({ opId: text }, () => deleteFrom(userAccount).where(eq(userAccount.id, CHANGED_USER))),
  READ_RESULT,
];
