import type { Database } from "../../src/db/database.ts";
import { bind, bindBatch, defineStatement, type Statement } from "../../src/db/statement.ts";
import { createRandom, randomInteger } from "./statistics.ts";

/** Children of a role, and so how fast the levels of a hierarchy grow. */
const FAN_OUT = 10;
/** The parts of all roles that have more than one parent, and that have three. */
const SEVERAL_PARENTS_SHARE = 0.6;
const THREE_PARENTS_SHARE = 0.2;
/** Further parents are neighbours of the first, so that ancestors do not become everybody. */
const NEIGHBOURHOOD = 4;
const ROLE_MANAGEMENT = 1;
const ALL_RIGHTS = 63;
const ROWS_A_WRITE = 40_000;

export interface Relation {
  readonly id: number;
  readonly parentId: number;
  readonly childId: number;
  readonly rights: number;
}

/** Roles in levels below a root, each with one to three parents in the level above. */
export interface Hierarchy {
  readonly rootId: number;
  /** Ids by level; the root is not among them. Ids rise from level to level without gaps. */
  readonly levels: readonly (readonly number[])[];
  readonly relations: readonly Relation[];
}

export interface HierarchyOptions {
  readonly seed: number;
  /** 3 levels make 1,110 roles, 5 make 111,110, 6 make 1,111,110. */
  readonly levels: number;
  readonly rootId: number;
  readonly firstRoleId: number;
  readonly firstRelationId: number;
}

/** Generates a hierarchy, the same one for the same options. The relation to a first parent carries roleManagement. */
export function generateHierarchy(options: HierarchyOptions): Hierarchy {
  const random = createRandom(options.seed);
  const levels: number[][] = [];
  const relations: Relation[] = [];
  let nextId = options.firstRoleId;
  let above: readonly number[] = [options.rootId];
  for (let level = 0; level < options.levels; level++) {
    const ids: number[] = [];
    for (let i = 0; i < above.length * FAN_OUT; i++) {
      const childId = nextId++;
      ids.push(childId);
      for (const [n, parentId] of chooseParents(above, Math.floor(i / FAN_OUT), random).entries()) {
        const base = randomInteger(random, ALL_RIGHTS + 1);
        const rights = n === 0 ? base | ROLE_MANAGEMENT : base;
        relations.push({ id: options.firstRelationId + relations.length, parentId, childId, rights });
      }
    }
    levels.push(ids);
    above = ids;
  }
  return { rootId: options.rootId, levels, relations };
}

function chooseParents(above: readonly number[], first: number, random: () => number): number[] {
  const share = random();
  const wanted = share < THREE_PARENTS_SHARE ? 3 : share < SEVERAL_PARENTS_SHARE ? 2 : 1;
  const parents = new Set([above[first] as number]);
  for (let n = 1; n < wanted; n++) {
    const offset = 1 + randomInteger(random, NEIGHBOURHOOD);
    parents.add(above[(first + offset) % above.length] as number);
  }
  return [...parents];
}

/** Ancestors of a role with the rights that the paths from them let through. */
type Ancestors = ReadonlyMap<number, number>;

/** The closure of a hierarchy, row by row as [descendant, ancestor, rights], in the order of the descendants. */
export function* closureRows({ levels, relations, rootId }: Hierarchy): Generator<[number, number, number]> {
  const lowest = levels.at(-1)?.[0] ?? 0;
  const known = new Map<number, Ancestors>([[rootId, new Map()]]);
  for (let i = 0; i < relations.length;) {
    const childId = (relations[i] as Relation).childId;
    const ancestors = new Map<number, number>();
    // The relations into one role stand together, after all those into the roles above it.
    for (; relations[i]?.childId === childId; i++) addPaths(ancestors, relations[i] as Relation, known);
    for (const [ancestorId, rights] of ancestors) yield [childId, ancestorId, rights];
    if (childId < lowest) known.set(childId, ancestors);
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
const INSERT_CLOSURE = defineStatement(`
  INSERT INTO role_closure (descendant_id, ancestor_id, rights)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows)`);
const RAISE_SEQUENCES: readonly Statement[] = [
  defineStatement("UPDATE id_sequence SET last_id = max(last_id, :lastRoleId) WHERE name = 'node'"),
  defineStatement("UPDATE id_sequence SET last_id = max(last_id, :lastRelationId) WHERE name = 'relation'"),
];

export interface SeededRows {
  readonly roles: number;
  readonly relations: number;
  readonly closureRows: number;
}

/** Writes a hierarchy with its closure in bulk, and answers how many rows that made. */
export async function seedHierarchy(database: Database, hierarchy: Hierarchy): Promise<SeededRows> {
  const ids = hierarchy.levels.flat();
  const { relations } = hierarchy;
  const selfRights = (id: number): number => (id * 7) % (ALL_RIGHTS + 1);
  await insertRows(database, INSERT_ROLES, ids.map((id) => [id, selfRights(id)]));
  const columns = ({ id, parentId, childId, rights }: Relation): number[] => [id, parentId, childId, rights];
  await insertRows(database, INSERT_RELATIONS, relations.map(columns));
  const count = await insertRows(database, INSERT_CLOSURE, closureRows(hierarchy));
  await database.write(bindBatch(RAISE_SEQUENCES, {
    lastRoleId: ids.at(-1) ?? 0,
    lastRelationId: relations.at(-1)?.id ?? 0,
  }));
  return { roles: ids.length, relations: relations.length, closureRows: count };
}

async function insertRows(
  database: Database,
  statement: Statement,
  rows: Iterable<readonly number[]>,
): Promise<number> {
  let count = 0;
  let waiting: (readonly number[])[] = [];
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

/** A number that differs, but for rare chance, between two different closures. */
export async function closureFingerprint(database: Database): Promise<string> {
  const [row] = await database.read<{ rows: number; sum: number }>(bind(FINGERPRINT, {}));
  return `${row?.rows} rows, ${row?.sum}`;
}
