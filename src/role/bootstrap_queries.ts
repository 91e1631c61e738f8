import { defineStatement, type Statement } from "../db/statement.ts";
import { ALL_RIGHTS } from "./rights.ts";

/** The session id that the change log names for what the operator does: no session of a user has it. */
export const OPERATOR_SESSION = "operator";

const CREATED = "FROM change_log WHERE op_id = :opId AND effect = 'write'";

/**
 * Makes a root role with its first member, as the operator only may. A root role of that name that is there already
 * stays as it is, and so does the password of an account that has one. Ends in a `BootstrapRow`.
 */
export const BOOTSTRAP: readonly Statement[] = [
  defineStatement(`
    INSERT INTO user_account (email, created_at) SELECT :email, :now WHERE true ON CONFLICT (email) DO NOTHING`),
  defineStatement(`
    INSERT INTO change_log (op_id, at, actor_id, session_id, kind, subject_id, new_rights, decision, effect, details)
    SELECT :opId, :now, id, '${OPERATOR_SESSION}', 'role.bootstrap', id, ${ALL_RIGHTS},
      CASE WHEN found THEN 'noop' ELSE 'ok' END, CASE WHEN found THEN 'none' ELSE 'write' END,
      json_object('name', :name)
    FROM (SELECT id, EXISTS (SELECT 1 FROM role WHERE name = :name AND is_root) AS found
      FROM user_account WHERE email = :email)`),
  defineStatement(`UPDATE id_sequence SET last_id = last_id + 1 WHERE EXISTS (SELECT 1 ${CREATED})`),
  defineStatement(`
    UPDATE change_log SET role_id = (SELECT last_id FROM id_sequence WHERE name = 'node'),
      relation_id = (SELECT last_id FROM id_sequence WHERE name = 'relation')
    WHERE op_id = :opId AND effect = 'write'`),
  defineStatement(`
    INSERT INTO role (id, name, self_rights, is_root) SELECT role_id, :name, ${ALL_RIGHTS}, 1 ${CREATED}`),
  defineStatement(
    `INSERT INTO member (id, role_id, user_id) SELECT relation_id, role_id, subject_id ${CREATED}`,
  ),
  defineStatement(`
    UPDATE user_account SET password_hash = :passwordHash, password_changed_at = :now
    WHERE :passwordHash IS NOT NULL AND password_hash IS NULL AND id = (SELECT subject_id ${CREATED})`),
  defineStatement(`
    INSERT INTO password_link (mac, purpose, user_id, created_at, expires_at)
    SELECT :linkMac, 'invitation', id, :now, :linkExpiresAt FROM user_account
    WHERE password_hash IS NULL AND id = (SELECT subject_id ${CREATED})`),
  defineStatement(`
    INSERT INTO outbox (id, created_at, template, language, recipient, role_name, actor_email, sealed_params, expires_at)
    SELECT :mailId, :now, 'invitation', language, email, :name, email, :sealedParams, :linkExpiresAt FROM user_account
    WHERE password_hash IS NULL AND id = (SELECT subject_id ${CREATED})`),
  defineStatement(`
    SELECT change_log.decision, change_log.subject_id AS userId, change_log.role_id AS roleId,
      change_log.relation_id AS memberId, EXISTS (SELECT 1 FROM outbox WHERE id = :mailId) AS invited
    FROM change_log WHERE op_id = :opId`),
];
