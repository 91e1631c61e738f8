import { maskOf, type RightName } from "./rights.ts";

/**
 * The authorization rules as SQL conditions: the one guard that every decision and every listing is built from.
 *
 * Each condition is about one authorizing role, the membership row `acting`, so that several rights asked for together
 * are held by the same role. Aliases inside start with `guard_`: an alias that shadowed one of the caller's would bind
 * to the wrong row and silently give other rights.
 */

/** Some direct role of the actor meets the condition, which names that membership as `acting`. */
export function someAuthorizingRole(condition: string): string {
  return `EXISTS (SELECT 1 FROM member acting WHERE acting.user_id = :actorId AND (${condition}))`;
}

/** The authorizing role has the right on `role` through relations. One probe of the closure's primary key. */
export function holdsIndirectly(right: RightName, role: string): string {
  return `EXISTS (SELECT 1 FROM role_closure guard_path WHERE guard_path.descendant_id = ${role}
    AND guard_path.ancestor_id = acting.role_id AND guard_path.rights & ${maskOf(right)})`;
}

/** The authorizing role is `role` and has the right on itself. */
export function holdsDirectly(right: RightName, role: string): string {
  return `(acting.role_id = ${role} AND EXISTS (SELECT 1 FROM role guard_self WHERE guard_self.id = ${role}
    AND guard_self.self_rights & ${maskOf(right)}))`;
}

/** The authorizing role has the right on itself, being `role`, or through relations. */
export function holds(right: RightName, role: string): string {
  return `(${holdsDirectly(right, role)} OR ${holdsIndirectly(right, role)})`;
}

/** May add and remove members of the role, and list them all. */
export function mayManageMembers(role: string): string {
  return someAuthorizingRole(
    `${holds("userManagement", role)} OR ${holdsIndirectly("roleManagement", role)}`,
  );
}

/** The actor is a member of the role, directly or indirectly, with or without a right. */
export function isVisible(role: string): string {
  return `(EXISTS (SELECT 1 FROM member guard_direct WHERE guard_direct.user_id = :actorId
      AND guard_direct.role_id = ${role})
    OR EXISTS (SELECT 1 FROM member guard_member CROSS JOIN role_closure guard_path
      ON guard_path.descendant_id = ${role} AND guard_path.ancestor_id = guard_member.role_id
      WHERE guard_member.user_id = :actorId))`;
}

/** The union of the masks of an aggregate's rows; null over no rows. SQLite has no aggregate for bitwise OR. */
export function unionOfMasks(mask: string): string {
  return `(${[1, 2, 4, 8, 16, 32].map((bit) => `max(${mask} & ${bit})`).join(" | ")})`;
}

/**
 * The actor's rights on `role` as a mask, and null where he is not even an indirect member: his direct roles' rights
 * through relations and, if the role is one of them, its own self rights.
 */
export function userRights(role: string): string {
  return `(SELECT ${unionOfMasks("guard_rights")} FROM (
      SELECT guard_self.self_rights AS guard_rights FROM member guard_direct
        CROSS JOIN role guard_self ON guard_self.id = guard_direct.role_id
        WHERE guard_direct.user_id = :actorId AND guard_direct.role_id = ${role}
      UNION ALL
      SELECT guard_path.rights FROM member guard_member
        CROSS JOIN role_closure guard_path
        ON guard_path.descendant_id = ${role} AND guard_path.ancestor_id = guard_member.role_id
        WHERE guard_member.user_id = :actorId))`;
}
