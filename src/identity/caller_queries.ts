import { defineStatement, probing } from "../db/statement.ts";
import { ACTING_SESSION_LIVES } from "./session_life_queries.ts";

/**
 * A row if the caller's session, partial sign-in or key lives. Parameters: `:actorId` and `:sessionId` of the actor, or
 * `:partialLoginId` with `:sessionId` null; `:now`.
 */
export const FIND_LIVE_CALLER = probing(defineStatement(`
  SELECT 1 AS lives FROM session acting WHERE ${ACTING_SESSION_LIVES}
  UNION ALL
  SELECT 1 FROM partial_login pending CROSS JOIN user_account account ON account.id = pending.user_id
    WHERE pending.id = :partialLoginId AND pending.user_id = :actorId AND pending.ended_at IS NULL
      AND pending.expires_at > :now AND account.security_version = pending.security_version
  UNION ALL
  SELECT 1 FROM role_key acting_key CROSS JOIN member keyed ON keyed.id = acting_key.id
    WHERE acting_key.id = -:actorId AND acting_key.secret_mac = :sessionId
      AND (keyed.ends_at IS NULL OR keyed.ends_at > :now)`));
