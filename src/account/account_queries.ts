import { defineStatement, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";

const ACCOUNT_COLUMNS = "id, email, language, created_at AS createdAt";

/** SQL: the id of the actor while his session lives. */
const ACTOR = `(SELECT acting.user_id FROM session acting WHERE ${sessionLives("acting")})`;

/** The actor's account; no row when his session is over. */
export const FIND_ACCOUNT: Statement = defineStatement(
  `SELECT ${ACCOUNT_COLUMNS} FROM user_account WHERE id = ${ACTOR}`,
);

/** Sets the language of mails to the actor. Answers the account; no row when his session is over. */
export const UPDATE_LANGUAGE: Statement = defineStatement(
  `UPDATE user_account SET language = :language WHERE id = ${ACTOR} RETURNING ${ACCOUNT_COLUMNS}`,
);

/**
 * A page of the actor's security log, newest first: `EventRow`s before `:beforeId`. One row without an id where there are
 * none; no row when his session is over.
 */
export const LIST_EVENTS: Statement = defineStatement(`
  SELECT logged.id, logged.at, logged.event, logged.result, logged.session_id AS sessionId, logged.address
  FROM session acting LEFT JOIN security_event logged ON logged.user_id = acting.user_id AND logged.id < :beforeId
  WHERE ${sessionLives("acting")} ORDER BY logged.id DESC LIMIT :limit`);
