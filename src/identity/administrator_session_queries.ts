import { defineStatement, type Statement } from "../db/statement.ts";

/** Opens a session without a refresh token, and records that in the same batch. */
export const OPEN_ADMINISTRATOR_SESSION: readonly Statement[] = [
  defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, user_id, session_id)
    SELECT :opId, :now, 'session.operator', 'ok', id, :sessionId FROM user_account WHERE id = :userId`),
  defineStatement(`
    INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
      client)
    SELECT session_id, user_id, :familyHash, :now, :now, :expiresAt, :expiresAt, :now, :client
    FROM security_event WHERE op_id = :opId`),
  defineStatement(`SELECT id FROM session WHERE id = :sessionId`),
];

export const END_ADMINISTRATOR_SESSION: Statement = defineStatement(`
  UPDATE session SET ended_at = :now, ended_reason = 'operator', ended_op = :opId
  WHERE id = :sessionId AND ended_at IS NULL`);
