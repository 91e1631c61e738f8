import { importChunk } from "../../db/schema/import.ts";
import { changeLog, idSequence, manages, role, roleClosure } from "../../db/schema/role.ts";
import {
  assigned,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { ADMINISTRATOR_SESSION } from "../bootstrap_queries.ts";
import { whenEffect } from "../change/change_queries.ts";
import type { Decision } from "../change/decision.ts";
import type { ClosureRow } from "../closure/closure.ts";
import { ALL_RIGHTS, RIGHT_NAMES } from "../rights.ts";

/**
 * An import identifies roles by their position in the file, from 1 on, and the role above them by 0. Staged rows hold
 * positions. The last batch takes ids, turns positions into ids, and computes the rows of ancestors from the closure at
 * that moment. It relies on no earlier read, so the service may change the graph meanwhile.
 */

const NO_ACCOUNT = 0;

/** Where the import goes, and how many rows it writes there. */
const SIZES = { underId: nullable(int), rowCount: int, topRowCount: int };
export type ImportSizes = ValuesOf<typeof SIZES>;
const COUNTS = { roleCount: int, relationCount: int };
const IMPORT = { ...SIZES, ...COUNTS, opId: text, now: int, maxCost: int, chunkCount: int };
/** The arguments of `APPLY_IMPORT`. */
export type ImportArgs = ValuesOf<typeof IMPORT>;
const { underId, rowCount, topRowCount } = placeholdersOf(SIZES);

/** Stages a list of rows. `kind` is their table; see the statements that move them. */
export const STAGE_CHUNK = define(
  { opId: text, kind: text, position: int, now: int, rows: text },
  ({ opId, kind, position, now, rows }) => {
    const chunk = { importId: opId, kind, position, createdAt: now, rows };
    const { names, values } = inserted(importChunk, chunk);
    return sql`
  INSERT INTO ${importChunk} (${names}) VALUES (${values})`;
  },
);

export const DROP_CHUNKS = define(
  { opId: text },
  ({ opId }) => sql`DELETE FROM ${importChunk} WHERE ${importChunk.importId} = ${opId}`,
);

const above = row(roleClosure, "above");
const FOUND = sql`(${underId} IS NULL OR EXISTS (SELECT 1 FROM ${role} WHERE ${role.id} = ${underId}))`;
/** The role above and each of its ancestors get a row for each role of the file. */
const COST = sql`${rowCount} + ${topRowCount} * (SELECT count(*) FROM ${above}
    WHERE ${above.descendantId} = ${underId})`;

interface PreviewRow {
  readonly found: 0 | 1;
  readonly cost: number;
}

/** Whether the role to import under exists, and the number of rows that the import would write. Changes nothing. */
export const PREVIEW_IMPORT = rows<PreviewRow>()(SIZES, () => sql`SELECT ${FOUND} AS found, ${COST} AS cost`);

/** Decides the import. Inserts no row if staged rows are missing. */
const DECIDE_IMPORT = define(IMPORT, ({ opId, now, maxCost, roleCount, relationCount, chunkCount }) => {
  const { names, values } = inserted(changeLog, {
    opId,
    at: now,
    actorId: NO_ACCOUNT,
    sessionId: quoted(ADMINISTRATOR_SESSION),
    kind: sql`'hierarchy.import'`,
    parentId: underId,
    cost: sql`cost`,
    decision: sql`CASE WHEN NOT found THEN 'denied' WHEN cost > ${maxCost} THEN 'too_large' ELSE 'ok' END`,
    effect: sql`CASE WHEN found AND cost <= ${maxCost} THEN 'write' ELSE 'none' END`,
    details: sql`json_object('roles', ${roleCount}, 'relations', ${relationCount})`,
  });
  const staged = sql`(SELECT count(*) FROM ${importChunk} WHERE ${importChunk.importId} = ${opId})`;
  return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values}
  FROM (SELECT ${FOUND} AS found, ${COST} AS cost)
  WHERE ${staged} = ${chunkCount}`;
});

const TAKE_IDS = define({ ...COUNTS, opId: text }, ({ roleCount, relationCount }) => {
  const { name, lastId } = idSequence;
  const taken = sql`${lastId} + CASE ${name} WHEN 'node' THEN ${roleCount} ELSE ${relationCount} END`;
  return sql`
  UPDATE ${idSequence} SET ${assigned(idSequence, { lastId: taken })}
  WHERE ${name} IN ('node', 'relation')
    AND EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenEffect("write")})`;
});

/** The log row holds the first id of each sequence. The others follow without a gap. */
const NOTE_FIRST_IDS = define({ ...COUNTS, opId: text }, ({ roleCount, relationCount }) => {
  const lastOf = (sequence: "node" | "relation"): SQL =>
    sql`(SELECT ${idSequence.lastId} FROM ${idSequence} WHERE ${idSequence.name} = ${quoted(sequence)})`;
  const firstIds = assigned(changeLog, {
    roleId: sql`${lastOf("node")} - ${roleCount} + 1`,
    relationId: sql`${lastOf("relation")} - ${relationCount} + 1`,
  });
  return sql`
  UPDATE ${changeLog} SET ${firstIds}
  WHERE ${whenEffect("write")}`;
});

export type StagedKind = "role" | "relation" | "closure" | "top";

/**
 * Returns FROM with the staged rows of a kind, as `staged`, joined to the log's row. None if the import was refused.
 */
function staged(kind: StagedKind, joins: SQL = sql``): SQL {
  const chunk = row(importChunk, "chunk");
  return sql`FROM ${changeLog}
    CROSS JOIN ${chunk} ON ${chunk.importId} = ${changeLog.opId} AND ${chunk.kind} = ${quoted(kind)}
    CROSS JOIN json_each(${chunk.rows}) staged ${joins} WHERE ${whenEffect("write")}`;
}

/** Returns the id of the role whose position is element `place` of a staged row. */
function roleAt(place: number): SQL {
  return sql`${changeLog.roleId} - 1 + (staged.value ->> ${place})`;
}

/** Staged rows are [position, name, self rights, root or not]. A role begins with the demand of the role above. */
const MOVE_ROLES = define({ opId: text }, () => {
  const upper = row(role, "upper");
  const { names, values } = inserted(role, {
    id: roleAt(0),
    name: sql`staged.value ->> 1`,
    selfRights: sql`staged.value ->> 2`,
    isRoot: sql`staged.value ->> 3`,
    needs: sql`coalesce(${upper.needs}, 0)`,
    needsBefore: sql`coalesce(${upper.needsBefore}, 0)`,
    needsFrom: upper.needsFrom,
  });
  const joined = sql`LEFT JOIN ${upper} ON ${upper.id} = ${changeLog.parentId}`;
  return sql`
  INSERT INTO ${role} (${names})
  SELECT ${values} ${staged("role", joined)}`;
});

/** Staged rows are [position among the relations, parent, child, rights]. */
const MOVE_RELATIONS = define({ opId: text }, () => {
  const { names, values } = inserted(manages, {
    id: sql`${changeLog.relationId} - 1 + (staged.value ->> 0)`,
    parentId: sql`CASE staged.value ->> 1 WHEN 0 THEN ${changeLog.parentId} ELSE ${roleAt(1)} END`,
    childId: roleAt(2),
    rights: sql`staged.value ->> 3`,
  });
  return sql`
  INSERT INTO ${manages} (${names})
  SELECT ${values} ${staged("relation")}`;
});

/** Widths of a packed row's parts, the ancestor's and the rights' bits. With the descendant's they must fit into 53. */
const POSITION_BITS = 23;
const RIGHTS_BITS = RIGHT_NAMES.length;

/** Maximum number of roles, so that positions fit into a packed row. */
export const MAX_ROLES = 2 ** POSITION_BITS - 1;

/** Packs a closure row into an integer below 2^53. Parsing a million lists would be half of the work. */
export function packRow({ descendantId, ancestorId, rights }: ClosureRow): number {
  return (descendantId * 2 ** POSITION_BITS + ancestorId) * 2 ** RIGHTS_BITS + rights;
}

const DESCENDANT = sql`${changeLog.roleId} - 1 + (staged.value >> ${POSITION_BITS + RIGHTS_BITS})`;
const ANCESTOR = sql`${changeLog.roleId} - 1 + (staged.value >> ${RIGHTS_BITS} & ${MAX_ROLES})`;
const RIGHTS = sql`(staged.value & ${ALL_RIGHTS})`;

/** Moves packed rows. */
function moveClosure(ancestorId: Value, rights: SQL, rowsOfKind: SQL): Statement<{ readonly opId: string }> {
  return define({ opId: text }, () => {
    const { names, values } = inserted(roleClosure, { descendantId: DESCENDANT, ancestorId, rights });
    return sql`
  INSERT INTO ${roleClosure} (${names})
  SELECT ${values} ${rowsOfKind}`;
  });
}

/** Moves the rows of which both roles are in the file. */
const MOVE_CLOSURE = moveClosure(ANCESTOR, RIGHTS, staged("closure"));

/** Moves the rows of the role above, with the rights that get through from it. */
const MOVE_ROWS_OF_ROLE_ABOVE = moveClosure(changeLog.parentId, RIGHTS, staged("top"));

/** Moves the rows of each of that role's ancestors. */
const MOVE_ROWS_OF_ANCESTORS = moveClosure(
  above.ancestorId,
  sql`${above.rights} & ${RIGHTS}`,
  staged("top", sql`CROSS JOIN ${above} ON ${above.descendantId} = ${changeLog.parentId}`),
);

export interface ImportRow {
  readonly decision: Decision;
  readonly cost: number;
  readonly firstRoleId: number;
}

const READ_IMPORT = rows<ImportRow>()({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${changeLog.roleId} AS firstRoleId FROM ${changeLog}
  WHERE ${changeLog.opId} = ${opId}`);

/** The outcome of an import whose response was lost. */
export const FIND_IMPORT = READ_IMPORT;

/** Moves all staged rows or none, and removes them from the stage. The last statement returns an `ImportRow`. */
export const APPLY_IMPORT = [
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
] as const;
