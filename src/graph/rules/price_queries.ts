import { roleClosure } from "../../db/schema/role.ts";
import { raw, row, type SQL, sql, type Value } from "../../db/sql.ts";
import { HAS_FEW } from "./guard_queries.ts";

/**
 * The price of judging many roles in one statement. For an actor with many memberships, each role takes a scan of the
 * roles above it. A statement about a list counts these first; if they are too many, its caller requests each half. A
 * statement that walks rows in order of id stops where its steps are used up.
 */

/** Maximum number of steps in which a statement judges roles. Each role above a judged one is a step, of 1 or 2 µs. */
export const JUDGING_STEPS = 50_000;

/** Maximum number for roles that an actor reaches: they are found at once, and a walk would take more statements. */
const REACHING_STEPS = 100_000;

// JavaScript has no such integer.
/** The greatest possible id. */
export const MAX_ID: SQL = raw("9223372036854775807");

/** Whether more than `steps` roles are above those of `judged`, a source for FROM with a column `role_id`. */
function exceeds(steps: number, judged: SQL): SQL {
  const step = row(roleClosure, "step");
  return sql`(SELECT 1 FROM ${judged} CROSS JOIN ${step} ON ${step.descendantId} = judged.role_id
    LIMIT 1 OFFSET ${steps}) IS NOT NULL`;
}

/** Whether too many roles are above those of `rows` (with a column `role_id`) to judge each of them for the actor. */
export function areTooManyAbove(rows: SQL): SQL {
  return sql`CASE WHEN ${HAS_FEW} THEN false ELSE ${exceeds(REACHING_STEPS, sql`${rows} judged`)} END`;
}

/** Whether too many roles are above those of a JSON list. A list of one role always fits. */
export function isCostly(list: Value): SQL {
  const judged = sql`(SELECT value AS role_id FROM json_each(${list})) judged`;
  return sql`CASE WHEN ${HAS_FEW} OR json_array_length(${list}) < 2 THEN false
    ELSE ${exceeds(JUDGING_STEPS, judged)} END`;
}

/**
 * Returns the id up to which one statement can judge the roles of `rows` in order of `id`: at least the first, or the
 * greatest possible id if all can. `rows` selects `id`, with each role to judge as `role_id`. If `condition` fails,
 * none need be judged. A statement with several lists gives each its share of `steps`.
 */
export function affordedId(
  rows: SQL,
  condition: SQL = sql`NOT (${HAS_FEW})`,
  steps = JUDGING_STEPS,
): SQL {
  const step = row(roleClosure, "step");
  // The steps of the last id may be cut off, so it is left to the next statement, unless it is the first, too.
  return sql`(SELECT iif(count(*) > ${steps}, max(min(id), max(id) - 1), ${MAX_ID}) FROM (
    SELECT judged.id FROM (SELECT id, role_id FROM (${rows}) WHERE ${condition} ORDER BY id LIMIT -1) judged
      CROSS JOIN ${step} ON ${step.descendantId} = judged.role_id
    LIMIT ${steps + 1}))`;
}
