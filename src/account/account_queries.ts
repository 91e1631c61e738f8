import { session, userAccount } from "../db/schema/identity.ts";
import { int, placeholdersOf, row, sql, text } from "../db/sql.ts";
import { sessionLives } from "../identity/session_life_queries.ts";
import { updateUser } from "../identity/user_queries.ts";

const CHANGE = { language: text, actorId: int, sessionId: text, now: int };
const { language } = placeholdersOf(CHANGE);

const acting = row(session, "acting");
const ACTOR = sql`(SELECT ${acting.userId} FROM ${acting} WHERE ${sessionLives(acting)})`;

const { id, email, createdAt } = userAccount;

/** Sets the language of mails to the actor. Returns the account, or no row if their session has ended. */
export const UPDATE_LANGUAGE = updateUser(
  CHANGE,
  { language },
  sql`${id} = ${ACTOR}`,
  sql`${id}, ${email}, ${userAccount.language}, ${createdAt} AS createdAt`,
);
