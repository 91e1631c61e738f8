import { HAS_FEW } from "./guard_text.ts";

/**
 * The cost of judging many roles in one statement. For an actor with many memberships, each role takes a scan of the
 * roles above it, so a list of roles multiplies with these. A statement about a list counts them first. If they are too
 * many, it leaves the list to its caller, who requests each half. A statement that walks rows in order of id stops
 * where its steps are used up.
 */

/** Maximum number of steps in which a statement judges. A role above one that it judges is a step, of 1 or 2 µs. */
const JUDGING_STEPS = 50_000;

/** The same for the roles that an actor reaches: they are found at once, and a walk would take more statements. */
const REACHING_STEPS = 100_000;

/** The greatest possible id. */
const LAST_ID = "9223372036854775807";

/** SQL: there are more roles than this above those of `judged`, a table of that name with a column `role_id`. */
function exceeds(steps: number, judged: string): string {
  return `(SELECT 1 FROM ${judged} CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
    LIMIT 1 OFFSET ${steps}) IS NOT NULL`;
}

/** SQL: too many roles are above those of `rows`, which has a column `role_id`, to judge each of them for the actor. */
export function areTooManyAbove(rows: string): string {
  return `CASE WHEN ${HAS_FEW} THEN false ELSE ${exceeds(REACHING_STEPS, `${rows} judged`)} END`;
}

/** SQL: the same for a JSON list of roles. A list of one role always fits. */
export function isCostly(list: string): string {
  return `CASE WHEN ${HAS_FEW} OR json_array_length(${list}) < 2 THEN false
    ELSE ${exceeds(JUDGING_STEPS, `(SELECT value AS role_id FROM json_each(${list})) judged`)} END`;
}

/**
 * SQL: the id up to which the roles of `rows` can be judged in order of `id`: at least one of them, and the greatest
 * possible id if all can. `rows` selects ids, with the roles to judge for each as `role_id`. None need be judged unless
 * `condition` holds.
 */
export function affordedId(rows: string, condition = `NOT (${HAS_FEW})`): string {
  return `(SELECT iif(count(*) > ${JUDGING_STEPS}, max(min(id), max(id) - 1), ${LAST_ID}) FROM (
    SELECT judged.id FROM (SELECT id, role_id FROM (${rows}) WHERE ${condition} ORDER BY id LIMIT -1) judged
      CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
    LIMIT ${JUDGING_STEPS + 1}))`;
}
