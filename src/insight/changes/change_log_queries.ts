import { REVISION } from "../../db/revisions.ts";
import { defineStatement, probing, single, type Statement } from "../../db/statement.ts";
import { DRY_RUN_SUFFIX } from "../../role/change/change_queries.ts";
import { FEW_MEMBERSHIPS, isVisible, managesMembersOf, someRoleAbove } from "../../role/guard_queries.ts";
import { memberLives, ONE_ROW, PRINCIPAL_LIVES } from "../../role/principal_queries.ts";

/**
 * The change log as its readers see it. A row is about its role and its parent, and shown to the managers of either. A
 * reader passes each revision once, so no row may become visible later under a revision that readers have passed:
 * transactions commit in the order of their revisions, an attempt with a role's password gets a new row once it is
 * settled, and a refusal that is merged into a row changes nothing that is shown but for what the refusals do not share.
 *
 * Parameters: `:actorId`, `:sessionId`, `:now`, `:after`, `:limit`, `:kind`, `:decision`, `:actorEmail`, `:from`, `:to`
 * (each of the last five may be null), and `:roleId` where a role is asked for.
 */

/** Maximum rows that a page looks at, for a reader with a single membership. Each row is checked against each of a few. */
const LOOKED_AT = 20_000;

/** The same if a role is asked for: its rows have to be found and sorted first, and most of them are shown. */
const LOOKED_AT_OF_ROLE = 2000;

/** Maximum bytes of the id lists in one page. A server returns no text of more than 5 MB. */
const MAX_LIST_BYTES = 3_000_000;

const ROWS = `${LOOKED_AT} / max(1, (SELECT count(*) FROM (
  SELECT 1 FROM member WHERE user_id = :actorId LIMIT ${FEW_MEMBERSHIPS + 1})))`;

const ROWS_OF_ROLE = `min(${LOOKED_AT_OF_ROLE}, ${ROWS})`;

function isManaged(role: string): string {
  return someRoleAbove(role, managesMembersOf(role));
}

/**
 * SQL: for a deleted role, the parent in the row of its deletion, if the actor manages that. The history of a role ends
 * with the revision of that row, that of an existing role does not end.
 */
function managedHeir(role: string): string {
  return `(SELECT guard_deletion.parent_id FROM change_log guard_deletion
    WHERE guard_deletion.rev = (SELECT max(guard_past.to_rev) FROM role_history guard_past
      WHERE guard_past.role_id = ${role})
    AND ${isManaged("guard_deletion.parent_id")})`;
}

/** SQL: the role by which the actor sees what is about `role`: it, or the heir of a deleted one. Otherwise null. */
function seenBy(role: string): string {
  return `CASE WHEN ${isManaged(role)} THEN ${role} ELSE ${managedHeir(role)} END`;
}

/** SQL: the user has many memberships; see `HAS_FEW`. */
function hasMany(user: string): string {
  return `EXISTS (SELECT 1 FROM member guard_count WHERE guard_count.user_id = ${user}
    LIMIT 1 OFFSET ${FEW_MEMBERSHIPS})`;
}

/** SQL: the user or key is a member of the role, directly or indirectly. */
function hasAccess(user: string, role: string): string {
  return `(EXISTS (SELECT 1 FROM member guard_direct WHERE guard_direct.user_id = ${user}
      AND guard_direct.role_id = ${role} AND ${memberLives("guard_direct")})
    OR EXISTS (SELECT 1 FROM member guard_few CROSS JOIN role_closure guard_path
      ON guard_path.descendant_id = ${role} AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(${hasMany(user)}, NULL, ${user}) AND ${memberLives("guard_few")})
    OR EXISTS (SELECT 1 FROM role_closure guard_path CROSS JOIN member guard_many
      ON guard_many.user_id = ${user} AND guard_many.role_id = guard_path.ancestor_id
      WHERE guard_path.descendant_id = iif(${hasMany(user)}, ${role}, NULL) AND ${
    memberLives("guard_many")
  }))`;
}

/** SQL: the account that is asked for by its address. */
const ASKED_ACTOR = "(SELECT id FROM user_account WHERE email = :actorEmail)";

/** SQL: row `change` is one that anybody is shown, and matches the filters. */
const MATCHES = `change.effect NOT IN ('compare', 'abandoned') AND change.kind NOT LIKE '%${DRY_RUN_SUFFIX}'
  AND (:kind IS NULL OR change.kind = :kind) AND (:decision IS NULL OR change.decision = :decision)
  AND (:from IS NULL OR change.at >= :from) AND (:to IS NULL OR change.at <= :to)
  AND (:actorEmail IS NULL OR change.actor_id = ${ASKED_ACTOR})`;

/**
 * CTEs: `about`, the roles that the rows of `looked` are about, as far as the reader sees them, with the role by which they
 * do; and `active`, those of them to which the actor who is asked for has access. Each role is judged once, however many
 * rows are about it: with many memberships that takes a look at every role above.
 */
const ABOUT = `about(role_id, seen_role_id) AS MATERIALIZED (
    SELECT role_id, seen_role_id FROM (SELECT named.role_id, ${seenBy("named.role_id")} AS seen_role_id
      FROM (SELECT role_id FROM looked UNION SELECT parent_id FROM looked) named LIMIT -1)
    WHERE seen_role_id IS NOT NULL),
  active(role_id) AS MATERIALIZED (SELECT about.role_id FROM about
    WHERE :actorEmail IS NOT NULL AND ${hasAccess(ASKED_ACTOR, "about.seen_role_id")})`;

/** SQL: the reader may see row `looked`; and if they ask for an actor, know who that was. */
const IS_SHOWN =
  `(looked.role_id IN (SELECT role_id FROM about) OR looked.parent_id IN (SELECT role_id FROM about))
  AND (:actorEmail IS NULL OR looked.actor_id = :actorId OR looked.role_id IN (SELECT role_id FROM active)
    OR looked.parent_id IN (SELECT role_id FROM active))`;

/**
 * CTE: the revision after which the page begins, and the last one there is to look at. Times of rows never go back, so
 * those of a period are together.
 */
const BOUNDS = `bounds(begin_rev, last_rev) AS MATERIALIZED (SELECT
    max(:after, coalesce((SELECT min(rev) FROM change_log WHERE rev > :after) - 1, 0),
      CASE WHEN :from IS NULL THEN 0 ELSE coalesce(
        (SELECT rev FROM change_log WHERE at >= :from ORDER BY at, rev LIMIT 1) - 1, latest) END),
    CASE WHEN :to IS NULL THEN latest ELSE coalesce(
      (SELECT rev FROM change_log WHERE at <= :to ORDER BY at DESC, rev DESC LIMIT 1), 0) END
  FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) AS latest))`;

/** SQL: null unless the reader sees `:roleId`, so that a hidden role takes as long as an unknown one. */
const ASKED_ROLE = `(SELECT CASE WHEN ${isVisible(":roleId")} OR ${managedHeir(":roleId")} IS NOT NULL
  THEN :roleId END)`;

function rowsAbout(column: "role_id" | "parent_id"): string {
  return `SELECT rev FROM (SELECT rev FROM change_log WHERE ${column} = ${ASKED_ROLE}
    AND rev > (SELECT begin_rev FROM bounds) ORDER BY rev LIMIT ${ROWS_OF_ROLE})`;
}

/** CTEs: `span` with the last revision that the page looks at, and `found` with those about the role that is asked for. */
const SPAN_OF_ALL = `span(end_rev) AS MATERIALIZED (SELECT min(last_rev, begin_rev + ${ROWS}) FROM bounds)`;
const SPAN_OF_ROLE = `found(rev) AS MATERIALIZED (
    SELECT rev FROM (${rowsAbout("role_id")} UNION ${
  rowsAbout("parent_id")
}) ORDER BY rev LIMIT ${ROWS_OF_ROLE}),
  span(end_rev) AS MATERIALIZED (SELECT min(last_rev,
    CASE WHEN (SELECT count(*) FROM found) < ${ROWS_OF_ROLE} THEN last_rev ELSE (SELECT max(rev) FROM found) END) FROM bounds)`;

/** SQL: the person of row `change` is somebody whose address the reader may see. */
function showsPerson(person: string): string {
  return `(${person} = :actorId OR (${person}, shown.role_id) IN (SELECT user_id, role_id FROM known)
    OR (${person}, shown.parent_id) IN (SELECT user_id, role_id FROM known))`;
}

/** SQL: a manager of the role has seen who became or was a member. A refusal must not tell whose addresses have accounts. */
const SHOWS_SUBJECT = `(${
  showsPerson("change.subject_id")
} OR (change.decision IN ('ok', 'noop') AND shown.role_id = change.role_id))`;

/** SQL: the reader sees the role that row `change` is about, or its parent. */
function seesRole(column: "role_id" | "parent_id"): string {
  return `(shown.${column} IS NOT NULL OR change.${column} IN (SELECT role_id FROM visible))`;
}

const COLUMNS: Readonly<Record<string, string>> = {
  revision: "change.rev",
  at: "change.at",
  actorEmail: `CASE WHEN change.actor_id > 0 AND ${showsPerson("change.actor_id")} THEN (
    SELECT email FROM user_account WHERE id = change.actor_id) END`,
  actorKey: `CASE WHEN change.actor_id < 0 AND ${showsPerson("change.actor_id")} THEN json((
    SELECT json_object('id', id, 'name', name) FROM role_key WHERE id = -change.actor_id)) END`,
  kind: "change.kind",
  decision: "change.decision",
  roleId: `CASE WHEN ${seesRole("role_id")} THEN change.role_id END`,
  parentRoleId: `CASE WHEN ${seesRole("parent_id")} THEN change.parent_id END`,
  managesId:
    "CASE WHEN change.kind LIKE 'manages.%' OR change.kind = 'role.create' THEN change.relation_id END",
  memberEmail: `CASE WHEN change.kind LIKE 'member.%' AND ${SHOWS_SUBJECT} THEN (
    SELECT email FROM user_account WHERE id = change.subject_id) END`,
  keyId: "CASE WHEN change.kind LIKE 'key.%' THEN change.relation_id END",
  deviceId: "change.device_id",
  oldRights: "change.old_rights",
  newRights: "change.new_rights",
  deletedNodeIds: `json(coalesce(change.gone_role_ids, '[]'))`,
  deletedDeviceIds: `json(coalesce(change.gone_device_ids, '[]'))`,
  deletedRelationIds: `json(coalesce(change.gone_relation_ids,
    CASE WHEN change.kind IN ('member.remove', 'key.delete') AND change.decision = 'ok'
      THEN json_array(change.relation_id) END, '[]'))`,
};

const LIST_BYTES = `octet_length(coalesce(change.gone_role_ids, '')) +
  octet_length(coalesce(change.gone_device_ids, '')) + octet_length(coalesce(change.gone_relation_ids, ''))`;

/**
 * A page in one row, only while the principal lives. `nextRevision` is how far it looked, and `isEnd` whether there was no
 * more to look at. Rows without too long lists, but at least one.
 */
function page(span: string, candidates: string): Statement {
  const fields = Object.entries(COLUMNS).map(([name, value]) => `'${name}', ${value}`).join(", ");
  return single(defineStatement(`
    WITH ${BOUNDS}, ${span},
    looked(rev, role_id, parent_id, actor_id, bytes) AS MATERIALIZED (
      SELECT change.rev, change.role_id, change.parent_id, change.actor_id, ${LIST_BYTES} FROM ${candidates}
      WHERE change.rev > (SELECT begin_rev FROM bounds) AND change.rev <= (SELECT end_rev FROM span)
        AND ${MATCHES}),
    ${ABOUT},
    picked(rev, bytes) AS MATERIALIZED (
      SELECT rev, sum(bytes) OVER (ORDER BY rev) - bytes
      FROM (SELECT rev, bytes FROM looked WHERE ${IS_SHOWN} ORDER BY rev LIMIT :limit)),
    shown AS MATERIALIZED (
      SELECT change.rev, own.seen_role_id AS role_id, upper.seen_role_id AS parent_id,
        change.actor_id, change.subject_id, change.role_id AS about_role_id, change.parent_id AS about_parent_id
      FROM picked CROSS JOIN change_log change ON change.rev = picked.rev
        LEFT JOIN about own ON own.role_id = change.role_id
        LEFT JOIN about upper ON upper.role_id = change.parent_id
      WHERE picked.bytes <= ${MAX_LIST_BYTES}),
    visible(role_id) AS MATERIALIZED (
      SELECT role_id FROM (SELECT about_role_id AS role_id FROM shown WHERE role_id IS NULL
        UNION SELECT about_parent_id FROM shown WHERE parent_id IS NULL) unmanaged
      WHERE ${isVisible("unmanaged.role_id")}),
    known(user_id, role_id) AS MATERIALIZED (
      SELECT user_id, role_id FROM (
        SELECT actor_id AS user_id, role_id FROM shown UNION SELECT actor_id, parent_id FROM shown
        UNION SELECT subject_id, role_id FROM shown UNION SELECT subject_id, parent_id FROM shown) named
      WHERE role_id IS NOT NULL AND ${hasAccess("named.user_id", "named.role_id")})
    SELECT (SELECT json_group_array(json_object(${fields}))
        FROM shown CROSS JOIN change_log change ON change.rev = shown.rev) AS changes,
      CASE WHEN is_cut THEN (SELECT max(rev) FROM shown) ELSE max(:after, span.end_rev) END AS nextRevision,
      NOT is_cut AND span.end_rev = bounds.last_rev AS isEnd, ${REVISION}
    FROM ${ONE_ROW} CROSS JOIN bounds CROSS JOIN span
      CROSS JOIN (SELECT (SELECT count(*) FROM picked) = :limit
        OR (SELECT count(*) FROM picked) > (SELECT count(*) FROM shown) AS is_cut)
    WHERE ${PRINCIPAL_LIVES}`));
}

/** Pages of the log: of all changes that the reader may see, and of those about `:roleId`. */
export const CHANGE_PAGES = {
  all: page(SPAN_OF_ALL, "change_log change"),
  role: page(SPAN_OF_ROLE, "found CROSS JOIN change_log change ON change.rev = found.rev"),
};

/** The latest revision. */
export const LATEST_REVISION: Statement = probing(single(defineStatement(`SELECT ${REVISION}`)));
