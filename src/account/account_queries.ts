import { defineStatement, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";

/** Sets the language of mails to the actor. Answers the account; no row when his session is over. */
export const UPDATE_LANGUAGE: Statement = defineStatement(`
  UPDATE user_account SET language = :language
  WHERE id = (SELECT acting.user_id FROM session acting WHERE ${sessionLives("acting")})
  RETURNING id, email, language, created_at AS createdAt`);
