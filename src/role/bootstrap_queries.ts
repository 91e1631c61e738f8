import { defineStatement, type Statement } from "../db/statement.ts";
import { insertPasswordLink, insertUser, updateUser } from "../identity/identity_text.ts";
import { queueMail } from "../mail/mail_text.ts";
import { keepsRoot } from "./member_text.ts";
import { ALL_RIGHTS } from "./rights.ts";

/** The session id in the change log for changes that the administrator makes. No user's session has it. */
export const ADMINISTRATOR_SESSION = "operator";

const CREATED = "FROM change_log WHERE op_id = :opId AND effect = 'write'";
const ROOT_EXISTS = `EXISTS (SELECT 1 FROM role CROSS JOIN member ON member.role_id = role.id AND ${
  keepsRoot("member")
}
  WHERE role.name = :name AND role.is_root)`;

/**
 * An import creates roots without members, and those above such a root can give it members who do not keep it. The oldest
 * of this name gets its first member that does, and keeps its rights.
 */
const ROOT_WITHOUT_KEEPER = `(SELECT min(root.id) FROM role root WHERE root.name = :name AND root.is_root
  AND NOT EXISTS (SELECT 1 FROM member WHERE member.role_id = root.id AND ${keepsRoot("member")}))`;

/** The oldest root role of this name, since roots can be renamed to the same name, with the first member that keeps it. */
const FIRST_ROOT = `FROM role CROSS JOIN member ON member.role_id = role.id AND ${keepsRoot("member")}
  WHERE role.name = :name AND role.is_root ORDER BY role.id, member.id LIMIT 1`;

export const FIND_ROOT: Statement = defineStatement(`
  SELECT role.id AS roleId, member.user_id AS userId, member.id AS memberId ${FIRST_ROOT}`);

/**
 * Creates a root role with its first member, which only the administrator may do. Does nothing if a root role of that
 * name has a member that keeps it. An account that has a password keeps it. Returns a `BootstrapRow`.
 */
export const BOOTSTRAP: readonly Statement[] = [
  insertUser({ language: "'en'", source: `WHERE NOT ${ROOT_EXISTS}` }),
  defineStatement(`
    INSERT INTO change_log (op_id, at, actor_id, session_id, kind, subject_id, new_rights, decision, effect, details)
    SELECT :opId, :now, id, '${ADMINISTRATOR_SESSION}', 'role.bootstrap', id, ${ALL_RIGHTS}, 'ok', 'write',
      json_object('name', :name)
    FROM user_account WHERE email = :email AND NOT ${ROOT_EXISTS}`),
  defineStatement(`UPDATE id_sequence SET last_id = last_id + 1 WHERE EXISTS (SELECT 1 ${CREATED})`),
  defineStatement(`
    UPDATE change_log SET role_id = coalesce(${ROOT_WITHOUT_KEEPER}, (SELECT last_id FROM id_sequence WHERE name = 'node')),
      relation_id = (SELECT last_id FROM id_sequence WHERE name = 'relation'),
      gone_relation_ids = (SELECT json_array(limited.id) FROM member limited
        WHERE limited.role_id = ${ROOT_WITHOUT_KEEPER} AND limited.user_id = subject_id)
    WHERE op_id = :opId AND effect = 'write'`),
  defineStatement(`
    INSERT INTO role (id, name, self_rights, is_root) SELECT role_id, :name, ${ALL_RIGHTS}, 1 ${CREATED}
    ON CONFLICT (id) DO NOTHING`),
  defineStatement(`DELETE FROM member WHERE id = (SELECT gone_relation_ids ->> 0 ${CREATED})`),
  defineStatement(
    `INSERT INTO member (id, role_id, user_id) SELECT relation_id, role_id, subject_id ${CREATED}`,
  ),
  updateUser(
    { passwordHash: ":passwordHash" },
    `:passwordHash IS NOT NULL AND password_hash IS NULL AND id = (SELECT subject_id ${CREATED})`,
  ),
  insertPasswordLink({
    purpose: "invitation",
    user: "id",
    expiresAt: ":linkExpiresAt",
    source: `FROM user_account WHERE password_hash IS NULL AND id = (SELECT subject_id ${CREATED})`,
  }),
  queueMail({
    id: ":mailId",
    template: "invitation",
    language: "language",
    recipient: "email",
    roleName: ":name",
    sealedParams: ":sealedParams",
    expiresAt: ":linkExpiresAt",
    source: `FROM user_account WHERE password_hash IS NULL AND id = (SELECT subject_id ${CREATED})`,
  }),
  defineStatement(`
    SELECT EXISTS (SELECT 1 ${CREATED}) AS created, EXISTS (SELECT 1 FROM outbox WHERE id = :mailId) AS invited,
      EXISTS (SELECT 1 FROM user_account WHERE id = member.user_id AND password_hash = :passwordHash) AS passwordSet,
      role.id AS roleId, member.user_id AS userId, member.id AS memberId ${FIRST_ROOT}`),
];
