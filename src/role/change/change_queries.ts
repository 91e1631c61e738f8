import { MINUTE_MS } from "../../core/clock.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import type { Effect } from "./decision.ts";

/**
 * The parts that the batches of all changes share. The first statement of a batch writes the change log row of `:opId`
 * with the decision and its effect. All later statements read that row and act only on its effect.
 */

/** SQL: the change log row of this operation, if its effect is one of these. */
export function whenEffect(...effects: Effect[]): string {
  return `op_id = :opId AND effect IN (${effects.map((effect) => `'${effect}'`).join(", ")})`;
}

/** The columns that say what a change is about. */
const TARGET_COLUMNS = ["parent_id", "role_id", "relation_id", "subject_id", "device_id"] as const;

/** Rows for the refusals of one user in one minute. Once there are as many, the targets no longer tell them apart. */
export const REFUSAL_ROWS_PER_MINUTE = 60;

/** SQL: what the keys of all refusals of this user in this minute begin with. */
const REFUSALS_OF_MINUTE = `:actorId || ' ' || (:now / ${MINUTE_MS})`;

export interface RecordedChange {
  /** SQL: the kind of change. */
  readonly kind: string;
  /** SQL: CTEs that `decided` uses. */
  readonly ctes?: string;
  /** SQL: selects the decision and whatever the other parts use, in one row; no row if the session has ended. */
  readonly decided: string;
  /** SQL: further columns of the row, from the columns of `decided`. */
  readonly values: Readonly<Record<string, string>>;
  /** SQL: the effect. By default `write` if the decision is `ok`. */
  readonly effect?: string;
  /** SQL: whether a refusal gets a row of its own, for example because it counts as a guess. By default it does not. */
  readonly ownRow?: string;
}

/**
 * Writes the change log row of `:opId`. Parameters besides those of the parts: `:opId`, `:now`, `:actorId`,
 * `:sessionId`.
 *
 * Refusals that changed nothing are merged, so that nobody can fill the log with them: those of one user, kind, target
 * and decision within a minute share a row. It keeps its number and time, counts the attempts, and takes on the
 * operation id of the latest, by which that batch reads its answer back. An attempt whose row has taken on another's id
 * may be decided anew if its response was lost: it has changed nothing yet. Where merged attempts differ in a column,
 * it is null; the session and the cost are those of the latest.
 */
export function recordChange(change: RecordedChange): Statement {
  const { kind, ctes, decided, values, ownRow = "false" } = change;
  const { effect = "CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END" } = change;
  const columns = Object.keys(values);
  const target = TARGET_COLUMNS.flatMap((column) => values[column] ?? [])
    .map((value) => `coalesce(${value}, '-')`).join(" || ' ' || ");
  return defineStatement(`
    WITH ${ctes === undefined ? "" : `${ctes},`} decided AS MATERIALIZED (${decided})
    INSERT INTO change_log (op_id, at, actor_id, session_id, kind, ${
    columns.join(", ")
  }, decision, effect, merge_key)
    SELECT :opId, :now, :actorId, :sessionId, ${kind}, ${
    Object.values(values).join(", ")
  }, decision, ${effect},
      CASE WHEN decision NOT IN ('ok', 'noop') AND NOT ${ownRow} THEN
        ${REFUSALS_OF_MINUTE} || ' ' || ${kind} || ' ' || decision || ' ' ||
        CASE WHEN (SELECT count(*) FROM change_log crowd WHERE crowd.merge_key >= ${REFUSALS_OF_MINUTE} || ' '
          AND crowd.merge_key < ${REFUSALS_OF_MINUTE} || '!') < ${REFUSAL_ROWS_PER_MINUTE}
        THEN ${target} ELSE '' END END
    FROM decided WHERE true
    ON CONFLICT (merge_key) WHERE merge_key IS NOT NULL DO UPDATE SET
      op_id = excluded.op_id, session_id = excluded.session_id, attempts = attempts + 1, ${
    columns.map(mergeColumn).join(", ")
  }`);
}

function mergeColumn(column: string): string {
  return column === "cost"
    ? "cost = excluded.cost"
    : `${column} = CASE WHEN ${column} IS excluded.${column} THEN ${column} END`;
}

/** Fails if this change is already on record; see `writeOnce`. */
export const REFUSE_REPEATED_CHANGE: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, effect)
  SELECT op_id, at, actor_id, session_id, kind, decision, effect FROM change_log WHERE op_id = :opId`);

/** SQL: the next id of a sequence, for the row of a decision that creates something. A later statement takes it. */
export function nextId(sequence: "node" | "relation"): string {
  return `(SELECT last_id + 1 FROM id_sequence WHERE name = '${sequence}')`;
}

/** Takes the relation id in the change log row, unless an existing relation has it. */
export const TAKE_RELATION_ID: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'relation'
    AND last_id < (SELECT relation_id FROM change_log WHERE ${whenEffect("grow", "write")})`);

/** Takes both ids of a change that creates a role or device together with its first relation. */
export const TAKE_NODE_AND_RELATION_ID: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + 1 WHERE name IN ('node', 'relation')
    AND EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("grow", "write")})`);
