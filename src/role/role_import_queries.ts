import { importChunk } from "../db/schema/import.ts";
import { changeLog, idSequence, role, roleClosure } from "../db/schema/role.ts";
import {
  assigned,
  bare,
  define,
  excluded,
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
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { importedBy } from "../changes/import_run_queries.ts";
import type { Decision } from "../changes/decision.ts";
import type { ClosureRow } from "../graph/closure/closure.ts";
import { externalRootOf } from "./external_id_queries.ts";
import { ALL_RIGHTS, RIGHT_NAMES } from "../graph/rights.ts";
import { insertRelations } from "../changes/insertion_queries.ts";
import { whenStep } from "../graph/step_queries.ts";

/**
 * An import identifies new roles by their position among them, from 1 on, and roles of the database by minus their id.
 * Staged rows hold these numbers. The last batch takes ids, turns positions into ids, and computes the rows of ancestors
 * from the closure at that moment. It relies on no earlier read, so the service may change the graph meanwhile.
 */

/** How many rows the import writes, and below which roles. `uppers`: JSON, see `UppersOfImport`. */
const SIZES = { rowCount: int, uppers: text };
export type ImportSizes = ValuesOf<typeof SIZES>;
/** The roles of the database that get new roles below them, each with the number of these: [[id, number], …]. */
export type UppersOfImport = readonly (readonly [id: number, rolesBelow: number])[];
const COUNTS = { roleCount: int, relationCount: int };
const IMPORT = {
  ...SIZES,
  ...COUNTS,
  underId: nullable(int),
  runId: text,
  opId: text,
  now: int,
  maxCost: int,
  chunkCount: int,
};
const RECORD = { opId: text, now: int, recordId: nullable(text), keys: nullable(text) };
/** The arguments of `APPLY_IMPORT`. */
export type ImportArgs = ValuesOf<typeof IMPORT & typeof RECORD>;
const { underId, rowCount, uppers, opId } = placeholdersOf({ ...SIZES, underId: nullable(int), opId: text });

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

const { above, named, other } = {
  above: row(roleClosure, "above"),
  named: row(importChunk, "named"),
  other: row(role, "other"),
};
const FOUND = sql`((SELECT count(*) FROM json_each(${uppers}) upper
    CROSS JOIN ${role} ON ${role.id} = upper.value ->> 0) = json_array_length(${uppers}))`;
/** A role above and each of its ancestors get a row for each role below it. */
const COST = sql`${rowCount} + coalesce((SELECT sum(upper.value ->> 1) FROM json_each(${uppers}) upper
    CROSS JOIN ${above} ON ${above.descendantId} = upper.value ->> 0), 0)`;

interface PreviewRow {
  readonly found: 0 | 1;
  readonly cost: number;
}

/** Whether the roles to import under exist, and the number of rows that the import would write. Changes nothing. */
export const PREVIEW_IMPORT = rows<PreviewRow>()(SIZES, () => sql`SELECT ${FOUND} AS found, ${COST} AS cost`);

/** Another role got an external id of the import meanwhile: below the root of the role above, or, without one, below any. */
const IS_TAKEN = sql`EXISTS (SELECT 1 FROM ${named} CROSS JOIN json_each(${named.rows}) staged
    CROSS JOIN json_each(staged.value, '$[6]') spelled CROSS JOIN ${other} ON ${other.externalId} = spelled.value
    WHERE ${named.importId} = ${opId} AND ${named.kind} = 'role'
      AND (${underId} IS NULL OR ${other.externalRoot} = ${externalRootOf(underId)}))`;

/** Decides the import. Inserts no row if staged rows are missing. */
const DECIDE_IMPORT = define(
  IMPORT,
  ({ runId, now, maxCost, roleCount, relationCount, chunkCount }) => {
    const { names, values } = inserted(changeLog, {
      opId,
      at: now,
      ...importedBy(runId),
      kind: sql`'hierarchy.import'`,
      parentId: underId,
      cost: sql`cost`,
      decision: sql`CASE WHEN NOT found THEN 'denied' WHEN taken THEN 'external_id_taken'
        WHEN cost > ${maxCost} THEN 'too_large' ELSE 'ok' END`,
      step: sql`CASE WHEN found AND NOT taken AND cost <= ${maxCost} THEN 'write' ELSE 'none' END`,
      details: sql`json_object('roles', ${roleCount}, 'relations', ${relationCount})`,
    });
    const staged = sql`(SELECT count(*) FROM ${importChunk} WHERE ${importChunk.importId} = ${opId})`;
    return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values}
  FROM (SELECT ${FOUND} AS found, ${IS_TAKEN} AS taken, ${COST} AS cost)
  WHERE ${staged} = ${chunkCount}`;
  },
);

const TAKE_IDS = define({ ...COUNTS, opId: text }, ({ roleCount, relationCount }) => {
  const { name, lastId } = idSequence;
  const taken = sql`${lastId} + CASE ${name} WHEN 'node' THEN ${roleCount} ELSE ${relationCount} END`;
  return sql`
  UPDATE ${idSequence} SET ${assigned(idSequence, { lastId: taken })}
  WHERE ${name} IN ('node', 'relation')
    AND EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenStep("write")})`;
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
  WHERE ${whenStep("write")}`;
});

export type StagedKind = "role" | "relation" | "closure" | "top";

/**
 * Returns FROM with the staged rows of a kind, as `staged`, joined to the log's row. None if the import was refused.
 */
function staged(kind: StagedKind, joins: SQL = sql``): SQL {
  const chunk = row(importChunk, "chunk");
  return sql`FROM ${changeLog}
    CROSS JOIN ${chunk} ON ${chunk.importId} = ${changeLog.opId} AND ${chunk.kind} = ${quoted(kind)}
    CROSS JOIN json_each(${chunk.rows}) staged ${joins} WHERE ${whenStep("write")}`;
}

/** Returns the id of the role that element `place` of a staged row stands for. */
function roleAt(place: number): SQL {
  return sql`iif(staged.value ->> ${place} > 0, ${changeLog.roleId} - 1, 0) + abs(staged.value ->> ${place})`;
}

/**
 * Staged rows are [position, name, self rights, root or not, external id, id of the role above]. A role begins with the
 * demand of the role of the database above it.
 */
const MOVE_ROLES = define({ opId: text }, () => {
  const upper = row(role, "upper");
  const { names, values } = inserted(role, {
    id: roleAt(0),
    name: sql`staged.value ->> 1`,
    selfRights: sql`staged.value ->> 2`,
    isRoot: sql`staged.value ->> 3`,
    externalId: sql`staged.value ->> 4`,
    needs: sql`coalesce(${upper.needs}, 0)`,
    needsBefore: sql`coalesce(${upper.needsBefore}, 0)`,
    needsFrom: upper.needsFrom,
  });
  const joined = sql`LEFT JOIN ${upper} ON ${upper.id} = staged.value ->> 5`;
  return sql`
  INSERT INTO ${role} (${names})
  SELECT ${values} ${staged("role", joined)}`;
});

/** Staged rows are [position among the relations, parent, child, rights]. */
const MOVE_RELATIONS = define({ opId: text }, () => {
  const made = {
    id: sql`${changeLog.relationId} - 1 + (staged.value ->> 0)`,
    parentId: roleAt(1),
    childId: roleAt(2),
    rights: sql`staged.value ->> 3`,
  };
  return insertRelations(made, staged("relation"));
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

/** Moves the packed rows of which both roles are new. */
const MOVE_CLOSURE = define({ opId: text }, () => {
  const { names, values } = inserted(roleClosure, {
    descendantId: DESCENDANT,
    ancestorId: ANCESTOR,
    rights: RIGHTS,
  });
  return sql`
  INSERT INTO ${roleClosure} (${names})
  SELECT ${values} ${staged("closure")}`;
});

/** Inserts the rows of roles of the database, of which several paths may lead to a new role. */
function moveUpperRows(ancestorId: Value, rights: SQL, joins?: SQL): Statement<{ readonly opId: string }> {
  return define({ opId: text }, () => {
    const { names, values } = inserted(roleClosure, { descendantId: roleAt(0), ancestorId, rights });
    return sql`
  INSERT INTO ${roleClosure} (${names})
  SELECT ${values} ${staged("top", joins)}
  ON CONFLICT (${bare(roleClosure.descendantId, roleClosure.ancestorId)})
    DO UPDATE SET ${
      assigned(roleClosure, { rights: sql`${roleClosure.rights} | ${excluded(roleClosure.rights)}` })
    }`;
  });
}

/** Staged rows are [position, id of the role of the database, rights that get through from it]. */
const MOVE_ROWS_OF_UPPERS = moveUpperRows(sql`staged.value ->> 1`, sql`staged.value ->> 2`);

/** Moves the rows of their ancestors. */
const MOVE_ROWS_OF_ANCESTORS = moveUpperRows(
  above.ancestorId,
  sql`${above.rights} & (staged.value ->> 2)`,
  sql`CROSS JOIN ${above} ON ${above.descendantId} = staged.value ->> 1`,
);

/** Notes the roots below which the external ids of the new roles are unique. */
const NOTE_EXTERNAL_ROOTS = define({ opId: text, roleCount: int }, ({ roleCount }) => {
  const first = sql`(SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenStep("write")})`;
  return sql`
  UPDATE ${role} SET ${assigned(role, { externalRoot: externalRootOf(role.id) })}
  WHERE ${role.id} >= ${first} AND ${role.id} < ${first} + ${roleCount} AND ${role.externalId} IS NOT NULL`;
});

/** Notes the keys of the new roles, so that another import of the same file knows them. */
const KEEP_RECORD = define(
  RECORD,
  ({ now, recordId, keys }) => {
    const record = {
      importId: recordId,
      kind: sql`'done'`,
      position: changeLog.roleId,
      createdAt: now,
      rows: keys,
    };
    const { names, values } = inserted(importChunk, record);
    return sql`
  INSERT INTO ${importChunk} (${names})
  SELECT ${values} FROM ${changeLog} WHERE ${whenStep("write")} AND ${recordId} IS NOT NULL`;
  },
);

export interface RecordRow {
  readonly firstRoleId: number;
  /** JSON: the keys of the roles from there on. */
  readonly keys: string;
  /** How many of these roles still exist. */
  readonly left: number;
}

/** What an import that was interrupted has brought. */
export const READ_RECORD = rows<RecordRow>()({ recordId: text }, ({ recordId }) =>
  sql`
  SELECT ${importChunk.position} AS firstRoleId, ${importChunk.rows} AS keys,
    (SELECT count(*) FROM ${role} WHERE ${role.id} >= ${importChunk.position}
      AND ${role.id} < ${importChunk.position} + json_array_length(${importChunk.rows})) AS left
  FROM ${importChunk} WHERE ${importChunk.importId} = ${recordId} AND ${importChunk.kind} = 'done'`);

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
  MOVE_ROWS_OF_UPPERS,
  MOVE_ROWS_OF_ANCESTORS,
  NOTE_EXTERNAL_ROOTS,
  KEEP_RECORD,
  DROP_CHUNKS,
  READ_IMPORT,
] as const;
