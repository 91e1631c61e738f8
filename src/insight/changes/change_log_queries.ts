import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, roleHistory, roleKey } from "../../db/schema/role.ts";
import {
  int,
  join,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { probing } from "../../db/statement.ts";
import { PREVIEW_SUFFIX } from "../../role/change/change_queries.ts";
import {
  FEW_MEMBERSHIPS,
  HAS_FEW,
  isOneVisible,
  isReached,
  isVisible,
  someAuthorizingRole,
  someRoleAbove,
} from "../../role/guard/guard_queries.ts";
import { type Acting, managesMembersOf } from "../../role/guard/rule_queries.ts";
import { affordedId } from "../../role/guard/price_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../role/guard/principal_queries.ts";

/**
 * The change log as its readers see it: managers of a row's role or parent. A reader passes each revision once, so no
 * row may appear later: transactions commit in order of revision, a settled attempt with a role's password gets a new
 * row, and a merged row changes only shown columns in which its attempts differ. Beyond 60 merged rows a minute, one
 * caller's noops share a row that is about the latest: a reader may miss a noop, which changed nothing.
 */

/**
 * The arguments of a page: up to `limit` rows after the revision `after` that match all filters. Null filters nothing.
 */
const PAGE = {
  ...PRINCIPAL,
  after: int,
  limit: int,
  kind: nullable(text),
  decision: nullable(text),
  actorEmail: nullable(text),
  from: nullable(int),
  to: nullable(int),
};
const args = placeholdersOf(PAGE);
const { actorId } = args;

/**
 * Maximum number of rows that a page scans for a reader with one membership. With more, each row is checked against
 * each of a few.
 */
const SCANNED_ROWS = 20_000;

/** Maximum number for a page of one role: its rows have to be found and sorted first, and most of them are shown. */
const SCANNED_ROWS_OF_ROLE = 2000;

/** Maximum number for a reader with many memberships, for whom each row takes a scan of all roles above. */
const SCANNED_ROWS_BY_MANY = 100;

/** Maximum number of bytes of the id lists in one page. A server returns no text of more than 5 MB. */
const MAX_LIST_BYTES = 3_000_000;

const ROWS = sql`${SCANNED_ROWS} / max(1, (SELECT count(*) FROM (
  SELECT 1 FROM ${member} WHERE ${member.userId} = ${actorId} LIMIT ${FEW_MEMBERSHIPS + 1})))`;

const ROWS_OF_ROLE = sql`iif(${HAS_FEW}, min(${SCANNED_ROWS_OF_ROLE}, ${ROWS}), ${SCANNED_ROWS_BY_MANY})`;

/**
 * Selects the role by which the actor sees changes of the role `on`, or null: `on` itself, or, if it is deleted, the
 * parent in the row of its deletion, if the actor manages that. The history of a deleted role ends with that row's
 * revision. `someRole` tells how to search the actor's memberships.
 */
function seenBy(
  on: Value,
  someRole: (place: Value, meets: (acting: Acting) => SQL) => SQL = someRoleAbove,
): SQL {
  const { deletion, past } = rowsOf({ deletion: changeLog, past: roleHistory });
  const place = sql`place.role_id`;
  return sql`(SELECT place.role_id FROM (
      SELECT ${on} AS role_id
      UNION ALL SELECT ${deletion.parentId} FROM ${deletion}
      WHERE ${deletion.rev} = (SELECT max(${past.toRev}) FROM ${past} WHERE ${past.roleId} = ${on})) place
    WHERE ${someRole(place, (acting) => managesMembersOf(acting, place))} LIMIT 1)`;
}

/** Whether the user or key is a member of the role, directly or indirectly. */
function hasAccess(user: Value, on: Value): SQL {
  const counted = row(member, "counted");
  const hasFew = sql`(SELECT 1 FROM ${counted} WHERE ${counted.userId} = ${user}
    LIMIT 1 OFFSET ${FEW_MEMBERSHIPS}) IS NULL`;
  return isReached(user, on, hasFew);
}

/** The account of the requested address. */
const ASKED_ACTOR =
  sql`(SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${args.actorEmail})`;

/** The row of the log that a query is about. */
const change = row(changeLog, "change");

/** The row is shown to readers at all, and matches the filters but that for the actor; see `page`. */
const MATCHES = sql`${change.effect} NOT IN ('compare', 'abandoned')
  AND ${change.kind} NOT LIKE ${quoted(`%${PREVIEW_SUFFIX}`)}
  AND (${args.kind} IS NULL OR ${change.kind} = ${args.kind})
  AND (${args.decision} IS NULL OR ${change.decision} = ${args.decision})
  AND (${args.from} IS NULL OR ${change.at} >= ${args.from}) AND (${args.to} IS NULL OR ${change.at} <= ${args.to})`;

/**
 * CTE `about`: the roles of the rows of `looked` that the reader sees, with the role by which they do. Each is judged
 * once, since many memberships take a scan of every role above. The ids are cast because SQLite makes no index over
 * untyped values: each row would scan all roles.
 */
const ABOUT = sql`about(role_id, seen_role_id) AS MATERIALIZED (
    SELECT role_id, seen_role_id
    FROM (SELECT named.role_id, ${seenBy(sql`named.role_id`)} AS seen_role_id
      FROM (SELECT DISTINCT CAST(place.value AS INTEGER) AS role_id
        FROM looked CROSS JOIN json_each(json_array(looked.role_id, looked.parent_id)) place) named LIMIT -1)
    WHERE seen_role_id IS NOT NULL)`;

const ROLES_OF_SEEN = sql`SELECT seen.rev AS id, place.value AS role_id
      FROM seen CROSS JOIN json_each(json_array(seen.by_role_id, seen.by_parent_id)) place`;

/**
 * CTEs that end with `seen`, the rows that the reader sees, with the roles by which they do, and `found_to`, the last
 * row whose people can be judged: for a person with many memberships, that takes a scan of every role above, too.
 */
const SEEN = sql`${ABOUT},
    seen AS MATERIALIZED (
      SELECT looked.*, lower.seen_role_id AS by_role_id, upper.seen_role_id AS by_parent_id
      FROM looked LEFT JOIN about lower ON lower.role_id = looked.role_id
        LEFT JOIN about upper ON upper.role_id = looked.parent_id
      WHERE lower.role_id IS NOT NULL OR upper.role_id IS NOT NULL),
    found_to(rev) AS MATERIALIZED (SELECT ${affordedId(ROLES_OF_SEEN, sql`true`)})`;

/**
 * CTE `bounds`: the revision that the reader has passed, the one after which the page begins, and the last one. Times
 * never go back, so rows of a period are together. `after` may exceed the latest revision if the database has since
 * been restored to an earlier state.
 */
const BOUNDS = sql`bounds(passed_rev, begin_rev, last_rev) AS MATERIALIZED (SELECT min(${args.after}, latest),
    max(${args.after}, coalesce((SELECT min(${changeLog.rev}) FROM ${changeLog} WHERE ${changeLog.rev} > ${args.after}) - 1, 0),
      CASE WHEN ${args.from} IS NULL THEN 0 ELSE coalesce(
        (SELECT ${changeLog.rev} FROM ${changeLog} WHERE ${changeLog.at} >= ${args.from}
          ORDER BY ${changeLog.at}, ${changeLog.rev} LIMIT 1) - 1, latest) END),
    CASE WHEN ${args.to} IS NULL THEN latest ELSE coalesce(
      (SELECT ${changeLog.rev} FROM ${changeLog} WHERE ${changeLog.at} <= ${args.to}
        ORDER BY ${changeLog.at} DESC, ${changeLog.rev} DESC LIMIT 1), 0) END
  FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) AS latest))`;

const ROLE = { roleId: int };
const { roleId } = placeholdersOf(ROLE);
const IS_SEEN = sql`(${isOneVisible(roleId)}
  OR ${seenBy(roleId, (_, meets) => someAuthorizingRole(meets))} IS NOT NULL)`;
/** CTE `asked`: the role, or null if it is hidden, so that it takes as long as an unknown one. */
const ASKED_ROLE = sql`asked(role_id) AS MATERIALIZED (SELECT CASE WHEN ${IS_SEEN} THEN ${roleId} END)`;

function rowsAbout(column: "roleId" | "parentId"): SQL {
  return sql`SELECT rev FROM (SELECT ${changeLog.rev} FROM ${changeLog} WHERE ${
    changeLog[column]
  } = (SELECT role_id FROM asked)
    AND ${changeLog.rev} > (SELECT begin_rev FROM bounds) ORDER BY ${changeLog.rev} LIMIT (SELECT rows FROM most))`;
}

const ROLES_OF_ALL = sql`SELECT ${change.rev} AS id, place.value AS role_id
    FROM ${change} CROSS JOIN json_each(json_array(${change.roleId}, ${change.parentId})) place
    WHERE ${change.rev} > begin_rev AND ${change.rev} <= begin_rev + ${ROWS} AND ${MATCHES}`;
/** CTE: `span` with the last revision that the page scans. */
const SPAN_OF_ALL = sql`span(end_rev) AS MATERIALIZED (
    SELECT min(last_rev, begin_rev + ${ROWS}, ${affordedId(ROLES_OF_ALL)}) FROM bounds)`;

/** CTEs that end with `span`, and `found` with the rows about the requested role. */
const SPAN_OF_ROLE = sql`${ASKED_ROLE},
  most(rows) AS MATERIALIZED (SELECT ${ROWS_OF_ROLE}),
  found(rev) AS MATERIALIZED (
    SELECT rev FROM (${rowsAbout("roleId")} UNION ${rowsAbout("parentId")})
    ORDER BY rev LIMIT (SELECT rows FROM most)),
  span(end_rev) AS MATERIALIZED (SELECT min(last_rev, iif(found_rows < most.rows, last_rev, found_to))
    FROM bounds CROSS JOIN most CROSS JOIN (SELECT count(*) AS found_rows, max(rev) AS found_to FROM found))`;

/** Whether the person has access to a role by which the reader sees the row: `role_id` or `parent_id`. */
function isOfPlaces(person: Value): SQL {
  return sql`EXISTS (SELECT 1 FROM (SELECT role_id AS id UNION ALL SELECT parent_id) place
      WHERE ${hasAccess(person, sql`place.id`)})`;
}

// An older SQLite, such as a server's, evaluates both sides of an OR whose result is a column.
const SEES_PLACE = sql`iif(seen_id IS NOT NULL, true, ${isVisible(sql`question.about_id`)})`;
const SHOWS_PERSON = sql`iif(person_id = ${actorId}, true, ${isOfPlaces(sql`person_id`)})`;

/**
 * CTEs that end with `shown`: what each row of `picked` shows of its actor and role, and of its subject and parent.
 * Readers see themselves, and people with access to the roles by which they see the row. Each question is judged once,
 * for the first row that has it: it may take a scan of every role above.
 *
 * For example, Ada adds Ben to role 5 in row 70, and Cy in row 71. Each row has two questions: does its reader see Ada
 * and role 5, and do they see the new member (and the parent, of which there is none)? Ada and role 5 are judged in row
 * 70, where their turn is 1. In row 71 it is 2, and `max(…) OVER` takes the answer of row 70.
 */
const SHOWN = sql`question AS (
      SELECT *, row_number() OVER (PARTITION BY person_id, role_id, parent_id ORDER BY rev) AS person_turn,
        row_number() OVER (PARTITION BY about_id ORDER BY rev) AS place_turn
      FROM (SELECT rev, picked_count, role_id, parent_id, is_second,
          iif(is_second, subject_id, actor_id) AS person_id,
          iif(is_second, about_parent_id, about_role_id) AS about_id,
          iif(is_second, parent_id, role_id) AS seen_id
        FROM picked CROSS JOIN (SELECT false AS is_second UNION ALL SELECT true)
        WHERE bytes_before <= ${MAX_LIST_BYTES})),
    answer AS (
      SELECT rev, picked_count, role_id, is_second, max(is_seen) OVER (PARTITION BY about_id) AS is_seen,
        max(is_shown) OVER (PARTITION BY person_id, role_id, parent_id) AS is_shown
      FROM (SELECT *,
          CASE WHEN place_turn = 1 THEN ${SEES_PLACE} END AS is_seen,
          CASE WHEN person_turn = 1 THEN ${SHOWS_PERSON} END AS is_shown
        FROM question)),
    shown AS (
      SELECT rev, picked_count, role_id, max(is_seen) FILTER (WHERE NOT is_second) AS sees_role,
        max(is_seen) FILTER (WHERE is_second) AS sees_parent,
        max(is_shown) FILTER (WHERE NOT is_second) AS shows_actor,
        max(is_shown) FILTER (WHERE is_second) AS shows_subject
      FROM answer GROUP BY rev)`;

/** A manager of the role knows its past and present members. A refusal must not tell which addresses have accounts. */
const SHOWS_SUBJECT =
  sql`(shown.shows_subject OR (${change.decision} IN ('ok', 'noop') AND shown.role_id = ${change.roleId}))`;

function emailOf(userId: Value): SQL {
  return sql`(SELECT ${userAccount.email} FROM ${userAccount} WHERE ${userAccount.id} = ${userId})`;
}

const [ACTOR_EMAIL, SUBJECT_EMAIL] = [emailOf(change.actorId), emailOf(change.subjectId)];
const ACTOR_KEY = sql`(SELECT json_object('id', ${roleKey.id}, 'name', ${roleKey.name}) FROM ${roleKey}
    WHERE ${roleKey.id} = -${change.actorId})`;
const DELETED_MEMBERSHIP =
  sql`CASE WHEN ${change.kind} IN ('member.remove', 'key.delete') AND ${change.decision} = 'ok'
      THEN json_array(${change.relationId}) END`;
const MAKES_RELATION = sql`(${change.kind} LIKE 'manages.%' OR ${change.kind} = 'role.create')`;

const COLUMNS: Readonly<Record<string, Value>> = {
  revision: change.rev,
  at: change.at,
  actorEmail: sql`CASE WHEN ${change.actorId} > 0 AND shown.shows_actor THEN ${ACTOR_EMAIL} END`,
  actorKey: sql`CASE WHEN ${change.actorId} < 0 AND shown.shows_actor THEN json(${ACTOR_KEY}) END`,
  kind: change.kind,
  decision: change.decision,
  roleId: sql`CASE WHEN shown.sees_role THEN ${change.roleId} END`,
  parentRoleId: sql`CASE WHEN shown.sees_parent THEN ${change.parentId} END`,
  managesId: sql`CASE WHEN ${MAKES_RELATION} THEN ${change.relationId} END`,
  memberEmail: sql`CASE WHEN ${change.kind} LIKE 'member.%' AND ${SHOWS_SUBJECT} THEN ${SUBJECT_EMAIL} END`,
  keyId: sql`CASE WHEN ${change.kind} LIKE 'key.%' THEN ${change.relationId} END`,
  deviceId: change.deviceId,
  oldRights: change.oldRights,
  newRights: change.newRights,
  deletedNodeIds: sql`json(coalesce(${change.deletedRoleIds}, '[]'))`,
  deletedDeviceIds: sql`json(coalesce(${change.deletedDeviceIds}, '[]'))`,
  deletedRelationIds: sql`json(coalesce(${change.deletedRelationIds}, ${DELETED_MEMBERSHIP}, '[]'))`,
};

const LIST_BYTES = sql`octet_length(coalesce(${change.deletedRoleIds}, '')) +
  octet_length(coalesce(${change.deletedDeviceIds}, '')) + octet_length(coalesce(${change.deletedRelationIds}, ''))`;

interface PageRow {
  /** JSON, in no promised order: objects with the values of `COLUMNS`. */
  readonly changes: string;
  /** The last revision that the page scanned. */
  readonly nextRevision: number;
  /** Whether no more rows follow. */
  readonly isEnd: 0 | 1;
  readonly revision: number;
}

/**
 * Returns a page in one row, only while the principal lives, cut before too long lists, but with at least one row. CTEs
 * are named as seldom as possible: SQLite parses their text again wherever they are named, and a server prepares every
 * page anew.
 */
function page(span: SQL, candidates: SQL, isInSpan: SQL): SQL {
  const fields = join(Object.entries(COLUMNS).map(([name, value]) => sql`${quoted(name)}, ${value}`));
  // Only of rows that the reader sees: otherwise the end of the page would tell how many others a person has.
  const isByActor = sql`(actor_id = ${ASKED_ACTOR} AND (actor_id = ${actorId} OR ${
    isOfPlaces(sql`actor_id`)
  }))`;
  return sql`
    WITH ${BOUNDS}, ${span},
    looked AS MATERIALIZED (
      SELECT ${change.rev}, ${change.roleId}, ${change.parentId}, ${change.actorId}, ${change.subjectId},
        ${LIST_BYTES} AS bytes
      FROM ${candidates}
      WHERE ${isInSpan} AND ${MATCHES}),
    ${SEEN},
    picked AS (
      SELECT *, count(*) OVER () AS picked_count, sum(bytes) OVER (ORDER BY rev) - bytes AS bytes_before
      FROM (SELECT * FROM (
          SELECT rev, actor_id, subject_id, role_id AS about_role_id, parent_id AS about_parent_id, bytes,
            by_role_id AS role_id, by_parent_id AS parent_id
          FROM seen WHERE rev <= (SELECT rev FROM found_to))
        WHERE ${args.actorEmail} IS NULL OR ${isByActor}
        ORDER BY rev LIMIT +${args.limit})),
    ${SHOWN}
    SELECT changes, CASE WHEN is_cut THEN shown_to ELSE max(bounds.passed_rev, min(span.end_rev, found_to.rev)) END AS nextRevision,
      NOT is_cut AND min(span.end_rev, found_to.rev) = bounds.last_rev AS isEnd, ${REVISION_COLUMN}
    FROM (SELECT json_group_array(json_object(${fields})) AS changes, max(shown.rev) AS shown_to,
        coalesce(max(picked_count) = ${args.limit} OR max(picked_count) > count(*), false) AS is_cut
      FROM shown CROSS JOIN ${change} ON ${change.rev} = shown.rev)
    CROSS JOIN bounds CROSS JOIN span CROSS JOIN found_to
    WHERE ${PRINCIPAL_LIVES}`;
}

/** Pages of the log: of all changes that the reader may see, and of those about `roleId`. */
export const CHANGE_PAGES = {
  all: rows<PageRow>()(PAGE, () => {
    const isInSpan =
      sql`${change.rev} > (SELECT begin_rev FROM bounds) AND ${change.rev} <= (SELECT end_rev FROM span)`;
    return page(SPAN_OF_ALL, sql`${change}`, isInSpan);
  }),
  role: rows<PageRow>()({ ...PAGE, ...ROLE }, () => {
    const found = sql`found CROSS JOIN ${change} ON ${change.rev} = found.rev`;
    return page(SPAN_OF_ROLE, found, sql`${change.rev} <= (SELECT last_rev FROM bounds)`);
  }),
} as const;

interface RevisionRow {
  readonly revision: number | null;
}

/** The latest revision. */
export const LATEST_REVISION = probing(rows<RevisionRow>()({}, () => sql`SELECT ${REVISION_COLUMN}`));
