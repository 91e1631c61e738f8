import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Strike } from "./attack.ts";
import { REQUEST_LIMIT_MS } from "../../tests/helpers/request_limit.ts";
import type { LargeScene, Person } from "../../tests/helpers/large_scene.ts";

/** Filling the database: one user who stores at full speed, and deletions that take everything at once. */

const ALL = {
  roleManagement: true,
  userManagement: true,
  viewManagement: true,
  deviceManagement: true,
  reportManagement: true,
  alarmManagement: true,
};
const CONNECTIONS = 8;
const LONG_NAME = "n".repeat(256);
const LONG_TEXT = "p".repeat(15_000);

/** Members without accounts are deleted like others. */
const ADD_CROWD = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO member (id, role_id, user_id, rights)
  SELECT :firstId + n - 1, :roleId, :firstId + n - 1, 1 FROM numbered`);
/** The bucket of the branch is full for another minute. */
const FILL_BUCKET = defineStatement(`
  INSERT INTO root_usage (root_id, branch, free_at)
  SELECT :rootId, substr(chain, 1, instr(chain || '/', '/') - 1), unixepoch() * 1000 + 86460000
  FROM member WHERE user_id = :userId`);
const FIND_RELATION = defineStatement(
  `UPDATE manages SET id = :id WHERE parent_id = :parentId AND child_id = :childId`,
);

/** A member of a role below the root of the service. With `isFull`, they have used up their share of the bucket. */
async function openScene(
  scene: LargeScene,
  { isFull }: { isFull: boolean },
): Promise<{ roleId: number; person: Person }> {
  const { rootId } = scene.service;
  const [roleId = 0] = await scene.addRoles(1, { parentIds: [rootId] });
  const person = await scene.addPerson([roleId]);
  if (isFull) await scene.write([FILL_BUCKET], { rootId, userId: person.userId });
  return { roleId, person };
}

/** Sends a different request each time, on each of some connections. */
function stormOf(
  { token }: Person,
  requestOf: (n: number) => { method: string; path: string; body: unknown },
  connections = CONNECTIONS,
): Strike {
  let sent = 0;
  return async ({ url, endsAt, note }) => {
    const ask = async (): Promise<void> => {
      while (performance.now() < endsAt) {
        const { method, path, body } = requestOf(sent++);
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
        const response = await fetch(`${url}${path}`, {
          method,
          headers,
          body: JSON.stringify(body),
          signal,
        });
        await response.body?.cancel();
        note(response.status);
      }
    };
    await Promise.all(Array.from({ length: connections }, ask));
  };
}

const makeDevice = (roleId: number) => (n: number) => ({
  method: "POST",
  path: `/v1/device?roleId=${roleId}`,
  body: { properties: { nodeId: `stored ${roleId} ${n}`, text: LONG_TEXT } },
});
const makeRole = (roleId: number) => () => ({
  method: "POST",
  path: `/v1/role?parentRoleId=${roleId}`,
  body: { manages: ALL, role: { name: LONG_NAME, selfRights: ALL } },
});

/** The deletion of a role with 100,000 members or devices. */
async function deletion(scene: LargeScene, fill: (roleId: number) => Promise<void>): Promise<Strike> {
  const { roleId: parentId, person } = await openScene(scene, { isFull: false });
  const [childId = 0] = await scene.addRoles(1, { parentIds: [parentId] });
  await fill(childId);
  const id = 300_000_000 + childId;
  await scene.write([FIND_RELATION], { id, parentId, childId });
  return crowdOf({
    connections: 4,
    method: "DELETE",
    path: `/v1/role/${parentId}/manages/${id}`,
    token: person.token,
  });
}

export const STORE_ATTACKS: readonly Attack[] = [
  {
    name: "devices of 15 kB, one after another",
    answers: [200],
    async prepare(scene) {
      const { roleId, person } = await openScene(scene, { isFull: false });
      return stormOf(person, makeDevice(roleId));
    },
  },
  {
    name: "devices of 15 kB, by a user whose share is used up",
    answers: [429],
    async prepare(scene) {
      const { roleId, person } = await openScene(scene, { isFull: true });
      return stormOf(person, makeDevice(roleId));
    },
  },
  {
    name: "lists of 1,000 devices with external ids, for a role below 2,000 others",
    answers: [200],
    async prepare(scene) {
      const parentIds = [scene.service.rootId, ...await scene.addRoles(2000)];
      const [roleId = 0] = await scene.addRoles(1, { parentIds });
      return stormOf(await scene.addPerson([roleId]), (n) => ({
        method: "POST",
        path: `/v1/device?roleId=${roleId}`,
        body: Array.from({ length: 1000 }, (_, i) => ({
          properties: { nodeId: `listed ${roleId} ${n} ${i}` },
          externalId: `listed ${roleId} ${n} ${i}`,
        })),
      }), 2);
    },
  },
  {
    name: "roles with long names, by a user whose share is used up",
    answers: [429],
    onServer: true,
    async prepare(scene) {
      const { roleId, person } = await openScene(scene, { isFull: true });
      return stormOf(person, makeRole(roleId));
    },
  },
  {
    name: "renames of a role, by a user whose share is used up",
    answers: [429],
    async prepare(scene) {
      const { roleId, person } = await openScene(scene, { isFull: true });
      const [childId] = await scene.addRoles(1, { parentIds: [roleId] });
      return stormOf(person, (n) => ({
        method: "PUT",
        path: `/v1/role/${childId}`,
        body: { name: `renamed ${n}`, selfRights: ALL },
      }));
    },
  },
  {
    name: "changes that change nothing",
    answers: [200],
    async prepare(scene) {
      const { roleId, person } = await openScene(scene, { isFull: false });
      const [childId] = await scene.addRoles(1, { parentIds: [roleId], name: "same" });
      return stormOf(person, () => ({
        method: "PUT",
        path: `/v1/role/${childId}`,
        body: { name: "same", selfRights: ALL },
      }));
    },
  },
  {
    name: "the deletion of a role with 100,000 devices",
    answers: [422],
    onServer: true,
    prepare: (scene) =>
      deletion(scene, async (roleId) => {
        for (let i = 0; i < 10; i++) await scene.addDevices(10_000, [roleId]);
      }),
  },
  {
    name: "the deletion of a role with 100,000 members",
    answers: [422],
    onServer: true,
    prepare: (scene) =>
      deletion(scene, async (roleId) => {
        await scene.write([ADD_CROWD], { count: 100_000, firstId: scene.takeFirstId(100_000), roleId });
      }),
  },
];
