import { managesHistory, member, memberHistory, roleClosure, roleHistory } from "../../db/schema/role.ts";
import { deletedMonitors } from "../../db/schema/telemetry.ts";
import { int, placeholdersOf, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { unionOfMasks } from "../../graph/rules/rule_queries.ts";
import { holderLives } from "../../graph/rules/principal_queries.ts";
import { MAX_SCANNED_MEMBERS } from "../../changes/change_queries.ts";
import { readEffect, WATCHING_NOW } from "../../changes/preview/effect_queries.ts";
import { isRestored, listOf, RESTORED, walkOf } from "./restored_queries.ts";

const RESTORING = { ...RESTORED, childId: int, relationIds: text, memberIds: text, monitorsIds: text };
const { undoes, parentId, childId, rights, relationIds, memberIds, monitorsIds } = placeholdersOf(RESTORING);

const UNION = unionOfMasks(sql`rights`);

const back = row(deletedMonitors, "back");
/** Selects the monitors relations that return, as rows of `watching`. */
const RETURNING = sql`SELECT ${back.roleId} AS role_id, ${back.deviceId} AS device_id, 1 AS returns
    FROM json_each(${monitorsIds}) listed_back
    CROSS JOIN ${back} ON ${back.monitorsId} = listed_back.value AND ${back.rev} = ${undoes}`;

/**
 * CTEs that end with `pair`: the restored roles among themselves and with their self rights, those above with them, and
 * both with roles that survived.
 */
function restoredPairs(): SQL {
  const { above, below, held } = rowsOf({ above: roleClosure, below: roleClosure, held: roleClosure });
  const outward = row(managesHistory, "outward");
  const self = row(roleHistory, "self");
  const before = sql`(SELECT ${held.rights} FROM ${held}
        WHERE ${held.descendantId} = joined.role_id AND ${held.ancestorId} = joined.acting_id)`;
  const receiving = row(roleClosure, "receiving");
  return sql`${walkOf(sql`true`)},
  inner_pair(acting_id, role_id, rights) AS MATERIALIZED (
    SELECT ancestor_id, descendant_id, ${UNION} FROM walk GROUP BY ancestor_id, descendant_id),
  upper(role_id, rights) AS MATERIALIZED (
    SELECT ${above.ancestorId}, ${above.rights} & ${rights} FROM ${above} WHERE ${above.descendantId} = ${parentId}
    UNION ALL SELECT ${parentId}, ${rights}),
  over(acting_id, role_id, rights) AS MATERIALIZED (
    SELECT acting_id, role_id, rights FROM inner_pair
    UNION ALL SELECT upper.role_id, inner_pair.role_id, upper.rights & inner_pair.rights
    FROM inner_pair CROSS JOIN upper WHERE inner_pair.acting_id = ${childId}),
  entry(parent_id, child_id, rights) AS MATERIALIZED (
    SELECT ${outward.parentId}, ${outward.childId}, ${outward.rights} FROM json_each(${relationIds}) listed
    CROSS JOIN ${outward} ON ${outward.relationId} = listed.value AND ${outward.toRev} = ${undoes}),
  under(parent_id, role_id, rights) AS MATERIALIZED (
    SELECT parent_id, child_id, rights FROM entry
    UNION ALL SELECT entry.parent_id, ${below.descendantId}, ${below.rights} & entry.rights
    FROM entry CROSS JOIN ${below} ON ${below.ancestorId} = entry.child_id),
  joined(acting_id, role_id, rights) AS MATERIALIZED (
    SELECT acting_id, role_id, ${UNION} FROM (
      SELECT over.acting_id, under.role_id, over.rights & under.rights AS rights
      FROM under CROSS JOIN over ON over.role_id = under.parent_id)
    GROUP BY acting_id, role_id),
  watcher(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM (${RETURNING}) WHERE NOT ${
    isRestored(sql`role_id`)
  }),
  pair(acting_id, role_id, before, after, reach) AS MATERIALIZED (
    SELECT * FROM (
      SELECT acting_id, role_id, 0 AS before, rights AS after, 1 AS reach FROM over WHERE acting_id <> role_id
      UNION ALL SELECT ${self.roleId}, ${self.roleId}, 0, ${self.selfRights}, 1
      FROM json_each(${listOf("deletedRoleIds")}) listed
        CROSS JOIN ${self} ON ${self.roleId} = listed.value AND ${self.toRev} = ${undoes}
      UNION ALL SELECT acting_id, role_id, coalesce(before, 0), coalesce(before, 0) | rights, before IS NULL
      FROM (SELECT joined.*, ${before} AS before FROM joined)
      UNION ALL SELECT ${receiving.ancestorId}, watcher.role_id, 0, 0, 2 FROM watcher
        CROSS JOIN ${receiving} ON ${receiving.descendantId} = watcher.role_id
      UNION ALL SELECT role_id, role_id, 0, 0, 2 FROM watcher)
    WHERE before <> after OR reach <> 0)`;
}

const { touched, returned } = rowsOf({ touched: member, returned: memberHistory });
/** The memberships of the acting roles, and those that return. */
const HOLDERS = sql`holder(acting_id, user_id, rights, lives) AS MATERIALIZED (
    SELECT ${touched.roleId}, ${touched.userId}, ${touched.rights}, ${holderLives(touched)}
    FROM (SELECT DISTINCT acting_id FROM pair) acting
      CROSS JOIN ${touched} ON ${touched.roleId} = acting.acting_id
    UNION ALL
    SELECT ${returned.roleId}, ${returned.userId}, ${returned.rights}, true FROM json_each(${memberIds}) listed
      CROSS JOIN ${returned} ON ${returned.memberId} = listed.value AND ${returned.toRev} = ${undoes}
    LIMIT ${MAX_SCANNED_MEMBERS} + 1)`;

/** The effect of restoring a deletion, with the relations and memberships that a preview of it has listed. */
export const EFFECT_OF_RESTORING = readEffect(RESTORING, {
  ctes: restoredPairs(),
  holders: HOLDERS,
  watching: sql`${WATCHING_NOW} UNION ALL ${RETURNING}`,
});
