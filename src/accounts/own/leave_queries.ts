import { and, compile, deleteFrom, eq, inArray, insertFrom, not, select, update } from "../../db/builder.ts";
import {
  departure,
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
} from "../../db/schema/identity.ts";
import { changeLog, member } from "../../db/schema/role.ts";
import { rateBucket } from "../../db/schema/telemetry.ts";
import { throttle } from "../../db/schema/throttle.ts";
import {
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { CHANGED_USER, decideForActor, mailChangedUser } from "../../identity/security_queries.ts";
import type { SecurityResult } from "../../identity/security_result.ts";
import { isLastKeeper } from "../../role/member/keeper_queries.ts";
import { memberLives } from "../../graph/rules/principal_queries.ts";
import { THROTTLE_SCOPES } from "../../throttle/limits.ts";

const { opId, now } = placeholdersOf({ opId: text, now: int });

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
  THROTTLE_SCOPES.rolePasswordOverRoles,
  THROTTLE_SCOPES.madeNotice,
  THROTTLE_SCOPES.passkeyMade,
];

/** Tables whose rows are deleted with their user, in the first step. */
const OWN_TABLES = [
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

/** Maximum number of memberships that a step ends, with their rows of log and history: some 20 ms on a file. */
export const MEMBERSHIPS_AT_ONCE = 200;

const leaving = row(departure, "leaving");
/** The account that this operation has deleted, while memberships of it are left; null after the last step. */
const LEAVING = sql`(SELECT ${leaving.userId} FROM ${leaving} WHERE ${leaving.opId} = ${opId})`;

const next = row(member, "next");
/** The memberships of this step. */
const NEXT = sql`(SELECT ${next.id} FROM ${next} WHERE ${next.userId} = ${LEAVING}
    ORDER BY ${next.roleId} LIMIT ${MEMBERSHIPS_AT_ONCE})`;

/** Ends some memberships of a deleted account, and records it as the user's own act. */
const END_SOME: readonly Statement[] = [
  compile({ opId: text, now: int }, () => {
    const ending = row(member, "ending");
    const by = row(departure, "by");
    const ends = select({
      opId: sql<string>`${opId} || ' ' || ${ending.id}`,
      at: now,
      actorId: by.userId,
      viaRoleId: ending.roleId,
      sessionId: by.sessionId,
      kind: sql`CASE WHEN ${memberLives(ending)} THEN 'member.leave' ELSE 'member.end' END`,
      roleId: ending.roleId,
      relationId: ending.id,
      subjectId: ending.userId,
      decision: sql`'ok'`,
      step: sql`'delete'`,
      oldRights: ending.rights,
      deletedRelationIds: sql`json_array(${ending.id})`,
      details: sql`json_object('oldUntil', ${ending.endsAt})`,
    }).from(by).crossJoin(ending)
      .where(and(eq(by.opId, opId), sql`${ending.id} IN ${NEXT}`)).orderBy(memberLives(ending), ending.id);
    return insertFrom(changeLog, ends);
  }),
  define({ opId: text }, () => sql`DELETE FROM ${member} WHERE ${member.id} IN ${NEXT}`),
  compile({ opId: text }, () => {
    const remaining = row(member, "remaining");
    const isLeft = sql`EXISTS (SELECT 1 FROM ${remaining} WHERE ${remaining.userId} = ${departure.userId})`;
    return deleteFrom(departure).where(and(eq(departure.opId, opId), not(isLeft)));
  }),
];

/** Whether memberships are left to end. */
const IS_UNFINISHED = sql<0 | 1>`(${LEAVING} IS NOT NULL)`;

interface StepRow {
  readonly isUnfinished: 0 | 1;
}

/** The next step after `LEAVE`, whose operation id it takes. Does nothing if all are made. Returns a `StepRow`. */
export const LEAVE_STEP = [
  ...END_SOME,
  rows<StepRow>()({ opId: text }, () => sql`SELECT ${IS_UNFINISHED} AS isUnfinished`),
] as const;

/** The deletions of accounts with steps left. */
export const UNFINISHED = compile({}, () => select({ opId: departure.opId }).from(departure));

/** The result of a deletion. */
export interface LeaveRow extends StepRow {
  readonly result: SecurityResult;
}

/**
 * Deletes the actor's account and its data, and so ends all access, and begins to end the memberships: where they are
 * many, the other writes of the service get their turn between steps (`LEAVE_STEP`). Those that are left count as absent
 * meanwhile, since their account does not exist (`holderLives`). The logs keep the user's id, which is never reused, but
 * lose the addresses. The end of each membership is recorded, so that managers of its role see it. Returns a `LeaveRow`.
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
  define({ opId: text, sessionId: text }, ({ sessionId }) => {
    const { names, values } = inserted(departure, { userId: CHANGED_USER, opId, sessionId });
    return sql`INSERT INTO ${departure} (${names}) SELECT ${values} WHERE ${CHANGED_USER} IS NOT NULL`;
  }),
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
  ...END_SOME,
  compile({ opId: text }, () => deleteFrom(userAccount).where(eq(userAccount.id, CHANGED_USER))),
  rows<LeaveRow>()({ opId: text }, () =>
    sql`
  SELECT ${securityEvent.result}, ${IS_UNFINISHED} AS isUnfinished
  FROM ${securityEvent} WHERE ${securityEvent.opId} = ${opId}`),
];
