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
