import { role, roleClosure } from "../../db/schema/role.ts";
import { join, row, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { maskOf, RIGHT_NAMES, type RightName, type RightsMask } from "../rights.ts";

/**
 * The authorization rules as SQL conditions about one membership, `acting`. It must meet a whole rule by itself: the
 * rights that its role has, limited to those that the membership lets its user use. `guard_queries.ts` finds such a
 * membership.
 */

/** What most rules need of the authorizing membership. */
export type Acting = Readonly<Record<"roleId" | "rights", Value>>;
/** What rules about the end of a membership need of it. */
export type EndingActing = Acting & Readonly<Record<"endsAt", Value>>;

/**
 * Whether the authorizing role has a right on `on` through relations: the one of that name, or any one of a mask. One probe
 * of the closure's primary key.
 */
export function holdsIndirectly(acting: Acting, right: RightName | RightsMask, on: Value): SQL {
  const path = row(roleClosure, "path");
  const mask = typeof right === "number" ? right : maskOf(right);
  return sql`EXISTS (SELECT 1 FROM ${path} WHERE ${path.descendantId} = ${on}
    AND ${path.ancestorId} = ${acting.roleId} AND ${path.rights} & ${acting.rights} & ${mask})`;
}

/** Whether the authorizing role is `on`, or above it. */
export function reaches(acting: Acting, on: Value): SQL {
  const path = row(roleClosure, "path");
  return sql`(${acting.roleId} = ${on} OR EXISTS (SELECT 1 FROM ${path}
    WHERE ${path.descendantId} = ${on} AND ${path.ancestorId} = ${acting.roleId}))`;
}

/** Whether the authorizing role is `on` and has the right on itself. */
export function holdsDirectly(acting: Acting, right: RightName, on: Value): SQL {
  const self = row(role, "self");
  return sql`(${acting.roleId} = ${on} AND EXISTS (SELECT 1 FROM ${self} WHERE ${self.id} = ${on}
    AND ${self.selfRights} & ${acting.rights} & ${maskOf(right)}))`;
}

/** Whether the authorizing role has the right on `on`, either through relations or because it is `on`. */
export function holds(acting: Acting, right: RightName, on: Value): SQL {
  return sql`(${holdsDirectly(acting, right, on)} OR ${holdsIndirectly(acting, right, on)})`;
}

/**
 * Whether the authorizing role is `on` and has any of the rights `direct` on itself, or is above it with any of the
 * rights `indirect`. A mask of 0 needs no right.
 */
export function holdsSome(acting: Acting, direct: Value, indirect: Value, on: Value): SQL {
  const { self, path } = rowsOf({ self: role, path: roleClosure });
  return sql`((${acting.roleId} = ${on} AND EXISTS (SELECT 1 FROM ${self} WHERE ${self.id} = ${on}
      AND (${direct} = 0 OR ${self.selfRights} & ${acting.rights} & ${direct})))
    OR EXISTS (SELECT 1 FROM ${path} WHERE ${path.descendantId} = ${on}
      AND ${path.ancestorId} = ${acting.roleId}
      AND (${indirect} = 0 OR ${path.rights} & ${acting.rights} & ${indirect})))`;
}

/** Whether the authorizing role may add, remove and list all members of `on`. */
export function managesMembersOf(acting: Acting, on: Value): SQL {
  const indirectly = holdsIndirectly(acting, maskOf("userManagement") | maskOf("roleManagement"), on);
  return sql`(${holdsDirectly(acting, "userManagement", on)} OR ${indirectly})`;
}

/** Whether the authorizing membership has all rights of the mask, so that it may give them. */
export function mayGive(acting: Pick<Acting, "rights">, rights: Value): SQL {
  return sql`NOT ((${rights}) & ~${acting.rights})`;
}

/**
 * Whether the authorizing membership may give these rights until `endsAt`: it has them, and does not end before. Null
 * is no end.
 */
export function mayGiveUntil(acting: EndingActing, rights: Value, endsAt: Value): SQL {
  const endsWithin = sql`${acting.endsAt} IS NULL OR coalesce(${endsAt} <= ${acting.endsAt}, false)`;
  return sql`(${mayGive(acting, rights)} AND (${endsWithin}))`;
}

/** Returns the number of rights in a mask. */
export function countRights(mask: Value): SQL {
  return sql`(${join(RIGHT_NAMES.map((_, bit) => sql`(${mask} >> ${bit} & 1)`), " + ")})`;
}

/** Returns the order of memberships by what they can give: by latest end, then most rights, then id. */
export function byPowerToGive(
  { id, rights, endsAt }: Readonly<Record<"id" | "rights" | "endsAt", Value>>,
): SQL {
  return sql`${endsAt} IS NOT NULL, ${endsAt} DESC, ${countRights(rights)} DESC, ${id}`;
}

/** Returns the aggregate that unites masks, null without rows. SQLite has no aggregate for bitwise OR. */
export function unionOfMasks(mask: Value): SQL {
  return sql`(${join(RIGHT_NAMES.map((name) => sql`max(${mask} & ${maskOf(name)})`), " | ")})`;
}
