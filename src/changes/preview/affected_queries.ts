import { userAccount } from "../../db/schema/identity.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { member, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import { rows, rowsOf, type SQL, sql, text, type Value } from "../../db/sql.ts";
import { hasMoved } from "../change_queries.ts";
import { isVisible, seesEachAsManager } from "../../graph/rules/guard_queries.ts";
import { affordedId } from "../../graph/rules/price_queries.ts";
import { holderLives, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { READ } from "./effect_queries.ts";
import type { StandingRow } from "./people.ts";

/** What the caller may know of the roles and people of an effect. No row if the session has ended. */

/**
 * Maximum number of lookups of named people's memberships: in each role above the ones that change. So they take as long
 * for everybody, whatever else a person is a member of.
 */
const MAX_PROBES = 20_000;

/** Maximum number of roles in one statement about a list of them. */
export const ROLES_ASKED = 1000;

interface JudgedRow {
  readonly revision: number;
  readonly moved: number;
  readonly lookedTo: number;
  /** JSON: a list of ids. */
  readonly roleIds: string;
}

/** Returns the statement that selects those of `roleIds` that meet the rule, up to `lookedTo`: it can judge no more. */
function selectRoles(meets: (on: Value) => SQL) {
  return rows<JudgedRow>()({ ...READ, roleIds: text }, ({ roleIds }) => {
    const last = affordedId(sql`SELECT value AS id, value AS role_id FROM json_each(${roleIds})`);
    return sql`
  WITH judged(id) AS MATERIALIZED (SELECT value FROM json_each(${roleIds}) WHERE value <= ${last})
  SELECT ${REVISION_COLUMN}, ${hasMoved()} AS moved, (SELECT max(id) FROM judged) AS lookedTo,
    (SELECT json_group_array(id) FROM judged WHERE ${meets(sql`judged.id`)}) AS roleIds
  WHERE ${PRINCIPAL_LIVES}`;
  });
}

/** The roles that the caller sees. */
export const SEEN_ROLES = selectRoles(isVisible);

/** The roles whose lists of access the caller reads. */
export const READABLE_ROLES = selectRoles(seesEachAsManager);

/**
 * What the first of `principalIds` are members of, among the roles of `roleIds` (in order) and those above, as far as
 * `MAX_PROBES` reaches.
 */
export const STANDING_OF_PEOPLE = rows<StandingRow>()(
  { ...READ, principalIds: text, roleIds: text },
  ({ principalIds, roleIds }) => {
    const { path, own, joined } = rowsOf({ path: roleClosure, own: role, joined: member });
    const isWithin = (on: Value) => sql`coalesce(${on} < (SELECT role_id FROM beyond), true)`;
    const email = sql`(SELECT ${userAccount.email} FROM ${userAccount} WHERE ${userAccount.id} = person.id)`;
    const keyName = sql`(SELECT ${roleKey.name} FROM ${roleKey} WHERE ${roleKey.id} = -person.id)`;
    return sql`
  WITH above(role_id, acting_id, rights) AS MATERIALIZED (
    SELECT ${path.descendantId}, ${path.ancestorId}, ${path.rights} FROM json_each(${roleIds}) requested
    CROSS JOIN ${path} ON ${path.descendantId} = requested.value LIMIT ${MAX_PROBES - ROLES_ASKED} + 1),
  beyond(role_id) AS MATERIALIZED (
    SELECT CASE WHEN count(*) > ${MAX_PROBES - ROLES_ASKED} THEN max(role_id) END FROM above),
  standing(role_id, acting_id, rights) AS MATERIALIZED (
    SELECT * FROM above WHERE ${isWithin(sql`above.role_id`)}
    UNION ALL SELECT ${own.id}, ${own.id}, ${own.selfRights} FROM json_each(${roleIds}) requested
    CROSS JOIN ${own} ON ${own.id} = requested.value WHERE ${isWithin(own.id)}),
  place(role_id) AS MATERIALIZED (SELECT DISTINCT acting_id FROM standing),
  person(id) AS MATERIALIZED (SELECT value FROM json_each(${principalIds})
    WHERE key < max(1, ${MAX_PROBES} / max(1, (SELECT count(*) FROM place)))),
  held(user_id, role_id, rights) AS MATERIALIZED (
    SELECT person.id, place.role_id, ${joined.rights} FROM person CROSS JOIN place
    CROSS JOIN ${joined} ON ${joined.userId} = person.id AND ${joined.roleId} = place.role_id AND ${
      holderLives(joined)
    })
  SELECT ${REVISION_COLUMN}, ${hasMoved()} AS moved,
    (SELECT json_group_array(DISTINCT role_id) FROM standing) AS roleIds,
    (SELECT json_group_array(json_array(id, ${email}, ${keyName})) FROM person) AS people,
    (SELECT json_group_array(json_array(user_id, role_id, rights)) FROM held) AS held,
    (SELECT json_group_array(json_array(acting_id, role_id, rights)) FROM standing
      WHERE acting_id IN (SELECT role_id FROM held)) AS rights
  WHERE ${PRINCIPAL_LIVES}`;
  },
);
