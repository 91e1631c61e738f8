import { userAccount } from "../../db/schema/identity.ts";
import { manages, member, memberHistory, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import { derived, placeholdersOf, row, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { holderLives, memberIsAwake, memberLives, needsNow, PRINCIPAL } from "./principal_queries.ts";
import { maskOf, RIGHT_NAMES } from "../rights.ts";
import { type Acting, holdsIndirectly, managesMembersOf, reaches, unionOfMasks } from "./rule_queries.ts";

/**
 * How statements find a membership that meets a rule of `rule_queries.ts`, of which every decision and listing is
 * built. One role alone must meet a rule, through a membership that has not ended. One of the actor must be awake, too;
 * those of another user count as awake.
 */

const { actorId } = placeholdersOf(PRINCIPAL);

/**
 * Up to this many roles, a statement about a list is a probe. With few memberships, it takes less time than a message
 * to a thread and back.
 */
export const PROBED_ROLES = 10;

/**
 * With up to this many memberships, a rule starts from each of them. With more, a statement about a list starts from
 * the shorter side: the actor's memberships, or the role's ancestors.
 */
export const FEW_MEMBERSHIPS = 32;

/**
 * Maximum number of steps of one statement about many roles: about 20 ms. A role takes a step per membership that it is
 * looked up from.
 */
const STEPS_AT_ONCE = 20_000;
const LEAST_ROLES_AT_ONCE = 10;

const held = row(member, "held");
/** Whether the actor has few memberships, ended ones included. SQLite evaluates it once wherever it stands. */
export const HAS_FEW: SQL = sql`(SELECT 1 FROM ${held} WHERE ${held.userId} = ${actorId}
  LIMIT 1 OFFSET ${FEW_MEMBERSHIPS}) IS NULL`;

/**
 * Whether a rule about `on` starts from the actor's memberships, because these are few or fewer than its ancestors.
 * Takes as many steps as the shorter list has rows, after one count of the memberships.
 */
export function startsFromMemberships(on: Value): SQL {
  const { longer, shorter } = rowsOf({ longer: roleClosure, shorter: member });
  return sql`(${HAS_FEW} OR EXISTS (SELECT 1 FROM ${longer} WHERE ${longer.descendantId} = ${on}
    LIMIT 1 OFFSET (SELECT count(*) FROM ${shorter} WHERE ${shorter.userId} = ${actorId})))`;
}

/** Returns `value`, or null for an actor with many memberships, for whom a probe would take too many lookups. */
export function unlessMany(value: Value): SQL {
  return sql`iif(${HAS_FEW}, ${value}, NULL)`;
}

/**
 * Whether the actor has a right of the mask on `on`, 1 or 0; null with many memberships. `meets`: the demand that the
 * actor meets. Looks at each membership once, in a text that a server prepares in half the time of
 * `unlessMany(someAuthorizingRole(…))`.
 */
export function holdsUnlessMany(mask: Value, on: Value, meets: Value): SQL {
  const { own, self, path } = rowsOf({ own: member, self: role, path: roleClosure });
  return sql`(SELECT iif(count(*) > ${FEW_MEMBERSHIPS}, NULL, coalesce(max(is_held), 0)) FROM (
    SELECT ${memberIsAwake(own, meets)} AND ${own.rights} & ${mask} & CASE ${own.roleId}
        WHEN ${on} THEN (SELECT ${self.selfRights} FROM ${self} WHERE ${self.id} = ${on})
        ELSE (SELECT ${path.rights} FROM ${path}
          WHERE ${path.descendantId} = ${on} AND ${path.ancestorId} = ${own.roleId}) END AS is_held
    FROM ${own} WHERE ${own.userId} = ${actorId} LIMIT ${FEW_MEMBERSHIPS + 1}))`;
}

/** Whether the actor, or another user, has a direct role that meets the rule. */
export function someAuthorizingRole(meets: (acting: typeof member) => SQL, other?: Value): SQL {
  return someRoleOf(other ?? actorId, meets, countsOf(other));
}

/** Whether a membership counts. */
export type Counts = (own: typeof member) => SQL;

function countsOf(other: Value | undefined): Counts {
  return other === undefined ? memberIsAwake : holderLives;
}

function someRoleOf(user: Value, meets: (acting: typeof member) => SQL, counts: Counts): SQL {
  const acting = row(member, "acting");
  return sql`EXISTS (SELECT 1 FROM ${acting} WHERE ${acting.userId} = ${user}
    AND ${counts(acting)} AND (${meets(acting)}))`;
}

/** A key has no session, and no demand concerns its maker here. */
const givesAwake: Counts = (own) => sql`(${holderLives(own)} AND (${actorId} < 0 OR ${memberIsAwake(own)}))`;

/**
 * Whether the actor may give what the rule allows on existing roles and devices. A key's maker must be able to give it
 * now, too: otherwise a removed member would regain their rights by a key that they made. An administrator's task makes
 * keys without a maker. If the change gives nothing (`gives`), the actor suffices.
 */
export function actorAndMakerMeet(meets: (acting: typeof member) => SQL, gives: Value = sql`true`): SQL {
  const made = row(roleKey, "made");
  const giver = derived(userAccount, "giver", "id");
  return sql`NOT EXISTS (SELECT 1 FROM (SELECT ${actorId} AS id UNION ALL
      SELECT ${made.createdBy} FROM ${made}
      WHERE ${made.id} = -${actorId} AND ${made.createdBy} IS NOT NULL AND (${gives})) ${giver}
    WHERE NOT ${someRoleOf(giver.id, meets, givesAwake)})`;
}

/** Whether a key's maker meets the rule, like `actorAndMakerMeet` for the maker alone. `meets` is about a user. */
export function makerMeets(meets: (maker: Value) => SQL, gives: Value): SQL {
  const made = row(roleKey, "made");
  return sql`NOT EXISTS (SELECT 1 FROM ${made}
    WHERE ${made.id} = -${actorId} AND ${made.createdBy} IS NOT NULL AND (${gives})
      AND NOT ${meets(made.createdBy)})`;
}

/** Selects the oldest role of the actor that meets the rule, or null. */
export function firstAuthorizingRole(
  meets: (acting: typeof member) => SQL,
  counts: Counts = memberIsAwake,
): SQL {
  const acting = row(member, "acting");
  return sql`(SELECT min(${acting.roleId}) FROM ${acting} WHERE ${acting.userId} = ${actorId}
    AND ${counts(acting)} AND (${meets(acting)}))`;
}

const counted = row(member, "counted");
/**
 * The number of roles in one statement: fewer, the more memberships the actor has. With many, a role takes as many
 * steps as the actor has memberships or the role has ancestors, whichever is less.
 */
export const ROLES_AT_ONCE: SQL = sql`(SELECT max(${LEAST_ROLES_AT_ONCE}, ${STEPS_AT_ONCE} / max(1, count(*)))
  FROM (SELECT 1 FROM ${counted} WHERE ${counted.userId} = ${actorId} LIMIT ${STEPS_AT_ONCE}))`;

/**
 * Whether a direct role of the actor meets the rule, for statements about many roles. Only `on` and roles above it can
 * meet it.
 */
export function someRoleAbove(on: Value, meets: (acting: Acting) => SQL): SQL {
  const fromAncestors = someAbove(membershipsAbove(actorId, on, memberIsAwake), meets);
  return sql`iif(${startsFromMemberships(on)}, ${someAuthorizingRole(meets)}, ${fromAncestors})`;
}

/**
 * Returns what `ask` finds among the actor's memberships, given as a source for FROM: among all of them if
 * `fromMemberships` holds, otherwise among those of `on` and of roles above it. `reached` is whether one of them reaches
 * `on`.
 */
export function fromEitherSide(
  on: Value,
  ask: (memberships: SQL, acting: Acting, reached: SQL) => SQL,
  fromMemberships: SQL,
): SQL {
  const own = row(member, "own");
  const all = sql`(SELECT ${own.roleId}, ${own.rights} FROM ${own}
      WHERE ${own.userId} = ${actorId} AND ${memberIsAwake(own)})`;
  const acting = derived(member, "acting_side", "roleId", "rights");
  const above = membershipsAbove(actorId, on, memberIsAwake);
  const ofAll = ask(sql`${all} ${acting}`, acting, reaches(acting, on));
  const ofAbove = ask(sql`${above} ${acting}`, acting, sql`true`);
  return sql`iif(${fromMemberships}, ${ofAll}, ${ofAbove})`;
}

/** Selects role_id and rights of the user's memberships of `on` and of the roles above it, as a subquery for FROM. */
function membershipsAbove(
  user: Value,
  on: Value,
  counts: Counts,
  more = (_: typeof member): SQL => sql``,
): SQL {
  const { own, above, many } = rowsOf({ own: member, above: roleClosure, many: member });
  return sql`(
      SELECT ${own.roleId}, ${own.rights}${more(own)} FROM ${own}
      WHERE ${own.userId} = ${user} AND ${own.roleId} = ${on} AND ${counts(own)}
      UNION ALL SELECT ${above.ancestorId}, ${many.rights}${more(many)} FROM ${above}
      CROSS JOIN ${many} ON ${many.userId} = ${user} AND ${many.roleId} = ${above.ancestorId}
        AND ${counts(many)}
      WHERE ${above.descendantId} = ${on}
    )`;
}

/**
 * Whether a direct role of another user meets the rule, which only `on` and roles above it can meet. Starts from those
 * roles, and so takes the same time for every user.
 */
export function someRoleOfUserAbove(
  other: Value,
  on: Value,
  meets: (acting: Acting) => SQL,
  counts: Counts = holderLives,
): SQL {
  return someAbove(membershipsAbove(other, on, counts), meets);
}

/** Selects the least demand of the roles by which another user meets the rule; see `someRoleOfUserAbove`. */
export function leastNeedAbove(other: Value, on: Value, meets: (acting: Acting) => SQL): SQL {
  const acting = derived(member, "acting_above", "roleId", "rights", "needs");
  const memberships = membershipsAbove(other, on, holderLives, (own) => sql`, ${needsNow(own)} AS needs`);
  return sql`(SELECT min(${acting.needs}) FROM ${memberships} ${acting} WHERE ${meets(acting)})`;
}

function someAbove(memberships: SQL, meets: (acting: Acting) => SQL): SQL {
  const acting = derived(member, "acting_above", "roleId", "rights");
  return sql`EXISTS (SELECT 1 FROM ${memberships} ${acting} WHERE ${meets(acting)})`;
}

/** Maximum number of memberships of a user, former ones on record included, whom a manager may manage alone. */
const MOST_MANAGED = 20;

/** Whether the user has too many memberships for `isManagedAlone`. */
export function hasManyOnRecord(userId: Value): SQL {
  const counted = row(memberHistory, "counted");
  return sql`(SELECT 1 FROM ${counted} WHERE ${counted.userId} = ${userId} LIMIT 1 OFFSET ${MOST_MANAGED}) IS NOT NULL`;
}

/**
 * Whether the user is a member of a role, dormant or not, and the actor manages the members of every role of which the
 * user is a member or, as far as is on record, was. Only then may the actor look after the account: anyone may add an
 * address to a role of their own, also that of a person who has just lost their only other role.
 */
export function isManagedAlone(userId: Value): SQL {
  const { held, own } = rowsOf({ held: member, own: memberHistory });
  const isManaged = someRoleAbove(own.roleId, (acting) => managesMembersOf(acting, own.roleId));
  return sql`(NOT ${hasManyOnRecord(userId)}
    AND EXISTS (SELECT 1 FROM ${held} WHERE ${held.userId} = ${userId} AND ${memberLives(held)})
    AND NOT EXISTS (SELECT 1 FROM ${own} WHERE ${own.userId} = ${userId} AND NOT ${isManaged}))`;
}

/**
 * Whether the actor sees who has access to `on`: they manage its members, or are a key with `asks` that reaches it. Not
 * for changes.
 */
export function seesAsManager(on: Value): SQL {
  // SQLite may evaluate both sides of AND, and the time would tell users which roles exist.
  return sql`(${someAuthorizingRole((acting) => managesMembersOf(acting, on))}
    OR CASE WHEN ${IS_ASKING_KEY} THEN ${isOneVisible(on)} ELSE false END)`;
}

/** Whether the actor sees who has access to `on`, for statements about many roles. */
export function seesEachAsManager(on: Value): SQL {
  return sql`(${someRoleAbove(on, (acting) => managesMembersOf(acting, on))}
    OR (${IS_ASKING_KEY} AND ${isVisible(on)}))`;
}

const asking = row(roleKey, "asking");
/** The actor is a key that may ask about the members of all roles that it sees. */
export const IS_ASKING_KEY: SQL = sql`EXISTS (
  SELECT 1 FROM ${asking} WHERE ${asking.id} = -${actorId} AND ${asking.asks})`;

/** Whether the actor is a member of the role or of one above it, with or without a right. */
export function isVisible(on: Value): SQL {
  const fromAncestors = someAbove(membershipsAbove(actorId, on, memberIsAwake), () => sql`true`);
  return sql`iif(${startsFromMemberships(on)}, ${isOneVisible(on)}, ${fromAncestors})`;
}

/**
 * Whether another user is a member of the role or of one above it. `fromMemberships` tells whether to start from their
 * memberships.
 */
export function isReached(other: Value, on: Value, fromMemberships: SQL): SQL {
  const fromAncestors = someRoleOfUserAbove(other, on, () => sql`true`);
  return sql`iif(${fromMemberships}, ${isOneVisible(on, other)}, ${fromAncestors})`;
}

/**
 * Whether the actor or another user is a member of the role or of one above it, for a statement about one role. Starts from each of their
 * memberships, so a hidden role takes as long as one that does not exist, however many roles are above it.
 */
export function isOneVisible(on: Value, other?: Value): SQL {
  return someAuthorizingRole((acting) => reaches(acting, on), other);
}

/**
 * Returns CTEs that end with `seen`: the roles of `roles` (without duplicates) that the actor sees. For an actor with
 * many memberships, one walk finds all, since roles may lie above one another: up from the roles, then down from the
 * memberships met. It takes a step per relation that leads to the roles.
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
      ON ${own.userId} = ${actorId} AND ${own.roleId} = seen_above.role_id AND ${memberIsAwake(own)}
    UNION SELECT seen_entering.child_id FROM seen_reached
      CROSS JOIN seen_entering ON seen_entering.parent_id = seen_reached.role_id),
  seen(role_id) AS MATERIALIZED (
    SELECT role_id FROM seen_from WHERE iif(${HAS_FEW}, ${isOneVisible(sql`seen_from.role_id`)},
      role_id IN (SELECT role_id FROM seen_reached)))`;
}

/**
 * Returns the actor's rights on `on` as a mask, or null unless they are a member. Unites the rights of their direct
 * roles through relations and, for a direct member of `on`, its self rights.
 */
export function userRights(on: Value, selfRights?: Value): SQL {
  return askPaths(on, (paths) => unionWithDirect(on, paths, { selfRights }));
}

/** Stands beside the rights in a mask for an actor who may update the role; see `mayUpdateRole`. */
export const UPDATES_ROLE = 1 << RIGHT_NAMES.length;

/** Returns the same rights, with `UPDATES_ROLE`, which takes no further lookup. */
export function rightsWithUpdate(on: Value): SQL {
  const further = sql` | max(path_rights & ${UPDATES_ROLE})`;
  return askPaths(
    on,
    (paths) => unionWithDirect(on, sql`SELECT ${markUpdates(sql`path_rights`)} FROM (${paths})`, { further }),
  );
}

/** Returns rights through relations with `UPDATES_ROLE` if they have roleManagement. */
export function markUpdates(rights: Value): SQL {
  const roleManagement = maskOf("roleManagement");
  return sql`(${rights}) | ((${rights}) & ${roleManagement}) * ${UPDATES_ROLE / roleManagement}`;
}

/** Whether the actor may update the role: no role can raise its own self rights, so only relations count. */
export function mayUpdateRole(on: Value): SQL {
  return someRoleAbove(on, (acting) => holdsIndirectly(acting, "roleManagement", on));
}

/** Unites the rights that a direct membership of `on` lets its user use with those of `paths`. */
function unionWithDirect(
  on: Value,
  paths: SQL,
  { selfRights, further = sql`` }: { readonly selfRights?: Value | undefined; readonly further?: SQL },
): SQL {
  const { direct, self } = rowsOf({ direct: member, self: role });
  return sql`(SELECT ${unionOfMasks(sql`path_rights`)}${further} FROM (
      SELECT ${selfRights ?? self.selfRights} & ${direct.rights} AS path_rights FROM ${direct}
        CROSS JOIN ${self} ON ${self.id} = ${direct.roleId}
        WHERE ${direct.userId} = ${actorId} AND ${direct.roleId} = ${on} AND ${memberIsAwake(direct)}
      UNION ALL ${paths}))`;
}

/** Returns the actor's rights through relations alone, for a new role, which has no direct members yet. */
export function rightsThroughRelations(on: Value): SQL {
  return askPaths(on, (paths) => sql`(SELECT ${unionOfMasks(sql`path_rights`)} FROM (${paths}))`);
}

/**
 * Returns what `ask` finds among the rights on `on` that the actor's direct roles above it have through relations.
 * `paths` selects them as `path_rights`.
 */
function askPaths(on: Value, ask: (paths: SQL) => SQL): SQL {
  const { path, own } = rowsOf({ path: roleClosure, own: member });
  const fromMemberships =
    sql`SELECT ${path.rights} & ${own.rights} AS path_rights FROM ${own} CROSS JOIN ${path}
        ON ${path.descendantId} = ${on} AND ${path.ancestorId} = ${own.roleId}
        WHERE ${own.userId} = ${actorId} AND ${memberIsAwake(own)}`;
  const fromAncestors =
    sql`SELECT ${path.rights} & ${own.rights} AS path_rights FROM ${path} CROSS JOIN ${own}
        ON ${own.userId} = ${actorId} AND ${own.roleId} = ${path.ancestorId} AND ${memberIsAwake(own)}
        WHERE ${path.descendantId} = ${on}`;
  return sql`iif(${startsFromMemberships(on)}, ${ask(fromMemberships)}, ${ask(fromAncestors)})`;
}
