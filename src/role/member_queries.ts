import { SECOND_MS } from "../core/clock.ts";
import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { insertPasswordLink } from "../identity/password_link_queries.ts";
import { sessionLives } from "../identity/security_queries.ts";
import { insertUser } from "../identity/user_queries.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import {
  INVITATION_WINDOW_SECONDS,
  INVITATIONS_PER_ADDRESS,
  INVITATIONS_PER_CALLER,
  THROTTLE_SCOPES,
} from "../throttle/limits.ts";
import { counterValue, countInWindow } from "../throttle/throttle_queries.ts";
import { nextId, recordChange, TAKE_RELATION_ID, whenEffect } from "./change/change_queries.ts";
import { managesMembersOf, someAuthorizingRole } from "./guard_queries.ts";

const BY_CALLER = THROTTLE_SCOPES.invitationByCaller;
const TO_ADDRESS = THROTTLE_SCOPES.invitationToAddress;
const INVITED = `EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("write")})`;
const MAY_MAIL = `${counterValue(TO_ADDRESS, ":addressKey", "count")} < ${INVITATIONS_PER_ADDRESS}`;

const CALLER_KEY = "CAST(:actorId AS TEXT)";
/** SQL: the end of the window in which the caller's invitations are counted. */
const CALLER_IS_FREE_AT = counterValue(BY_CALLER, CALLER_KEY, "expires_at");

/** Its previous owner recently gave the address up and may want it back, so no new account may take it. */
const IS_RESERVED = `EXISTS (SELECT 1 FROM reserved_email reserved
  WHERE reserved.email = :email AND reserved.reserved_until > :now)`;

/** Adding an existing member is a noop: no mail, no quota. Known and unknown addresses count alike. */
const DECIDE_ADD: Statement = recordChange({
  kind: "'member.add'",
  decided: `SELECT existing.id AS relation_id, invited.id AS subject_id, CASE
      WHEN NOT ${someAuthorizingRole(managesMembersOf(":roleId"))} THEN 'denied'
      WHEN existing.id IS NOT NULL THEN 'noop'
      WHEN invited.id IS NULL AND ${IS_RESERVED} THEN 'denied'
      WHEN ${counterValue(BY_CALLER, CALLER_KEY, "count")} >= ${INVITATIONS_PER_CALLER}
        THEN 'too_many_invitations'
      ELSE 'ok' END AS decision
    FROM session LEFT JOIN user_account invited ON invited.email = :email
      LEFT JOIN member existing ON existing.user_id = invited.id AND existing.role_id = :roleId
    WHERE ${sessionLives("session")}`,
  values: {
    role_id: ":roleId",
    relation_id: `CASE decision WHEN 'ok' THEN ${nextId("relation")} ELSE relation_id END`,
    subject_id: "subject_id",
  },
});

const INSERT_ACCOUNT: Statement = insertUser({
  language: ":language",
  source: `FROM change_log WHERE ${whenEffect("write")} AND subject_id IS NULL`,
});

const NOTE_SUBJECT: Statement = defineStatement(`
  UPDATE change_log SET subject_id = (SELECT id FROM user_account WHERE email = :email)
  WHERE ${whenEffect("write")}`);

const INSERT_MEMBER: Statement = defineStatement(`
  INSERT INTO member (id, role_id, user_id)
  SELECT relation_id, role_id, subject_id FROM change_log WHERE ${whenEffect("write")}`);

const COUNT_BY_CALLER: Statement = countInWindow(
  BY_CALLER,
  CALLER_KEY,
  INVITATION_WINDOW_SECONDS,
  INVITED,
);

/** An account without a password gets a link to set one. Any other account only gets a notice. */
const INSERT_LINK: Statement = insertPasswordLink({
  purpose: "invitation",
  user: "invited.id",
  expiresAt: ":linkExpiresAt",
  source: `FROM change_log CROSS JOIN user_account invited ON invited.id = change_log.subject_id
    WHERE ${whenEffect("write")} AND invited.password_hash IS NULL AND ${MAY_MAIL}`,
});

const QUEUE_MAIL: Statement = queueMail({
  id: ":mailId",
  template: { when: "invited.password_hash IS NULL", then: "invitation", otherwise: "member_added" },
  language: "coalesce(:mailLanguage, invited.language)",
  brand: ":brand",
  recipient: "invited.email",
  roleName: "role.name",
  actorEmail: "inviter.email",
  sealedParams: "CASE WHEN invited.password_hash IS NULL THEN :sealedParams END",
  expiresAt: ":linkExpiresAt",
  source: `FROM change_log CROSS JOIN user_account invited ON invited.id = change_log.subject_id
      CROSS JOIN user_account inviter ON inviter.id = change_log.actor_id
      CROSS JOIN role ON role.id = change_log.role_id
    WHERE ${whenEffect("write")} AND ${MAY_MAIL}`,
});

const COUNT_TO_ADDRESS: Statement = countInWindow(
  TO_ADDRESS,
  ":addressKey",
  INVITATION_WINDOW_SECONDS,
  `${INVITED} AND ${MAY_MAIL}`,
);

const READ_ADDED: Statement = defineStatement(`
  SELECT change_log.decision, change_log.cost, ${REVISION}, change_log.relation_id AS id,
    change_log.role_id AS roleId,
    user_account.email AS userEmail,
    (${CALLER_IS_FREE_AT} - :now) / ${SECOND_MS}.0 AS retryAfterSeconds
  FROM change_log LEFT JOIN user_account ON user_account.id = change_log.subject_id
  WHERE change_log.op_id = :opId`);

/** Makes the owner of an address a member of a role, with account and mail as needed. Returns an `AddedMemberRow`. */
export const ADD_MEMBER: readonly Statement[] = [
  DECIDE_ADD,
  INSERT_ACCOUNT,
  NOTE_SUBJECT,
  TAKE_RELATION_ID,
  INSERT_MEMBER,
  COUNT_BY_CALLER,
  INSERT_LINK,
  QUEUE_MAIL,
  COUNT_TO_ADDRESS,
  READ_ADDED,
];

/** Users may always leave a role, except as the last member of a root role. */
const DECIDE_REMOVE: Statement = recordChange({
  kind: "'member.remove'",
  decided: `SELECT existing.id AS relation_id, existing.user_id AS subject_id, CASE
      WHEN existing.id IS NULL THEN 'denied'
      WHEN NOT (existing.user_id = :actorId OR ${
    someAuthorizingRole(managesMembersOf(":roleId"))
  }) THEN 'denied'
      WHEN EXISTS (SELECT 1 FROM role root WHERE root.id = :roleId AND root.is_root)
        AND NOT EXISTS (SELECT 1 FROM member other WHERE other.role_id = :roleId AND other.id <> existing.id)
        THEN 'root_without_member'
      ELSE 'ok' END AS decision
    FROM session LEFT JOIN member existing ON existing.id = :relationId AND existing.role_id = :roleId
    WHERE ${sessionLives("session")}`,
  values: { role_id: ":roleId", relation_id: "relation_id", subject_id: "subject_id" },
});

const DELETE_MEMBER: Statement = defineStatement(`
  DELETE FROM member WHERE id = (SELECT relation_id FROM change_log WHERE ${whenEffect("write")})`);

const READ_REMOVED: Statement = defineStatement(
  `SELECT decision, cost, ${REVISION}, relation_id AS id FROM change_log WHERE op_id = :opId`,
);

/** Ends a membership. The last statement returns a `DecisionRow`. */
export const REMOVE_MEMBER: readonly Statement[] = [DECIDE_REMOVE, DELETE_MEMBER, READ_REMOVED];
