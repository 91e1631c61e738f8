import { canonicalText, spellingsOf } from "../core/text.ts";
import { role, roleClosure } from "../db/schema/role.ts";
import type { device } from "../db/schema/telemetry.ts";
import { nullable, placeholdersOf, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";

/** Most characters of an external id. */
export const MAX_EXTERNAL_ID_LENGTH = 128;

/**
 * Selects the root below which the external ids of a role, or of a device of it, are unique: the oldest root among the
 * role and those above it. It is stored with the id, and stays when the role gets below another root. So a conflict
 * tells only of roles below the same root.
 */
export function externalRootOf(roleId: Value): SQL {
  const { root, path, self } = rowsOf({ root: role, path: roleClosure, self: role });
  return sql`(SELECT min(id) FROM (
    SELECT ${self.id} FROM ${self} WHERE ${self.id} = ${roleId} AND ${self.isRoot}
    UNION ALL SELECT ${root.id} FROM ${path} CROSS JOIN ${root} ON ${root.id} = ${path.ancestorId} AND ${root.isRoot}
    WHERE ${path.descendantId} = ${roleId}))`;
}

/** The spellings of an external id as a JSON list, for a request that sets one; null if it sets none. */
export const SPELLINGS = { externalIds: nullable(text) };
const { externalIds } = placeholdersOf(SPELLINGS);
/** Selects the spellings of the external id that a request sets. */
export const GIVEN_SPELLINGS: SQL = spellingsIn(externalIds);

/** Selects the texts of a JSON list; none of null. */
export function spellingsIn(list: Value): SQL {
  return sql`SELECT value FROM json_each(${list})`;
}

/** Whether a row of roles or of devices has one of the external ids below the root already. */
export function isExternalIdTaken(other: typeof role | typeof device, oneOf: Value, root: Value): SQL {
  return sql`EXISTS (SELECT 1 FROM ${other} WHERE ${other.externalId} IN (${oneOf}) AND ${other.externalRoot} = ${root})`;
}

/** Whether the present external id is not the one that the request sets, in any spelling. */
export function isOtherExternalId(present: Value): SQL {
  return sql`(CASE WHEN ${externalIds} IS NULL THEN ${present} IS NOT NULL
    ELSE ifnull(${present} NOT IN (${GIVEN_SPELLINGS}), true) END)`;
}

/** Returns the arguments of a request that sets an external id, or none by null; `setsExternalId`: whether it does. */
export function externalIdArgs(given: string | null | undefined) {
  return {
    externalId: typeof given === "string" ? canonicalText(given) : null,
    externalIds: typeof given === "string" ? JSON.stringify(spellingsOf(given)) : null,
    setsExternalId: given === undefined ? 0 : 1,
  };
}

/** Returns the columns of a row that is given an external id, or none if that is null. */
export function externalColumns(
  externalId: Value,
  root: Value,
): Record<"externalId" | "externalRoot", Value> {
  return { externalId, externalRoot: sql`CASE WHEN ${externalId} IS NOT NULL THEN ${root} END` };
}

/** Returns the details of a change with those of `further` that are not null: a merge patch (RFC 7396) sets no null. */
export function withDetails(details: SQL, further: SQL): SQL {
  return sql`json_patch(${details}, ${further})`;
}

/**
 * Returns columns of a role or device that comes back from history: its external id, unless another one has it below
 * that root by now.
 */
export function returningColumns(
  past: Record<"externalId" | "externalRoot", Value>,
  other: typeof role | typeof device,
): Record<"externalId" | "externalRoot", Value> {
  const unlessTaken = (value: Value): SQL =>
    sql`CASE WHEN NOT ${isExternalIdTaken(other, past.externalId, past.externalRoot)} THEN ${value} END`;
  return { externalId: unlessTaken(past.externalId), externalRoot: unlessTaken(past.externalRoot) };
}
