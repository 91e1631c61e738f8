import { changeLog } from "../db/schema/role.ts";
import { define, placeholdersOf, quoted, type SQL, sql, text } from "../db/sql.ts";
import { onSteps, type Statement } from "../db/statement.ts";

/**
 * How the statements of a batch act on its change log row. The first one writes the row with a step, and each of the
 * others acts only on some steps.
 */

/** What the later statements of a batch do, as its first one decided. In the log, `none` means nothing. */
export const STEPS = ["grow", "shrink", "write", "update", "delete", "restore", "compare"] as const;
export type Step = typeof STEPS[number];

/** Whether a batch makes a change, or decides like it and changes nothing. */
export type Run = "change" | "preview";

const OF_OPERATION = { opId: text };
const { opId } = placeholdersOf(OF_OPERATION);

/** Whether the change log row is of this operation, with one of these steps. */
export function whenStep(...steps: Step[]): SQL {
  return hasStep(changeLog, ...steps);
}

/** Whether another row of the change log is of this operation, with one of these steps. */
export function hasStep(log: typeof changeLog, ...steps: Step[]): SQL {
  return sql`${log.opId} = ${opId} AND ${log.step} IN (${quoted(...steps)})`;
}

/** Returns a statement that acts on this operation's row if it has one of the steps, and is left out on others. */
export function stepFor(steps: readonly Step[], write: () => SQL): Statement {
  return onSteps(steps, define(OF_OPERATION, write));
}
