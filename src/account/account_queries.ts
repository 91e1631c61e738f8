import { securityEvent, userAccount } from "../db/schema/identity.ts";
import { columns, int, placeholdersOf, rows, sql, text } from "../db/sql.ts";
import { ACTING, isActors } from "../identity/session_life_queries.ts";
import { updateUser } from "../identity/user_queries.ts";

const ACCOUNT = columns(userAccount, "id", "email", "language", "createdAt");

/** The account of the actor. */
export const FIND_ACCOUNT = rows(ACCOUNT)(
  ACTING,
  () => sql`SELECT ${ACCOUNT} FROM ${userAccount} WHERE ${isActors(userAccount.id)}`,
);

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
