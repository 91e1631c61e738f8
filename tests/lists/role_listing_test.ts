/** All filters and pages of listings agree with the model, also for wide worlds and many memberships. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { bind } from "../../src/db/statement.ts";
import { FEW_MEMBERSHIPS } from "../../src/graph/rules/guard_queries.ts";
import { scenario } from "../model/graph_operations.ts";
import {
  UNKNOWN_ID,
  visibleManagers,
  visibleMembers,
  visibleRelations,
  visibleRoles,
} from "../model/oracle_answers.ts";
import { endedDevices, rolesOf, visibleDevices, visibleMonitors } from "../model/oracle_devices.ts";
import { assertAnswers, playScenario } from "../model/oracle_driver.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import {
  ALL_RIGHTS,
  isAbove,
  isMember,
  USER_MANAGEMENT,
  userRights,
  type World,
} from "../model/oracle_rights.ts";
import { type GraphRun, plant, startRun } from "../model/oracle_run.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { forEachApp } from "../helpers/http.ts";

const SEED = Number(Deno.env.get("ROLEGRID_SEED") ?? 20_260_101);
/** A server plans the same statements, and takes five times as long for a world. */
const WORLDS = { file: 25, remote: 2 } as const;

/** Filters over the ids and names of any world. Each value is an index into them; the last one is unknown. */
const picks = fc.option(fc.array(fc.nat({ max: 40 }), { maxLength: 6 }), { nil: undefined });
const asked = fc.record({
  user: fc.nat({ max: 20 }),
  path: fc.oneof(fc.constant("*" as const), fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 4 })),
  ids: picks,
  others: picks,
  names: picks,
  ancestors: picks,
  texts: picks,
  limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

const ADD_MEMBERS = defineStatement(`
  INSERT INTO member (id, role_id, user_id)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:members) WHERE true
  ON CONFLICT DO NOTHING`);

type Row = Record<string, unknown> & { id: number };

const questions = fc.array(asked, { minLength: 8, maxLength: 8 });

async function assertAsked(run: GraphRun, queries: readonly Asked[]): Promise<void> {
  for (const query of queries) {
    await assertListings(run, query);
    await assertDeviceListings(run, query);
  }
}

forEachApp(`all filters and pages of listings agree with the model, seed ${SEED}`, async (target, kind) => {
  const agrees = fc.asyncProperty(scenario, questions, async (played, queries) => {
    await assertAsked(await playScenario(target, played, new Map()), queries);
  });
  await fc.assert(agrees, { numRuns: WORLDS[kind], seed: SEED });
});

forEachApp(`users with many memberships get what the model says, seed ${SEED}`, async (target, kind) => {
  const agrees = fc.asyncProperty(scenario, questions, async (played, queries) => {
    const run = await playScenario(target, played, new Map());
    await plantMemberships(run);
    await assertAnswers(run);
    await assertAsked(run, queries);
    await assertFewChecks(run);
  });
  await fc.assert(agrees, { numRuns: Math.ceil(WORLDS[kind] / 4), seed: SEED });
});

forEachApp("a listing over thousands of roles is complete and in order", async (target) => {
  const run = await plantWideWorld(target, 5200);
  const userId = [...run.world.users.keys()][0] ?? 0;
  const expected = visibleRelations(run.world, userId) as Row[];
  assert.equal(expected.length, 5200);
  assert.deepEqual(await readAll(run, userId, "/v1/role/*/manages/query", "manages", {}), expected);
  const byPages = await readPages(run, userId, "/v1/role/*/manages/query", "manages", { limit: 1000 });
  assert.deepEqual(byPages, expected);
  const named = { filter: { name: ["r5150", "r17", "unseen"] } };
  const found = await readAll(run, userId, "/v1/role/query", "role", named);
  assert.deepEqual(found.map((role) => role["name"]), ["r17", "r5150"]);
  assert.equal((await readAll(run, userId, "/v1/role/*/managed-by/query", "manages", {})).length, 5200);
  const roles = visibleRoles(run.world, userId) as Row[];
  assert.equal(roles.length, 5201);
  assert.deepEqual(await readAll(run, userId, "/v1/role/query", "role", {}), roles);
  assert.deepEqual(await readPages(run, userId, "/v1/role/query", "role", { limit: 1000 }), roles);
  // With exactly one page of rows, that page is full and the last.
  const filter = { id: roles.slice(0, 1000).map(({ id }) => id) };
  const full = await call(run.target, "POST", "/v1/role/query", {
    token: tokenOf(run, userId),
    body: { filter, limit: 1000 },
  });
  assert.deepEqual(full.body, { role: roles.slice(0, 1000), nextCursor: null });
  // Of a long list of roles, one has more rows than a statement reads of it.
  const listed = [...run.world.roles.keys()].slice(0, 1000);
  assert.deepEqual(
    await readAll(run, userId, `/v1/role/${listed}/manages/query`, "manages", {}),
    expected,
  );
  const below = await readPages(run, userId, "/v1/role/query", "role", {
    filter: { ancestorRoleId: listed },
    limit: 1000,
  });
  assert.deepEqual(below.map(({ id }) => id), expected.map((relation) => relation["childRoleId"]));
  assert.equal((await readAll(run, userId, "/v1/role/*/member/query", "member", {})).length, 1);
});

/** Who asks, about which roles, and how their lists are compared with what the model expects. */
function readQuery(run: GraphRun, query: Asked) {
  const { world } = run;
  const userId = pick([...world.users.keys()], query.user);
  const roleIds = [...world.roles.keys(), UNKNOWN_ID];
  const path = query.path === "*" ? "*" : query.path.map((i) => pick(roleIds, i));
  const inPath = (id: unknown): boolean => path === "*" || path.includes(Number(id));
  const { limit } = query;
  const assertLists = async (path: string, key: string, expected: Row[], filter?: object): Promise<void> => {
    const body = filter === undefined ? {} : { filter };
    const rows = limit === undefined
      ? await readAll(run, userId, path, key, body)
      : await readPages(run, userId, path, key, { ...body, limit });
    assert.deepEqual(rows, expected, `${path} ${JSON.stringify({ userId, ...body, limit })}`);
  };
  return { userId, roleIds, path, inPath, assertLists };
}

async function assertListings(run: GraphRun, query: Asked): Promise<void> {
  const { world } = run;
  const { userId, roleIds, path, inPath, assertLists } = readQuery(run, query);

  const ids = chosen(query.ids, roleIds);
  const names = chosen(query.names, [...world.roles.values()].map(({ name }) => name).concat("nobody"));
  const ancestorRoleId = chosen(query.others, roleIds);
  const roles = (visibleRoles(world, userId) as Row[])
    .filter((row) => matches(row.id, ids) && matches(row["name"], names))
    .filter((row) => ancestorRoleId === undefined || isBelowSeen(world, userId, row.id, ancestorRoleId));
  await assertLists("/v1/role/query", "role", roles, { id: ids, name: names, ancestorRoleId });

  const relationIds = chosen(query.ids, [...world.relations.keys(), UNKNOWN_ID]);
  const childRoleId = chosen(query.others, roleIds);
  const parentRoleId = chosen(query.names, roleIds);
  const relations = (visibleRelations(world, userId) as Row[])
    .filter((row) => inPath(row["parentRoleId"]) && matches(row.id, relationIds))
    .filter((row) => matches(row["childRoleId"], childRoleId) && matches(row["parentRoleId"], parentRoleId));
  const ofRelations = { id: relationIds, childRoleId, parentRoleId };
  await assertLists(`/v1/role/${path}/manages/query`, "manages", relations, ofRelations);

  const managers = (visibleManagers(world, userId) as Row[]).filter((row) => inPath(row["childRoleId"]));
  await assertLists(`/v1/role/${path}/managed-by/query`, "manages", managers);

  const memberIds = chosen(query.ids, [...world.members.keys(), UNKNOWN_ID]);
  const userEmail = chosen(query.others, [...world.users.values(), "nobody@example.com"]);
  const memberUserId = chosen(query.names, [...world.users.keys(), UNKNOWN_ID]);
  const members = (visibleMembers(world, userId) as Row[])
    .filter((row) => inPath(row["roleId"]) && matches(row.id, memberIds))
    .filter((row) => matches(row["userEmail"], userEmail) && matches(row["userId"], memberUserId));
  await assertLists(`/v1/role/${path}/member/query`, "member", members, {
    id: memberIds,
    userId: memberUserId,
    userEmail: userEmail?.map((email) => email.toUpperCase()),
  });
}

async function assertDeviceListings(run: GraphRun, query: Asked): Promise<void> {
  const { world } = run;
  const { userId, roleIds, path, inPath, assertLists } = readQuery(run, query);
  const deviceIds = [...world.devices.keys(), UNKNOWN_ID];

  const id = chosen(query.ids, deviceIds);
  const nodeIds = [...world.devices.values()].map(({ properties }) => properties.nodeId);
  const nodeId = chosen(query.names, [...nodeIds, "nothing"]);
  const roleId = chosen(query.others, roleIds);
  const ancestorRoleId = chosen(query.ancestors, roleIds);
  const propertyOf = (row: Row, name: "nodeId" | "name"): unknown =>
    world.devices.get(row.id)?.properties[name];
  const texts = chosen(query.texts, [...world.devices.values()].map(({ properties }) => properties["name"]));
  const name = texts?.filter((text) => typeof text === "string");
  const isListed = ({ roleId: of }: { readonly roleId: number }): boolean =>
    matches(of, roleId) &&
    (matches(of, ancestorRoleId) || isBelowSeen(world, userId, of, ancestorRoleId ?? []));
  const devices = (visibleDevices(world, userId) as Row[])
    .filter((row) => matches(row.id, id) && matches(propertyOf(row, "nodeId"), nodeId))
    .filter((row) => matches(propertyOf(row, "name"), name))
    .filter(({ id }) =>
      rolesOf(world, id).some((of) => isMember(world, userId, of) && isListed({ roleId: of }))
    );
  const filter = { id, nodeId, roleId, ancestorRoleId };
  await assertLists("/v1/device/query", "device", devices, { ...filter, property: name && { name } });

  const ended = (endedDevices(world, userId, isListed) as Row[])
    .filter((row) => matches(row.id, id) && matches(propertyOf(row, "nodeId"), nodeId));
  await assertLists("/v1/device/query", "device", ended, { ...filter, ended: true });

  const monitorsIds = chosen(query.names, [...world.monitors.keys(), UNKNOWN_ID]);
  const deviceId = chosen(query.ids, deviceIds);
  const monitors = (visibleMonitors(world, userId) as Row[])
    .filter((row) => inPath(row["roleId"]) && matches(row.id, monitorsIds))
    .filter((row) => matches(row["deviceId"], deviceId));
  await assertLists(`/v1/role/${path}/monitors/query`, "monitors", monitors, { id: monitorsIds, deviceId });
}

async function readAll(
  run: GraphRun,
  userId: number,
  path: string,
  key: string,
  body: Record<string, unknown>,
): Promise<Row[]> {
  const answer = await call(run.target, "POST", path, { token: tokenOf(run, userId), body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return (answer.body as Record<string, Row[]>)[key] ?? [];
}

async function readPages(
  run: GraphRun,
  userId: number,
  path: string,
  key: string,
  body: Record<string, unknown>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: unknown;
  do {
    const next = cursor === undefined ? body : { ...body, cursor };
    const answer = await call(run.target, "POST", path, { token: tokenOf(run, userId), body: next });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const page = answer.body as Record<string, unknown>;
    rows.push(...page[key] as Row[]);
    cursor = page["nextCursor"];
    assert.notEqual(cursor, undefined, "a page names the next one, or says that there is none");
  } while (cursor !== null);
  return rows;
}

/** A root with `width` roles directly below it. Their ids are so far apart that no statement walks all of them. */
async function plantWideWorld(target: TestApp, width: number): Promise<GraphRun> {
  const run = await startRun(target, { roots: 2, otherUsers: 0, secondRootBelowFirst: null });
  const [root, unseen] = [...run.world.roles.values()];
  assert.ok(root !== undefined && unseen !== undefined);
  const roles = new Map(run.world.roles);
  roles.set(unseen.id, { ...unseen, name: "unseen" });
  const relations = new Map(run.world.relations);
  for (let i = 1; i <= width; i++) {
    const id = root.id + i * 10;
    roles.set(id, { id, name: `r${i}`, selfRights: 0, isRoot: false, password: null });
    const relationId = 1000 + i * 10;
    relations.set(relationId, {
      id: relationId,
      parentId: root.id,
      childId: id,
      rights: ALL_RIGHTS,
      byPassword: false,
    });
  }
  await plant(run, { ...run.world, roles, relations });
  return run;
}

/**
 * Makes each user a member of more than `FEW_MEMBERSHIPS` roots, one of which is above the last role; and puts more roots
 * above that one than a user has memberships.
 */
async function plantMemberships(run: GraphRun): Promise<void> {
  const lowId = [...run.world.roles.keys()].at(-1);
  assert.ok(lowId);
  const roles = new Map(run.world.roles);
  const relations = new Map(run.world.relations);
  const members = new Map(run.world.members);
  const firstId = Math.max(...run.nodeIds, ...run.relationIds) + 1;
  for (let i = 0; i <= FEW_MEMBERSHIPS; i++) {
    const roleId = firstId + i;
    roles.set(roleId, { id: roleId, name: `many ${i}`, selfRights: i, isRoot: true, password: null });
    for (const userId of run.world.users.keys()) {
      const id = firstId + members.size;
      members.set(id, { id, roleId, userId, rights: ALL_RIGHTS, endsAt: null });
      run.relationIds.add(id);
    }
  }
  const mostMemberships = members.size / run.world.users.size + run.world.members.size;
  for (let i = 0; i <= mostMemberships; i++) {
    const parentId = i === 0 ? firstId : firstId + FEW_MEMBERSHIPS + i;
    if (i > 0) {
      roles.set(parentId, { id: parentId, name: `above ${i}`, selfRights: 0, isRoot: true, password: null });
    }
    const id = firstId + members.size + i;
    relations.set(id, { id, parentId, childId: lowId, rights: USER_MANAGEMENT, byPassword: false });
  }
  await plant(run, { ...run.world, roles, relations, members });
  const added = JSON.stringify([...members.values()].map(({ id, roleId, userId }) => [id, roleId, userId]));
  await run.target.database.write([bind(ADD_MEMBERS, { members: added })]);
}

/** Compares checks of few rights at once, which have a statement of their own. */
async function assertFewChecks(run: GraphRun): Promise<void> {
  const roleIds = [...run.world.roles.keys()].slice(0, 3);
  for (const userId of run.world.users.keys()) {
    const checks = roleIds.map((roleId) => ({ roleId, right: "userManagement" }));
    const answer = await call(run.target, "POST", "/v1/rights/check", {
      token: tokenOf(run, userId),
      body: { checks },
    });
    const allowed = roleIds.map((id) => (userRights(run.world, userId, id) & USER_MANAGEMENT) !== 0);
    assert.deepEqual(answer.body, { allowed });
  }
}

function isBelowSeen(world: World, userId: number, roleId: number, ancestors: readonly number[]): boolean {
  return ancestors.some((id) =>
    world.roles.has(id) && isMember(world, userId, id) && isAbove(world, id, roleId)
  );
}

function chosen<T>(indexes: readonly number[] | undefined, values: readonly T[]): T[] | undefined {
  return indexes?.map((i) => pick(values, i));
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T;
}

function matches(value: unknown, list: readonly unknown[] | undefined): boolean {
  return list === undefined || list.includes(value);
}
