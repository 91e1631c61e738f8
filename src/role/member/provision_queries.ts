import { roleKey } from "../../db/schema/role.ts";
import { int, placeholdersOf, row, type SQL, sql } from "../../db/sql.ts";
import { DAY_SECONDS, THROTTLE_SCOPES } from "../../throttle/limits.ts";
import type { CountedWindow } from "../../throttle/throttle_queries.ts";
import { PRINCIPAL } from "../../graph/rules/principal_queries.ts";

/**
 * Keys that provision. What such a key gives, and whether it may change a membership at all, lies within its own
 * membership and within one that its maker has at that moment, awake or not. An administrator's key has no maker.
 */

const { actorId } = placeholdersOf(PRINCIPAL);
/** The additions that the keys of one maker may make in the window. */
export const PROVISION_LIMIT = { provisionPerDay: int };
export const { provisionPerDay } = placeholdersOf(PROVISION_LIMIT);

const provisioning = row(roleKey, "provisioning");
/** Whether the actor is a key that may add and change members. */
export const PROVISIONS = sql`EXISTS (SELECT 1 FROM ${provisioning}
      WHERE ${provisioning.id} = -${actorId} AND ${provisioning.provisions})`;

const counted = row(roleKey, "counted_key");
/** Whom additions count to: the maker, whatever key adds; without one, the key. Equals the key of the maker's own. */
export const MAKER_KEY: SQL =
  sql`(SELECT coalesce(CAST(${counted.createdBy} AS TEXT), 'key ' || ${counted.id})
    FROM ${counted} WHERE ${counted.id} = -${actorId})`;

/** The additions by all keys of a maker, deleted ones included. */
export const PROVISIONED: CountedWindow = {
  scope: THROTTLE_SCOPES.provisionByMaker,
  key: MAKER_KEY,
  windowSeconds: DAY_SECONDS,
};
