import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog } from "../db/schema/role.ts";
import { rows, type SQL, sql, text } from "../db/sql.ts";
import type { DecisionRow } from "./decision.ts";

/** Who makes a change, and of which targets they may. */
export interface Authority<Target> {
  /** Whether they can still ask. */
  readonly lives: SQL;
  readonly allows: (target: Target) => SQL;
  /** See `RecordedChange`. */
  readonly via?: SQL;
}

/** An administrator's task, which no session authorizes. */
export const ADMINISTRATOR: Authority<unknown> = { lives: sql`true`, allows: () => sql`true` };

/** The last statement of a change of an administrator, to whom only the decision matters. */
export const READ_DECISION = rows<DecisionRow>()({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);
