import { userAccount } from "../../db/schema/identity.ts";
import { manages, member, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import { derived, join, placeholdersOf, row, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { memberLives, PRINCIPAL } from "./principal_queries.ts";
import { maskOf, RIGHT_NAMES, type RightName, type RightsMask } from "../rights.ts";

/**
 * The authorization rules as SQL conditions. Every decision and every listing is built from them.
 *
 * A rule is about one authorizing role, through the membership `acting`, which must not have ended: where it requires
 * several rights, one role holds them all. The membership limits which rights of the role its holder may use.
 */

/** What most rules need of the authorizing membership. */
export type Acting = Readonly<Record<"roleId" | "rights", Value>>;
/** What rules about the end of a membership need of it. */
export type EndingActing = Acting & Readonly<Record<"endsAt", Value>>;

const { actorId } = placeholdersOf(PRINCIPAL);

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

const held = row(member, "held");
/** The actor has few memberships. SQLite asks once per statement. */
export const HAS_FEW: SQL = sql`(SELECT 1 FROM ${held} WHERE ${held.userId} = ${actorId}
  LIMIT 1 OFFSET ${FEW_MEMBERSHIPS}) IS NULL`;

/**
 * A rule about `on` looks from the actor's memberships, because these are few, or fewer than its ancestors. To find
 * that out takes as many steps as the shorter list has rows.
 */
export function isFromMemberships(on: Value): SQL {
  const { longer, shorter } = rowsOf({ longer: roleClosure, shorter: member });
  return sql`(${HAS_FEW} OR EXISTS (SELECT 1 FROM ${longer} WHERE ${longer.descendantId} = ${on}
    LIMIT 1 OFFSET (SELECT count(*) FROM ${shorter} WHERE ${shorter.userId} = ${actorId})))`;
}

/** `value`, or null for an actor with many memberships, for whom a probe would take too many lookups. */
export function unlessMany(value: Value): SQL {
  return sql`iif(${HAS_FEW}, ${value}, NULL)`;
}

/** The user, by default the actor, has a direct role that meets the rule. */
export function someAuthorizingRole(meets: (acting: typeof member) => SQL, user: Value = actorId): SQL {
  const acting = row(member, "acting");
  return sql`EXISTS (SELECT 1 FROM ${acting} WHERE ${acting.userId} = ${user}
    AND ${memberLives(acting)} AND (${meets(acting)}))`;
}

/**
 * The actor may give what the rule allows on existing roles and devices. If the actor is a key, its maker must be able
 * to give it now, too: otherwise a removed member would regain their rights by a key that they made. A key that an
 * administrator's task made has no maker. `gives` says whether the change gives anything: if not, the actor suffices.
 */
export function someGivingRole(meets: (acting: typeof member) => SQL, gives: Value = sql`true`): SQL {
  const made = row(roleKey, "made");
  const giver = derived(userAccount, "giver", "id");
  return sql`NOT EXISTS (SELECT 1 FROM (SELECT ${actorId} AS id UNION ALL
      SELECT ${made.createdBy} FROM ${made}
      WHERE ${made.id} = -${actorId} AND ${made.createdBy} IS NOT NULL AND (${gives})) ${giver}
    WHERE NOT ${someAuthorizingRole(meets, giver.id)})`;
}

/** The part of `someGivingRole` about a key's maker alone: `meets` is about a user. */
export function makerMeets(meets: (maker: Value) => SQL, gives: Value): SQL {
  const made = row(roleKey, "made");
  return sql`NOT EXISTS (SELECT 1 FROM ${made}
    WHERE ${made.id} = -${actorId} AND ${made.createdBy} IS NOT NULL AND (${gives})
      AND NOT ${meets(made.createdBy)})`;
}

/** The oldest role of the actor that meets the rule, or null. */
export function firstAuthorizingRole(meets: (acting: typeof member) => SQL): SQL {
  const acting = row(member, "acting");
  return sql`(SELECT min(${acting.roleId}) FROM ${acting} WHERE ${acting.userId} = ${actorId}
    AND ${memberLives(acting)} AND (${meets(acting)}))`;
}

const counted = row(member, "counted");
/**
 * The number of roles that a statement asks about at once: fewer, the more memberships the actor has. With many, each
 * role takes as many steps as the actor has memberships or the role has ancestors, whichever is less.
 */
export const ROLES_AT_ONCE: SQL = sql`(SELECT max(${LEAST_ROLES_AT_ONCE}, ${STEPS_AT_ONCE} / max(1, count(*)))
  FROM (SELECT 1 FROM ${counted} WHERE ${counted.userId} = ${actorId} LIMIT ${STEPS_AT_ONCE}))`;

/**
 * A direct role of the actor meets the rule, for statements about many roles. The rule is one that only `on` and roles
 * above it can meet.
 */
export function someRoleAbove(on: Value, meets: (acting: Acting) => SQL): SQL {
  const fromAncestors = someRoleOfUserAbove(actorId, on, meets);
  return sql`iif(${isFromMemberships(on)}, ${someAuthorizingRole(meets)}, ${fromAncestors})`;
}

/**
 * What `ask` finds among the actor's memberships of `on` and of roles above it, which are for FROM; for an actor with few
 * memberships, among all of them. `isFrom` tells whether the question starts from the memberships.
 */
export function fromEitherSide(
  on: Value,
  ask: (memberships: SQL, acting: Acting) => SQL,
  isFrom: SQL,
): SQL {
  const own = row(member, "own");
  const all = sql`(SELECT ${own.roleId}, ${own.rights} FROM ${own}
      WHERE ${own.userId} = ${actorId} AND ${memberLives(own)})`;
  const acting = derived(member, "acting_side", "roleId", "rights");
  const above = membershipsAbove(actorId, on);
  return sql`iif(${isFrom}, ${ask(sql`${all} ${acting}`, acting)}, ${ask(sql`${above} ${acting}`, acting)})`;
}

/** A subquery for FROM: role_id and rights of the user's memberships of `on` and of the roles above it. */
function membershipsAbove(user: Value, on: Value): SQL {
  const { own, above, many } = rowsOf({ own: member, above: roleClosure, many: member });
  return sql`(
      SELECT ${own.roleId}, ${own.rights} FROM ${own}
      WHERE ${own.userId} = ${user} AND ${own.roleId} = ${on} AND ${memberLives(own)}
      UNION ALL SELECT ${above.ancestorId}, ${many.rights} FROM ${above}
      CROSS JOIN ${many} ON ${many.userId} = ${user} AND ${many.roleId} = ${above.ancestorId}
        AND ${memberLives(many)}
      WHERE ${above.descendantId} = ${on}
    )`;
}

/**
 * A direct role of `user` meets the rule, which is one that only `on` and roles above it can meet. Starts from those
 * roles, and so takes the same time for every user.
 */
export function someRoleOfUserAbove(user: Value, on: Value, meets: (acting: Acting) => SQL): SQL {
  const acting = derived(member, "acting_above", "roleId", "rights");
  return sql`EXISTS (SELECT 1 FROM ${membershipsAbove(user, on)} ${acting} WHERE ${meets(acting)})`;
}

/**
 * The authorizing role has a right on `on` through relations: the one of that name, or one of a mask. One probe of the
 * closure's primary key.
 */
export function holdsIndirectly(acting: Acting, right: RightName | RightsMask, on: Value): SQL {
  const path = row(roleClosure, "path");
  const mask = typeof right === "number" ? right : maskOf(right);
  return sql`EXISTS (SELECT 1 FROM ${path} WHERE ${path.descendantId} = ${on}
    AND ${path.ancestorId} = ${acting.roleId} AND ${path.rights} & ${acting.rights} & ${mask})`;
}

/** The authorizing role is `on`, or above it. */
export function reaches(acting: Acting, on: Value): SQL {
  const path = row(roleClosure, "path");
  return sql`(${acting.roleId} = ${on} OR EXISTS (SELECT 1 FROM ${path}
    WHERE ${path.descendantId} = ${on} AND ${path.ancestorId} = ${acting.roleId}))`;
}

/** The authorizing role is `on` and has the right on itself. */
export function holdsDirectly(acting: Acting, right: RightName, on: Value): SQL {
  const self = row(role, "self");
  return sql`(${acting.roleId} = ${on} AND EXISTS (SELECT 1 FROM ${self} WHERE ${self.id} = ${on}
    AND ${self.selfRights} & ${acting.rights} & ${maskOf(right)}))`;
}

/** The authorizing role has the right on `on`, either through relations or because it is `on`. */
export function holds(acting: Acting, right: RightName, on: Value): SQL {
  return sql`(${holdsDirectly(acting, right, on)} OR ${holdsIndirectly(acting, right, on)})`;
}

/**
 * The authorizing role is `on` and has one of the rights `direct` on itself, or has one of the rights `indirect` on it
 * through relations. If a mask is 0, no right is needed.
 */
export function holdsSome(acting: Acting, direct: Value, indirect: Value, on: Value): SQL {
  const { self, path } = rowsOf({ self: role, path: roleClosure });
  return sql`((${acting.roleId} = ${on} AND EXISTS (SELECT 1 FROM ${self} WHERE ${self.id} = ${on}
      AND (${direct} = 0 OR ${self.selfRights} & ${acting.rights} & ${direct})))
    OR EXISTS (SELECT 1 FROM ${path} WHERE ${path.descendantId} = ${on}
      AND ${path.ancestorId} = ${acting.roleId}
      AND (${indirect} = 0 OR ${path.rights} & ${acting.rights} & ${indirect})))`;
}

/** The authorizing role may add, remove and list all members of `on`. */
export function managesMembersOf(acting: Acting, on: Value): SQL {
  const indirectly = holdsIndirectly(acting, maskOf("userManagement") | maskOf("roleManagement"), on);
  return sql`(${holdsDirectly(acting, "userManagement", on)} OR ${indirectly})`;
}

/** The authorizing membership has all rights of the mask, so that it may give them. */
export function mayGive(acting: Pick<Acting, "rights">, rights: Value): SQL {
  return sql`NOT ((${rights}) & ~${acting.rights})`;
}

/**
 * What the authorizing membership gives lies within it: it has the rights, and does not end before. Null is no end.
 */
export function mayGiveUntil(acting: EndingActing, rights: Value, endsAt: Value): SQL {
  const endsWithin = sql`${acting.endsAt} IS NULL OR coalesce(${endsAt} <= ${acting.endsAt}, false)`;
  return sql`(${mayGive(acting, rights)} AND (${endsWithin}))`;
}

/** How many rights a mask has. */
export function countRights(mask: Value): SQL {
  return sql`(${join(RIGHT_NAMES.map((_, bit) => sql`(${mask} >> ${bit} & 1)`), " + ")})`;
}

/** Memberships in order of what they can give: those that end last, then those with the most rights, then by id. */
export function byReach({ id, rights, endsAt }: Readonly<Record<"id" | "rights" | "endsAt", Value>>): SQL {
  return sql`${endsAt} IS NOT NULL, ${endsAt} DESC, ${countRights(rights)} DESC, ${id}`;
}

/**
 * The actor sees who has access to `on`: they manage its members, or are a key that asks and reaches it. Not for
 * changes.
 */
export function seesAsManager(on: Value): SQL {
  // SQLite may evaluate both sides of AND, and the time would tell users which roles exist.
  return sql`(${someAuthorizingRole((acting) => managesMembersOf(acting, on))}
    OR CASE WHEN ${IS_ASKING_KEY} THEN ${isOneVisible(on)} ELSE false END)`;
}

/** The same for each of many roles. */
export function seesEachAsManager(on: Value): SQL {
  return sql`(${someRoleAbove(on, (acting) => managesMembersOf(acting, on))}
    OR (${IS_ASKING_KEY} AND ${isVisible(on)}))`;
}

const asking = row(roleKey, "asking");
/** The actor is a key that may ask about the members of all roles that it sees. */
export const IS_ASKING_KEY: SQL = sql`EXISTS (
  SELECT 1 FROM ${asking} WHERE ${asking.id} = -${actorId} AND ${asking.asks})`;

/** The actor is a member of the role, directly or indirectly, with or without a right. */
export function isVisible(on: Value): SQL {
  return isReached(actorId, on, isFromMemberships(on));
}

/** The user is a member of the role, directly or indirectly. `isFrom` tells whether to look from their memberships. */
export function isReached(user: Value, on: Value, isFrom: SQL): SQL {
  return sql`iif(${isFrom}, ${isOneVisible(on, user)}, ${someRoleOfUserAbove(user, on, () => sql`true`)})`;
}

/**
 * The same, about the actor or another user, for a statement about one role. It looks from each of their memberships, so
 * a role that they do not see takes as long as one that does not exist, however many roles are above it.
 */
export function isOneVisible(on: Value, user: Value = actorId): SQL {
  return someAuthorizingRole((acting) => reaches(acting, on), user);
}

/**
 * CTE `seen`: those of many roles that the actor sees; `roles` selects them without duplicates. The roles may lie above
 * one another. So for an actor with many memberships, one walk finds all of them: up from the roles, and down again
 * from the memberships that it met. It takes as many steps as relations lead to the roles.
 */
export function seenOf(roles: SQL): SQL {
  const own = row(member, "own");
  const { up, entered } = rowsOf({ up: manages, entered: manages });
  return sql`seen_from(role_id) AS MATERIALIZED (${roles}),
  seen_above(role_id) AS MATERIALIZED (
    SELECT role_id FROM seen_from WHERE NOT (${HAS_FEW})
    UNION SELECT ${up.parentId} FROM seen_above
      CROSS JOIN ${up} ON ${up.childId} = seen_above.role_id),
  seen_entering(parent_id, child_id) AS MATERIALIZED (
    SELECT ${entered.parentId}, ${entered.childId} FROM seen_above
      CROSS JOIN ${entered} ON ${entered.childId} = seen_above.role_id),
  seen_reached(role_id) AS MATERIALIZED (
    SELECT ${own.roleId} FROM seen_above CROSS JOIN ${own}
      ON ${own.userId} = ${actorId} AND ${own.roleId} = seen_above.role_id AND ${memberLives(own)}
    UNION SELECT seen_entering.child_id FROM seen_reached
      CROSS JOIN seen_entering ON seen_entering.parent_id = seen_reached.role_id),
  seen(role_id) AS MATERIALIZED (
    SELECT role_id FROM seen_from WHERE iif(${HAS_FEW}, ${isOneVisible(sql`seen_from.role_id`)},
      role_id IN (SELECT role_id FROM seen_reached)))`;
}

/** Aggregate: the union of the masks, or null without rows. SQLite has no aggregate for bitwise OR. */
export function unionOfMasks(mask: Value): SQL {
  return sql`(${join(RIGHT_NAMES.map((name) => sql`max(${mask} & ${maskOf(name)})`), " | ")})`;
}

/**
 * The actor's rights on `on` as a mask, or null if they are not even an indirect member. Unites the rights of their
 * direct roles through relations and, for a direct member of `on`, its self rights.
 */
export function userRights(on: Value, selfRights?: Value): SQL {
  const { direct, self } = rowsOf({ direct: member, self: role });
  return askPaths(on, (paths) =>
    sql`(SELECT ${unionOfMasks(sql`path_rights`)} FROM (
      SELECT ${selfRights ?? self.selfRights} & ${direct.rights} AS path_rights FROM ${direct}
        CROSS JOIN ${self} ON ${self.id} = ${direct.roleId}
        WHERE ${direct.userId} = ${actorId} AND ${direct.roleId} = ${on} AND ${memberLives(direct)}
      UNION ALL ${paths}))`);
}

/** The same through relations alone, for a role that was just created: nobody is its direct member yet. */
export function rightsThroughRelations(on: Value): SQL {
  return askPaths(on, (paths) => sql`(SELECT ${unionOfMasks(sql`path_rights`)} FROM (${paths}))`);
}

/**
 * What `ask` finds among the rights on `on` that the actor's direct roles above it have through relations: `paths`
 * selects them as `path_rights`.
 */
function askPaths(on: Value, ask: (paths: SQL) => SQL): SQL {
  const { path, own } = rowsOf({ path: roleClosure, own: member });
  const fromMemberships =
    sql`SELECT ${path.rights} & ${own.rights} AS path_rights FROM ${own} CROSS JOIN ${path}
        ON ${path.descendantId} = ${on} AND ${path.ancestorId} = ${own.roleId}
        WHERE ${own.userId} = ${actorId} AND ${memberLives(own)}`;
  const fromAncestors =
    sql`SELECT ${path.rights} & ${own.rights} AS path_rights FROM ${path} CROSS JOIN ${own}
        ON ${own.userId} = ${actorId} AND ${own.roleId} = ${path.ancestorId} AND ${memberLives(own)}
        WHERE ${path.descendantId} = ${on}`;
  return sql`iif(${isFromMemberships(on)}, ${ask(fromMemberships)}, ${ask(fromAncestors)})`;
}
