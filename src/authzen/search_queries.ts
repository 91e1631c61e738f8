import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import {
  HAS_FEW,
  holdsSome,
  isVisible,
  memberLives,
  PRINCIPAL_LIVES,
  ROLES_AT_ONCE,
  seesAsManager,
  seesEachAsManager,
  someAuthorizingRole,
  someRoleAbove,
  someRoleOfUserAbove,
} from "../role/guard_text.ts";
import { BY_REACH, BY_WALK, HORIZON, whileSessionReaches } from "../role/paging/page_text.ts";
import { affordedId } from "../role/price_text.ts";
import { watchesOf } from "../device/device_text.ts";
import { heldBy, ITEMS, rolesOf, SEES_MEMBERS } from "./evaluation_queries.ts";

/**
 * Pages of search results, in order of id. A page looks at a bounded number of candidates and may be short, or empty,
 * although there are more: `walkedTo` then says how far it looked.
 */

const MAY = holdsSome("item.direct", "item.indirect", "target.id");

// ---- subjects

/** Maximum number of memberships that a page reads, unless more roles than that have members. */
const LOOKED_AT = 20_000;
const LAST_ID = "9223372036854775807";

/** How accounts and keys are found among the members of a role, in order of id, over the index by principal. */
const SIDES = {
  user: {
    id: (member: string) => `${member}.user_id`,
    isLater: (member: string) => `${member}.user_id > :afterId`,
    isInStretch: (member: string) => `${member}.user_id <= stretch.last_id`,
    order: (member: string) => `${member}.user_id`,
  },
  key: {
    id: (member: string) => `-${member}.user_id`,
    isLater: (member: string) => `${member}.user_id < -:afterId`,
    isInStretch: (member: string) => `${member}.user_id >= -stretch.last_id`,
    order: (member: string) => `${member}.user_id DESC`,
  },
} as const;

/**
 * The members of the role of `:items`, or of those that monitor its device, and of the roles above, who may do what the
 * item says; if the actor does not see who has access to it, only the actor. The roles each have a list of members, and
 * a page merges these lists: it takes a stretch of ids in which no list has more than its share.
 */
function subjectPage({ id, isLater, isInStretch, order }: typeof SIDES[keyof typeof SIDES]): Statement {
  return defineStatement(`
  WITH ${ITEMS},
    asked(role_id, device_id, direct, indirect) AS MATERIALIZED (
      SELECT role_id, device_id, direct, indirect FROM item
      WHERE EXISTS (SELECT 1 FROM ${rolesOf("item")} seen WHERE ${seesAsManager("seen.id")})),
    target(id, direct, indirect) AS MATERIALIZED (
      SELECT role_id, direct, indirect FROM asked WHERE role_id > 0
      UNION ALL SELECT monitoring.role_id, direct, indirect FROM asked
        CROSS JOIN monitors monitoring ON monitoring.device_id = asked.device_id),
    reached(role_id, rights, is_enough) AS MATERIALIZED (
      SELECT self.id, self.self_rights & target.direct, target.direct = 0
      FROM target CROSS JOIN role self ON self.id = target.id
      UNION ALL SELECT path.ancestor_id, path.rights & target.indirect, target.indirect = 0
      FROM target CROSS JOIN role_closure path ON path.descendant_id = target.id),
    staffed(role_id, rights, is_enough) AS MATERIALIZED (
      SELECT role_id, rights, is_enough FROM reached WHERE (is_enough OR rights) AND EXISTS (
        SELECT 1 FROM member later WHERE later.role_id = reached.role_id AND ${isLater("later")})),
    share(size) AS MATERIALIZED (
      SELECT max(1, min(:limit, ${LOOKED_AT} / max(1, count(*)))) FROM staffed),
    stretch(last_id) AS MATERIALIZED (SELECT coalesce(min((
        SELECT ${id("later")} FROM member later WHERE later.role_id = staffed.role_id AND ${isLater("later")}
        ORDER BY ${order("later")} LIMIT 1 OFFSET (SELECT size FROM share) - 1)), ${LAST_ID}) FROM staffed)
  SELECT (SELECT json_group_array(json_object('id', id)) FROM (
      SELECT ${id("held")} AS id FROM staffed CROSS JOIN member held
        ON held.role_id = staffed.role_id AND ${isLater("held")} AND ${isInStretch("held")}
      WHERE (staffed.is_enough OR staffed.rights & held.rights) AND ${memberLives("held")}
      UNION SELECT ${id("own")} FROM item CROSS JOIN (SELECT :actorId AS user_id) own
      WHERE ${isLater("own")} AND ${isInStretch("own")}
        AND EXISTS (SELECT 1 FROM ${rolesOf("item")} target WHERE ${someAuthorizingRole(MAY)})
      ORDER BY 1 LIMIT +:limit)) AS rows,
    nullif(stretch.last_id, ${LAST_ID}) AS walkedTo, ${REVISION}
  FROM stretch WHERE ${PRINCIPAL_LIVES}`);
}

/** Pages of who may do something, by type. */
export const SUBJECT_PAGES = { user: subjectPage(SIDES.user), key: subjectPage(SIDES.key) } as const;

// ---- resources

/** Maximum number of roles or devices that a page looks at, of those that the actor sees. */
const CANDIDATES = 2000;

/** SQL: the item is about a subject other than the actor. */
const IS_ABOUT_ANOTHER = "(SELECT subject FROM item) <> :actorId";

interface Resource {
  readonly table: string;
  /** SQL: joins the actor's reach to `reach`, as `listed`. */
  readonly reached: string;
  /** SQL: the actor sees the candidate of a walk. */
  readonly sees: (id: string) => string;
  /** CTEs that the other parts use. */
  readonly ctes: readonly string[];
  /** SQL: the last id up to which a page judges candidates; the greatest possible id if it judges all. */
  readonly judgedTo: string;
  /** SQL: the subject of the item, the actor or another one, may perform its action on the candidate. */
  readonly may: { readonly actor: string; readonly other: string };
}

/** SQL: the subject of the item may perform its action on the role. For another subject, it scans all roles above. */
function may(role: string): { readonly actor: string; readonly other: string } {
  const condition = holdsSome("item.direct", "item.indirect", role);
  return {
    actor: someRoleAbove(role, condition),
    other: someRoleOfUserAbove("item.subject", role, condition),
  };
}

/** SQL: a role that is among `roles` monitors the candidate. */
function watchedBy(roles: string): string {
  return `EXISTS (SELECT 1 FROM monitors monitoring WHERE monitoring.device_id = candidate.id
    AND +monitoring.role_id IN (SELECT role_id FROM ${roles}))`;
}

const WALKED_ROLES = `SELECT walked.id, walked.id AS role_id FROM role walked
  WHERE ${BY_WALK} AND walked.id > :afterId AND walked.id <= ${HORIZON}`;

const ROLES: Resource = {
  table: "role",
  reached: "role listed ON listed.id = reach.role_id AND listed.id > :afterId",
  sees: (id) => `${id} <= (SELECT last_id FROM walk_end) AND ${isVisible(id)}`,
  ctes: [
    `walk_end(last_id) AS MATERIALIZED (SELECT ${affordedId(WALKED_ROLES)})`,
    `afforded(last_id) AS MATERIALIZED (SELECT min(last_id, ${
      affordedId("SELECT id, id AS role_id FROM candidate", `(NOT (${HAS_FEW}) OR ${IS_ABOUT_ANOTHER})`)
    }) FROM walk_end)`,
  ],
  judgedTo: "(SELECT last_id FROM afforded)",
  may: {
    actor: may("candidate.id").actor,
    other: `${seesEachAsManager("candidate.id")} AND ${may("candidate.id").other}`,
  },
};

/** CTE: the roles that monitor the candidates on which the subject may perform the item's action. */
const ALLOWED = `allowed(role_id) AS MATERIALIZED (SELECT held.role_id FROM item CROSS JOIN held
  WHERE CASE WHEN item.subject = :actorId THEN ${may("held.role_id").actor} ELSE ${
  may("held.role_id").other
} END)`;

/**
 * Maximum number of roles that a page of devices asks about another subject. All roles of its first device count even
 * beyond it.
 */
const ROLES_OF_ANOTHER = 50;

const DEVICES: Resource = {
  table: "device",
  reached: `monitors source ON source.role_id = reach.role_id AND source.device_id > :afterId
      CROSS JOIN device listed ON listed.id = source.device_id`,
  // The actor sees everything that they may ask about.
  sees: () => "true",
  ctes: [
    ...watchesOf("SELECT id, id FROM candidate ORDER BY id", heldBy, {
      rolesAtOnce: `min(${ROLES_AT_ONCE}, iif(${IS_ABOUT_ANOTHER}, ${ROLES_OF_ANOTHER}, ${LAST_ID}))`,
    }),
    ALLOWED,
  ],
  judgedTo: `coalesce((SELECT last_key FROM looked), ${LAST_ID})`,
  may: {
    actor: watchedBy("allowed"),
    other: `${watchedBy(`held WHERE ${SEES_MEMBERS}`)} AND ${watchedBy("allowed")}`,
  },
};

/**
 * The roles or devices to which the subject of `:items` may do what the item says, of those that the actor sees; for
 * another subject, of those whose members the actor sees, too.
 */
function resourcePage({ table, reached, sees, ctes, judgedTo, may }: Resource): Statement {
  const candidates = `SELECT listed.id FROM reach CROSS JOIN ${reached} WHERE ${BY_REACH}
    UNION SELECT id FROM (SELECT listed.id FROM ${table} listed
      WHERE ${BY_WALK} AND listed.id > :afterId AND listed.id <= ${HORIZON} AND ${sees("listed.id")}
      ORDER BY listed.id LIMIT ${CANDIDATES})`;
  return whileSessionReaches({
    ctes: [ITEMS],
    columns: { id: "found.id" },
    from: `(SELECT candidate.id FROM item CROSS JOIN candidate
      WHERE candidate.id <= ${judgedTo}
        AND CASE WHEN item.subject = :actorId THEN ${may.actor} ELSE ${may.other} END
      ORDER BY candidate.id LIMIT +:limit) found`,
    lookedTo: `nullif(min(${judgedTo},
      (SELECT iif(count(*) = ${CANDIDATES}, max(id), ${LAST_ID}) FROM candidate)), ${LAST_ID})`,
  }, {
    table,
    candidates: reached,
    pacedCtes: [
      `candidate(id) AS MATERIALIZED (${candidates} ORDER BY 1 LIMIT ${CANDIDATES})`,
      ...ctes,
    ],
  });
}

/** Pages of what somebody may do something to, by type. */
export const RESOURCE_PAGES = {
  role: resourcePage(ROLES),
  device: resourcePage(DEVICES),
} as const;
