import assert from "node:assert/strict";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { createSecrets } from "../../src/core/secrets.ts";
import { verifyClosure } from "../../src/role/closure/closure_service.ts";
import { type Answer, query, readResponse } from "../helpers/http.ts";
import { closureByPaths, EMPTY_WORLD, type World } from "../model/oracle_rights.ts";
import { type HelperProcess, startHelper } from "../helpers/processes.ts";
import { ADMIN, ADMIN_PASSWORD, ALL, rights } from "../every_operation/request_catalogue.ts";
import { openHashingApp, type TestApp } from "../helpers/test_app.ts";
import { type DatabaseKind, DATABASES, testKind } from "../helpers/databases.ts";

const ROLES = 7;
const REQUESTS = 400;
/** Concurrent requests, over both processes. */
const LANES = 8;

interface Service {
  readonly process: HelperProcess;
  readonly baseUrl: string;
}

async function startService(url: string): Promise<Service> {
  const process = startHelper("serve_database.ts", [url]);
  return { process, baseUrl: `http://127.0.0.1:${await process.nextLine()}` };
}

async function ask(
  service: Service,
  method: string,
  path: string,
  token: string,
  body?: unknown,
): Promise<Answer> {
  const init: RequestInit = {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  };
  if (body !== undefined) init.body = JSON.stringify(body);
  return await readResponse(await fetch(service.baseUrl + path, init));
}

/** Seeded random numbers from 0 to below 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Requests one random change of the graph. */
async function changeSomething(
  service: Service,
  token: string,
  roleIds: readonly number[],
  random: () => number,
): Promise<number> {
  const pick = (): number => roleIds[Math.floor(random() * roleIds.length)] ?? 0;
  const mask = rights("roleManagement", ...Object.keys(ALL).filter(() => random() < 0.5));
  const [parent, child] = [pick(), pick()];
  if (random() < 0.6) {
    return (await ask(service, "PUT", `/v1/role/${parent}/manages?childRoleId=${child}`, token, mask)).status;
  }
  const listed = await ask(service, "POST", `/v1/role/${parent}/manages/query`, token, {});
  const { manages } = listed.body as { manages: { id: number; childRoleId: number }[] };
  const relation = manages[Math.floor(random() * manages.length)];
  if (relation === undefined) return listed.status;
  const path = `/v1/role/${parent}/manages/${relation.id}`;
  if (random() < 0.5) return (await ask(service, "PUT", path, token, mask)).status;
  // A change that deletes roles is skipped; otherwise the graph would be empty after a while.
  const planned = await ask(service, "DELETE", `${path}?dryRun=true`, token);
  if ((planned.body as { deletedNodeIds?: number[] }).deletedNodeIds?.length !== 0) return planned.status;
  return (await ask(service, "DELETE", path, token)).status;
}

async function readWorld(target: TestApp): Promise<World> {
  const roles = await query<{ id: number; name: string; selfRights: number; isRoot: number }>(
    target,
    "SELECT id, name, self_rights AS selfRights, is_root AS isRoot FROM role",
  );
  const relations = await query<{ id: number; parentId: number; childId: number; rights: number }>(
    target,
    "SELECT id, parent_id AS parentId, child_id AS childId, rights FROM manages",
  );
  return {
    ...EMPTY_WORLD,
    roles: new Map(roles.map((role) => [role.id, { ...role, isRoot: role.isRoot === 1, password: null }])),
    relations: new Map(relations.map((relation) => [relation.id, { ...relation, byPassword: false }])),
  };
}

async function assertClosureAsDefined(target: TestApp): Promise<void> {
  const rows = await query<{ ancestorId: number; descendantId: number; rights: number }>(
    target,
    "SELECT ancestor_id AS ancestorId, descendant_id AS descendantId, rights FROM role_closure",
  );
  const expected = [...closureByPaths(await readWorld(target))].flatMap(([ancestor, reached]) =>
    [...reached].map(([descendant, mask]) => `${ancestor} ${descendant} ${mask}`)
  );
  const kept = rows.map(({ ancestorId, descendantId, rights: mask }) =>
    `${ancestorId} ${descendantId} ${mask}`
  );
  assert.deepEqual(kept.toSorted(), expected.toSorted());
}

/** The test's app, with the keys stored in the database, so that all processes accept each other's tokens. */
async function openShared(kind: DatabaseKind): Promise<TestApp> {
  const target = await openHashingApp(kind);
  const keys = await keepDevelopmentKeys(target.database);
  Object.assign(target.deps, { secrets: await createSecrets(keys.secretKeys) });
  return target;
}

for (const kind of DATABASES) {
  testKind(kind, "two processes that change one graph keep the graph and its closure sound", async () => {
    await using target = await openShared(kind);
    const { userId, roleId: rootId } = await target.bootstrapRoot(ADMIN, "Root");
    await target.setPassword(userId, ADMIN_PASSWORD);
    const services = await Promise.all([startService(target.url), startService(target.url)]);
    const [first, second] = services;
    try {
      const token = await logIn(first);
      const roleIds = [rootId];
      for (let i = 0; i < ROLES; i++) {
        const body = { manages: ALL, role: { name: `Role ${i}`, selfRights: ALL } };
        const created = await ask(second, "POST", `/v1/role?parentRoleId=${rootId}`, token, body);
        roleIds.push((created.body as { role: { id: number } }).role.id);
      }
      const random = createRandom(20_260_101);
      const statuses = new Map<number, number>();
      let left = REQUESTS;
      await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
        while (left-- > 0) {
          const status = await changeSomething(services[lane % 2] ?? first, token, roleIds, random);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }));
      assert.deepEqual(
        [...statuses.keys()].toSorted().filter((status) => ![200, 403, 409].includes(status)),
        [],
      );
      assert.ok((statuses.get(200) ?? 0) > REQUESTS / 4, "hardly anything was changed");
      await assertClosureAsDefined(target);
      const { differences, cycle, unmanagedRoleIds } = await verifyClosure(target.database);
      assert.deepEqual([differences, cycle, unmanagedRoleIds], [[], undefined, []]);
    } finally {
      await Promise.all(services.map(({ process }) => process.finish()));
    }
  });
}

async function logIn(service: Service): Promise<string> {
  const response = await fetch(`${service.baseUrl}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: ADMIN, password: ADMIN_PASSWORD }),
  });
  const refreshToken = await response.text();
  assert.equal(response.status, 200, refreshToken);
  return (await ask(service, "GET", "/auth/accesstoken", refreshToken)).text;
}
