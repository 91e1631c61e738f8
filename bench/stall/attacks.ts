import { createHash } from "node:crypto";
import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Strike } from "./attack.ts";
import { BRANCH_ATTACKS } from "./branch_attacks.ts";
import { BODY_ATTACKS } from "./body_attacks.ts";
import { LIST_ATTACKS } from "./list_attacks.ts";
import { LASTING_ATTACKS } from "./lasting_attacks.ts";
import { toRights } from "../../src/graph/rights.ts";
import { DEVICE_ATTACKS } from "./device_attacks.ts";
import { KEY_ATTACKS } from "./key_attacks.ts";
import { READ_ATTACKS } from "./read_attacks.ts";
import { REFUSAL_ATTACKS } from "./refusal_attacks.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";
import { STORE_ATTACKS } from "./store_attacks.ts";
import { THIRD_ATTACKS } from "./third_attacks.ts";

const MEMBERSHIPS = 20_000;
/** Forty exports of so many do not fit into the memory of the process at once. */
const EVENTS = 100_000;
const ADD_EVENTS = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, session_id, address)
  SELECT 'stall ' || n, n, 'totp.verify', 'waiting', :userId, :userId, :sessionId, '2001:db8::1' FROM numbered`);

/** Members without accounts are read like others. */
const ADD_CROWD = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO member (id, role_id, user_id, rights)
  SELECT :firstId + n, :roleId, :firstId + n, 1 FROM numbered`);

const SET_PROPERTIES = defineStatement(
  `UPDATE device SET properties = json_set(:properties, '$.nodeId', node_id) WHERE id = :deviceId`,
);

/** Changes by strangers of roles that the reader of the log does not manage. */
const ADD_CHANGES = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, parent_id, decision, step)
  SELECT 'stall ' || role.value || ' ' || again.value, 0, 1, 's', 'manages.put', role.value, role.value + 1, 'ok', 'grow'
  FROM json_each(:roleIds) role CROSS JOIN json_each('[1,2,3,4,5,6,7,8,9,10]') again`);

/** Refusals of one person, of a role that the reader manages. */
const ADD_REFUSALS = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, decision, step)
  SELECT 'stall refusal ' || :userId || ' ' || n, 0, :userId, 's', 'manages.put', :roleId, 'denied', 'none' FROM numbered`);

/** Many short properties. */
function propertiesOf(prefix: string, count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i.toString(36)}`, 1]));
}

/** A role below two layers of roles that are all joined, and a member of all of them. */
async function joinLayers(scene: LargeScene, width: number): Promise<{ roleId: number; token: string }> {
  const upper = await scene.addRoles(width);
  const lower = await scene.addRoles(width, { parentIds: upper });
  const [roleId = 0] = await scene.addRoles(1, { parentIds: lower });
  const { token } = await scene.addPerson([...upper, ...lower, roleId]);
  return { roleId, token };
}

/** A crowd of requests about a role below 10,000 relations, by a member of all roles above. */
async function overManyRelations(
  scene: LargeScene,
  path: string,
  bodyOf: (roleId: number) => unknown,
): Promise<Strike> {
  const { roleId, token } = await joinLayers(scene, 98);
  return crowdOf({ connections: 4, path, token, body: bodyOf(roleId) });
}

/** The worst known attack of each kind. A worse one that is found belongs here. */
const SMALL_ATTACKS: readonly Attack[] = [
  {
    name: "1,000 ids of roles and 1,000 of ancestors",
    answers: [200],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const ancestorRoleId = await scene.addRoles(1000, { parentIds: [root] });
      const id = await scene.addRoles(1000, { parentIds: [root] });
      const { token } = await scene.addPerson([root]);
      const body = { filter: { id, ancestorRoleId } };
      return crowdOf({ connections: 4, path: "/v1/role/query", token, body });
    },
  },
  {
    name: "the name of 9,000 roles and 1,000 ids of ancestors",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const ancestorRoleId = await scene.addRoles(1000, { parentIds: [root] });
      const name = "stall";
      await scene.addRoles(9000, { parentIds: [root], name });
      const { token } = await scene.addPerson([root]);
      const body = { filter: { name: [name], ancestorRoleId } };
      return crowdOf({ connections: 4, path: "/v1/role/query", token, body });
    },
  },
  {
    name: "400 ids of ancestors that have 500 roles below each",
    answers: [200],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const ancestorRoleId = await scene.addRoles(400, { parentIds: [root] });
      const [shared = 0] = await scene.addRoles(1, { parentIds: ancestorRoleId });
      for (let i = 0; i < 5; i++) await scene.addRoles(100, { parentIds: [shared] });
      const { token } = await scene.addPerson([root]);
      const body = { filter: { ancestorRoleId }, limit: 1000 };
      return crowdOf({ connections: 4, path: "/v1/role/query", token, body });
    },
  },
  {
    name: "a summary of 150 roles below 98 that are below 98, by a member of all",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const upper = await scene.addRoles(98);
      const lower = await scene.addRoles(98, { parentIds: upper });
      const id = await scene.addRoles(150, { parentIds: lower });
      await scene.addRoles(2000, { parentIds: id.slice(0, 20) });
      const { token } = await scene.addPerson([...upper, ...lower, ...id]);
      return crowdOf({ connections: 4, path: "/v1/role/summary", token, body: { id } });
    },
  },
  {
    name: "the first letter of 12,000 names, by a member of 32 roles who sees none of them",
    answers: [200],
    async prepare(scene) {
      await scene.addRoles(12_000, { name: "éÉéÉ".repeat(64) });
      const { token } = await scene.addPerson(await scene.addRoles(32));
      const body = { filter: { namePrefix: "ÉéÉé".repeat(64) } };
      return crowdOf({ connections: 4, path: "/v1/role/query", token, body });
    },
  },
  {
    name: "1,000 ids of devices and 1,000 of roles",
    answers: [200],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const roleId = await scene.addRoles(1000, { parentIds: [root] });
      const id = await scene.addDevices(1000, [root]);
      const { token } = await scene.addPerson([root]);
      const body = { filter: { id, roleId } };
      return crowdOf({ connections: 4, path: "/v1/device/query", token, body });
    },
  },
  {
    name: "the hash of 100,000 devices, for a member of 32 roles",
    answers: [204],
    onServer: true,
    async prepare(scene) {
      const roleIds = await scene.addRoles(32);
      for (const roleId of roleIds.slice(0, 10)) await scene.addDevices(10_000, [roleId]);
      const { token } = await scene.addPerson(roleIds);
      const lastUpdates = new Date(0).toISOString().repeat(100_000);
      const skipHash = createHash("sha256").update(lastUpdates).digest("base64");
      return crowdOf({ connections: 4, path: "/v1/device/query", token, body: { skipHash } });
    },
  },
  {
    name: "updates of 1,400 properties of a device with 1,100 others",
    answers: [422],
    onServer: true,
    async prepare(scene) {
      const [roleId = 0] = await scene.addRoles(1);
      const [deviceId = 0] = await scene.addDevices(1, [roleId]);
      await scene.write([SET_PROPERTIES], { deviceId, properties: JSON.stringify(propertiesOf("a", 1100)) });
      const { token } = await scene.addPerson([roleId]);
      const path = `/v1/device/${deviceId}`;
      return crowdOf({
        connections: 4,
        method: "PUT",
        path,
        token,
        body: { properties: propertiesOf("b", 1400) },
      });
    },
  },
  {
    name: "20,000 changes of roles that the reader does not manage",
    answers: [200],
    async prepare(scene) {
      const roleIds = await scene.addRoles(2000);
      await scene.write([ADD_CHANGES], { roleIds: JSON.stringify(roleIds) });
      const { token } = await scene.addPerson(await scene.addRoles(1));
      const body = { filter: { from: "1970-01-01T00:00:00Z" } };
      return crowdOf({ connections: 16, path: "/v1/change/query", token, body });
    },
  },
  {
    name: "20,000 refusals of a member of 40 roles, in a role below 2,000",
    answers: [200],
    async prepare(scene) {
      const [roleId = 0] = await scene.addRoles(1, { parentIds: await scene.addRoles(2000) });
      const { userId, email } = await scene.addPerson(await scene.addRoles(40));
      await scene.write([ADD_REFUSALS], { count: 20_000, userId, roleId });
      const { token } = await scene.addPerson([roleId]);
      const from = "1970-01-01T00:00:00Z";
      const ask = (filter: object) =>
        crowdOf({ connections: 2, path: "/v1/change/query", token, body: { filter } });
      const [ofActor, ofAll] = [ask({ from, actorEmail: email }), ask({ from })];
      return async (target) => {
        await Promise.all([ofActor(target), ofAll(target)]);
      };
    },
  },
  {
    name: "ten checks of rights at a time, for a member of 20,000 roles",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const { token } = await scene.addPerson(await scene.addRoles(MEMBERSHIPS));
      const checks = (await scene.addRoles(10)).map((roleId) => ({ roleId, right: "roleManagement" }));
      return crowdOf({ connections: 16, path: "/v1/rights/check", token, body: { checks } });
    },
  },
  {
    name: "1,000 checks of rights, for a member of 20,000 roles",
    answers: [200],
    async prepare(scene) {
      const { token } = await scene.addPerson(await scene.addRoles(MEMBERSHIPS));
      const checks = (await scene.addRoles(1000)).map((roleId) => ({ roleId, right: "roleManagement" }));
      return crowdOf({ connections: 4, path: "/v1/rights/check", token, body: { checks } });
    },
  },
  {
    name: "1,000 evaluations about another person, for a member of 240 roles",
    answers: [200, 429],
    async prepare(scene) {
      const { token } = await scene.addPerson(await scene.addRoles(240));
      const { userId } = await scene.addPerson();
      const evaluations = (await scene.addRoles(1000)).map((id) => ({
        resource: { type: "role", id: String(id) },
      }));
      const body = { subject: { type: "user", id: String(userId) }, action: { name: "member" }, evaluations };
      return crowdOf({ connections: 4, path: "/access/v1/evaluations", token, body });
    },
  },
  {
    name: "searches for what another person may do, among 20,000 roles below 32",
    answers: [200],
    async prepare(scene) {
      const roleIds = await scene.addRoles(32);
      for (let i = 0; i < 20; i++) await scene.addRoles(1000, { parentIds: roleIds });
      const { token } = await scene.addPerson(roleIds);
      const { userId } = await scene.addPerson();
      const subject = { type: "user", id: String(userId) };
      const body = { subject, action: { name: "roleManagement" }, resource: { type: "role" } };
      return crowdOf({ connections: 4, path: "/access/v1/search/resource", token, body });
    },
  },
  {
    name: "explanations over 10,000 relations, for a member of all roles above",
    answers: [200],
    prepare: (scene) =>
      overManyRelations(scene, "/v1/rights/explain", (roleId) => ({ roleId, right: "alarmManagement" })),
  },
  {
    name: "checks of the past over 10,000 relations",
    answers: [200],
    prepare: (scene) =>
      overManyRelations(scene, "/v1/rights/check", (roleId) => ({
        checks: [{ roleId, right: "alarmManagement" }],
        asOf: new Date().toISOString(),
      })),
  },
  {
    name: "who of 1,000 addresses had access to a role below 4,700 relations, at any time in a year",
    answers: [200],
    async prepare(scene) {
      const { roleId, token } = await joinLayers(scene, 68);
      const userEmail = Array.from({ length: 1000 }, (_, i) => `person${i}@stall.example`);
      const [from, to] = [Date.now() - 365 * 86_400_000, Date.now()].map((at) => new Date(at).toISOString());
      const body = { filter: { userEmail }, during: { from, to } };
      return crowdOf({ connections: 4, path: `/v1/role/${roleId}/access/query`, token, body });
    },
  },
  {
    name: "who has access to a role below 5,000 others, of 1,000 addresses, by a member of all of them",
    answers: [200],
    async prepare(scene) {
      const above = await scene.addRoles(5000);
      const [roleId = 0] = await scene.addRoles(1, { parentIds: above });
      const { token } = await scene.addPerson(above);
      const userEmail = Array.from({ length: 1000 }, (_, i) => `person${i}@stall.example`);
      const ask = (body: object) =>
        crowdOf({ connections: 2, path: `/v1/role/${roleId}/access/query`, token, body });
      const [some, all] = [ask({ filter: { userEmail } }), ask({})];
      return async (target) => {
        await Promise.all([some(target), all(target)]);
      };
    },
  },
  {
    name: "who has a right on a role that 100,000 others may see",
    answers: [200],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const [roleId = 0] = await scene.addRoles(1, { parentIds: [root] });
      const { token } = await scene.addPerson([root]);
      await scene.write([ADD_CROWD], { firstId: scene.takeFirstId(100_001), count: 100_000, roleId });
      const body = { filter: { right: ["deviceManagement"] } };
      return crowdOf({ connections: 4, path: `/v1/role/${roleId}/access/query`, token, body });
    },
  },
  {
    name: "files of 20,000 people with access to a role",
    answers: [200],
    async prepare(scene) {
      const [roleId = 0] = await scene.addRoles(1);
      const { token } = await scene.addPerson([roleId]);
      await scene.write([ADD_CROWD], { firstId: scene.takeFirstId(20_001), count: 20_000, roleId });
      const headers = { Accept: "text/csv" };
      return crowdOf({ connections: 4, path: `/v1/role/${roleId}/access/query`, token, headers });
    },
  },
  {
    name: "what an unknown person has access to, of 20,000 roles and of the roles below one",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const many = await scene.addPerson(await scene.addRoles(MEMBERSHIPS));
      const [root = 0] = await scene.addRoles(1);
      for (let i = 0; i < 10; i++) await scene.addRoles(2000, { parentIds: [root] });
      const one = await scene.addPerson([root]);
      const body = { userEmail: "nobody@stall.example" };
      const [asMany, asOne] = [many, one].map(({ token }) =>
        crowdOf({ connections: 2, path: "/v1/access/query", token, body })
      );
      return async (target) => {
        await Promise.all([asMany?.(target), asOne?.(target)]);
      };
    },
  },
  {
    name: "new passwords with a wrong code, and wrong passwords, without a token",
    answers: [401, 429, 503],
    onServer: true,
    prepare() {
      const newPassword = "four words nobody guesses";
      const body = { userEmail: "victim@example.com", otp: "ABC123", newPassword };
      const guess = crowdOf({ connections: 24, method: "PUT", path: "/user/password/otp", body });
      const credentials = { username: "victim@example.com", password: newPassword };
      const signIn = crowdOf({ connections: 24, path: "/auth/login", body: credentials });
      return Promise.resolve(async (target) => {
        await Promise.all([guess(target), signIn(target)]);
      });
    },
  },
  {
    name: `exports of an account with ${EVENTS.toLocaleString("en-US")} events`,
    answers: [200, 429],
    onServer: true,
    async prepare(scene) {
      const { userId, sessionId, token } = await scene.addPerson();
      await scene.write([ADD_EVENTS], { count: EVENTS, userId, sessionId });
      return crowdOf({ connections: 40, method: "GET", path: "/user/export", token });
    },
  },
  {
    name: "changes that are refused",
    answers: [403],
    onServer: true,
    async prepare(scene) {
      const [roleId] = await scene.addRoles(1);
      const { token } = await scene.addPerson();
      const body = { name: "Renamed", selfRights: toRights(0) };
      return crowdOf({ connections: 16, method: "PUT", path: `/v1/role/${roleId}`, token, body });
    },
  },
  ...BODY_ATTACKS,
  ...BRANCH_ATTACKS,
  ...LIST_ATTACKS,
  ...DEVICE_ATTACKS,
  ...KEY_ATTACKS,
  ...LASTING_ATTACKS,
  ...REFUSAL_ATTACKS,
  ...STORE_ATTACKS,
  ...THIRD_ATTACKS,
];

/**
 * The attacks that share a database. Those on reads have one of their own: a list by a caller with many memberships
 * walks all roles that there are, also those of other attacks.
 */
export const WORLDS: readonly (readonly Attack[])[] = [SMALL_ATTACKS, READ_ATTACKS];

export const ATTACKS: readonly Attack[] = WORLDS.flat();
