import { and, compile, desc, eq, gt, lt, not, pick, select } from "../../db/builder.ts";
import { securityEvent, userAccount } from "../../db/schema/identity.ts";
import { member, role } from "../../db/schema/role.ts";
import { columns, int, placeholdersOf, row, sql, text } from "../../db/sql.ts";
import { ACTING, isActors } from "../../identity/session_life_queries.ts";
import { updateUser } from "../../identity/user_queries.ts";
import { memberIsAwake, memberLives, needsNow, SESSION_MEETS } from "../../graph/rules/principal_queries.ts";
import type { RightsMask } from "../../graph/rights.ts";

const ACCOUNT = ["id", "email", "name", "language", "createdAt", "externalId"] as const;

/** The account of the actor. */
export const FIND_ACCOUNT = compile(
  ACTING,
  () => select(pick(userAccount, ...ACCOUNT)).from(userAccount).where(isActors(userAccount.id)),
);

/** Maximum number of roles that are listed of which the actor is a member. */
const MOST_MEMBERSHIPS = 100;

/** The actor's memberships that count in their session, with the rights that each gives on its role. */
export const LIST_MEMBERSHIPS = compile(ACTING, () => {
  const own = row(member, "own");
  const rights = sql<RightsMask>`${role.selfRights} & ${own.rights}`;
  return select({ roleId: own.roleId, name: role.name, rights, endsAt: own.endsAt })
    .from(own).crossJoin(role)
    .where(and(eq(role.id, own.roleId), isActors(own.userId), memberIsAwake(own)))
    .orderBy(own.roleId).limit(MOST_MEMBERSHIPS);
});

/** Maximum number of dormant memberships that are listed, and of those that will be dormant. */
const MOST_DORMANT = 100;

/** The actor's memberships that are dormant in their session. */
export const LIST_DORMANT = compile(ACTING, () => {
  const own = row(member, "own");
  return select({ roleId: own.roleId, needs: needsNow(own) }).from(own)
    .where(and(isActors(own.userId), gt(own.needs, 0), memberLives(own), not(memberIsAwake(own))))
    .orderBy(own.roleId).limit(MOST_DORMANT);
});

/** Those that will be dormant in a session like theirs, from a time on. */
export const LIST_DORMANT_LATER = compile(ACTING, ({ now }) => {
  const own = row(member, "own");
  const isLater = and(gt(own.needs, SESSION_MEETS), memberLives(own), gt(own.needsFrom, now));
  // Null is not later.
  const needsFrom = sql<number>`${own.needsFrom}`;
  return select({ roleId: own.roleId, needs: own.needs, needsFrom }).from(own)
    .where(and(isActors(own.userId), isLater, memberIsAwake(own)))
    .orderBy(own.roleId).limit(MOST_DORMANT);
});

/** With `keepsName`, the name stays. */
const CHANGE = { ...ACTING, language: text, name: text, keepsName: int };
const { language, name, keepsName } = placeholdersOf(CHANGE);

/** Sets the language of mails to the actor, and their name. Returns the account, or no row if their session has ended. */
export const UPDATE_ACCOUNT = updateUser(
  CHANGE,
  { language, name: sql`iif(${keepsName}, ${userAccount.name}, ${name})` },
  isActors(userAccount.id),
  columns(userAccount, ...ACCOUNT),
);

/** A page of the security log of the actor: the events before `beforeId`, newest first. */
export const LIST_EVENTS = compile(
  { ...ACTING, beforeId: int, limit: int },
  ({ beforeId, limit }) =>
    select(pick(securityEvent, "id", "at", "event", "result", "attempts", "sessionId", "address"))
      .from(securityEvent)
      .where(and(isActors(securityEvent.userId), lt(securityEvent.id, beforeId)))
      .orderBy(desc(securityEvent.id)).limit(limit),
);
