import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, deletedKey, member, roleHistory, roleKey } from "../../db/schema/role.ts";
import { device, deviceTombstone } from "../../db/schema/telemetry.ts";
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
import { PREVIEW_SUFFIX } from "../../changes/change_queries.ts";
import { IMPORT_SESSION_PREFIX } from "../../changes/import_run_queries.ts";
import {
  FEW_MEMBERSHIPS,
  HAS_FEW,
  isOneVisible,
  isReached,
  isVisible,
  seesAsManager,
  seesEachAsManager,
  someAuthorizingRole,
} from "../../graph/rules/guard_queries.ts";
import { SEEN_STANDING, seesWhoActed } from "../../graph/rules/giver_queries.ts";
import { managesMembersOf } from "../../graph/rules/rule_queries.ts";
import { affordedId } from "../../graph/rules/price_queries.ts";
import { standingFor, standingOf } from "../../graph/rules/standing_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";

/**
 * The change log as its readers see it: managers of a row's role or parent, and keys with `asks` that reach it. A reader passes each revision once, so no
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
  memberEmail: nullable(text),
  memberId: nullable(int),
  byActorId: nullable(int),
  keyId: nullable(int),
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

/** Whether the user who acts reads this row of the log, for a statement about one row. */
export function seesChange({ roleId, parentId }: Pick<typeof changeLog, "roleId" | "parentId">): SQL {
  const manages = (place: Value): SQL => someAuthorizingRole((acting) => managesMembersOf(acting, place));
  return sql`(${standingFor(roleId, manages)} IS NOT NULL OR ${standingFor(parentId, manages)} IS NOT NULL)`;
}

/** Whether the user or key is a member of the role, directly or indirectly. */
function hasAccess(user: Value, on: Value): SQL {
  const counted = row(member, "counted");
  const hasFew = sql`(SELECT 1 FROM ${counted} WHERE ${counted.userId} = ${user}
    LIMIT 1 OFFSET ${FEW_MEMBERSHIPS}) IS NULL`;
  return isReached(user, on, hasFew);
}

/** Selects the account of a requested address. */
function accountOf(email: Value): SQL {
  return sql`(SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email})`;
}

/** The row of the log that a query is about. */
const change = row(changeLog, "change");

const IS_OF_MEMBER = sql`${change.kind} LIKE 'member.%'`;
const ENDS_ACCESS = sql`${change.kind} = 'access.end'`;
const IS_OF_KEY = sql`${change.kind} LIKE 'key.%'`;

/** Of the end of a person's access that something of theirs ended by: a role that they were a member of. */
const KNOWN_ROLE = sql`CASE WHEN ${ENDS_ACCESS} THEN ${change.details} ->> 'known' END`;

/** In place of a decision, for every refusal. */
const ANY_REFUSAL = "refused";

/** The row is shown to readers at all, and matches the filters but those for actor and key; see `page`. */
const MATCHES = sql`${change.step} NOT IN ('compare', 'abandoned', 'part')
  AND ${change.kind} NOT LIKE ${quoted(`%${PREVIEW_SUFFIX}`)}
  AND (${args.kind} IS NULL OR ${change.kind} = ${args.kind})
  AND (${args.decision} IS NULL OR ${change.decision} = ${args.decision}
    OR (${args.decision} = ${quoted(ANY_REFUSAL)} AND ${change.decision} NOT IN ('ok', 'noop')))
  AND (${args.from} IS NULL OR ${change.at} >= ${args.from}) AND (${args.to} IS NULL OR ${change.at} <= ${args.to})`;

/**
 * CTEs that end with `about`: the roles of the rows of `looked`, of which the reader manages the members of the role
 * that stands for it, or sees them like a manager. Each is judged once, since many memberships take a scan of every role above. The ids are cast
 * because SQLite makes no index over untyped values: each row would scan all roles.
 */
const ABOUT = sql`${
  standingOf(sql`SELECT DISTINCT CAST(place.value AS INTEGER) AS role_id
        FROM looked CROSS JOIN json_each(json_array(looked.role_id, looked.parent_id, looked.known_id, looked.via_role_id)) place`)
},
    about(role_id, seen_role_id) AS MATERIALIZED (SELECT role_id, place_id FROM standing
      WHERE ${seesEachAsManager(sql`standing.place_id`)})`;

/** To a reader with few memberships, the end of the page must not tell how many roles are above a hidden one. */
const ROLES_OF_SEEN = sql`SELECT seen.rev AS id, place.value AS role_id
      FROM seen CROSS JOIN json_each(json_array(seen.by_role_id, seen.by_parent_id,
        CASE WHEN NOT (${HAS_FEW}) THEN seen.via_role_id END)) place`;

/**
 * CTEs that end with `seen`, the rows that the reader sees, with the roles by which they do, and `found_to`, the last
 * row whose people can be judged: for a person with many memberships, that takes a scan of every role above, too.
 */
const SEEN = sql`${ABOUT},
    seen AS MATERIALIZED (
      SELECT looked.*, max(seen_role_id) FILTER (WHERE of.key = 0) AS by_role_id,
        max(seen_role_id) FILTER (WHERE of.key = 1) AS by_parent_id, max(of.key = 2) AS knows_subject
      FROM looked CROSS JOIN (SELECT 0 AS key UNION ALL SELECT 1 UNION ALL SELECT 2) of
        CROSS JOIN about ON about.role_id = CASE of.key WHEN 0 THEN looked.role_id WHEN 1 THEN looked.parent_id
          ELSE looked.known_id END
      GROUP BY looked.rev HAVING by_role_id IS NOT NULL OR by_parent_id IS NOT NULL),
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
const IS_SEEN = sql`(${isOneVisible(roleId)} OR ${standingFor(roleId, seesAsManager)} IS NOT NULL)`;
/** CTE `requested`: the role, or null if it is hidden, so that it takes as long as an unknown one. */
const ASKED_ROLE = sql`requested(role_id) AS MATERIALIZED (SELECT CASE WHEN ${IS_SEEN} THEN ${roleId} END)`;

function rowsAbout(column: "roleId" | "parentId"): SQL {
  return sql`SELECT rev FROM (SELECT ${changeLog.rev} FROM ${changeLog} WHERE ${
    changeLog[column]
  } = (SELECT role_id FROM requested)
    AND ${changeLog.rev} > (SELECT begin_rev FROM bounds) ORDER BY ${changeLog.rev} LIMIT (SELECT rows FROM most))`;
}

const ROLES_OF_ALL = sql`SELECT ${change.rev} AS id, place.value AS role_id
    FROM ${change} CROSS JOIN json_each(json_array(${change.roleId}, ${change.parentId}, ${KNOWN_ROLE})) place
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
const SEES_PLACE = sql`iif(seen_id IS NOT NULL, true, ${isVisible(sql`question.place_id`)})`;
const SHOWS_PERSON = sql`iif(person_id = ${actorId}, true, ${isOfPlaces(sql`person_id`)})`;

/**
 * CTEs that end with `shown`: which roles and people each row of `picked` shows. For its actor, the rule is that of
 * `seesWhoActed`. Of subjects, readers see themselves, and people with access to the roles by which they see the row. Each
 * question is judged once, for the first row that has it: it
 * may take a scan of every role above.
 *
 * For example, Ada adds Ben to role 5 in row 70, and Cy in row 71. Each row has three questions: does its reader see
 * role 5, do they see the new member (and the parent, of which there is none), and do they see the role through which
 * Ada acted? Role 5 is judged in row 70, where its turn is 1. In row 71 it is 2, and `max(…) OVER` takes the answer of
 * row 70.
 */
const SHOWN = sql`question AS (
      SELECT *, row_number() OVER (PARTITION BY person_id, role_id, parent_id ORDER BY rev) AS person_turn,
        row_number() OVER (PARTITION BY place_id ORDER BY rev) AS place_turn
      FROM (SELECT requested.*, standing.place_id FROM (SELECT rev, picked_count, role_id, parent_id, knows_subject, of,
          CASE of WHEN 'parent' THEN subject_id WHEN 'role' THEN iif(via_role_id IS NULL, actor_id, NULL) END AS person_id,
          CASE of WHEN 'role' THEN about_role_id WHEN 'parent' THEN about_parent_id ELSE via_role_id END AS about_id,
          CASE of WHEN 'role' THEN role_id WHEN 'parent' THEN parent_id END AS seen_id
        FROM picked CROSS JOIN (SELECT 'role' AS of UNION ALL SELECT 'parent' UNION ALL SELECT 'via')
        WHERE bytes_before <= ${MAX_LIST_BYTES}) requested LEFT JOIN standing ON standing.role_id = requested.about_id)),
    answer AS (
      SELECT rev, picked_count, role_id, knows_subject, of, max(is_seen) OVER (PARTITION BY place_id) AS is_seen,
        max(is_shown) OVER (PARTITION BY person_id, role_id, parent_id) AS is_shown
      FROM (SELECT *,
          CASE WHEN place_turn = 1 THEN ${SEES_PLACE} END AS is_seen,
          CASE WHEN person_turn = 1 THEN ${SHOWS_PERSON} END AS is_shown
        FROM question)),
    shown AS (
      SELECT rev, picked_count, role_id, max(is_seen) FILTER (WHERE of = 'role') AS sees_role,
        max(is_seen) FILTER (WHERE of = 'parent') AS sees_parent, max(is_seen) FILTER (WHERE of = 'via') AS sees_via,
        max(is_shown) FILTER (WHERE of = 'role') AS shows_actor,
        max(is_shown) FILTER (WHERE of = 'parent') OR max(knows_subject) AS shows_subject
      FROM answer GROUP BY rev)`;

const WAS_MADE = sql`${change.decision} IN ('ok', 'noop')`;

/**
 * A manager of the role knows its past and present members. A refusal must not tell which addresses have accounts, nor
 * must the end of access of somebody who had none.
 */
const SHOWS_SUBJECT =
  sql`(shown.shows_subject OR (${WAS_MADE} AND ${IS_OF_MEMBER} AND shown.role_id = ${change.roleId}))`;

function emailOf(userId: Value): SQL {
  return sql`(SELECT ${userAccount.email} FROM ${userAccount} WHERE ${userAccount.id} = ${userId})`;
}

const [ACTOR_EMAIL, SUBJECT_EMAIL] = [emailOf(change.actorId), emailOf(change.subjectId)];

/** Selects the name of a key, which may be deleted. */
function nameOfKey(id: Value): SQL {
  return sql`coalesce((SELECT ${roleKey.name} FROM ${roleKey} WHERE ${roleKey.id} = ${id}),
      (SELECT ${deletedKey.name} FROM ${deletedKey} WHERE ${deletedKey.id} = ${id}))`;
}

/** Selects the name of a role after the change; of a role that the change deleted, the last one. */
function nameThen(id: Value): SQL {
  const { named, last } = rowsOf({ named: roleHistory, last: roleHistory });
  return sql`coalesce((SELECT CASE WHEN ${named.fromRev} <= ${change.rev} THEN ${named.name} END FROM ${named}
        WHERE ${named.roleId} = ${id} AND ${named.toRev} > ${change.rev} ORDER BY ${named.toRev} LIMIT 1),
      (SELECT ${last.name} FROM ${last} WHERE ${last.roleId} = ${id} AND ${last.toRev} = ${change.rev}))`;
}

/**
 * Selects the name that a device has for itself. A deleted one keeps it as long as its points. A refusal must not tell
 * the name of a hidden device.
 */
const NODE_ID = sql`CASE WHEN ${WAS_MADE} THEN coalesce(${change.details} ->> 'nodeId',
      (SELECT ${device.nodeId} FROM ${device} WHERE ${device.id} = ${change.deviceId}),
      (SELECT ${deviceTombstone.nodeId} FROM ${deviceTombstone} WHERE ${deviceTombstone.deviceId} = ${change.deviceId})) END`;

const SHOWS_ACTOR = sql`(${change.actorId} = ${actorId} OR shown.sees_via OR shown.shows_actor)`;
/** The row has the period of a membership, or of a monitors relation of its role. */
const HAS_PERIOD =
  sql`(${IS_OF_MEMBER} OR ((${change.kind} LIKE 'monitors.%' OR ${change.kind} = 'device.transfer')
      AND shown.sees_role))`;

function periodBound(name: "oldFrom" | "oldUntil" | "from" | "until"): SQL {
  return sql`CASE WHEN ${HAS_PERIOD} THEN ${change.details} ->> ${quoted(name)} END`;
}

const IS_RENAMED = sql`(${change.kind} = 'role.update' AND shown.sees_role
      AND ${change.details} ->> 'name' <> ${change.details} ->> 'oldName')`;
const DELETED_MEMBERSHIP =
  sql`CASE WHEN ${change.kind} IN ('member.remove', 'key.delete') AND ${change.decision} = 'ok'
      THEN json_array(${change.relationId}) END`;
/** The demand of a role before or after it was set. */
function demand(name: "old" | "new"): SQL {
  return sql`json(CASE WHEN ${change.kind} = 'role.authentication_policy' AND shown.sees_role
      THEN ${change.details} -> ${quoted(name)} END)`;
}

const MAKES_RELATION = sql`(${change.kind} LIKE 'manages.%' OR ${change.kind} = 'role.create')`;

const MOVES_DEVICES = sql`${change.kind} IN ('device.transfer', 'monitors.end') AND ${WAS_MADE}`;

const COLUMNS: Readonly<Record<string, Value>> = {
  revision: change.rev,
  at: change.at,
  actorId: change.actorId,
  showsActor: sql`coalesce(${SHOWS_ACTOR}, 0)`,
  actorName: sql`CASE WHEN ${SHOWS_ACTOR} THEN iif(${change.actorId} > 0, ${ACTOR_EMAIL},
      ${nameOfKey(sql`-${change.actorId}`)}) END`,
  viaRoleId: sql`CASE WHEN shown.sees_via THEN ${change.viaRoleId} END`,
  viaRoleName: sql`CASE WHEN shown.sees_via THEN ${nameThen(change.viaRoleId)} END`,
  kind: change.kind,
  decision: change.decision,
  roleId: sql`CASE WHEN shown.sees_role THEN ${change.roleId} END`,
  roleName: sql`CASE WHEN shown.sees_role THEN ${nameThen(change.roleId)} END`,
  oldName: sql`CASE WHEN ${IS_RENAMED} THEN ${change.details} ->> 'oldName' END`,
  newName: sql`CASE WHEN ${IS_RENAMED} THEN ${change.details} ->> 'name' END`,
  parentRoleId: sql`CASE WHEN shown.sees_parent THEN ${change.parentId} END`,
  parentRoleName: sql`CASE WHEN shown.sees_parent THEN ${nameThen(change.parentId)} END`,
  managesId: sql`CASE WHEN ${MAKES_RELATION} THEN ${change.relationId} END`,
  memberId:
    sql`CASE WHEN (${IS_OF_MEMBER} OR ${ENDS_ACCESS}) AND ${SHOWS_SUBJECT} THEN ${change.subjectId} END`,
  memberEmail:
    sql`CASE WHEN (${IS_OF_MEMBER} OR ${ENDS_ACCESS}) AND ${SHOWS_SUBJECT} THEN ${SUBJECT_EMAIL} END`,
  oldFrom: periodBound("oldFrom"),
  oldUntil: periodBound("oldUntil"),
  from: periodBound("from"),
  until: periodBound("until"),
  keyId: sql`CASE WHEN ${IS_OF_KEY} THEN ${change.relationId} END`,
  keyName: sql`CASE WHEN ${IS_OF_KEY} THEN ${nameOfKey(change.relationId)} END`,
  deviceId: change.deviceId,
  nodeId: NODE_ID,
  devices:
    sql`CASE WHEN ${MOVES_DEVICES} THEN nullif(json_array_length(${change.details} -> 'devices'), 0) END`,
  deviceIds: sql`json(coalesce(CASE WHEN ${MOVES_DEVICES} THEN ${change.details} -> 'devices' END, '[]'))`,
  oldRights: change.oldRights,
  newRights: change.newRights,
  oldDemand: demand("old"),
  newDemand: demand("new"),
  undoes: change.undoes,
  importRun: sql`CASE WHEN ${change.sessionId} LIKE ${quoted(`${IMPORT_SESSION_PREFIX}%`)}
      THEN substr(${change.sessionId}, ${IMPORT_SESSION_PREFIX.length + 1}) END`,
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
  const isAsked = sql`(${args.byActorId} IS NULL OR actor_id = ${args.byActorId})
          AND (${args.keyId} IS NULL OR actor_id = -${args.keyId} OR of_key_id = ${args.keyId})`;
  const seesActor = seesWhoActed({
    person: sql`actor_id`,
    via: sql`via_role_id`,
    seen: SEEN_STANDING,
    hasAccess: isOfPlaces(sql`actor_id`),
  });
  const isByActor = sql`(actor_id = ${accountOf(args.actorEmail)} AND ${seesActor})`;
  // As in `SHOWS_SUBJECT`.
  const showsMember = sql`(member_id = ${actorId} OR knows_subject OR role_id = made_role_id
          OR ${isOfPlaces(sql`member_id`)})`;
  const isOfMember = sql`((${args.memberId} IS NULL OR member_id = ${args.memberId})
          AND (${args.memberEmail} IS NULL OR member_id = ${
    accountOf(args.memberEmail)
  }) AND ${showsMember})`;
  return sql`
    WITH ${BOUNDS}, ${span},
    looked AS MATERIALIZED (
      SELECT ${change.rev}, ${change.roleId}, ${change.parentId}, ${change.viaRoleId}, ${change.actorId},
        ${change.subjectId}, CASE WHEN ${IS_OF_KEY} THEN ${change.relationId} END AS of_key_id,
        ${KNOWN_ROLE} AS known_id, ${LIST_BYTES} AS bytes,
        CASE WHEN ${IS_OF_MEMBER} OR ${ENDS_ACCESS} THEN ${change.subjectId} END AS member_id,
        CASE WHEN ${WAS_MADE} AND ${IS_OF_MEMBER} THEN ${change.roleId} END AS made_role_id
      FROM ${candidates}
      WHERE ${isInSpan} AND ${MATCHES}),
    ${SEEN},
    picked AS (
      SELECT *, count(*) OVER () AS picked_count, sum(bytes) OVER (ORDER BY rev) - bytes AS bytes_before
      FROM (SELECT * FROM (
          SELECT rev, actor_id, subject_id, role_id AS about_role_id, parent_id AS about_parent_id, via_role_id, bytes,
            by_role_id AS role_id, by_parent_id AS parent_id, knows_subject, member_id, made_role_id
          FROM seen WHERE rev <= (SELECT rev FROM found_to) AND ${isAsked})
        WHERE (${args.actorEmail} IS NULL OR ${isByActor}) AND (coalesce(${args.memberEmail}, ${args.memberId}) IS NULL OR ${isOfMember})
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
