import { securityEvent, userAccount } from "../db/schema/identity.ts";
import { member, role } from "../db/schema/role.ts";
import { columns, int, placeholdersOf, row, rows, sql, text } from "../db/sql.ts";
import { ACTING, isActors } from "../identity/session_life_queries.ts";
import { updateUser } from "../identity/user_queries.ts";
import { memberIsAwake, memberLives, needsNow, SESSION_MEETS } from "../role/guard/principal_queries.ts";
import type { RightsMask } from "../role/rights.ts";

const ACCOUNT = columns(userAccount, "id", "email", "language", "createdAt", "externalId");

/** The account of the actor. */
export const FIND_ACCOUNT = rows(ACCOUNT)(
  ACTING,
  () => sql`SELECT ${ACCOUNT} FROM ${userAccount} WHERE ${isActors(userAccount.id)}`,
);

/** Maximum number of roles that are listed of which the actor is a member. */
const MOST_MEMBERSHIPS = 100;

/** The actor's memberships that count in their session, with the rights that each gives on its role. */
export const LIST_MEMBERSHIPS = rows<{
  readonly roleId: number;
  readonly name: string;
  readonly rights: RightsMask;
  readonly endsAt: number | null;
}>()(ACTING, () => {
  const own = row(member, "own");
  return sql`
  SELECT ${own.roleId} AS roleId, ${role.name}, ${role.selfRights} & ${own.rights} AS rights, ${own.endsAt} AS endsAt
  FROM ${own} CROSS JOIN ${role} ON ${role.id} = ${own.roleId}
  WHERE ${isActors(own.userId)} AND ${memberIsAwake(own)}
  ORDER BY ${own.roleId} LIMIT ${MOST_MEMBERSHIPS}`;
});

/** Maximum number of dormant memberships that are listed, and of those that will be dormant. */
const MOST_DORMANT = 100;

/** The actor's memberships that are dormant in their session. */
export const LIST_DORMANT = rows<{ readonly roleId: number; readonly needs: number }>()(ACTING, () => {
  const own = row(member, "own");
  return sql`
  SELECT ${own.roleId} AS roleId, ${needsNow(own)} AS needs FROM ${own}
  WHERE ${isActors(own.userId)} AND ${own.needs} > 0 AND ${memberLives(own)} AND NOT ${memberIsAwake(own)}
  ORDER BY ${own.roleId} LIMIT ${MOST_DORMANT}`;
});

/** Those that will be dormant in a session like theirs, from a time on. */
export const LIST_DORMANT_LATER = rows<
  { readonly roleId: number; readonly needs: number; readonly needsFrom: number }
>()(ACTING, ({ now }) => {
  const own = row(member, "own");
  return sql`
  SELECT ${own.roleId} AS roleId, ${own.needs}, ${own.needsFrom} AS needsFrom FROM ${own}
  WHERE ${isActors(own.userId)} AND ${own.needs} > ${SESSION_MEETS} AND ${memberLives(own)}
    AND ${own.needsFrom} > ${now} AND ${memberIsAwake(own)}
  ORDER BY ${own.roleId} LIMIT ${MOST_DORMANT}`;
});

const CHANGE = { ...ACTING, language: text };
const { language } = placeholdersOf(CHANGE);

/** Sets the language of mails to the actor. Returns the account, or no row if their session has ended. */
export const UPDATE_LANGUAGE = updateUser(CHANGE, { language }, isActors(userAccount.id), ACCOUNT);

const EVENT = columns(securityEvent, "id", "at", "event", "result", "attempts", "sessionId", "address");

/** A page of the security log of the actor: the events before `beforeId`, newest first. */
export const LIST_EVENTS = rows(EVENT)(
  { ...ACTING, beforeId: int, limit: int },
  ({ beforeId, limit }) =>
    sql`
  SELECT ${EVENT} FROM ${securityEvent}
  WHERE ${isActors(securityEvent.userId)} AND ${securityEvent.id} < ${beforeId}
  ORDER BY ${securityEvent.id} DESC LIMIT +${limit}`,
);
