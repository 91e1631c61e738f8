import type { Statement } from "../db/statement.ts";
import { ACTING_SESSION_LIVES } from "../identity/session_life_queries.ts";
import { updateUser } from "../identity/identity_text.ts";

/** Sets the language of mails to the actor. Returns the account, or no row if their session has ended. */
export const UPDATE_LANGUAGE: Statement = updateUser(
  { language: ":language" },
  `id = (SELECT acting.user_id FROM session acting WHERE ${ACTING_SESSION_LIVES})`,
  "id, email, language, created_at AS createdAt",
);
