import { memberLives } from "../principal_queries.ts";
import { HAS_FEW, holds, isVisible, managesMembersOf, someRoleAbove, userRights } from "../guard_queries.ts";
import {
  byList,
  noOwnRows,
  pageByRole,
  reachPage,
  readableRow,
  roleOwnedPage,
  type RoleOwnedRows,
} from "./role_owned_queries.ts";
import {
  ARE_FEW_NAMED,
  BY_REACH,
  BY_WALK,
  HORIZON,
  inList,
  type PageRows,
  probedPage,
  STRETCH_END,
  stretchOf,
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

/**
 * SQL: the ids of up to `:limit` descendants of `ancestor` after `:afterId`, over the closure's second index. A condition
 * added behind it would drop rows from a page that is already cut.
 */
function descendantsOnPage(ancestor: string): string {
  return `source.ancestor_id = ${ancestor} AND source.descendant_id > :afterId
    AND source.descendant_id <= coalesce((SELECT last.descendant_id FROM role_closure last
      WHERE last.ancestor_id = ${ancestor} AND last.descendant_id > :afterId
      ORDER BY last.descendant_id LIMIT 1 OFFSET :limit - 1), 9223372036854775807)`;
}

// ---- roles

/** SQL: what follows all characters in UTF-8, which has no such byte. */
const AFTER_ALL = "CAST(x'FF' AS TEXT)";

/** SQL: the name begins with `start`, by the index that compares letters of ASCII without case. */
function startsWith(role: string, start: string): string {
  return `${role}.name COLLATE NOCASE >= ${start} AND ${role}.name COLLATE NOCASE < ${start} || ${AFTER_ALL}`;
}

/** SQL: the name is like `:pattern`, or that is null. The "+" keeps SQLite from looking for a start of the pattern. */
function isLikePattern(role: string): string {
  return `(:pattern IS NULL OR +${role}.name GLOB :pattern)`;
}

const ROLE_CANDIDATES = {
  name: `SELECT candidate.id FROM reach CROSS JOIN role candidate ON candidate.id = reach.role_id
    WHERE ${BY_REACH} AND candidate.id > :afterId AND candidate.name IN (SELECT value FROM json_each(:names))
      AND ${isLikePattern("candidate")} AND ${belowAncestors("candidate.id")}
    UNION ALL SELECT candidate.id FROM json_each(:names) asked CROSS JOIN role candidate
      ON candidate.name = asked.value AND candidate.id > :afterId AND candidate.id <= ${HORIZON}
    WHERE ${BY_WALK} AND ${isVisible("candidate.id")} AND ${isLikePattern("candidate")}
      AND ${belowAncestors("candidate.id")}`,
  namePrefix: `SELECT candidate.id FROM reach CROSS JOIN role candidate ON candidate.id = reach.role_id
    WHERE ${BY_REACH} AND candidate.id > :afterId AND ${isLikePattern("candidate")} AND ${
    belowAncestors("candidate.id")
  }
    UNION ALL SELECT candidate.id FROM json_each(:starts) asked CROSS JOIN role candidate
      ON ${startsWith("candidate", "asked.value")} AND candidate.id > :afterId
    WHERE ${ARE_FEW_NAMED} AND ${isLikePattern("candidate")} AND ${isVisible("candidate.id")}
      AND ${belowAncestors("candidate.id")}
    UNION ALL SELECT candidate.id FROM role candidate
    WHERE ${BY_WALK} AND NOT ${ARE_FEW_NAMED} AND ${isVisible("candidate.id")} AND candidate.id > :afterId
      AND candidate.id <= ${HORIZON} AND ${isLikePattern("candidate")} AND ${belowAncestors("candidate.id")}`,
  ancestor: `SELECT source.descendant_id AS id FROM asked_role
    CROSS JOIN role_closure source ON source.ancestor_id = asked_role.id
      AND source.descendant_id > :afterId AND source.descendant_id <= ${STRETCH_END}`,
} as const;

/** CTE: the roles of `:ancestorIds` that the actor sees. */
const SEEN_ANCESTORS = `seen_ancestor(role_id) AS MATERIALIZED (
  SELECT asked.value FROM json_each(:ancestorIds) asked WHERE ${isVisible("asked.value")})`;

/**
 * SQL: one of `seen_ancestor` is above the role, or `:ancestorIds` is null. Costs a step for each role above it, however
 * many are asked for: the "+" keeps SQLite from probing the closure for each of these.
 */
function belowAncestors(role: string): string {
  return `(:ancestorIds IS NULL OR EXISTS (SELECT 1 FROM role_closure below
    WHERE below.descendant_id = ${role} AND +below.ancestor_id IN (SELECT role_id FROM seen_ancestor)))`;
}

function rolePage(candidates: string): PageRows {
  const columns = {
    id: "role.id",
    name: "role.name",
    selfRights: "role.self_rights",
    userRights: userRights("role.id"),
  };
  const from = `(SELECT DISTINCT id FROM (${candidates}) ORDER BY id LIMIT :limit) candidates
    CROSS JOIN role ON role.id = candidates.id`;
  return { columns, from };
}

/**
 * A page of the roles of `:ids`, which has no duplicates. Whoever has rights on a role, if only none (0), sees it, so the
 * rights that the page needs anyway decide. The LIMIT of -1 keeps them from being computed twice.
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
    WHERE rights IS NOT NULL ORDER BY id LIMIT :limit) seen`;
  return { columns, from };
}

/**
 * A page of all roles that the actor sees. The paths to them have their rights; only where these differ are they united,
 * which takes longer than everything else.
 */
function heldRoles(): PageRows {
  const columns = {
    id: "role.id",
    name: "role.name",
    selfRights: "role.self_rights",
    userRights: "held.rights",
  };
  const paths = `SELECT self.id, self.self_rights & mine.rights AS rights FROM member mine
      CROSS JOIN role self ON self.id = mine.role_id
      WHERE mine.user_id = :actorId AND mine.role_id > :afterId AND ${memberLives("mine")}
    UNION ALL SELECT source.descendant_id, source.rights & mine.rights FROM member mine
      CROSS JOIN role_closure source ON ${descendantsOnPage("mine.role_id")}
      WHERE mine.user_id = :actorId AND ${memberLives("mine")}`;
  const from = `(SELECT id, CASE min(rights) WHEN max(rights) THEN min(rights) ELSE ${
    userRights("path.id")
  } END AS rights
      FROM (${paths}) path GROUP BY id ORDER BY id LIMIT :limit) held
    CROSS JOIN role ON role.id = held.id`;
  return { columns, from };
}

/** By ids alone: a frequent statement, and a server prepares it anew each time. */
const ROLES_BY_ID = whileSessionLives(askedRoles("true"));

/** Pages of roles by the list that drives them. Their rows are `RoleRow`s. */
export const ROLE_PAGES = {
  id: ROLES_BY_ID,
  fewIds: probedPage(askedRoles(HAS_FEW), ROLES_BY_ID),
  idAndMore: whileSessionLives({
    ...askedRoles(
      `${inList("role.name", ":names")} AND ${isLikePattern("role")} AND ${belowAncestors("role.id")}`,
    ),
    ctes: [SEEN_ANCESTORS],
  }),
  name: whileSessionReaches({ ...rolePage(ROLE_CANDIDATES.name), ctes: [SEEN_ANCESTORS] }, {
    table: "role",
    candidates: "role candidate ON candidate.id = reach.role_id",
    named: `json_each(:names) asked
        CROSS JOIN role candidate ON candidate.name = asked.value AND candidate.id > :afterId`,
  }),
  namePrefix: whileSessionReaches({ ...rolePage(ROLE_CANDIDATES.namePrefix), ctes: [SEEN_ANCESTORS] }, {
    table: "role",
    candidates: "role candidate ON candidate.id = reach.role_id",
    isReachFirst: true,
    // Also those of earlier pages: the index is not in order of id, and would be read past them in any case.
    named: `json_each(:starts) asked CROSS JOIN role candidate ON ${startsWith("candidate", "asked.value")}`,
  }),
  ancestor: whileSessionLives({
    ...rolePage(ROLE_CANDIDATES.ancestor),
    ctes: stretchOf(":ancestorIds", isVisible, (role) =>
      `SELECT next.descendant_id FROM role_closure next
      WHERE next.ancestor_id = ${role} AND next.descendant_id > :afterId ORDER BY next.descendant_id`),
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
  id: roleOwnedPage(MANAGES_FROM, byList(MANAGES_FROM, ":ids", "id")),
  child: roleOwnedPage(MANAGES_FROM, byList(MANAGES_FROM, ":childIds", "child_id")),
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

/** Candidates by address: the memberships of each account. */
const MEMBERS_BY_EMAIL = `SELECT candidate.id FROM json_each(:emails) asked
  CROSS JOIN user_account named ON named.email = asked.value
  CROSS JOIN member candidate ON candidate.user_id = named.id
  WHERE candidate.id > :afterId AND ${readableRow(MEMBERS)}`;

/** Pages of memberships: the actor's own, and those of roles whose members they manage. Their rows are `MemberRow`s. */
export const MEMBER_PAGES = {
  id: roleOwnedPage(MEMBERS, byList(MEMBERS, ":ids", "id")),
  email: roleOwnedPage(MEMBERS, MEMBERS_BY_EMAIL),
  role: pageByRole(MEMBERS, ":roleIds"),
  none: reachPage(MEMBERS),
} as const;
