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

/** Fails if this change is already on record; see `writeOnce`. */
export const REFUSE_REPEATED_CHANGE: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, effect)
  SELECT op_id, at, actor_id, session_id, kind, decision, effect FROM change_log WHERE op_id = :opId`);

/** Takes the next relation id for a change that creates one. */
export const TAKE_RELATION_ID: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'relation' AND EXISTS (
    SELECT 1 FROM change_log WHERE ${whenEffect("grow", "write")} AND relation_id IS NULL)`);

/** Records the id in the change log row, where the insert reads it. */
export const NOTE_RELATION_ID: Statement = defineStatement(`
  UPDATE change_log SET relation_id = (SELECT last_id FROM id_sequence WHERE name = 'relation')
  WHERE ${whenEffect("grow", "write")} AND relation_id IS NULL`);

/** Takes the next id of both sequences, for a change that creates a role or device together with its first relation. */
export const TAKE_NODE_AND_RELATION_ID: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + 1 WHERE name IN ('node', 'relation')
    AND EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("grow", "write")})`);
