import { REVISION_COLUMN } from "../../db/revisions.ts";
import {
  manages,
  managesHistory,
  memberHistory,
  OPEN_REVISION,
  role,
  roleHistory,
} from "../../db/schema/role.ts";
import { int, placeholdersOf, row, rows, rowsOf, sql, text, type Value } from "../../db/sql.ts";
import { isOneVisible, seenOf } from "../../graph/rules/guard_queries.ts";
import { affordedId, MAX_ID } from "../../graph/rules/price_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "../../graph/history/lineage_queries.ts";
import {
  AS_OF,
  beginsLater,
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  MOMENT_IS_KEPT,
  type MomentRow,
  selfRightsThen,
  validAt,
} from "../../graph/history/moment_queries.ts";
import { maySeeAccess, PERSON_CTE, SUBJECT } from "../../lists/access/roles_queries.ts";

/**
 * What was around a role at a past moment, in two statements: the relations and memberships of then, which cannot
 * change, and what of these roles the actor sees now.
 */

/** Maximum number of relations that a page looks at, of all that have ever led from the role. */
const LOOKED_AT = 2000;

const AROUND = { ...PRINCIPAL, ...AS_OF, ...SUBJECT, roleId: int, afterId: int, limit: int };
const { actorId, roleId, afterId, limit } = placeholdersOf(AROUND);

export interface PastAroundRow extends MomentRow {
  /** JSON list of `LineageRelation`: all that gave rights on the role and its children. */
  readonly relations: string;
  /** JSON: a page of its children as [relation, child], in order of relation, with up to one too many. */
  readonly children: string;
  /** The relation up to which the page looked, or null for all. */
  readonly lookedTo: number | null;
  /** JSON: memberships of the actor and the person as [is the person's, role, rights, end or null]. */
  readonly held: string;
  /** 1: more relations lead to these roles than are followed. */
  readonly isCut: 0 | 1;
  /** Whether the actor sees the role, and it existed. */
  readonly isThere: 0 | 1;
}

/** The role, if the actor sees it now and it existed then. Of a hidden role nothing is read. */
const FOCUS = sql`focus(role_id) AS MATERIALIZED (SELECT CAST(${roleId} AS INTEGER)
    WHERE CASE WHEN ${MOMENT_IS_KEPT} AND ${isOneVisible(roleId)} THEN ${
  selfRightsThen(roleId)
} END IS NOT NULL)`;

/**
 * Selects the next relation that ever led from the role: one that still does, or one with a past. A relation may have
 * many past rows, so each look skips to the next relation.
 */
function nextRelation(after: Value) {
  const { still, next } = rowsOf({ still: manages, next: managesHistory });
  return sql`(SELECT min(id) FROM (
      SELECT min(${still.id}) AS id FROM ${still} WHERE ${still.parentId} = ${roleId} AND ${still.id} > ${after}
      UNION ALL SELECT min(${next.relationId}) FROM ${next} WHERE ${next.parentId} = ${roleId}
        AND ${next.relationId} > ${after} AND ${next.toRev} < ${OPEN_REVISION}))`;
}

/** Relations and memberships around the role at the moment. No row if the session has ended. */
export const READ_PAST_AROUND = rows<PastAroundRow>()(AROUND, () => {
  const { leading, first, held } = rowsOf({
    leading: managesHistory,
    first: managesHistory,
    held: memberHistory,
  });
  const heldBy = (isPerson: 0 | 1, userId: Value) =>
    sql`SELECT ${isPerson} AS is_person, ${held.roleId} AS role_id, ${held.rights} AS rights,
        ${held.endsAt} AS ends_at FROM lineage
      CROSS JOIN ${held} ON ${held.roleId} = lineage.role_id AND ${held.userId} = ${userId}
      WHERE lineage.relation_id IS NULL AND ${memberLivedThen(held)}`;
  return sql`WITH RECURSIVE ${MOMENT}, ${PERSON_CTE}, ${FOCUS},
  leaving(relation_id) AS MATERIALIZED (
    SELECT ${nextRelation(afterId)} FROM focus
    UNION ALL SELECT ${
    nextRelation(sql`leaving.relation_id`)
  } FROM leaving WHERE leaving.relation_id IS NOT NULL
    LIMIT ${LOOKED_AT}),
  lower(place, role_id) AS MATERIALIZED (
    SELECT ${leading.relationId}, ${leading.childId} FROM leaving CROSS JOIN moment
    CROSS JOIN ${leading} ON ${leading.relationId} = leaving.relation_id AND ${leading.toRev} = (
      SELECT ${first.toRev} FROM ${first} WHERE ${first.relationId} = leaving.relation_id
        AND ${first.toRev} > moment.revision ORDER BY ${first.toRev} LIMIT 1)
    WHERE ${leading.parentId} = ${roleId} AND ${validAt(sql`moment.revision`, leading)}
    ORDER BY ${leading.relationId} LIMIT +${limit} + 1),
  ${lineageOf(sql`SELECT role_id AS id FROM focus UNION SELECT role_id FROM lower`, "then")}
  SELECT ${LINEAGE_RELATIONS} AS relations, ${IS_CUT} AS isCut,
    (SELECT json_group_array(json_array(place, role_id)) FROM lower) AS children,
    (SELECT iif(count(relation_id) = ${LOOKED_AT}, max(relation_id), NULL) FROM leaving) AS lookedTo,
    (SELECT json_group_array(json_array(is_person, role_id, rights, ends_at)) FROM (
      ${heldBy(0, actorId)} UNION ALL ${heldBy(1, sql`(SELECT user_id FROM person)`)})) AS held,
    EXISTS (SELECT 1 FROM focus) AS isThere,
    (SELECT ${beginsLater(roleId)} WHERE ${isOneVisible(roleId)}) AS roleFromMs,
    ${MOMENT_COLUMNS}, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
});

/** A role of then that the actor sees now. */
export interface SeenThenRow {
  readonly id: number;
  /** Of then, or today's where history has none. */
  readonly name: string;
  readonly selfRights: number;
  /** The actor may ask about the person's access. */
  readonly mayAsk: 0 | 1;
}

interface SeenThen {
  /** JSON list of `SeenThenRow`. */
  readonly roles: string;
  /** The place in `roleIds` up to which there were steps, at least the first; null for all. */
  readonly lastPlace: number | null;
}

/** Those of `roleIds` (JSON) that the actor sees, as they were at the revision. No row if the session has ended. */
export const READ_SEEN_THEN = rows<SeenThen>()(
  { ...PRINCIPAL, ...SUBJECT, roleIds: text, asOfRevision: int },
  ({ roleIds, asOfRevision }) => {
    const past = row(roleHistory, "past");
    const places =
      sql`SELECT listed.key AS id, CAST(listed.value AS INTEGER) AS role_id FROM json_each(${roleIds}) listed`;
    return sql`WITH RECURSIVE ${PERSON_CTE},
  ${seenOf(sql`SELECT DISTINCT role_id FROM (${places})`)},
  shown(place, role_id) AS MATERIALIZED (SELECT id, role_id FROM (${places}) WHERE role_id IN (SELECT role_id FROM seen)),
  afforded(last_place) AS MATERIALIZED (SELECT ${
      affordedId(sql`SELECT place AS id, role_id FROM shown`, sql`true`)
    })
  SELECT (SELECT json_group_array(json_object('id', ${past.roleId}, 'name', coalesce(${past.name}, ${role.name}),
        'selfRights', ${past.selfRights}, 'mayAsk', ${maySeeAccess(sql`shown.role_id`)})) FROM shown
      CROSS JOIN ${past} ON ${past.roleId} = shown.role_id AND ${validAt(asOfRevision, past)}
      CROSS JOIN ${role} ON ${role.id} = shown.role_id
      WHERE shown.place <= (SELECT last_place FROM afforded)) AS roles,
    (SELECT nullif(last_place, ${MAX_ID}) FROM afforded) AS lastPlace, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
  },
);
