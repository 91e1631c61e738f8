import { REVISION } from "../../db/revisions.ts";
import { defineStatement, probing, type Statement } from "../../db/statement.ts";
import { DRY_RUN_SUFFIX } from "../../role/change/change_queries.ts";
import { FEW_MEMBERSHIPS } from "../../role/guard_queries.ts";
import {
  HAS_FEW,
  isOneVisible,
  isVisible,
  managesMembersOf,
  memberLives,
  PRINCIPAL_LIVES,
  someAuthorizingRole,
  someRoleAbove,
} from "../../role/guard_text.ts";
import { affordedId } from "../../role/price_text.ts";

/**
 * The change log as its readers see it. A row is about its role and its parent, and shown to the managers of either. A
 * reader passes each revision once, so no row may become visible later under a revision that readers have passed:
 * transactions commit in the order of their revisions, an attempt with a role's password gets a new row once it is
 * settled, and a refusal that is merged into a row changes nothing that is shown but for what the refusals do not
 * share.
 *
 * Parameters: `:actorId`, `:sessionId`, `:now`, `:after`, `:limit`, `:kind`, `:decision`, `:actorEmail`, `:from`, `:to`
 * (each of the last five may be null), and `:roleId` where a role is asked for.
 */

/**
 * Maximum rows that a page looks at, for a reader with a single membership. Each row is checked against each of a few.
 */
const LOOKED_AT = 20_000;

/** The same if a role is asked for: its rows have to be found and sorted first, and most of them are shown. */
const LOOKED_AT_OF_ROLE = 2000;

/** The same for a reader with many memberships, for whom each row takes a scan of all roles above. */
const LOOKED_AT_BY_MANY = 100;

/** Maximum bytes of the id lists in one page. A server returns no text of more than 5 MB. */
const MAX_LIST_BYTES = 3_000_000;

const ROWS = `${LOOKED_AT} / max(1, (SELECT count(*) FROM (
  SELECT 1 FROM member WHERE user_id = :actorId LIMIT ${FEW_MEMBERSHIPS + 1})))`;

const ROWS_OF_ROLE = `iif(${HAS_FEW}, min(${LOOKED_AT_OF_ROLE}, ${ROWS}), ${LOOKED_AT_BY_MANY})`;

/**
 * SQL: the role by which the actor sees what is about `role`, or null: the role itself, or, if it is deleted, the
 * parent in the row of its deletion, if the actor manages that. The history of a role ends with the revision of that
 * row, that of an existing role does not end. `someRole` tells how the actor's memberships are searched.
 */
function seenBy(role: string, someRole = someRoleAbove): string {
  return `(SELECT guard_place.role_id FROM (
      SELECT ${role} AS role_id
      UNION ALL SELECT guard_deletion.parent_id FROM change_log guard_deletion
      WHERE guard_deletion.rev = (SELECT max(guard_past.to_rev) FROM role_history guard_past
        WHERE guard_past.role_id = ${role})) guard_place
    WHERE ${someRole("guard_place.role_id", managesMembersOf("guard_place.role_id"))} LIMIT 1)`;
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
 * CTEs: the roles that the rows of `looked` are about, as far as the reader sees them, with the role by which they do.
 * Each role is judged once, however many rows are about it: with many memberships that takes a look at every role
 * above. The ids are cast, since SQLite makes no index over values that have no type: without it, each row would look
 * through all roles.
 */
const ABOUT = `about(role_id, seen_role_id) AS MATERIALIZED (
    SELECT role_id, seen_role_id
    FROM (SELECT named.role_id, ${seenBy("named.role_id")} AS seen_role_id
      FROM (SELECT DISTINCT CAST(place.value AS INTEGER) AS role_id
        FROM looked CROSS JOIN json_each(json_array(looked.role_id, looked.parent_id)) place) named LIMIT -1)
    WHERE seen_role_id IS NOT NULL)`;

/**
 * CTEs: the rows that the reader sees, with the roles by which they do, and how far it can be found out whom they show:
 * for a person with many memberships, that takes a look at every role above, too.
 */
const SEEN = `${ABOUT},
    seen AS MATERIALIZED (
      SELECT looked.*, own.seen_role_id AS by_role_id, upper.seen_role_id AS by_parent_id
      FROM looked LEFT JOIN about own ON own.role_id = looked.role_id
        LEFT JOIN about upper ON upper.role_id = looked.parent_id
      WHERE own.role_id IS NOT NULL OR upper.role_id IS NOT NULL),
    found_to(rev) AS MATERIALIZED (SELECT ${
  affordedId(
    `SELECT seen.rev AS id, place.value AS role_id
      FROM seen CROSS JOIN json_each(json_array(seen.by_role_id, seen.by_parent_id)) place`,
    "true",
  )
})`;

/**
 * CTE: the revision that the reader has passed, the one after which the page begins, and the last one there is to look
 * at. Times of rows never go back, so those of a period are together. Nobody has passed what is not written yet:
 * `:after` may come from a database that has since been restored to an earlier state.
 */
const BOUNDS = `bounds(passed_rev, begin_rev, last_rev) AS MATERIALIZED (SELECT min(:after, latest),
    max(:after, coalesce((SELECT min(rev) FROM change_log WHERE rev > :after) - 1, 0),
      CASE WHEN :from IS NULL THEN 0 ELSE coalesce(
        (SELECT rev FROM change_log WHERE at >= :from ORDER BY at, rev LIMIT 1) - 1, latest) END),
    CASE WHEN :to IS NULL THEN latest ELSE coalesce(
      (SELECT rev FROM change_log WHERE at <= :to ORDER BY at DESC, rev DESC LIMIT 1), 0) END
  FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) AS latest))`;

/** CTE: null unless the reader sees `:roleId`, so that a hidden role takes as long as an unknown one. */
const ASKED_ROLE = `asked(role_id) AS MATERIALIZED (SELECT CASE WHEN ${isOneVisible(":roleId")}
  OR ${seenBy(":roleId", (_, condition) => someAuthorizingRole(condition))} IS NOT NULL THEN :roleId END)`;

function rowsAbout(column: "role_id" | "parent_id"): string {
  return `SELECT rev FROM (SELECT rev FROM change_log WHERE ${column} = (SELECT role_id FROM asked)
    AND rev > (SELECT begin_rev FROM bounds) ORDER BY rev LIMIT ${ROWS_OF_ROLE})`;
}

/** CTE: `span` with the last revision that the page scans. */
const SPAN_OF_ALL = `span(end_rev) AS MATERIALIZED (SELECT min(last_rev, begin_rev + ${ROWS}, ${
  affordedId(`SELECT change.rev AS id, place.value AS role_id
    FROM change_log change CROSS JOIN json_each(json_array(change.role_id, change.parent_id)) place
    WHERE change.rev > begin_rev AND change.rev <= begin_rev + ${ROWS} AND ${MATCHES}`)
}) FROM bounds)`;

/** CTEs: the same, and `found` with the rows about the requested role. */
const SPAN_OF_ROLE = `${ASKED_ROLE},
  found(rev) AS MATERIALIZED (
    SELECT rev FROM (${rowsAbout("role_id")} UNION ${
  rowsAbout("parent_id")
}) ORDER BY rev LIMIT ${ROWS_OF_ROLE}),
  span(end_rev) AS MATERIALIZED (SELECT min(last_rev, iif(rows < ${ROWS_OF_ROLE}, last_rev, found_to))
    FROM bounds CROSS JOIN (SELECT count(*) AS rows, max(rev) AS found_to FROM found))`;

/**
 * SQL: a person of a row, whom the reader sees because they are the reader or have access to a role by which the reader
 * sees the row: `role_id` or `parent_id`.
 */
function showsPerson(person: string): string {
  return `(${person} = :actorId OR EXISTS (SELECT 1 FROM (SELECT role_id AS id UNION ALL SELECT parent_id) place
      WHERE ${hasAccess(person, "place.id")}))`;
}

/**
 * What else is found out about a row: the SQL, and the columns that it depends on. It is found for the first of the
 * rows that share these, since it may take a look at every role above.
 */
const FINDINGS = [
  {
    name: "sees_role",
    by: "about_role_id",
    found: `CASE WHEN role_id IS NULL THEN ${isVisible("about_role_id")} ELSE true END`,
  },
  {
    name: "sees_parent",
    by: "about_parent_id",
    found: `CASE WHEN parent_id IS NULL THEN ${isVisible("about_parent_id")} ELSE true END`,
  },
  { name: "shows_actor", by: "actor_id, role_id, parent_id", found: showsPerson("actor_id") },
  { name: "shows_subject", by: "subject_id, role_id, parent_id", found: showsPerson("subject_id") },
] as const;

/**
 * SQL: a manager of the role has seen who became or was a member. A refusal must not tell whose addresses have
 * accounts.
 */
const SHOWS_SUBJECT =
  `(shown.shows_subject OR (change.decision IN ('ok', 'noop') AND shown.role_id = change.role_id))`;

const COLUMNS: Readonly<Record<string, string>> = {
  revision: "change.rev",
  at: "change.at",
  actorEmail: `CASE WHEN change.actor_id > 0 AND shown.shows_actor THEN (
    SELECT email FROM user_account WHERE id = change.actor_id) END`,
  actorKey: `CASE WHEN change.actor_id < 0 AND shown.shows_actor THEN json((
    SELECT json_object('id', id, 'name', name) FROM role_key WHERE id = -change.actor_id)) END`,
  kind: "change.kind",
  decision: "change.decision",
  roleId: "CASE WHEN shown.sees_role THEN change.role_id END",
  parentRoleId: "CASE WHEN shown.sees_parent THEN change.parent_id END",
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
 * A page in one row, only while the principal lives. `nextRevision` is how far it looked, and `isEnd` whether there was
 * no more to look at. Rows without too long lists, but at least one.
 *
 * SQLite reads the text of a CTE anew wherever it is named, with all that it names itself. So each is named as seldom
 * as possible: a server prepares every page anew.
 */
function page(span: string, candidates: string, isInSpan: string): Statement {
  const fields = Object.entries(COLUMNS).map(([name, value]) => `'${name}', ${value}`).join(", ");
  return defineStatement(`
    WITH ${BOUNDS}, ${span},
    looked AS MATERIALIZED (
      SELECT change.rev, change.role_id, change.parent_id, change.actor_id, change.subject_id, ${LIST_BYTES} AS bytes
      FROM ${candidates}
      WHERE ${isInSpan} AND ${MATCHES}),
    ${SEEN},
    picked AS (
      SELECT *, count(*) OVER () AS picked_count, sum(bytes) OVER (ORDER BY rev) - bytes AS bytes_before,
        ${
    FINDINGS.map(({ name, by }) => `row_number() OVER (PARTITION BY ${by} ORDER BY rev) AS ${name}_turn`)
      .join(", ")
  }
      FROM (
        SELECT rev, actor_id, subject_id, role_id AS about_role_id, parent_id AS about_parent_id, bytes,
          by_role_id AS role_id, by_parent_id AS parent_id
        FROM seen
        WHERE rev <= (SELECT rev FROM found_to) AND (:actorEmail IS NULL OR actor_id = :actorId
          OR ${hasAccess("actor_id", "by_role_id")} OR ${hasAccess("actor_id", "by_parent_id")})
        ORDER BY rev LIMIT +:limit)),
    shown AS (
      SELECT rev, picked_count, role_id, parent_id,
        ${FINDINGS.map(({ name, by }) => `max(${name}) OVER (PARTITION BY ${by}) AS ${name}`).join(", ")}
      FROM (SELECT *,
          ${
    FINDINGS.map(({ name, found }) => `CASE ${name}_turn WHEN 1 THEN ${found} END AS ${name}`).join(", ")
  }
        FROM picked WHERE bytes_before <= ${MAX_LIST_BYTES}))
    SELECT changes, CASE WHEN is_cut THEN shown_to ELSE max(bounds.passed_rev, min(span.end_rev, found_to.rev)) END AS nextRevision,
      NOT is_cut AND min(span.end_rev, found_to.rev) = bounds.last_rev AS isEnd, ${REVISION}
    FROM (SELECT json_group_array(json_object(${fields})) AS changes, max(shown.rev) AS shown_to,
        coalesce(max(picked_count) = :limit OR max(picked_count) > count(*), false) AS is_cut
      FROM shown CROSS JOIN change_log change ON change.rev = shown.rev)
    CROSS JOIN bounds CROSS JOIN span CROSS JOIN found_to
    WHERE ${PRINCIPAL_LIVES}`);
}

/** Pages of the log: of all changes that the reader may see, and of those about `:roleId`. */
export const CHANGE_PAGES = {
  all: page(
    SPAN_OF_ALL,
    "change_log change",
    "change.rev > (SELECT begin_rev FROM bounds) AND change.rev <= (SELECT end_rev FROM span)",
  ),
  role: page(
    SPAN_OF_ROLE,
    "found CROSS JOIN change_log change ON change.rev = found.rev",
    "change.rev <= (SELECT last_rev FROM bounds)",
  ),
};

/** The latest revision. */
export const LATEST_REVISION: Statement = probing(defineStatement(`SELECT ${REVISION}`));
