import { COLLECT, powerOf, WRITE } from "../../tests/every_operation/telemetry_requests.ts";
import { type Attack, crowdOf } from "./attack.ts";
import type { LargeScene, Person } from "../../tests/helpers/large_scene.ts";

/** More than a device may have, as devices from before that limit do. */
const MONITORS = 151;

interface MonitoredDevices {
  readonly nodeIds: readonly string[];
  readonly deviceIds: readonly number[];
  /** A member of 32 roles, of which one, the last to be found, monitors the devices. */
  readonly caller: Person;
}

/** Devices that the same roles monitor, so that a question about each looks at each role and at each membership. */
async function addMonitored(scene: LargeScene, count: number, monitors: number): Promise<MonitoredDevices> {
  const others = await scene.addRoles(31);
  const watching = await scene.addRoles(monitors);
  const caller = await scene.addPerson([...others, ...watching.slice(-1)]);
  return await describe(scene, count, watching, caller);
}

/**
 * Devices that the same roles monitor, below thousands of roles; the caller is a member of as many others, and of one.
 */
async function addDeeplyMonitored(scene: LargeScene, count: number): Promise<MonitoredDevices> {
  const [bottom = 0] = await scene.addRoles(1, { parentIds: await scene.addRoles(2000) });
  const watching = await scene.addRoles(99, { parentIds: [bottom] });
  const last = await scene.addRoles(1);
  const caller = await scene.addPerson([...await scene.addRoles(3000), ...last]);
  return await describe(scene, count, [...watching, ...last], caller);
}

async function describe(
  scene: LargeScene,
  count: number,
  roleIds: readonly number[],
  caller: Person,
): Promise<MonitoredDevices> {
  const deviceIds = await scene.addDevices(count, roleIds);
  return { deviceIds, nodeIds: deviceIds.map((id) => `node-${id}`), caller };
}

/**
 * Devices that 100 roles of their own monitor each. The caller is a member of 32 roles, one of them above the last of
 * each.
 */
async function addApart(scene: LargeScene, count: number): Promise<MonitoredDevices> {
  const memberships = await scene.addRoles(32);
  const deviceIds: number[] = [];
  const roles = await scene.addRoles(99 * count);
  const lasts = await scene.addRoles(count, { parentIds: memberships.slice(-1) });
  for (const [i, last] of lasts.entries()) {
    deviceIds.push(...await scene.addDevices(1, [...roles.slice(99 * i, 99 * (i + 1)), last]));
  }
  const caller = await scene.addPerson(memberships);
  return { deviceIds, nodeIds: deviceIds.map((id) => `node-${id}`), caller };
}

const TEXT = { "Content-Type": "text/plain" };

function linesOf(nodeIds: readonly string[]): string {
  return nodeIds.map((nodeId) => `m,nodeId=${nodeId} a=1 1`).join("\n");
}

function subjectOf({ userId }: Person) {
  return { type: "user", id: String(userId) };
}

/** Requests whose cost would multiply devices, the roles that monitor them, and the caller's memberships. */
export const DEVICE_ATTACKS: readonly Attack[] = [
  {
    name: `points of 60 devices that ${MONITORS} roles monitor, by a member of 32 roles`,
    answers: [204, 429],
    onServer: true,
    async prepare(scene) {
      const { nodeIds, caller: { token } } = await addMonitored(scene, 60, MONITORS);
      return crowdOf({ connections: 4, path: WRITE, token, headers: TEXT, body: linesOf(nodeIds) });
    },
  },
  {
    name: "points of 150 devices that 100 roles of their own monitor, by a member of 32 roles",
    answers: [204, 429],
    onServer: true,
    async prepare(scene) {
      const { nodeIds, caller: { token } } = await addApart(scene, 150);
      return crowdOf({ connections: 4, path: WRITE, token, headers: TEXT, body: linesOf(nodeIds) });
    },
  },
  {
    name: "points of 5 devices that 100 roles below 2,000 monitor, by a member of 3,000 roles",
    answers: [204, 429],
    onServer: true,
    async prepare(scene) {
      const { nodeIds, caller: { token } } = await addDeeplyMonitored(scene, 5);
      return crowdOf({ connections: 4, path: WRITE, token, headers: TEXT, body: linesOf(nodeIds) });
    },
  },
  {
    name: "queries of 500 devices that 100 roles monitor, by a member of 32 roles",
    answers: [200, 429],
    onServer: true,
    async prepare(scene) {
      const { nodeIds, caller: { token } } = await addMonitored(scene, 500, 100);
      const body = nodeIds.map((nodeId) => powerOf(nodeId));
      return crowdOf({ connections: 4, path: COLLECT, token, body });
    },
  },
  {
    name: "queries of 5 devices that 100 roles below 2,000 monitor, by a member of 3,000 roles",
    answers: [200, 429],
    async prepare(scene) {
      const { nodeIds, caller: { token } } = await addDeeplyMonitored(scene, 5);
      return crowdOf({
        connections: 4,
        path: COLLECT,
        token,
        body: nodeIds.map((nodeId) => powerOf(nodeId)),
      });
    },
  },
  {
    name: `1,000 ids of devices that ${MONITORS} roles monitor, by a member of 32 roles`,
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const { deviceIds, caller: { token } } = await addMonitored(scene, 1000, MONITORS);
      const body = { filter: { id: deviceIds }, limit: 1000 };
      return crowdOf({ connections: 4, path: "/v1/device/query", token, body });
    },
  },
  {
    name: "150 devices that 100 roles of their own monitor, for a member of 32 roles",
    answers: [200],
    async prepare(scene) {
      const { caller: { token } } = await addApart(scene, 150);
      return crowdOf({ connections: 4, path: "/v1/device/query", token, body: { limit: 1000 } });
    },
  },
  {
    name: "50 ids of devices that 100 roles below 2,000 monitor, by a member of 3,000 roles",
    answers: [200],
    onServer: true,
    async prepare(scene) {
      const { deviceIds, caller: { token } } = await addDeeplyMonitored(scene, 50);
      const body = { filter: { id: deviceIds }, limit: 1000 };
      return crowdOf({ connections: 4, path: "/v1/device/query", token, body });
    },
  },
  {
    name: `1,000 evaluations about devices that ${MONITORS} roles monitor, by a member of 32 roles`,
    answers: [200, 429],
    onServer: true,
    async prepare(scene) {
      const { deviceIds, caller } = await addMonitored(scene, 1000, MONITORS);
      const evaluations = deviceIds.map((id) => ({ resource: { type: "device", id: String(id) } }));
      const body = { subject: subjectOf(caller), action: { name: "write" }, evaluations };
      return crowdOf({ connections: 4, path: "/access/v1/evaluations", token: caller.token, body });
    },
  },
  {
    name: `1,000 evaluations about another person and devices that ${MONITORS} roles monitor`,
    answers: [200, 429],
    onServer: true,
    async prepare(scene) {
      const { deviceIds, caller: { token } } = await addMonitored(scene, 1000, MONITORS);
      const subject = subjectOf(await scene.addPerson());
      const evaluations = deviceIds.map((id) => ({ resource: { type: "device", id: String(id) } }));
      const body = { subject, action: { name: "write" }, evaluations };
      return crowdOf({ connections: 4, path: "/access/v1/evaluations", token, body });
    },
  },
  {
    name: `a search of 1,000 devices that ${MONITORS} roles monitor, by a member of 32 roles`,
    answers: [200],
    async prepare(scene) {
      const { caller } = await addMonitored(scene, 1000, MONITORS);
      const other = subjectOf(await scene.addPerson());
      const ask = (subject: object) => {
        const body = { subject, action: { name: "write" }, resource: { type: "device" } };
        return crowdOf({ connections: 2, path: "/access/v1/search/resource", token: caller.token, body });
      };
      const [ofOther, ofCaller] = [ask(other), ask(subjectOf(caller))];
      return async (target) => {
        await Promise.all([ofOther(target), ofCaller(target)]);
      };
    },
  },
];
