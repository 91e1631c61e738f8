import { defineStatement, type Statement } from "../../db/statement.ts";
import { ADMINISTRATOR_SESSION } from "../bootstrap_queries.ts";
import { whenEffect } from "../change/change_text.ts";
import type { ClosureRow } from "../closure/closure.ts";
import { ALL_RIGHTS, RIGHT_NAMES } from "../rights.ts";

/**
 * An import identifies its roles by their position in the file, from 1 on, and the role above them by 0. Staged rows
 * hold positions. The last batch takes ids from the sequences, turns positions into ids, and computes the rows for the
 * ancestors of the role above from the closure at that moment. It relies on nothing read earlier, so the service may
 * change the graph meanwhile.
 */

const ACCOUNT_OF_NOBODY = 0;

/** Stages a list of rows. `:kind` is their table; see the statements that move them. */
export const STAGE_CHUNK: Statement = defineStatement(`
  INSERT INTO import_chunk (import_id, kind, position, created_at, rows)
  VALUES (:opId, :kind, :position, :now, :rows)`);

export const DROP_CHUNKS: Statement = defineStatement(`DELETE FROM import_chunk WHERE import_id = :opId`);

const FOUND = `(:underId IS NULL OR EXISTS (SELECT 1 FROM role WHERE id = :underId))`;
/** The role above and each of its ancestors get a row for each role of the file. */
const COST = `:rowCount + :topRowCount * (SELECT count(*) FROM role_closure WHERE descendant_id = :underId)`;

/** Whether the role to import under exists, and the number of rows that the import would write. Changes nothing. */
export const PREVIEW_IMPORT: Statement = defineStatement(`SELECT ${FOUND} AS found, ${COST} AS cost`);

/** Decides the import. Inserts no row if staged rows are missing. */
const DECIDE_IMPORT: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, parent_id, cost, decision, effect, details)
  SELECT :opId, :now, ${ACCOUNT_OF_NOBODY}, '${ADMINISTRATOR_SESSION}', 'hierarchy.import', :underId, cost,
    CASE WHEN NOT found THEN 'denied' WHEN cost > :maxCost THEN 'too_large' ELSE 'ok' END,
    CASE WHEN found AND cost <= :maxCost THEN 'write' ELSE 'none' END,
    json_object('roles', :roleCount, 'relations', :relationCount)
  FROM (SELECT ${FOUND} AS found, ${COST} AS cost)
  WHERE (SELECT count(*) FROM import_chunk WHERE import_id = :opId) = :chunkCount`);

const TAKE_IDS: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + CASE name WHEN 'node' THEN :roleCount ELSE :relationCount END
  WHERE name IN ('node', 'relation') AND EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("write")})`);

/** The log row holds the first id of each sequence. The others follow without a gap. */
const NOTE_FIRST_IDS: Statement = defineStatement(`
  UPDATE change_log SET
    role_id = (SELECT last_id FROM id_sequence WHERE name = 'node') - :roleCount + 1,
    relation_id = (SELECT last_id FROM id_sequence WHERE name = 'relation') - :relationCount + 1
  WHERE ${whenEffect("write")}`);

export type StagedKind = "role" | "relation" | "closure" | "top";

/** The staged rows of a kind, joined to the log's row. No rows if the import was refused. */
function staged(kind: StagedKind, joins = ""): string {
  return `FROM change_log CROSS JOIN import_chunk chunk ON chunk.import_id = change_log.op_id AND chunk.kind = '${kind}'
    CROSS JOIN json_each(chunk.rows) staged ${joins} WHERE change_log.${whenEffect("write")}`;
}

/** SQL: the id of the role whose position is element `place` of a staged row. */
function roleAt(place: number): string {
  return `change_log.role_id - 1 + (staged.value ->> ${place})`;
}

/** Staged rows are [position, name, self rights, root or not]. */
const MOVE_ROLES: Statement = defineStatement(`
  INSERT INTO role (id, name, self_rights, is_root)
  SELECT ${roleAt(0)}, staged.value ->> 1, staged.value ->> 2, staged.value ->> 3 ${staged("role")}`);

/** Staged rows are [position among the relations, parent, child, rights]. */
const MOVE_RELATIONS: Statement = defineStatement(`
  INSERT INTO manages (id, parent_id, child_id, rights)
  SELECT change_log.relation_id - 1 + (staged.value ->> 0),
    CASE staged.value ->> 1 WHEN 0 THEN change_log.parent_id ELSE ${roleAt(1)} END,
    ${roleAt(2)}, staged.value ->> 3 ${staged("relation")}`);

/** Widths of a packed row's parts, the ancestor's and the rights' bits. With the descendant's they must fit into 53. */
const POSITION_BITS = 23;
const RIGHTS_BITS = RIGHT_NAMES.length;

/** Maximum number of roles, so that positions fit into a packed row. */
export const MAX_ROLES = 2 ** POSITION_BITS - 1;

/** Packs a closure row into an integer below 2^53. With a million lists, parsing them would be half of the work. */
export function packRow({ descendantId, ancestorId, rights }: ClosureRow): number {
  return (descendantId * 2 ** POSITION_BITS + ancestorId) * 2 ** RIGHTS_BITS + rights;
}

const DESCENDANT = `change_log.role_id - 1 + (staged.value >> ${POSITION_BITS + RIGHTS_BITS})`;
const ANCESTOR = `change_log.role_id - 1 + (staged.value >> ${RIGHTS_BITS} & ${MAX_ROLES})`;
const RIGHTS = `(staged.value & ${ALL_RIGHTS})`;

/** Staged rows are packed. Both roles are in the file. */
const MOVE_CLOSURE: Statement = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT ${DESCENDANT}, ${ANCESTOR}, ${RIGHTS} ${staged("closure")}`);

/** Staged rows are packed, with the rights that get through from the role above. */
const MOVE_ROWS_OF_ROLE_ABOVE: Statement = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT ${DESCENDANT}, change_log.parent_id, ${RIGHTS} ${staged("top")}`);

/** The same from each of that role's ancestors. */
const MOVE_ROWS_OF_ANCESTORS: Statement = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT ${DESCENDANT}, above.ancestor_id, above.rights & ${RIGHTS}
  ${staged("top", "CROSS JOIN role_closure above ON above.descendant_id = change_log.parent_id")}`);

const READ_IMPORT: Statement = defineStatement(`
  SELECT decision, cost, role_id AS firstRoleId FROM change_log WHERE op_id = :opId`);

/** The outcome of an import whose response was lost. */
export const FIND_IMPORT: Statement = READ_IMPORT;

/** Moves all staged rows or none, and removes them from the stage. The last statement returns an `ImportRow`. */
export const APPLY_IMPORT: readonly Statement[] = [
  DECIDE_IMPORT,
  TAKE_IDS,
  NOTE_FIRST_IDS,
  MOVE_ROLES,
  MOVE_RELATIONS,
  MOVE_CLOSURE,
  MOVE_ROWS_OF_ROLE_ABOVE,
  MOVE_ROWS_OF_ANCESTORS,
  DROP_CHUNKS,
  READ_IMPORT,
];
