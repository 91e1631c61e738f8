import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, unreadOf } from "./attack.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

/** Long lists: for clients that request them and read nothing, and for many that read one at the same time. */

const SET_ALL_PROPERTIES = defineStatement(`
  UPDATE device SET properties = json_set(:properties, '$.nodeId', node_id)
  WHERE id IN (SELECT value FROM json_each(:deviceIds))`);

/** Members without accounts are read like others. */
const ADD_CROWD = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO member (id, role_id, user_id, rights)
  SELECT :firstId + n, :roleId, :firstId + n, 1 FROM numbered`);

/** Devices of 15 kB, which are most of what the properties of one may take. */
async function addLargeDevices(scene: LargeScene, count: number): Promise<string> {
  const [roleId = 0] = await scene.addRoles(1);
  const deviceIds = JSON.stringify(await scene.addDevices(count, [roleId]));
  const properties = JSON.stringify({ note: "x".repeat(15_000) });
  await scene.write([SET_ALL_PROPERTIES], { deviceIds, properties });
  return (await scene.addPerson([roleId])).token;
}

async function addRoleOfMany(
  scene: LargeScene,
  count: number,
): Promise<{ path: string; token: string }> {
  const [roleId = 0] = await scene.addRoles(1);
  await scene.write([ADD_CROWD], { firstId: scene.takeFirstId(count + 1), count, roleId });
  const { token } = await scene.addPerson([roleId]);
  return { path: `/v1/role/${roleId}/access/query`, token };
}

const CSV = { Accept: "text/csv" };

export const LIST_ATTACKS: readonly Attack[] = [
  {
    name: "unread lists of 1,100 devices of 15 kB",
    answers: [200, 503],
    onServer: true,
    async prepare(scene) {
      const token = await addLargeDevices(scene, 1100);
      return unreadOf({ connections: 100, method: "GET", path: "/v1/device", token });
    },
  },
  {
    name: "unread pages of 1,000 devices of 15 kB",
    answers: [200, 503],
    async prepare(scene) {
      const token = await addLargeDevices(scene, 1000);
      return unreadOf({ connections: 100, path: "/v1/device/query", token, body: { limit: 1000 } });
    },
  },
  {
    name: "unread lists of 20,000 roles with long names",
    answers: [200, 503],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      for (let i = 0; i < 10; i++) await scene.addRoles(2000, { parentIds: [root], name: "😀".repeat(256) });
      const { token } = await scene.addPerson([root]);
      return unreadOf({ connections: 150, method: "GET", path: "/v1/role", token });
    },
  },
  {
    name: "unread files of 20,000 people with access to a role",
    answers: [200, 503],
    async prepare(scene) {
      const { path, token } = await addRoleOfMany(scene, 20_000);
      return unreadOf({ connections: 150, path, token, headers: CSV });
    },
  },
  {
    name: "64 readers of one file of 5,000 people with access to a role",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const { path, token } = await addRoleOfMany(scene, 5000);
      return crowdOf({ connections: 64, path, token, headers: CSV });
    },
  },
];
