import { SECOND_MS } from "../core/clock.ts";
import { REVISION } from "../db/revisions.ts";
import { render } from "../db/sql.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { insertPasswordLink, insertUser } from "../identity/identity_text.ts";
import { queueMail } from "../mail/mail_text.ts";
import {
  INVITATION_WINDOW_SECONDS,
  INVITATIONS_PER_ADDRESS,
  INVITATIONS_PER_CALLER,
  THROTTLE_SCOPES,
} from "../throttle/limits.ts";
import { counterValue, countInWindow } from "../throttle/throttle_text.ts";
import {
  CHARGE_PREVIEW,
  type Previewable,
  previewable,
  type Run,
  TAKE_RELATION_ID,
} from "./change/change_queries.ts";
import { nextId, recordChange, whenEffect } from "./change/change_text.ts";
import { chargeChange } from "./change/charge_queries.ts";
import { COST_OF_MEMBERSHIP } from "./preview/effect_queries.ts";
import { FEW_MEMBERSHIPS } from "./guard_queries.ts";
import {
  ACTOR_IS_USER,
  byReach,
  HAS_FEW,
  managesMembersOf,
  mayGive,
  mayGiveUntil,
  memberLives,
  ONE_ROW,
  PRINCIPAL_LIVES,
  someGivingRole,
} from "./guard_text.ts";
import { maskOf } from "./rights.ts";

const BY_CALLER = THROTTLE_SCOPES.invitationByCaller;
const TO_ADDRESS = THROTTLE_SCOPES.invitationToAddress;
const INVITED = `EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("write")})`;
const MAY_MAIL = `${counterValue(TO_ADDRESS, ":addressKey", "count")} < ${INVITATIONS_PER_ADDRESS}`;

const CALLER_KEY = ":payer";
/** SQL: the end of the window in which the caller's invitations are counted. */
const CALLER_IS_FREE_AT = counterValue(BY_CALLER, CALLER_KEY, "expires_at");

/** Its previous owner recently gave the address up and may want it back, so no new account may take it. */
const IS_RESERVED = `EXISTS (SELECT 1 FROM reserved_email reserved
  WHERE reserved.email = :email AND reserved.reserved_until > :now)`;

/** SQL: the membership is a person's, lets them manage roles, and does not end. Every root role keeps such a member. */
export function keepsRoot(member: string): string {
  return `(${member}.user_id > 0 AND ${member}.rights & ${
    maskOf("roleManagement")
  } AND ${member}.ends_at IS NULL)`;
}

/** SQL: `member` is an alias of the last membership that keeps a root role. */
export function isLastKeeper(member: string): string {
  return `(${keepsRoot(member)}
    AND EXISTS (SELECT 1 FROM role root WHERE root.id = ${member}.role_id AND root.is_root)
    AND NOT EXISTS (SELECT 1 FROM member other WHERE other.role_id = ${member}.role_id AND other.id <> ${member}.id
      AND ${keepsRoot("other")}))`;
}

/**
 * CTEs. `asked` is the member as it is and as the request wants it: an absent field (`:rights` is null, `:setsEnd` is
 * 0) leaves an existing member's as it is. `granting` is the membership of the actor that authorizes it. What a new
 * member gets lies within it, and so does what an existing one has once it is widened or prolonged.
 */
const ASKED = `asked AS MATERIALIZED (
    SELECT *, member_id IS NOT NULL AND (rights <> old_rights OR ends_at IS NOT old_ends_at) AS changes,
      member_id IS NOT NULL AND (rights & ~old_rights OR (old_ends_at IS NOT NULL AND coalesce(ends_at > old_ends_at, true)))
        AS widens
    FROM (SELECT invited.id AS subject_id, existing.id AS member_id, ended.id AS ended_id,
        existing.rights AS old_rights, existing.ends_at AS old_ends_at, coalesce(:rights, existing.rights) AS rights,
        CASE WHEN :setsEnd THEN :endsAt ELSE existing.ends_at END AS ends_at
      FROM ${ONE_ROW} LEFT JOIN user_account invited ON invited.email = :email
        LEFT JOIN member existing ON existing.user_id = invited.id AND existing.role_id = :roleId
          AND ${memberLives("existing")}
        LEFT JOIN member ended ON ended.user_id = invited.id AND ended.role_id = :roleId AND existing.id IS NULL
      WHERE ${PRINCIPAL_LIVES})),
  granting AS MATERIALIZED (
    SELECT acting.rights AS most_rights, acting.ends_at AS latest_end FROM asked CROSS JOIN member acting
    WHERE acting.user_id = :actorId AND ${memberLives("acting")} AND ${ACTOR_IS_USER}
      AND (${managesMembersOf(":roleId")}) AND CASE
        WHEN asked.member_id IS NULL THEN ${mayGive("coalesce(:rights, 0)")}
          AND (NOT :setsEnd OR ${mayGiveUntil("0", ":endsAt")})
        WHEN asked.widens THEN ${mayGiveUntil("asked.rights", "asked.ends_at")}
        ELSE true END
    ORDER BY ${byReach("acting")} LIMIT 1)`;

/** SQL: the member is the last that keeps a root role. */
const KEEPS_ROOT_ALONE = `EXISTS (SELECT 1 FROM member kept WHERE kept.id = member_id AND ${
  isLastKeeper("kept")
})`;

/** SQL: the request ends the membership or takes roleManagement from it. */
const UNKEEPS_ROOT = `(rights & ${maskOf("roleManagement")} = 0 OR ends_at IS NOT NULL)`;

/** SQL: another user takes a right from the membership. Of the last that keeps a root, no one could give it back. */
const NARROWS_ANOTHER = "(old_rights & ~rights AND subject_id <> :actorId)";

const REFUSE_INVITATION = `WHEN ${
  counterValue(BY_CALLER, CALLER_KEY, "count")
} >= ${INVITATIONS_PER_CALLER} THEN 'too_many_invitations'`;

/**
 * An existing member who stays as they are is a noop. Only new members cause mail and count as invitations, known and
 * unknown addresses alike. `isCounted`: the rehearsal of this change has counted it.
 */
function decidePut(run: Run, isCounted = false): Statement {
  return recordChange({
    kind: "CASE WHEN changes THEN 'member.update' ELSE 'member.add' END",
    ctes: ASKED,
    decided: `SELECT asked.*, most_rights, latest_end, CASE
      WHEN most_rights IS NULL THEN 'denied'
      WHEN member_id IS NOT NULL AND NOT changes THEN 'noop'
      WHEN ${UNKEEPS_ROOT} AND ${KEEPS_ROOT_ALONE} THEN 'root_without_manager'
      WHEN ${NARROWS_ANOTHER} AND ${KEEPS_ROOT_ALONE} THEN 'denied'
      WHEN changes THEN 'ok'
      WHEN subject_id IS NULL AND ${IS_RESERVED} THEN 'denied'
      ${isCounted ? "" : REFUSE_INVITATION}
      ELSE 'ok' END AS ruling
    FROM asked LEFT JOIN granting ON true`,
    charged: {
      by: managesMembersOf(":roleId"),
      // An end can be moved earlier a million times, so only the first one is free.
      takesAway: "changes AND NOT widens AND (rights <> old_rights OR old_ends_at IS NULL)",
    },
    values: {
      role_id: ":roleId",
      relation_id: `CASE WHEN decision = 'ok' AND member_id IS NULL THEN ${
        nextId("relation", run)
      } ELSE member_id END`,
      // Refusals are merged by it, so an account that the caller knows nothing of would have a row of its own.
      subject_id: "CASE WHEN decision IN ('ok', 'noop') OR member_id IS NOT NULL THEN subject_id END",
      old_rights: "old_rights",
      new_rights: "coalesce(rights, most_rights)",
      // The row of an earlier membership, which has ended, is replaced.
      gone_relation_ids: "CASE WHEN decision = 'ok' AND ended_id IS NOT NULL THEN json_array(ended_id) END",
      ...(run === "dry" ? { cost: render(COST_OF_MEMBERSHIP) } : {}),
      details: `CASE WHEN decision IN ('ok', 'noop') THEN json_object('oldUntil', old_ends_at, 'until',
      CASE WHEN member_id IS NOT NULL OR :setsEnd THEN ends_at ELSE latest_end END) END`,
    },
    effect: "CASE WHEN decision <> 'ok' THEN 'none' WHEN changes THEN 'update' ELSE 'write' END",
  }, run);
}

const INSERT_ACCOUNT: Statement = insertUser({
  language: ":language",
  source: `FROM change_log WHERE ${whenEffect("write")} AND subject_id IS NULL`,
});

const NOTE_SUBJECT: Statement = defineStatement(`
  UPDATE change_log SET subject_id = (SELECT id FROM user_account WHERE email = :email)
  WHERE ${whenEffect("write")}`);

const DELETE_ENDED: Statement = defineStatement(`
  DELETE FROM member WHERE id = (SELECT gone_relation_ids ->> 0 FROM change_log WHERE ${
  whenEffect("write")
})`);

const INSERT_MEMBER: Statement = defineStatement(`
  INSERT INTO member (id, role_id, user_id, rights, ends_at)
  SELECT relation_id, role_id, subject_id, new_rights, details ->> 'until' FROM change_log WHERE ${
  whenEffect("write")
}`);

const UPDATE_MEMBER: Statement = defineStatement(`
  UPDATE member SET (rights, ends_at) = (SELECT new_rights, details ->> 'until' FROM change_log WHERE ${
  whenEffect("update")
})
  WHERE id = (SELECT relation_id FROM change_log WHERE ${whenEffect("update")})`);

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

const READ_PUT: Statement = defineStatement(`
  SELECT change_log.decision, change_log.cost, ${REVISION}, change_log.relation_id AS id,
    change_log.role_id AS roleId, user_account.email AS userEmail, change_log.new_rights AS rights,
    change_log.details ->> 'until' AS endsAt,
    (${CALLER_IS_FREE_AT} - :now) / ${SECOND_MS}.0 AS retryAfterSeconds
  FROM change_log LEFT JOIN user_account ON user_account.id = change_log.subject_id
  WHERE change_log.op_id = :opId`);

/** Counts a dry run for a new member like the invitation that it tries, so that nobody tries more. */
const COUNT_REHEARSED: Statement = countInWindow(
  BY_CALLER,
  CALLER_KEY,
  INVITATION_WINDOW_SECONDS,
  "EXISTS (SELECT 1 FROM change_log WHERE op_id = :opId AND decision = 'ok' AND old_rights IS NULL)",
);

/** Known and unknown addresses alike. */
const READ_REHEARSED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, relation_id AS id, role_id AS roleId, :email AS userEmail, new_rights AS rights,
    details ->> 'until' AS endsAt, (${CALLER_IS_FREE_AT} - :now) / ${SECOND_MS}.0 AS retryAfterSeconds,
    old_rights AS oldRights
  FROM change_log WHERE op_id = :opId`);

const MAKE_MEMBER: readonly Statement[] = [
  INSERT_ACCOUNT,
  NOTE_SUBJECT,
  TAKE_RELATION_ID,
  DELETE_ENDED,
  INSERT_MEMBER,
  UPDATE_MEMBER,
  INSERT_LINK,
  QUEUE_MAIL,
  COUNT_TO_ADDRESS,
  chargeChange(),
  READ_PUT,
];

/**
 * Makes the owner of an address a member of a role, with account and mail as needed, or changes what an existing member
 * may use and until when. Returns a `PutMemberRow`.
 */
export const PUT_MEMBER: Previewable = previewable({
  make: [decidePut("real"), COUNT_BY_CALLER, ...MAKE_MEMBER],
  remake: [decidePut("real", true), ...MAKE_MEMBER],
  rehearse: [decidePut("dry"), COUNT_REHEARSED, CHARGE_PREVIEW, READ_REHEARSED],
});

/**
 * Users may always leave a role, except as the last member that keeps a root role. A key removes whom its maker could
 * remove, too: otherwise the key of a removed member could remove everybody who can delete it.
 */
function decideRemove(run: Run): Statement {
  return recordChange({
    kind: "'member.remove'",
    decided:
      `SELECT existing.id AS relation_id, existing.user_id AS subject_id, existing.rights AS old_rights, CASE
      WHEN existing.id IS NULL THEN 'denied'
      WHEN NOT (existing.user_id = :actorId OR ${someGivingRole(managesMembersOf(":roleId"))}) THEN 'denied'
      WHEN ${isLastKeeper("existing")} THEN 'root_without_member'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN member existing ON existing.id = :relationId AND existing.role_id = :roleId
      AND existing.user_id > 0 AND ${memberLives("existing")}
    WHERE ${PRINCIPAL_LIVES}`,
    values: {
      role_id: ":roleId",
      relation_id: "relation_id",
      subject_id: "subject_id",
      ...(run === "dry"
        ? { old_rights: "CASE WHEN decision = 'ok' THEN old_rights END", cost: render(COST_OF_MEMBERSHIP) }
        : {}),
    },
  }, run);
}

const DELETE_MEMBER: Statement = defineStatement(`
  DELETE FROM member WHERE id = (SELECT relation_id FROM change_log WHERE ${whenEffect("write")})`);

/** Maximum number of a removed member's keys that are scanned, the newest first. */
const SCANNED_KEYS = 200;
/** Maximum numbers of the roles, that one and roles below it, and of their keys that are searched for the member's. */
const SEARCHED_ROLES = 200;
const SEARCHED_KEYS = 1000;
export const MOST_NAMED_KEYS = 100;

/**
 * SQL: a JSON list of the live keys that a removed member made, in that role and roles below it, where a membership by
 * which the actor may remove them also manages the members. The keys stay. Null for members who leave by themselves:
 * they know their keys. Searches the member's keys and, since those can be padded elsewhere, those of the roles. Scans
 * the actor's memberships once, and for each key the first few that allow the removal.
 */
const STAYING_KEYS = `CASE WHEN decision = 'ok' AND subject_id <> actor_id THEN (
    WITH authorizing(role_id, rights) AS MATERIALIZED (
      SELECT acting.role_id, acting.rights FROM member acting WHERE acting.user_id = :actorId
        AND ${memberLives("acting")} AND (${managesMembersOf(":roleId")}) LIMIT ${FEW_MEMBERSHIPS}),
    searched(role_id) AS (SELECT :roleId UNION ALL SELECT * FROM (
      SELECT descendant_id FROM role_closure WHERE ancestor_id = :roleId LIMIT ${SEARCHED_ROLES})),
    found(id, role_id, name) AS (
      SELECT * FROM (SELECT latest.id, latest.role_id, latest.name FROM role_key latest
        WHERE latest.created_by = change_log.subject_id ORDER BY latest.created_at DESC LIMIT ${SCANNED_KEYS})
      UNION SELECT kept.id, kept.role_id, kept.name FROM (
        SELECT owned.id, owned.role_id, owned.name, owned.created_by FROM searched
        CROSS JOIN role_key owned ON owned.role_id = searched.role_id LIMIT ${SEARCHED_KEYS}) kept
      WHERE kept.created_by = change_log.subject_id)
    SELECT json_group_array(json_object('id', staying.id, 'roleId', staying.role_id, 'name', staying.name)) FROM (
      SELECT made.id, made.role_id, made.name FROM found made
      CROSS JOIN member living ON living.id = made.id AND ${memberLives("living")}
      WHERE (made.role_id = :roleId OR EXISTS (SELECT 1 FROM role_closure below
          WHERE below.descendant_id = made.role_id AND below.ancestor_id = :roleId))
        AND EXISTS (SELECT 1 FROM authorizing acting WHERE ${managesMembersOf("made.role_id")})
      ORDER BY made.id LIMIT ${MOST_NAMED_KEYS}) staying) END`;

/**
 * SQL: the removed member made more keys than are scanned, or made some, and the actor has more memberships than may be
 * looked from: the response then tells that there may be others. An actor can be made a member of many roles.
 */
const HAS_UNSCANNED_KEYS = `(decision = 'ok' AND subject_id <> actor_id AND (
    SELECT 1 FROM role_key WHERE created_by = change_log.subject_id
    LIMIT 1 OFFSET CASE WHEN ${HAS_FEW} THEN ${SCANNED_KEYS} ELSE 0 END) IS NOT NULL)`;

const READ_REMOVED: Statement = defineStatement(
  `SELECT decision, cost, ${REVISION}, relation_id AS id, old_rights AS oldRights, ${STAYING_KEYS} AS stayingKeys,
    ${HAS_UNSCANNED_KEYS} AS hasUnscannedKeys
  FROM change_log WHERE op_id = :opId`,
);

/** Ends a membership. The last statement returns a `RemovedMemberRow`. */
export const REMOVE_MEMBER: Previewable = previewable({
  make: [decideRemove("real"), DELETE_MEMBER, READ_REMOVED],
  rehearse: [decideRemove("dry"), CHARGE_PREVIEW, READ_REMOVED],
});
