import {
  HAS_FEW,
  holds,
  isOneVisible,
  isVisible,
  managesMembersOf,
  memberLives,
  someRoleAbove,
  userRights,
} from "../guard_text.ts";
import { affordedId, isCostly } from "../price_queries.ts";
import {
  noOwnRows,
  pageByList,
  pageByRole,
  pageByValues,
  reachPage,
  type RoleOwnedRows,
} from "./role_owned_queries.ts";
import {
  ARE_FEW_NAMED,
  BY_REACH,
  BY_WALK,
  HORIZON,
  inList,
  LAST_ID,
  type PageRows,
  priced,
  probedPage,
  ROWS_OF_LIST,
  STRETCH_END,
  stretchOf,
  unlessCostly,
  whileSessionLives,
  whileSessionReaches,
} from "./page_queries.ts";

/**
 * Pages of what the actor may see, ordered by id, after `:afterId`, with up to `:limit` rows. Lists are JSON; a null
 * list does not filter.
 *
 * The most selective list drives a statement: candidates come from that list over an index, and everything else is a
 * probe per candidate. So the cost of a page depends on what it returns, not on what is stored.
 */

// ---- roles

/** SQL: what follows all characters in UTF-8, which has no such byte. */
const AFTER_ALL = "CAST(x'FF' AS TEXT)";

/** SQL: the name begins with `start`, by the index that compares letters of ASCII without case. */
function startsWith(role: string, start: string): string {
  return `${role}.name COLLATE NOCASE >= ${start} AND ${role}.name COLLATE NOCASE < ${start} || ${AFTER_ALL}`;
}

/** SQL: the name is like `:pattern`, or that is null. The "+" keeps SQLite from looking for a start of the pattern. */
function isLikePattern(role: string): string {
  return `(:pattern IS NULL OR +${role}.name GLOB +:pattern)`;
}

/** Names that match the filter, but for `:ancestorIds`, of roles that the actor reaches or that the page walks. */
const ROLE_CANDIDATES = {
  name: `SELECT candidate.id FROM reach CROSS JOIN role candidate ON candidate.id = reach.role_id
    WHERE ${BY_REACH} AND candidate.id > :afterId AND candidate.name IN (SELECT value FROM json_each(:names))
      AND ${isLikePattern("candidate")}
    UNION ALL SELECT candidate.id FROM json_each(:names) asked CROSS JOIN role candidate
      ON candidate.name = asked.value AND candidate.id > :afterId AND candidate.id <= ${HORIZON}
    WHERE ${BY_WALK} AND ${isLikePattern("candidate")} AND ${isVisibleToFew("candidate.id")}`,
  namePrefix: `SELECT candidate.id FROM reach CROSS JOIN role candidate ON candidate.id = reach.role_id
    WHERE ${BY_REACH} AND candidate.id > :afterId AND ${isLikePattern("candidate")}
    UNION ALL SELECT candidate.id FROM json_each(:starts) asked CROSS JOIN role candidate
      ON ${startsWith("candidate", "asked.value")} AND candidate.id > :afterId
    WHERE ${ARE_FEW_NAMED} AND ${isLikePattern("candidate")} AND ${isVisibleToFew("candidate.id")}
    UNION ALL SELECT candidate.id FROM role candidate
    WHERE ${BY_WALK} AND candidate.id > :afterId
      AND candidate.id <= iif(${ARE_FEW_NAMED}, :afterId, ${HORIZON}) AND ${isLikePattern("candidate")} AND ${
    isVisibleToFew("candidate.id")
  }`,
} as const;

/** A page of the roles below those of `:ancestorIds`. */
const BELOW_ASKED = `SELECT source.descendant_id AS id FROM asked_role
  CROSS JOIN role_closure source ON source.ancestor_id = asked_role.id
    AND source.descendant_id > :afterId AND source.descendant_id <= ${STRETCH_END}`;

/** SQL: the actor sees the role, or has many memberships: then it is judged once it is known to be affordable. */
function isVisibleToFew(role: string): string {
  return `iif(${HAS_FEW}, ${isOneVisible(role)}, true)`;
}

/** CTE: the roles of `:ancestorIds` that the actor sees. */
const SEEN_ANCESTORS = `seen_ancestor(role_id) AS MATERIALIZED (
  SELECT asked.value FROM json_each(${unlessCostly(":ancestorIds")}) asked WHERE ${
  isVisible("asked.value")
})`;

/**
 * SQL: one of `seen_ancestor` is above the role, or `:ancestorIds` is null. Costs a step for each role above it,
 * however many are asked for: the "+" keeps SQLite from probing the closure for each of these.
 */
function belowAncestors(role: string): string {
  return `(:ancestorIds IS NULL OR EXISTS (SELECT 1 FROM role_closure below
    WHERE below.descendant_id = ${role} AND +below.ancestor_id IN (SELECT role_id FROM seen_ancestor)))`;
}

/** SQL: whether each role is judged by those above it: for an actor with many memberships, and to find ancestors. */
const LOOKS_ABOVE = `(NOT (${HAS_FEW}) OR :ancestorIds IS NOT NULL)`;

/** CTE `afforded`: the id up to which the page goes, with its `candidate`s. */
const AFFORDED = `afforded(last_id) AS MATERIALIZED (SELECT ${
  affordedId("SELECT id, id AS role_id FROM listed", LOOKS_ABOVE)
})`;
const AFFORDED_END = "(SELECT last_id FROM afforded)";

/** The values of a role, of those of `listed` that are affordable and meet the condition. */
function rolePage(condition: string): PageRows {
  const columns = {
    id: "role.id",
    name: "role.name",
    selfRights: "role.self_rights",
    userRights: userRights("role.id"),
  };
  const from = `(SELECT listed.id FROM listed WHERE listed.id <= ${AFFORDED_END} AND ${condition}
      ORDER BY listed.id LIMIT +:limit) candidates
    CROSS JOIN role ON role.id = candidates.id`;
  return { columns, from, isPriced: true, lookedTo: `nullif(${AFFORDED_END}, ${LAST_ID})` };
}

/** CTE `listed` of candidates. */
function listed(candidates: string): string {
  return `listed(id) AS MATERIALIZED (SELECT DISTINCT id FROM (${candidates}))`;
}

/** SQL: one of `listed` that the actor sees, if they have many memberships, and that is below the ancestors. */
const IS_LISTED_SEEN = `CASE WHEN ${HAS_FEW} THEN true ELSE ${isVisible("listed.id")} END
  AND ${belowAncestors("listed.id")}`;

const PRICED_ANCESTORS = [priced({ ":ancestorIds": isCostly(":ancestorIds") }), SEEN_ANCESTORS];

/**
 * A page of the roles of `:ids`, which has no duplicates. Whoever has rights on a role, if only none (0), sees it, so
 * the rights that the page needs anyway decide. The LIMIT of -1 keeps them from being computed twice.
 */
function askedRoles(filter: string): PageRows {
  const columns = {
    id: "seen.id",
    name: "seen.name",
    selfRights: "seen.self_rights",
    userRights: "seen.rights",
  };
  const from = `(SELECT * FROM (
      SELECT role.id, role.name, role.self_rights, ${userRights("role.id")} AS rights
      FROM json_each(:ids) asked CROSS JOIN role ON role.id = asked.value
      WHERE role.id > :afterId AND ${filter} LIMIT -1)
    WHERE rights IS NOT NULL ORDER BY id LIMIT +:limit) seen`;
  return { columns, from };
}

/**
 * A page of all roles that the actor sees. The paths to them have their rights; only where these differ are they
 * united, which takes longer than everything else.
 */
function heldRoles(): PageRows {
  const columns = {
    id: "role.id",
    name: "role.name",
    selfRights: "role.self_rights",
    userRights: "held.rights",
  };
  const ctes = [
    `mine(role_id, rights) AS MATERIALIZED (
      SELECT own.role_id, own.rights FROM member own WHERE own.user_id = :actorId AND ${memberLives("own")})`,
    `stretch(last_id) AS MATERIALIZED (SELECT coalesce(min((
        SELECT later.descendant_id FROM role_closure later
        WHERE later.ancestor_id = mine.role_id AND later.descendant_id > :afterId ORDER BY later.descendant_id
        LIMIT 1 OFFSET (SELECT max(1, min(:limit, ${ROWS_OF_LIST} / max(1, count(*)))) - 1 FROM mine))), ${LAST_ID})
      FROM mine)`,
    `held(id, least, most) AS MATERIALIZED (SELECT id, min(rights), max(rights) FROM (
        SELECT self.id, self.self_rights & mine.rights AS rights FROM mine CROSS JOIN role self ON self.id = mine.role_id
        WHERE mine.role_id > :afterId AND mine.role_id <= ${STRETCH_END}
        UNION ALL SELECT source.descendant_id, source.rights & mine.rights FROM mine CROSS JOIN role_closure source
          ON source.ancestor_id = mine.role_id AND source.descendant_id > :afterId
            AND source.descendant_id <= ${STRETCH_END})
      GROUP BY id ORDER BY id LIMIT +:limit)`,
    `afforded(last_id) AS MATERIALIZED (SELECT ${
      affordedId("SELECT id, id AS role_id FROM held WHERE least <> most")
    })`,
  ];
  const from = `(SELECT id, CASE least WHEN most THEN least ELSE ${
    userRights("held.id")
  } END AS rights FROM held
      WHERE id <= ${AFFORDED_END}) held
    CROSS JOIN role ON role.id = held.id`;
  const lookedTo = `nullif(min(${STRETCH_END}, ${AFFORDED_END}), ${LAST_ID})`;
  return { columns, from, ctes, lookedTo };
}

/** By ids alone: a frequent statement, and a server prepares it anew each time. */
const ROLES_BY_ID = whileSessionLives({
  ...askedRoles(`role.id <= ${AFFORDED_END}`),
  ctes: [
    `afforded(last_id) AS MATERIALIZED (SELECT ${
      affordedId("SELECT value AS id, value AS role_id FROM json_each(:ids) WHERE value > :afterId")
    })`,
  ],
  lookedTo: `nullif(${AFFORDED_END}, ${LAST_ID})`,
});

/** CTEs: the roles of `:ids` that match the filter, with the rights on them that the actor has, as `seen`. */
const ASKED_AND_MORE = [
  ...PRICED_ANCESTORS,
  `listed(id) AS MATERIALIZED (SELECT role.id FROM json_each(:ids) asked CROSS JOIN role ON role.id = asked.value
    WHERE role.id > :afterId AND ${inList("role.name", ":names")} AND ${isLikePattern("role")}
      AND ${isVisibleToFew("role.id")})`,
  AFFORDED,
];

/** Pages of roles by the list that drives them. Their rows are `RoleRow`s. */
export const ROLE_PAGES = {
  id: ROLES_BY_ID,
  fewIds: probedPage(askedRoles(HAS_FEW), ROLES_BY_ID),
  idAndMore: whileSessionLives({
    ...rolePage(`${isVisible("listed.id")} AND ${belowAncestors("listed.id")}`),
    ctes: ASKED_AND_MORE,
  }),
  name: whileSessionReaches({ ...rolePage(IS_LISTED_SEEN), ctes: PRICED_ANCESTORS }, {
    table: "role",
    candidates: "role candidate ON candidate.id = reach.role_id",
    named: `json_each(:names) asked
        CROSS JOIN role candidate ON candidate.name = asked.value AND candidate.id > :afterId`,
    pacedCtes: [listed(ROLE_CANDIDATES.name), AFFORDED],
  }),
  namePrefix: whileSessionReaches({ ...rolePage(IS_LISTED_SEEN), ctes: PRICED_ANCESTORS }, {
    table: "role",
    candidates: "role candidate ON candidate.id = reach.role_id",
    isReachFirst: true,
    // Also those of earlier pages: the index is not in order of id, and would be read past them in any case.
    named: `json_each(:starts) asked CROSS JOIN role candidate ON ${startsWith("candidate", "asked.value")}`,
    pacedCtes: [listed(ROLE_CANDIDATES.namePrefix), AFFORDED],
  }),
  ancestor: whileSessionLives({
    ...rolePage("true"),
    ctes: [
      ...stretchOf(":ancestorIds", isVisible, (role) =>
        `SELECT next.descendant_id FROM role_closure next
      WHERE next.ancestor_id = ${role} AND next.descendant_id > :afterId ORDER BY next.descendant_id`),
      `listed(id) AS MATERIALIZED (SELECT DISTINCT id FROM (${BELOW_ASKED}) ORDER BY id LIMIT +:limit)`,
      `afforded(last_id) AS MATERIALIZED (SELECT ${affordedId("SELECT id, id AS role_id FROM listed")})`,
    ],
    isStretch: true,
  }),
  none: whileSessionLives(heldRoles()),
} as const;

// ---- relations and members

const MANAGES_FROM: RoleOwnedRows = {
  table: "manages",
  roleColumn: "parent_id",
  readable: isVisible,
  ownRow: "false",
  ownRows: noOwnRows("manages"),
  filter: `${inList("candidate.id", ":ids")} AND ${inList("candidate.parent_id", ":roleIds")}
    AND ${inList("candidate.child_id", ":childIds")}`,
  columns: {
    id: "owned.id",
    parentRoleId: "owned.parent_id",
    childRoleId: "owned.child_id",
    rights: "owned.rights",
  },
  joins: "",
};

/** Pages of the relations that start from roles the actor sees. Their rows are `ManagesRow`s. */
export const MANAGES_PAGES = {
  id: pageByList(MANAGES_FROM, ":ids", "id"),
  child: pageByList(MANAGES_FROM, ":childIds", "child_id"),
  role: pageByRole(MANAGES_FROM, ":roleIds"),
  none: reachPage(MANAGES_FROM),
} as const;

const MANAGES_INTO: RoleOwnedRows = {
  ...MANAGES_FROM,
  roleColumn: "child_id",
  readable: (role) => someRoleAbove(role, holds("roleManagement", role)),
  filter: "true",
};

/** Pages of the relations that enter roles on which the actor holds roleManagement. Their rows are `ManagesRow`s. */
export const MANAGED_BY_PAGES = {
  role: pageByRole(MANAGES_INTO, ":roleIds"),
  none: reachPage(MANAGES_INTO),
} as const;

const MEMBERS: RoleOwnedRows = {
  table: "member",
  roleColumn: "role_id",
  readable: (role) => someRoleAbove(role, managesMembersOf(role)),
  ownRow: "candidate.user_id = :actorId",
  ownRows:
    `SELECT candidate.id FROM member candidate WHERE candidate.user_id = :actorId AND candidate.id > :afterId
    AND ${memberLives("candidate")} AND ${inList("candidate.id", ":ids")} AND ${
      inEmails("candidate.user_id")
    }`,
  filter: `candidate.user_id > 0 AND ${memberLives("candidate")} AND ${inList("candidate.id", ":ids")}
    AND ${inList("candidate.role_id", ":roleIds")} AND ${inEmails("candidate.user_id")}`,
  columns: {
    id: "owned.id",
    roleId: "owned.role_id",
    userEmail: "person.email",
    rights: "owned.rights",
    endsAt: "owned.ends_at",
  },
  joins: "CROSS JOIN user_account person ON person.id = owned.user_id",
};

function inEmails(user: string): string {
  return `(:emails IS NULL OR EXISTS (SELECT 1 FROM user_account named WHERE named.id = ${user}
    AND named.email IN (SELECT value FROM json_each(:emails))))`;
}

/** The memberships of the account with an address. */
const OF_ADDRESS = `user_account named ON named.email = asked.value
  CROSS JOIN member candidate ON candidate.user_id = named.id`;

/** Pages of memberships: the actor's own, and those of roles whose members they manage. Their rows are `MemberRow`s. */
export const MEMBER_PAGES = {
  id: pageByList(MEMBERS, ":ids", "id"),
  email: pageByValues(MEMBERS, ":emails", OF_ADDRESS),
  role: pageByRole(MEMBERS, ":roleIds"),
  none: reachPage(MEMBERS),
} as const;
