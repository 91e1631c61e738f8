import type { Database } from "../src/db/database.ts";
import { bind, bindBatch, type Statement } from "../src/db/statement.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { planShape, ROOT_PLACE, type Shape } from "./shapes.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";

const ROLE_MANAGEMENT = 1;
const ALL_RIGHTS = 63;
const ROWS_A_WRITE = 40_000;
/** Two ids and the rights fit into a number that JavaScript represents exactly. */
const ID_BITS = 23;
const RIGHTS_BITS = 6;

export interface Relation {
  readonly id: number;
  readonly parentId: number;
  readonly childId: number;
  readonly rights: number;
}

/** Roles in levels below a root, each with parents in the level above. */
export interface Hierarchy {
  readonly rootId: number;
  /** Ids by level, without the root. They have no gaps, and a parent's id is smaller than its child's. */
  readonly levels: readonly (readonly number[])[];
  /** Ordered by child id. */
  readonly relations: readonly Relation[];
}

export interface HierarchyOptions {
  readonly seed: number;
  /**
   * Levels of a tree or a DAG: 3 give 1,110 roles, 5 give 111,110, 6 give 1,111,110. Other shapes get about the
   * same number of roles.
   */
  readonly levels: number;
  /** By default a DAG. */
  readonly shape?: Shape;
  readonly rootId: number;
  readonly firstRoleId: number;
  readonly firstRelationId: number;
}

/**
 * Generates a hierarchy, the same one for the same options. The relation to a first parent carries
 * `roleManagement`.
 */
export function generateHierarchy(options: HierarchyOptions): Hierarchy {
  const { rootId, firstRoleId, firstRelationId } = options;
  const random = createRandom(options.seed);
  const levels: number[][] = [];
  const relations: Relation[] = [];
  let childId = firstRoleId;
  for (const { level, parents } of planShape(options.shape ?? "dag", options.levels, random)) {
    (levels[level] ??= []).push(childId);
    for (const [n, place] of parents.entries()) {
      const base = randomInteger(random, ALL_RIGHTS + 1);
      const rights = n === 0 ? base | ROLE_MANAGEMENT : base;
      const parentId = place === ROOT_PLACE ? rootId : firstRoleId + place;
      relations.push({ id: firstRelationId + relations.length, parentId, childId, rights });
    }
    childId++;
  }
  return { rootId, levels, relations };
}

/** The ancestors of a role, with the rights that reach it from them. */
type Ancestors = ReadonlyMap<number, number>;

/** The closure of a hierarchy as rows [descendant, ancestor, rights], ordered by descendant. */
export function* closureRows({ relations, rootId }: Hierarchy): Generator<[number, number, number]> {
  const lastUses = new Map(relations.map(({ parentId }, i) => [parentId, i]));
  const known = new Map<number, Ancestors>([[rootId, new Map()]]);
  for (let i = 0; i < relations.length;) {
    const childId = (relations[i] as Relation).childId;
    const ancestors = new Map<number, number>();
    // The relations into a role are consecutive, and follow those into its ancestors.
    for (; relations[i]?.childId === childId; i++) {
      const relation = relations[i] as Relation;
      addPaths(ancestors, relation, known);
      // The ancestors of a million roles do not fit into memory at once.
      if (lastUses.get(relation.parentId) === i) known.delete(relation.parentId);
    }
    for (const [ancestorId, rights] of ancestors) yield [childId, ancestorId, rights];
    if (lastUses.has(childId)) known.set(childId, ancestors);
  }
}

function addPaths(
  ancestors: Map<number, number>,
  { parentId, rights }: Relation,
  known: ReadonlyMap<number, Ancestors>,
): void {
  ancestors.set(parentId, (ancestors.get(parentId) ?? 0) | rights);
  for (const [ancestorId, above] of known.get(parentId) ?? []) {
    ancestors.set(ancestorId, (ancestors.get(ancestorId) ?? 0) | (above & rights));
  }
}

const INSERT_ROLES = defineStatement(`
  INSERT INTO role (id, name, self_rights) SELECT value ->> 0, 'role ' || (value ->> 0), value ->> 1
  FROM json_each(:rows)`);
const INSERT_RELATIONS = defineStatement(`
  INSERT INTO manages (id, parent_id, child_id, rights)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:rows)`);
/** Each row as one number, which SQLite parses several times as fast as a list of three. */
const INSERT_CLOSURE = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT value >> ${ID_BITS + RIGHTS_BITS}, (value >> ${RIGHTS_BITS}) & ${
  2 ** ID_BITS - 1
}, value & ${ALL_RIGHTS}
  FROM json_each(:rows)`);
const FIND_INDEX = defineStatement("SELECT sql FROM sqlite_schema WHERE name = 'role_closure_by_ancestor'");
const DROP_INDEX = defineStatement("DROP INDEX role_closure_by_ancestor");
const RAISE_SEQUENCES: readonly Statement[] = [
  defineStatement("UPDATE id_sequence SET last_id = max(last_id, :lastRoleId) WHERE name = 'node'"),
  defineStatement("UPDATE id_sequence SET last_id = max(last_id, :lastRelationId) WHERE name = 'relation'"),
];

export interface SeededRows {
  readonly roles: number;
  readonly relations: number;
  readonly closureRows: number;
}

/** Writes a hierarchy with its closure in bulk. Returns the number of rows. */
export async function seedHierarchy(database: Database, hierarchy: Hierarchy): Promise<SeededRows> {
  const ids = hierarchy.levels.flat().sort((a, b) => a - b);
  const { relations } = hierarchy;
  const selfRights = (id: number): number => (id * 7) % (ALL_RIGHTS + 1);
  await insertRows(database, INSERT_ROLES, ids.map((id) => [id, selfRights(id)]));
  const columns = ({ id, parentId, childId, rights }: Relation): number[] => [id, parentId, childId, rights];
  await insertRows(database, INSERT_RELATIONS, relations.map(columns));
  const count = await insertClosure(database, hierarchy);
  await database.write(bindBatch(RAISE_SEQUENCES, {
    lastRoleId: ids.at(-1) ?? 0,
    lastRelationId: relations.at(-1)?.id ?? 0,
  }));
  return { roles: ids.length, relations: relations.length, closureRows: count };
}

/** The rows come in the order of one key. Building the other index at the end takes a fraction of the time. */
async function insertClosure(database: Database, hierarchy: Hierarchy): Promise<number> {
  const [index] = await database.read<{ sql: string }>(bind(FIND_INDEX, {}));
  if (index === undefined) throw new Error("The closure has no index by ancestor");
  await database.write([bind(DROP_INDEX, {})]);
  const count = await insertRows(database, INSERT_CLOSURE, packRows(closureRows(hierarchy)));
  await database.write([{ sql: index.sql, args: {} }]);
  return count;
}

function* packRows(rows: Iterable<readonly [number, number, number]>): Generator<number> {
  for (const [descendantId, ancestorId, rights] of rows) {
    if (descendantId >= 2 ** ID_BITS) throw new RangeError(`Role ids must stay below ${2 ** ID_BITS}`);
    yield (descendantId * 2 ** ID_BITS + ancestorId) * 2 ** RIGHTS_BITS + rights;
  }
}

async function insertRows<T>(database: Database, statement: Statement, rows: Iterable<T>): Promise<number> {
  let count = 0;
  let waiting: T[] = [];
  const flush = async (): Promise<void> => {
    await database.write([bind(statement, { rows: JSON.stringify(waiting) })]);
    count += waiting.length;
    waiting = [];
  };
  for (const row of rows) {
    waiting.push(row);
    if (waiting.length >= ROWS_A_WRITE) await flush();
  }
  if (waiting.length > 0) await flush();
  return count;
}

const FINGERPRINT = defineStatement(`
  SELECT count(*) AS rows, coalesce(sum((descendant_id * 31 + ancestor_id) % 1000003 * (rights + 1)), 0) AS sum
  FROM role_closure`);

/** A checksum of a closure. */
export async function closureFingerprint(database: Database): Promise<string> {
  const [row] = await database.read<{ rows: number; sum: number }>(bind(FINGERPRINT, {}));
  return `${row?.rows} rows, ${row?.sum}`;
}
