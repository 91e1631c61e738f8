import { REVISION_COLUMN } from "../db/revisions.ts";
import { userAccount } from "../db/schema/identity.ts";
import { member, role, roleClosure } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import { derived, placeholdersOf, row, rows, rowsOf, type SQL, sql, type Value } from "../db/sql.ts";
import { isOpen } from "../device/period_queries.ts";
import { watchesOf } from "../device/watch_queries.ts";
import {
  type Counts,
  HAS_FEW,
  isVisible,
  ROLES_AT_ONCE,
  seesAsManager,
  seesEachAsManager,
  someAuthorizingRole,
  someRoleAbove,
  someRoleOfUserAbove,
} from "../graph/rules/guard_queries.ts";
import { type Acting } from "../graph/rules/rule_queries.ts";
import {
  BY_REACH,
  HORIZON,
  PAGE,
  type PagedTable,
  type PageRows,
  REACHED,
  startingFrom,
  stretch,
  walking,
  whileSessionLives,
} from "../graph/paging/page_queries.ts";
import { affordedId, MAX_ID } from "../graph/rules/price_queries.ts";
import { holderLives, needsNow, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { allows, heldBy, ITEM, ITEMS, ROLES_OF_ITEM, SEES_MEMBERS } from "./evaluation_queries.ts";

/**
 * Pages of search results, in order of id. A page scans a bounded number of candidates, and may be short or empty
 * although others follow: `walkedTo` is the last scanned id.
 */

/** The arguments of a page of results for the item. */
export const SEARCH = { ...PAGE, ...ITEM };
const { actorId, afterId, limit } = placeholdersOf(SEARCH);

/** A page in one row. No row means that the principal does not live. */
export interface FoundRow {
  /** JSON: a list of objects with an `id`, and with an `email` if the statement returns addresses. */
  readonly rows: string;
  readonly walkedTo: number | null;
  readonly revision: number | null;
}

// ---- subjects

/** Maximum number of memberships that a page reads, unless more roles have members. */
const SCANNED_ROWS = 20_000;

/** Accounts and keys as members of a role, in order of id, over the index by principal. */
const SIDES = {
  user: {
    id: (userId: Value) => sql`${userId}`,
    isLater: (userId: Value) => sql`${userId} > ${afterId}`,
    isInStretch: (userId: Value) => sql`${userId} <= stretch.last_id`,
    order: (userId: Value) => sql`${userId}`,
  },
  key: {
    id: (userId: Value) => sql`-${userId}`,
    isLater: (userId: Value) => sql`${userId} < -${afterId}`,
    isInStretch: (userId: Value) => sql`${userId} >= -stretch.last_id`,
    order: (userId: Value) => sql`${userId} DESC`,
  },
} as const;

/**
 * Returns the statement of a page of principals that may perform the item's action: of the members of its role, or of
 * those that monitor its device, and of the roles above. If the actor does not see who has access, only the actor. A
 * page merges the member lists in a stretch of ids in which no list exceeds its share.
 */
function subjectPage(
  { id, isLater, isInStretch, order }: typeof SIDES[keyof typeof SIDES],
  further: () => SQL = () => sql``,
) {
  return rows<FoundRow>()(SEARCH, () => {
    const { watching, self, path } = rowsOf({ watching: monitors, self: role, path: roleClosure });
    const { later, listed } = rowsOf({ later: member, listed: member });
    const own = derived(member, "own", "userId");
    const nextIds = sql`SELECT ${id(later.userId)} FROM ${later}
        WHERE ${later.roleId} = staffed.role_id AND ${isLater(later.userId)} ORDER BY ${order(later.userId)}`;
    const isActor = someAuthorizingRole((acting) => allows(acting, sql`target.id`));
    return sql`
  WITH ${ITEMS},
    requested(role_id, device_id, direct, indirect) AS MATERIALIZED (
      SELECT role_id, device_id, direct, indirect FROM item
      WHERE EXISTS (SELECT 1 FROM ${ROLES_OF_ITEM} seen WHERE ${seesAsManager(sql`seen.id`)})),
    target(id, direct, indirect) AS MATERIALIZED (
      SELECT role_id, direct, indirect FROM requested WHERE role_id > 0
      UNION ALL SELECT ${watching.roleId}, direct, indirect FROM requested
        CROSS JOIN ${watching} ON ${watching.deviceId} = requested.device_id AND ${isOpen(watching)}),
    reached(role_id, rights, is_enough) AS MATERIALIZED (
      SELECT ${self.id}, ${self.selfRights} & target.direct, target.direct = 0
      FROM target CROSS JOIN ${self} ON ${self.id} = target.id
      UNION ALL SELECT ${path.ancestorId}, ${path.rights} & target.indirect, target.indirect = 0
      FROM target CROSS JOIN ${path} ON ${path.descendantId} = target.id),
    staffed(role_id, rights, is_enough) AS MATERIALIZED (
      SELECT role_id, rights, is_enough FROM reached WHERE (is_enough OR rights) AND EXISTS (
        SELECT 1 FROM ${later} WHERE ${later.roleId} = reached.role_id AND ${isLater(later.userId)})),
    share(size) AS MATERIALIZED (
      SELECT max(1, min(${limit}, ${SCANNED_ROWS} / max(1, count(*)))) FROM staffed),
    ${stretch(nextIds, sql`(SELECT size FROM share)`, sql`staffed`)}
  SELECT (SELECT json_group_array(json_object('id', found.id${further()})) FROM (
      SELECT ${id(listed.userId)} AS id FROM staffed CROSS JOIN ${listed}
        ON ${listed.roleId} = staffed.role_id AND ${isLater(listed.userId)} AND ${isInStretch(listed.userId)}
      WHERE (staffed.is_enough OR staffed.rights & ${listed.rights}) AND ${holderLives(listed)}
        AND ${listed.userId} <> ${actorId} AND ${needsNow(listed)} <= (SELECT meets FROM item)
      UNION SELECT ${id(own.userId)} FROM item CROSS JOIN (SELECT ${actorId} AS user_id) ${own}
      WHERE ${isLater(own.userId)} AND ${isInStretch(own.userId)}
        AND EXISTS (SELECT 1 FROM ${ROLES_OF_ITEM} target WHERE ${isActor})
      ORDER BY 1 LIMIT +${limit}) found) AS rows,
    nullif(stretch.last_id, ${MAX_ID}) AS walkedTo, ${REVISION_COLUMN}
  FROM stretch WHERE ${PRINCIPAL_LIVES}`;
  });
}

/** Pages of the principals that may perform an action, by type. */
export const SUBJECT_PAGES = { user: subjectPage(SIDES.user), key: subjectPage(SIDES.key) } as const;

/** The same of users, with their addresses. */
export const USERS_WITH_ADDRESSES = subjectPage(SIDES.user, () => {
  const named = row(userAccount, "named");
  return sql`, 'email', (SELECT ${named.email} FROM ${named} WHERE ${named.id} = found.id)`;
});

// ---- resources

/** Maximum number of visible roles or devices that a page scans. */
const CANDIDATES = 2000;

/** The item is about a subject other than the actor. */
const IS_ABOUT_ANOTHER = sql`(SELECT subject FROM item) <> ${actorId}`;

interface Resource<T extends PagedTable> {
  readonly table: T;
  /** Returns the source for FROM that joins what the actor reaches to `reach`. */
  readonly reached: (listed: T) => SQL;
  /** Of a walk: whether the actor sees the row, the last id up to which it can tell, and CTEs that these use. */
  readonly walk: { readonly sees: (id: Value) => SQL; readonly end: SQL; readonly ctes: readonly SQL[] };
  /** CTEs that the other parts use. */
  readonly ctes: readonly SQL[];
  /** The last id up to which a page judges candidates; the greatest possible id if it judges all. */
  readonly judgedTo: SQL;
  /** The subject of the item, the actor or another one, may perform its action on the candidate. */
  readonly may: { readonly actor: SQL; readonly other: SQL };
}

/**
 * Returns whether the subject of the item may perform its action on the role. For another subject, it scans all roles
 * above.
 */
function may(on: Value): { readonly actor: SQL; readonly other: SQL } {
  const meets = (acting: Acting): SQL => allows(acting, on);
  const counts: Counts = (own) => sql`(${holderLives(own)} AND ${needsNow(own)} <= item.meets)`;
  return {
    actor: someRoleAbove(on, meets),
    other: someRoleOfUserAbove(sql`item.subject`, on, meets, counts),
  };
}

/** Whether a role of `roles` monitors the candidate. */
function watchedBy(roles: SQL): SQL {
  const watching = row(monitors, "watching");
  return sql`EXISTS (SELECT 1 FROM ${watching} WHERE ${watching.deviceId} = candidate.id
    AND ${isOpen(watching)} AND +${watching.roleId} IN (SELECT role_id FROM ${roles}))`;
}

const walked = row(role, "walked");
const WALKED_ROLES = sql`SELECT ${walked.id}, ${walked.id} AS role_id FROM ${walked}
  WHERE ${walked.id} > ${afterId} AND ${walked.id} <= ${HORIZON}`;
const WALK_END = sql`(SELECT last_id FROM walk_end)`;
const CANDIDATE_ROLES = sql`SELECT id, id AS role_id FROM candidate`;
/** Candidates are judged by the roles above them. */
const LOOKS_ABOVE = sql`(NOT (${HAS_FEW}) OR ${IS_ABOUT_ANOTHER})`;

const ON_CANDIDATE = may(sql`candidate.id`);
const ROLES: Resource<typeof role> = {
  table: role,
  reached: (listed) => sql`${listed} ON ${listed.id} = reach.role_id AND ${listed.id} > ${afterId}`,
  walk: {
    sees: (id) => sql`${id} <= ${WALK_END} AND ${isVisible(id)}`,
    end: WALK_END,
    ctes: [sql`walk_end(last_id) AS MATERIALIZED (SELECT ${affordedId(WALKED_ROLES)})`],
  },
  ctes: [
    sql`afforded(last_id) AS MATERIALIZED (SELECT ${affordedId(CANDIDATE_ROLES, LOOKS_ABOVE)})`,
  ],
  judgedTo: sql`(SELECT last_id FROM afforded)`,
  may: {
    actor: ON_CANDIDATE.actor,
    other: sql`${seesEachAsManager(sql`candidate.id`)} AND ${ON_CANDIDATE.other}`,
  },
};

const ON_HELD = may(sql`held.role_id`);
/** CTE `allowed`: the roles that monitor candidates and on which the subject may perform the item's action. */
const ALLOWED = sql`allowed(role_id) AS MATERIALIZED (SELECT held.role_id FROM item CROSS JOIN held
  WHERE CASE WHEN item.subject = ${actorId} THEN ${ON_HELD.actor} ELSE ${ON_HELD.other} END)`;

/**
 * Maximum number of roles that a page of devices judges for another subject. All roles of its first device count even
 * beyond it.
 */
const ROLES_OF_ANOTHER = 50;

const DEVICES: Resource<typeof device> = {
  table: device,
  reached(listed) {
    const source = row(monitors, "source");
    return sql`${source} ON ${source.roleId} = reach.role_id AND ${source.deviceId} > ${afterId}
        AND ${isOpen(source)}
      CROSS JOIN ${listed} ON ${listed.id} = ${source.deviceId}`;
  },
  // The actor sees all candidates that they may ask about.
  walk: { sees: () => sql`true`, end: MAX_ID, ctes: [] },
  ctes: [
    watchesOf(sql`SELECT id, id FROM candidate ORDER BY id`, heldBy, {
      rolesAtOnce: sql`min(${ROLES_AT_ONCE}, iif(${IS_ABOUT_ANOTHER}, ${ROLES_OF_ANOTHER}, ${MAX_ID}))`,
    }),
    ALLOWED,
  ],
  judgedTo: sql`coalesce((SELECT last_key FROM looked), ${MAX_ID})`,
  may: {
    actor: watchedBy(sql`allowed`),
    other: sql`${watchedBy(sql`held WHERE ${SEES_MEMBERS}`)} AND ${watchedBy(sql`allowed`)}`,
  },
};

/**
 * Returns the ways of a page of the roles or devices on which the subject of the item may perform its action, of those
 * that the actor sees; for another subject, of those whose members the actor sees, too.
 */
function resourcePage<T extends PagedTable>({ table, reached, walk, ctes, judgedTo, may }: Resource<T>) {
  const of = (first: readonly SQL[], candidates: SQL, last = judgedTo): PageRows => ({
    ctes: [
      ITEMS,
      ...first,
      sql`candidate(id) AS MATERIALIZED (${candidates} ORDER BY 1 LIMIT ${CANDIDATES})`,
      ...ctes,
    ],
    columns: { id: sql`found.id` },
    from: sql`(SELECT candidate.id FROM item CROSS JOIN candidate
      WHERE candidate.id <= ${last}
        AND CASE WHEN item.subject = ${actorId} THEN ${may.actor} ELSE ${may.other} END
      ORDER BY candidate.id LIMIT +${limit}) found`,
    lookedTo: sql`nullif(min(${last},
      (SELECT iif(count(*) = ${CANDIDATES}, max(id), ${MAX_ID}) FROM candidate)), ${MAX_ID})`,
  });
  return {
    reach: whileSessionLives(ITEM, () => {
      const { ctes, unless } = startingFrom(REACHED, reached(row(table, "listed")));
      const listed = row(table, "listed");
      const page = of(
        ctes,
        sql`SELECT DISTINCT ${listed.id} FROM reach CROSS JOIN ${reached(listed)} WHERE ${BY_REACH}`,
      );
      return { ...page, unless };
    }),
    walk: whileSessionLives(ITEM, () => {
      const { ctes, end } = walking(table);
      const walked = row(table, "walked");
      const candidates = sql`SELECT ${walked.id} FROM ${walked}
      WHERE ${walked.id} > ${afterId} AND ${walked.id} <= ${HORIZON} AND ${walk.sees(walked.id)}`;
      const page = of([...ctes, ...walk.ctes], candidates, sql`min(${judgedTo}, ${walk.end})`);
      return { ...page, end };
    }),
  } as const;
}

/** Pages of the resources on which a subject may perform an action, by type. */
export const RESOURCE_PAGES = {
  role: resourcePage(ROLES),
  device: resourcePage(DEVICES),
} as const;
