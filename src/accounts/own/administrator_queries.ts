import {
  and,
  compile,
  count,
  desc,
  eq,
  gt,
  insert,
  isNotNull,
  isNull,
  pick,
  select,
} from "../../db/builder.ts";
import {
  partialLogin,
  passkey,
  passwordLink,
  recoveryCode,
  secondFactor,
  securityEvent,
  session,
  userAccount,
} from "../../db/schema/identity.ts";
import { member, role } from "../../db/schema/role.ts";
import {
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  text,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { endGuessWaits, joinFactor } from "../../identity/factor/challenge_queries.ts";
import { dropFactors, HAS_CHANGED } from "../../identity/factor/factor_queries.ts";
import { MAIN_FACTORS, type MainFactor } from "../../identity/factors.ts";
import { endPasswordLinks, insertPasswordLink } from "../../identity/password_link_queries.ts";
import {
  CHANGED_USER,
  END_PARTIAL_LOGINS,
  endAllSessions,
  mailChangedUser,
  READ_RESULT,
} from "../../identity/security_queries.ts";
import type { AdministratorActionParams } from "../../mail/message_content.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import { memberLives } from "../../graph/rules/principal_queries.ts";
import { THROTTLE_SCOPES } from "../../throttle/limits.ts";
import { forgetCounters, forgetPairs } from "../../throttle/throttle_queries.ts";

/**
 * Actions of the administrator for locked-out users. Each batch starts with its event, which has no actor, and mails
 * the owner. The last statement returns no row if there is no such account.
 */

const { opId, now, email, accountKey } = placeholdersOf({
  opId: text,
  now: int,
  email: text,
  accountKey: text,
});
const INVITATION = { mailId: text, sealedParams: text, linkExpiresAt: int };
const { mailId, sealedParams, linkExpiresAt } = placeholdersOf(INVITATION);

/** The name of an action in the mail about it. */
type ActionDetail = AdministratorActionParams["action"];

interface Decision {
  readonly verdict: (account: typeof userAccount) => SQL;
  /** Further joins for the verdict. */
  readonly joins?: (account: typeof userAccount) => SQL;
}

/** The decision of an action that only requires the account. */
const ALWAYS: Decision = { verdict: () => sql`'ok'` };

/** Inserts the event of an action. */
function decide(
  detail: ActionDetail,
  { verdict, joins = () => sql`` }: Decision = ALWAYS,
): Statement {
  return define({ opId: text, now: int, email: text }, () => {
    const account = row(userAccount, "account");
    const { names, values } = inserted(securityEvent, {
      opId,
      at: now,
      event: quoted(`operator.${detail}`),
      result: verdict(account),
      userId: account.id,
    });
    return sql`
    INSERT INTO ${securityEvent} (${names})
    SELECT ${values}
    FROM ${account} ${joins(account)} WHERE ${account.email} = ${email}`;
  });
}

/** Mails the owner, and returns the result. */
function conclude(detail: ActionDetail): readonly Statement[] {
  return [mailChangedUser("operator_action", quoted(detail)), READ_RESULT];
}

function disableFactor(kind: MainFactor): readonly Statement[] {
  const factor = row(secondFactor, "factor");
  const isOfKind = sql`${secondFactor.kind} = ${quoted(kind)}`;
  return [
    decide("factor_disabled", {
      verdict: () => sql`CASE WHEN ${factor.activatedAt} IS NULL THEN 'inactive' ELSE 'ok' END`,
      joins: (account) => joinFactor(factor, kind, account.id),
    }),
    ...dropFactors({}, (each) => sql`${each.kind} = ${quoted(kind)}`),
    // Otherwise its waits would delay the activation of a new factor.
    endGuessWaits({ opId: text }, sql`${secondFactor.userId} = ${CHANGED_USER} AND ${isOfKind}`),
    endAllSessions("operator"),
    ...conclude("factor_disabled"),
  ];
}

/** Disables a second factor, with the effects of every change of factors. Result `inactive` if there is none. */
export const DISABLE_FACTOR = Object.fromEntries(
  MAIN_FACTORS.map((kind) => [kind, disableFactor(kind)]),
) as Readonly<Record<MainFactor, readonly Statement[]>>;

const OF_ACCOUNT = { scope: THROTTLE_SCOPES.password, key: accountKey };
const OF_STRANGERS = { scope: THROTTLE_SCOPES.passwordOfStrangers, key: accountKey };
const OWN = { scope: THROTTLE_SCOPES.ownPassword, key: sql`CAST(${CHANGED_USER} AS TEXT)` };
const COUNTED = { opId: text, accountKey: text };

/**
 * Ends the waits after wrong second factors and passwords. `accountKey` is the account's key in password throttles;
 * followed by a space and a client address or network, it is the key of that pair.
 */
export const UNLOCK: readonly Statement[] = [
  decide("unlocked"),
  endGuessWaits({ opId: text }, sql`${secondFactor.userId} = ${CHANGED_USER}`),
  forgetPairs(COUNTED, OF_ACCOUNT, HAS_CHANGED),
  forgetPairs(COUNTED, OF_STRANGERS, HAS_CHANGED),
  forgetCounters(COUNTED, [OF_STRANGERS], HAS_CHANGED),
  forgetCounters({ opId: text }, [OWN], HAS_CHANGED),
  ...conclude("unlocked"),
];

function endSessions(detail: ActionDetail): readonly Statement[] {
  return [decide(detail), endAllSessions("operator"), END_PARTIAL_LOGINS, ...conclude(detail)];
}

/** Ends all sessions, and all sign-ins that wait for a second factor. */
export const END_SESSIONS = endSessions("sessions_ended");

/** The same. Run it before deleting the user's keys. */
export const END_SESSIONS_BEFORE_KEYS = endSessions("sessions_and_keys_ended");

/** Records `endAllSessions` in an event without an account. */
export const RECORD_ALL_ENDED: readonly Statement[] = [
  compile(
    { opId: text, now: int },
    () => insert(securityEvent, { opId, at: now, event: "operator.all_sessions_ended", result: "ok" }),
  ),
  READ_RESULT,
];

/** Returns the name of the account's first role, or null. */
export function firstRoleName(account: typeof userAccount): SQL {
  const { own, first } = rowsOf({ own: member, first: role });
  return sql`(SELECT ${first.name} FROM ${own} CROSS JOIN ${first} ON ${first.id} = ${own.roleId}
  WHERE ${own.userId} = ${account.id} AND ${memberLives(own)} ORDER BY ${own.roleId} LIMIT 1)`;
}

const invited = row(userAccount, "invited");

/**
 * Mails the invitation again, with a link that replaces earlier ones. Result `has_password` if the account is in use,
 * `no_role` if it has no role.
 */
export const RESEND_INVITATION: readonly Statement[] = [
  decide("invitation_resent", {
    verdict: (account) =>
      sql`CASE WHEN ${account.passwordHash} IS NOT NULL THEN 'has_password'
      WHEN ${firstRoleName(account)} IS NULL THEN 'no_role' ELSE 'ok' END`,
  }),
  endPasswordLinks(
    { opId: text },
    sql`${passwordLink.userId} = ${CHANGED_USER} AND ${passwordLink.purpose} = 'invitation'`,
  ),
  insertPasswordLink({ opId: text, linkExpiresAt: int }, {
    purpose: "invitation",
    user: userAccount.id,
    expiresAt: linkExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${userAccount.id} = ${CHANGED_USER}`,
  }),
  queueMail({ ...INVITATION, opId: text }, {
    id: mailId,
    template: "invitation",
    language: invited.language,
    recipient: invited.email,
    roleName: firstRoleName(invited),
    sealedParams,
    expiresAt: linkExpiresAt,
    source: sql`FROM ${invited} WHERE ${invited.id} = ${CHANGED_USER}`,
  }),
  ...conclude("invitation_resent"),
];

/** Counts open sign-ins and sessions, to show progress. */
export const COUNT_OPEN = rows<{ readonly total: number }>()({}, () =>
  sql`
  SELECT (SELECT count(*) FROM ${partialLogin} WHERE ${partialLogin.endedAt} IS NULL)
    + (SELECT count(*) FROM ${session} WHERE ${session.endedAt} IS NULL) AS total`);

/** The user is the owner of the account. */
function isOwner(userId: SQLiteColumn): SQL {
  const owner = row(userAccount, "owner");
  return eq(userId, select({ id: owner.id }).from(owner).where(eq(owner.email, email)));
}

/** The administrator's view of an account: its data, factors, live sessions and latest events, without secrets. */
export const LOOK_UP = {
  account: compile({ email: text }, () =>
    select({
      ...pick(userAccount, "id", "email", "language", "createdAt"),
      hasPassword: isNotNull(userAccount.passwordHash),
    }).from(userAccount).where(eq(userAccount.email, email))),
  /** `remaining`: the number of unused recovery codes; 0 for other factors. */
  factor: compile({ email: text }, () => {
    const { userId, kind, activatedAt } = secondFactor;
    const isUnused = and(
      eq(recoveryCode.userId, userId),
      eq(kind, "recovery_code"),
      isNull(recoveryCode.usedAt),
    );
    return select({
      ...pick(secondFactor, "kind", "failures", "nextGuessAt"),
      activatedAt: sql<number>`${activatedAt}`,
      remaining: sql<number>`${select({ total: count() }).from(recoveryCode).where(isUnused)}`,
    }).from(secondFactor).where(and(isOwner(userId), isNotNull(activatedAt))).orderBy(kind);
  }),
  passkey: compile(
    { email: text },
    () =>
      select(pick(passkey, "name", "createdAt", "lastUsedAt", "meets")).from(passkey)
        .where(isOwner(passkey.userId)).orderBy(passkey.id),
  ),
  session: compile(
    { email: text, now: int },
    () =>
      select(pick(session, "id", "createdAt", "lastTokenAt", "client")).from(session)
        .where(and(isOwner(session.userId), isNull(session.endedAt), gt(session.idleUntil, now)))
        .orderBy(desc(session.createdAt)),
  ),
  event: compile(
    { email: text, events: int },
    ({ events }) =>
      select(pick(securityEvent, "at", "event", "result", "attempts", "address")).from(securityEvent)
        .where(isOwner(securityEvent.userId)).orderBy(desc(securityEvent.id)).limit(events),
  ),
};
