import { roleKey } from "../../db/schema/role.ts";
import { int, placeholdersOf, row, type SQL, sql } from "../../db/sql.ts";
import { DAY_SECONDS, THROTTLE_SCOPES } from "../../throttle/limits.ts";
import type { CountedWindow } from "../../throttle/throttle_queries.ts";
import { holderLives, memberLives, PRINCIPAL } from "../guard/principal_queries.ts";
import { ALL_RIGHTS } from "../rights.ts";

/**
 * Keys that provision. What such a key gives, and whether it may change a membership at all, lies within its own
 * membership and within one that its maker has at that moment, awake or not. An administrator's key has no maker.
 */

const { actorId } = placeholdersOf(PRINCIPAL);
/** The additions that the keys of one maker may make in the window. */
export const PROVISION_LIMIT = { provisionPerDay: int };
export const { provisionPerDay } = placeholdersOf(PROVISION_LIMIT);

const made = row(roleKey, "made");
/** The user who made the acting key. */
const MAKER = sql`(SELECT ${made.createdBy} FROM ${made} WHERE ${made.id} = -${actorId})`;

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

/**
 * CTEs that end with `granting`: what the key's membership and one of its maker's both give. `covering` selects the
 * membership of a principal that authorizes the change and covers what is asked for.
 */
export function grantingOfKey(
  covering: (holder: SQL, counts: typeof holderLives) => SQL,
): SQL {
  const ofKey = covering(sql`${actorId}`, (own) => sql`${memberLives(own)} AND ${PROVISIONS}`);
  return sql`of_key AS MATERIALIZED (${ofKey}),
  of_maker AS MATERIALIZED (${covering(MAKER, holderLives)}),
  granting AS MATERIALIZED (
    SELECT of_key.most_rights & coalesce(of_maker.most_rights, ${ALL_RIGHTS}) AS most_rights,
      coalesce(min(of_key.latest_end, of_maker.latest_end), of_key.latest_end, of_maker.latest_end) AS latest_end,
      of_key.oldest_role_id
    FROM of_key LEFT JOIN of_maker ON true WHERE ${MAKER} IS NULL OR of_maker.most_rights IS NOT NULL)`;
}
