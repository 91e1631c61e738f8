import assert from "node:assert/strict";
import { bind, type BoundStatement, probing } from "../../src/db/statement.ts";
import { execute } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import type { Setup } from "./graph_operations.ts";
import {
  ALL_RIGHTS,
  byId,
  closureOf,
  EMPTY_WORLD,
  type ModelMember,
  type ModelRelation,
  type ModelRole,
  type World,
} from "./oracle_rights.ts";

/** A service, and the model of its expected state, side by side. */

export interface GraphRun {
  readonly target: TestApp;
  /** The expected state of the service. */
  world: World;
  /** Access tokens by user id, and the secrets of keys by minus their id. */
  readonly tokens: Map<number, string>;
  /** Every id seen so far, to catch one that is assigned again. */
  nodeIds: Set<number>;
  relationIds: Set<number>;
  /** The requests so far, for the message of a failure. */
  readonly trace: string[];
}

/** Empties the service, and creates roots with one member each, and users without roles. */
export async function startRun(target: TestApp, setup: Setup): Promise<GraphRun> {
  await target.reset();
  const run: GraphRun = {
    target,
    world: EMPTY_WORLD,
    tokens: new Map(),
    nodeIds: new Set(),
    relationIds: new Set(),
    trace: [],
  };
  const users = new Map<number, string>();
  const roles = new Map<number, ModelRole>();
  const members = new Map<number, ModelMember>();
  for (let i = 0; i < setup.roots; i++) {
    const [email, name] = [`admin${i}@example.com`, `root ${i}`];
    const { userId, roleId, memberId } = await target.bootstrapRoot(email, name);
    users.set(userId, email);
    roles.set(roleId, { id: roleId, name, selfRights: ALL_RIGHTS, isRoot: true, password: null });
    members.set(memberId, { id: memberId, roleId, userId, rights: ALL_RIGHTS, endsAt: null });
    run.tokens.set(userId, await target.accessToken(userId));
    run.nodeIds.add(roleId);
    run.relationIds.add(memberId);
  }
  for (let i = 0; i < setup.otherUsers; i++) {
    const email = `user${i}@example.com`;
    const { userId, accessToken } = await target.createUser(email);
    users.set(userId, email);
    run.tokens.set(userId, accessToken);
  }
  run.world = { ...EMPTY_WORLD, users, roles, members, now: target.clock.now() };
  const [first, second] = [...roles.keys()];
  if (setup.secondRootBelowFirst !== null && first !== undefined && second !== undefined) {
    await plantRelation(run, { parentId: first, childId: second, rights: setup.secondRootBelowFirst });
  }
  await assertSameGraph(run);
  return run;
}

/** Writes one relation straight into the database, regardless of the rules. Clears the passwords of the roles. */
export async function plantRelation(
  run: GraphRun,
  relation: { parentId: number; childId: number; rights: number },
): Promise<number> {
  const id = Math.max(0, ...run.relationIds) + 1;
  const planted: ModelRelation = { id, ...relation, byPassword: false };
  await plant(run, { ...run.world, relations: new Map(run.world.relations).set(id, planted) });
  return id;
}

const PLANT_GRAPH = [
  ...["role", "manages", "role_closure"].map((table) => `DELETE FROM ${table}`),
  `INSERT INTO role (id, name, self_rights, is_root)
   SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:roles)`,
  `INSERT INTO manages (id, parent_id, child_id, rights)
   SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:relations)`,
  `INSERT INTO role_closure (ancestor_id, descendant_id, rights)
   SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:closure)`,
  "UPDATE id_sequence SET last_id = max(last_id, :lastNodeId) WHERE name = 'node'",
  "UPDATE id_sequence SET last_id = max(last_id, :lastRelationId) WHERE name = 'relation'",
];

/** Replaces roles, relations and closure in the database with those of a world. */
export async function plant(run: GraphRun, world: World): Promise<void> {
  const closure = [...closureOf(world)].flatMap(([ancestorId, reached]) =>
    [...reached].map(([descendantId, rights]) => [ancestorId, descendantId, rights])
  );
  const roles = [...world.roles.values()].map((r) => [r.id, r.name, r.selfRights, r.isRoot ? 1 : 0]);
  const relations = [...world.relations.values()].map((r) => [r.id, r.parentId, r.childId, r.rights]);
  for (const id of world.roles.keys()) run.nodeIds.add(id);
  for (const id of world.relations.keys()) run.relationIds.add(id);
  await execute(run.target, PLANT_GRAPH, {
    roles: JSON.stringify(roles),
    relations: JSON.stringify(relations),
    closure: JSON.stringify(closure),
    lastNodeId: Math.max(...run.nodeIds),
    lastRelationId: Math.max(...run.relationIds),
  });
  const withoutPasswords = [...world.roles].map(([id, role]) => [id, { ...role, password: null }] as const);
  const made = [...world.relations].map(([id, relation]) =>
    [id, { ...relation, byPassword: false }] as const
  );
  run.world = { ...world, roles: new Map(withoutPasswords), relations: new Map(made) };
}

/** The tables as JSON lists, with the names of the model. */
const LISTS = {
  roles: listOf("role", ["id", "name", "selfRights", "isRoot"], {
    password: "password_rights",
    setBy: "password_set_by",
    passwordWhole: `(password_hash IS NULL) = (password_rights IS NULL)
      AND (password_hash IS NULL) = (password_set_at IS NULL)`,
  }),
  relations: listOf("manages", ["id", "parentId", "childId", "rights", "byPassword"]),
  members: listOf("member", ["id", "roleId", "userId", "rights", "endsAt"]),
  keys: listOf("role_key", ["id", "roleId", "name", "asks", "provisions", "createdAt", "createdBy"]),
  closure: listOf("role_closure", ["ancestorId", "descendantId", "rights"]),
  devices: listOf("device", ["id", "nodeId", "properties"]),
  monitors: listOf("monitors", ["id", "roleId", "deviceId"], { from: "valid_from", until: "valid_until" }),
};

/** A table's rows as a JSON list, in the order of the first two columns. */
function listOf(
  table: string,
  names: readonly string[],
  further: Readonly<Record<string, string>> = {},
): string {
  const columns = names.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
  const fields = [...columns, ...Object.entries(further)].map(([name, sql]) => `'${name}', ${sql}`);
  const [first, second] = columns.map(([, column]) => column);
  return `(SELECT json_group_array(json_object(${fields.join()}))
    FROM (SELECT * FROM ${table} ORDER BY ${first}, ${second}))`;
}

/**
 * All lists as one row: a probe, since the way to a thread and back, which any other read of a file takes, would be most
 * of the time of a sequence.
 */
const READ_GRAPH = probe(`SELECT ${Object.entries(LISTS).map(([name, sql]) => `${sql} AS ${name}`).join()}`);

function probe(sql: string): BoundStatement {
  return probing(bind(defineStatement(sql), {}));
}

/** Lets time pass, in the service and in the model. */
export function wait(run: GraphRun, seconds: number): void {
  run.target.clock.advance(seconds);
  run.world = { ...run.world, now: run.target.clock.now() };
}

/** Compares the tables of roles, relations, members, keys, devices and the closure with the model, row by row. */
export async function assertSameGraph(run: GraphRun): Promise<void> {
  const [actual = {}] = await run.target.database.read<Record<string, unknown>>(READ_GRAPH);
  const { world } = run;
  const expected = {
    roles: byId(world.roles.values()).map((r) => ({
      ...r,
      isRoot: r.isRoot ? 1 : 0,
      password: r.password?.rights ?? null,
      setBy: r.password?.setBy ?? null,
      passwordWhole: 1,
    })),
    relations: byId(world.relations.values()).map((r) => ({ ...r, byPassword: r.byPassword ? 1 : 0 })),
    members: byId(world.members.values()),
    keys: byId(world.keys.values()).map(({ via: _, ...key }) => ({
      ...key,
      asks: key.asks ? 1 : 0,
      provisions: key.provisions ? 1 : 0,
    })),
    devices: byId(world.devices.values()).map(({ id, properties }) => ({
      id,
      nodeId: properties.nodeId,
      properties: JSON.stringify(properties),
    })),
    monitors: byId(world.monitors.values()),
    closure: byId(world.roles.values()).flatMap(({ id: ancestorId }) =>
      [...closureOf(world).get(ancestorId) ?? []].sort(([a], [b]) => a - b)
        .map(([descendantId, rights]) => ({ ancestorId, descendantId, rights }))
    ),
  };
  for (const [table, rows] of Object.entries(expected)) {
    // Mostly the very same text; lines are for people, and take longer.
    if (actual[table] === JSON.stringify(rows)) continue;
    assert.deepEqual(
      plain(JSON.parse(String(actual[table]))),
      plain(rows),
      `${table}: differs from the model`,
    );
  }
}

/** Ends every wait after wrong role passwords. The model has no waits; they have tests of their own. */
export async function forgetFailures({ target }: GraphRun): Promise<void> {
  await execute(target, "DELETE FROM throttle WHERE scope LIKE 'role\\_password%' ESCAPE '\\'");
}

/** Ends every wait, also that of a user with too many requests. */
export async function forgetCounts({ target }: GraphRun): Promise<void> {
  await execute(target, "DELETE FROM throttle");
}

const READ_NEXT_RELATION = probe("SELECT last_id + 1 AS id FROM id_sequence WHERE name = 'relation'");
const READ_REVISION = probe("SELECT coalesce(max(rev), 0) AS id FROM change_log");
const READ_DRAWN = probe("SELECT coalesce(max(seq), 0) AS id FROM sqlite_sequence WHERE name = 'change_log'");

async function readId({ target }: GraphRun, statement: BoundStatement): Promise<number> {
  const [row] = await target.database.read<{ id: number }>(statement);
  return Number(row?.id);
}

/** The id that the next relation gets. */
export function readNextRelation(run: GraphRun): Promise<number> {
  return readId(run, READ_NEXT_RELATION);
}

/** The revision of the last decision that is on record. */
export function readRevision(run: GraphRun): Promise<number> {
  return readId(run, READ_REVISION);
}

/** The revision that responses name: that of the last decision, also of one that shares the row of an earlier one. */
export function readDrawnRevision(run: GraphRun): Promise<number> {
  return readId(run, READ_DRAWN);
}

/**
 * Lines such as `id=1 name=root 0`, which do not depend on the row objects of the driver or the order of their keys.
 */
function plain(rows: readonly object[]): string[] {
  return rows.map((row) => Object.entries(row).map(([name, value]) => `${name}=${value}`).sort().join(" "));
}
