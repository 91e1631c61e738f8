/** The graph and its closure stay sound while two processes make random changes. */
import assert from "node:assert/strict";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { createRandom } from "../helpers/random_numbers.ts";
import { query } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { closureByPaths, EMPTY_WORLD, type World } from "../model/oracle_rights.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { forEachKind } from "../helpers/databases.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { openTwoServices } from "./concurrency_services.ts";

const ROLES = 7;
const REQUESTS = IS_LONG ? 400 : 150;
/** Concurrent requests, over both processes. */
const LANES = 8;

/** Requests one random change of the graph. */
async function changeSomething(
  admin: Person,
  roleIds: readonly number[],
  random: () => number,
): Promise<number> {
  const pick = (): number => roleIds[Math.floor(random() * roleIds.length)] ?? 0;
  const mask = rights("roleManagement", ...Object.keys(ALL).filter(() => random() < 0.5));
  const [parent, child] = [pick(), pick()];
  if (random() < 0.6) {
    return (await admin.ask("PUT", `/v1/role/${parent}/manages?childRoleId=${child}`, mask)).status;
  }
  const listed = await admin.ask("POST", `/v1/role/${parent}/manages/query`, {});
  const { manages } = listed.body as { manages: { id: number; childRoleId: number }[] };
  const relation = manages[Math.floor(random() * manages.length)];
  if (relation === undefined) return listed.status;
  const path = `/v1/role/${parent}/manages/${relation.id}`;
  if (random() < 0.5) return (await admin.ask("PUT", path, mask)).status;
  // A change that deletes roles is skipped; otherwise the graph would be empty after a while.
  const planned = await admin.ask("DELETE", `${path}?dryRun=true`);
  if ((planned.body as { deletedNodeIds?: number[] }).deletedNodeIds?.length !== 0) return planned.status;
  return (await admin.ask("DELETE", path)).status;
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

forEachKind("two processes that change one graph keep the graph and its closure sound", async (kind) => {
  await using target = await openTwoServices(kind);
  const { userId, roleId: rootId } = await target.bootstrapRoot(ADMIN, "Root");
  const token = await target.accessToken(userId);
  const people = target.services.map((service) => new Person(service, token));
  const roleIds = [rootId];
  for (let i = 0; i < ROLES; i++) roleIds.push(await new Person(target, token).create(rootId, `Role ${i}`));
  const random = createRandom(20_260_101);
  const statuses = new Map<number, number>();
  let left = REQUESTS;
  await Promise.all(
    Array.from({ length: LANES / people.length }, () => people).flat().map(async (person) => {
      while (left-- > 0) {
        const status = await changeSomething(person, roleIds, random);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  const unexpected = [...statuses.keys()].filter((status) => ![200, 403, 409].includes(status));
  assert.deepEqual(unexpected, []);
  assert.ok((statuses.get(200) ?? 0) > REQUESTS / 4, "hardly anything was changed");
  await assertClosureAsDefined(target);
  await assertSoundGraph(target);
});
