import { memberLives } from "./principal_queries.ts";
import { maskOf, RIGHT_NAMES, type RightName } from "./rights.ts";

/**
 * The authorization rules as SQL conditions. Every decision and every listing is built from them.
 *
 * Each condition is about one authorizing role, through the membership row `acting`, which must not have ended. So
 * rights that a rule requires together are held by the same role. The membership lets only those of `acting.rights` be
 * used, whatever the role has. Aliases inside start with `guard_`, because an alias that shadows one of the caller's
 * would bind to the wrong row and silently grant other rights.
 */

/**
 * A statement about this many roles of a list is still a probe: with few memberships it takes less time than a message
 * to a thread and back.
 */
export const PROBED_ROLES = 10;

/**
 * Up to this many memberships are few: a rule looks from each of them to the role in question. For an actor with more,
 * a statement about a list looks from whatever a role has fewer of: the actor's memberships, or ancestors.
 */
export const FEW_MEMBERSHIPS = 32;

/**
 * Steps of one statement about many roles: some 20 ms. One role takes a step for each membership that it is looked up
 * from.
 */
const STEPS_AT_ONCE = 20_000;
const LEAST_ROLES_AT_ONCE = 10;

/** SQL: the actor has few memberships. SQLite asks once per statement. */
export const HAS_FEW = `(SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId
  LIMIT 1 OFFSET ${FEW_MEMBERSHIPS}) IS NULL`;

/**
 * SQL: a rule about `role` looks from the actor's memberships, because these are few, or fewer than its ancestors. To
 * find that out takes as many steps as the shorter list has rows.
 */
export function isFromMemberships(role: string): string {
  return `${HAS_FEW} OR EXISTS (SELECT 1 FROM role_closure guard_longer WHERE guard_longer.descendant_id = ${role}
    LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId))`;
}

/**
 * SQL: the actor, for the side of a rule about `role` that looks from memberships, or null. No index is searched for
 * null.
 */
function actorOf(role: string, isFrom = isFromMemberships(role)): string {
  return `iif(${isFrom}, :actorId, NULL)`;
}

/** SQL: `role`, for the side of a rule about it that looks from its ancestors, or null. */
function unlessFromMemberships(role: string, isFrom = isFromMemberships(role)): string {
  return `iif(${isFrom}, NULL, ${role})`;
}

/** SQL: `value`, or null for an actor with many memberships: what a probe answers, which is to take few lookups. */
export function unlessMany(value: string): string {
  return `iif(${HAS_FEW}, ${value}, NULL)`;
}

/**
 * A direct role of the user, by default the actor, meets the condition, which refers to that membership as `acting`.
 * `user` is an SQL expression, which must not use that alias.
 */
export function someAuthorizingRole(condition: string, user = ":actorId"): string {
  return `EXISTS (SELECT 1 FROM member acting WHERE acting.user_id = ${user}
    AND ${memberLives("acting")} AND (${condition}))`;
}

/**
 * The actor may give what the condition allows on existing roles and devices. If the actor is a key, its maker must be
 * able to give it now, too: otherwise a removed member would regain their rights by a key that they made. A key that an
 * administrator's task made has no maker. `gives`, an SQL expression, says whether the change gives anything: if not,
 * the actor suffices.
 */
export function someGivingRole(condition: string, gives = "true"): string {
  return `NOT EXISTS (SELECT 1 FROM (SELECT :actorId AS id UNION ALL
      SELECT guard_made.created_by FROM role_key guard_made
      WHERE guard_made.id = -:actorId AND guard_made.created_by IS NOT NULL AND (${gives})) guard_giver
    WHERE NOT ${someAuthorizingRole(condition, "guard_giver.id")})`;
}

/** The part of `someGivingRole` about a key's maker alone: `rule` is about a user, an SQL expression. */
export function makerMeets(rule: (maker: string) => string, gives: string): string {
  return `NOT EXISTS (SELECT 1 FROM role_key guard_made
    WHERE guard_made.id = -:actorId AND guard_made.created_by IS NOT NULL AND (${gives})
      AND NOT ${rule("guard_made.created_by")})`;
}

/** The oldest role of the actor that meets the condition, or null. */
export function firstAuthorizingRole(condition: string): string {
  return `(SELECT min(acting.role_id) FROM member acting WHERE acting.user_id = :actorId
    AND ${memberLives("acting")} AND (${condition}))`;
}

/**
 * SQL: the number of roles that a statement asks about at once: fewer, the more memberships the actor has. With many,
 * each role takes as many steps as the actor has memberships or the role has ancestors, whichever is less.
 */
export const ROLES_AT_ONCE = `(SELECT max(${LEAST_ROLES_AT_ONCE}, ${STEPS_AT_ONCE} / max(1, count(*)))
  FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT ${STEPS_AT_ONCE}))`;

/**
 * A direct role of the actor meets the condition, for statements about many roles. The condition is one that only
 * `role` and roles above it can meet.
 */
export function someRoleAbove(role: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM ${actingAbove(role)} WHERE ${condition})`;
}

/**
 * SQL for a FROM clause: as `acting`, the actor's memberships of `role` and of roles above it; for an actor with few
 * memberships, all of them. `isFrom` (SQL) tells whether the scan starts from the memberships.
 */
export function actingAbove(role: string, isFrom?: string): string {
  return `(
      SELECT guard_few.role_id, guard_few.rights FROM member guard_few
      WHERE guard_few.user_id = ${actorOf(role, isFrom)} AND ${memberLives("guard_few")}
      UNION ALL SELECT guard_own.role_id, guard_own.rights FROM member guard_own
      WHERE guard_own.user_id = :actorId AND guard_own.role_id = ${unlessFromMemberships(role, isFrom)} AND ${
    memberLives("guard_own")
  }
      UNION ALL SELECT guard_above.ancestor_id, guard_many.rights FROM role_closure guard_above
      CROSS JOIN member guard_many ON guard_many.user_id = :actorId AND guard_many.role_id = guard_above.ancestor_id
        AND ${memberLives("guard_many")}
      WHERE guard_above.descendant_id = ${unlessFromMemberships(role, isFrom)}
    ) acting`;
}

/**
 * A direct role of `user` meets the condition, which is one that only `role` and roles above it can meet. Starts from
 * those roles, and so takes the same time whoever the user is.
 */
export function someRoleOfUserAbove(user: string, role: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM (
      SELECT guard_own.role_id, guard_own.rights FROM member guard_own
      WHERE guard_own.user_id = ${user} AND guard_own.role_id = ${role} AND ${memberLives("guard_own")}
      UNION ALL SELECT guard_above.ancestor_id, guard_many.rights FROM role_closure guard_above
      CROSS JOIN member guard_many ON guard_many.user_id = ${user} AND guard_many.role_id = guard_above.ancestor_id
        AND ${memberLives("guard_many")}
      WHERE guard_above.descendant_id = ${role}
    ) acting WHERE ${condition})`;
}

/** The authorizing role has the right on `role` through relations. One probe of the closure's primary key. */
export function holdsIndirectly(right: RightName, role: string): string {
  return `EXISTS (SELECT 1 FROM role_closure guard_path WHERE guard_path.descendant_id = ${role}
    AND guard_path.ancestor_id = acting.role_id AND guard_path.rights & acting.rights & ${maskOf(right)})`;
}

/** The authorizing role is `role` and has the right on itself. */
export function holdsDirectly(right: RightName, role: string): string {
  return `(acting.role_id = ${role} AND EXISTS (SELECT 1 FROM role guard_self WHERE guard_self.id = ${role}
    AND guard_self.self_rights & acting.rights & ${maskOf(right)}))`;
}

/** The authorizing role has the right on `role`, either through relations or because it is `role`. */
export function holds(right: RightName, role: string): string {
  return `(${holdsDirectly(right, role)} OR ${holdsIndirectly(right, role)})`;
}

/**
 * The authorizing role is `role` and has one of the rights `direct` on itself, or has one of the rights `indirect` on
 * it through relations. Both masks are SQL expressions; if one is 0, no right is needed.
 */
export function holdsSome(direct: string, indirect: string, role: string): string {
  return `((acting.role_id = ${role} AND EXISTS (SELECT 1 FROM role guard_self WHERE guard_self.id = ${role}
      AND (${direct} = 0 OR guard_self.self_rights & acting.rights & ${direct})))
    OR EXISTS (SELECT 1 FROM role_closure guard_path WHERE guard_path.descendant_id = ${role}
      AND guard_path.ancestor_id = acting.role_id
      AND (${indirect} = 0 OR guard_path.rights & acting.rights & ${indirect})))`;
}

/** The authorizing role may add, remove and list all members of `role`. */
export function managesMembersOf(role: string): string {
  return `${holds("userManagement", role)} OR ${holdsIndirectly("roleManagement", role)}`;
}

/** The authorizing membership has all rights of the mask, so that it may give them. `rights` is an SQL expression. */
export function mayGive(rights: string): string {
  return `NOT ((${rights}) & ~acting.rights)`;
}

/**
 * What the authorizing membership gives lies within it: it has the rights, and does not end before. SQL expressions;
 * null is no end.
 */
export function mayGiveUntil(rights: string, endsAt: string): string {
  return `(${mayGive(rights)} AND (acting.ends_at IS NULL OR coalesce(${endsAt} <= acting.ends_at, false)))`;
}

/** SQL: how many rights a mask has. */
export function countRights(mask: string): string {
  return `(${RIGHT_NAMES.map((_, bit) => `(${mask} >> ${bit} & 1)`).join(" + ")})`;
}

/**
 * SQL: `member` rows in order of what they can give: those that end last, then those with the most rights, then by id.
 */
export function byReach(member: string): string {
  return `${member}.ends_at IS NOT NULL, ${member}.ends_at DESC, ${
    countRights(`${member}.rights`)
  } DESC, ${member}.id`;
}

/**
 * Whoever asks sees who has access to `role`: they manage its members, or are a key that asks and reaches it. Not for
 * changes.
 */
export function seesAsManager(role: string): string {
  // SQLite may evaluate both sides of AND, and the time would tell users which roles exist.
  return `(${someAuthorizingRole(managesMembersOf(role))}
    OR CASE WHEN ${IS_ASKING_KEY} THEN ${isOneVisible(role)} ELSE false END)`;
}

/** The same for each of many roles. */
export function seesEachAsManager(role: string): string {
  return `(${someRoleAbove(role, managesMembersOf(role))} OR (${IS_ASKING_KEY} AND ${isVisible(role)}))`;
}

/** SQL: the actor is a key that may ask about the members of all roles that it sees. */
export const IS_ASKING_KEY =
  "EXISTS (SELECT 1 FROM role_key guard_asking WHERE guard_asking.id = -:actorId AND guard_asking.asks)";

/** The actor is a member of the role, directly or indirectly, with or without a right. */
export function isVisible(role: string): string {
  return `(EXISTS (SELECT 1 FROM member guard_direct WHERE guard_direct.user_id = :actorId
      AND guard_direct.role_id = ${role} AND ${memberLives("guard_direct")})
    OR EXISTS (${pathsTo(role)}))`;
}

/**
 * The same for a statement about one role. It looks from each of the actor's memberships, so a role that they do not
 * see takes as long as one that does not exist, however many roles are above it.
 */
export function isOneVisible(role: string): string {
  return someAuthorizingRole(holdsSome("0", "0", role));
}

/**
 * CTE `seen`: those of many roles that the actor sees; `roles` selects them without duplicates. The roles may lie above
 * one another. So for an actor with many memberships, one walk finds all of them: up from the roles, and down again
 * from the memberships that it met. It takes as many steps as relations lead to the roles.
 */
export function seenOf(roles: string): string {
  return `guard_named(role_id) AS MATERIALIZED (${roles}),
  guard_above(role_id) AS MATERIALIZED (
    SELECT role_id FROM guard_named WHERE NOT (${HAS_FEW})
    UNION SELECT guard_manages.parent_id FROM guard_above
      CROSS JOIN manages guard_manages ON guard_manages.child_id = guard_above.role_id),
  guard_entering(parent_id, child_id) AS MATERIALIZED (
    SELECT guard_manages.parent_id, guard_manages.child_id FROM guard_above
      CROSS JOIN manages guard_manages ON guard_manages.child_id = guard_above.role_id),
  guard_reached(role_id) AS MATERIALIZED (
    SELECT guard_own.role_id FROM guard_above CROSS JOIN member guard_own
      ON guard_own.user_id = :actorId AND guard_own.role_id = guard_above.role_id AND ${
    memberLives("guard_own")
  }
    UNION SELECT guard_entering.child_id FROM guard_reached
      CROSS JOIN guard_entering ON guard_entering.parent_id = guard_reached.role_id),
  seen(role_id) AS MATERIALIZED (
    SELECT role_id FROM guard_named WHERE iif(${HAS_FEW}, ${isOneVisible("guard_named.role_id")},
      role_id IN (SELECT role_id FROM guard_reached)))`;
}

/** Aggregate: the union of the masks, or null without rows. SQLite has no aggregate for bitwise OR. */
export function unionOfMasks(mask: string): string {
  return `(${RIGHT_NAMES.map((name) => `max(${mask} & ${maskOf(name)})`).join(" | ")})`;
}

/**
 * The actor's rights on `role` as a mask, or null if they are not even an indirect member. Unites the rights of their
 * direct roles through relations and, for a direct member of `role`, its self rights.
 */
export function userRights(role: string, selfRights = "guard_self.self_rights"): string {
  return `(SELECT ${unionOfMasks("guard_rights")} FROM (
      SELECT ${selfRights} & guard_direct.rights AS guard_rights FROM member guard_direct
        CROSS JOIN role guard_self ON guard_self.id = guard_direct.role_id
        WHERE guard_direct.user_id = :actorId AND guard_direct.role_id = ${role} AND ${
    memberLives("guard_direct")
  }
      UNION ALL ${pathsTo(role)}))`;
}

/** The same through relations alone, for a role that was just created: nobody is its direct member yet. */
export function rightsThroughRelations(role: string): string {
  return `(SELECT ${unionOfMasks("guard_rights")} FROM (${pathsTo(role)}))`;
}

/** SQL: the rights on `role` through each of the actor's direct roles above it. */
function pathsTo(role: string): string {
  return `SELECT guard_path.rights & guard_few.rights AS guard_rights FROM member guard_few CROSS JOIN role_closure guard_path
        ON guard_path.descendant_id = ${role} AND guard_path.ancestor_id = guard_few.role_id
        WHERE guard_few.user_id = ${actorOf(role)} AND ${memberLives("guard_few")}
      UNION ALL SELECT guard_path.rights & guard_many.rights FROM role_closure guard_path CROSS JOIN member guard_many
        ON guard_many.user_id = :actorId AND guard_many.role_id = guard_path.ancestor_id
          AND ${memberLives("guard_many")}
        WHERE guard_path.descendant_id = ${unlessFromMemberships(role)}`;
}
