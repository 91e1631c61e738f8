import { EXAMPLE_IDS, EXAMPLE_NAMES, EXAMPLE_TIMES } from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";

const { role, childRole, device, newDevice, monitors, newRelation } = EXAMPLE_IDS;
const properties = { nodeId: EXAMPLE_NAMES.nodeId, name: "House meter", nodeType: "meter" };
const newProperties = { nodeId: EXAMPLE_NAMES.newNodeId, name: "Heat pump" };
const userRights = { propertyEditabilities: {}, monitorManagement: true };
const known = {
  id: device,
  properties: { nodeId: EXAMPLE_NAMES.nodeId },
  lastUpdate: EXAMPLE_TIMES.created,
  userRights,
};

export const DEVICE_EXAMPLES = {
  collectDevices: {
    request: { query: { id: [device] } },
    response: { device: [known] },
  },
  queryDevices: {
    request: { body: { filter: { roleId: [role] }, limit: 100 } },
    response: { device: [known], nextCursor: null },
  },
  createDevice: {
    request: {
      query: { roleId: role },
      header: { "Idempotency-Key": "heat-pump-7b1c4e" },
      body: { properties: newProperties },
    },
    response: {
      device: { id: newDevice, properties: newProperties, lastUpdate: EXAMPLE_TIMES.latest, userRights },
      monitors: { id: newRelation, roleId: role, deviceId: newDevice },
    },
  },
  transferDevice: {
    request: { path: { deviceId: device }, query: { toRoleId: childRole } },
    response: {
      monitors: { id: newRelation, roleId: childRole, deviceId: device, from: EXAMPLE_TIMES.latest },
      endedRelationIds: [monitors],
      deletedRelationIds: [],
    },
  },
  transferDevices: {
    request: { query: { toRoleId: childRole }, body: { deviceId: [device] } },
    response: {
      monitors: [{ id: newRelation, roleId: childRole, deviceId: device, from: EXAMPLE_TIMES.latest }],
      endedRelationIds: [monitors],
      deletedRelationIds: [],
    },
  },
  updateDevice: {
    request: {
      path: { deviceId: device },
      query: { mode: "legacy" },
      header: { "If-Unmodified-Since": "Thu, 01 Jan 2026 09:00:00 GMT" },
      body: { properties: { name: "House meter", nodeType: "meter" } },
    },
    response: { device: { id: device, properties, lastUpdate: EXAMPLE_TIMES.latest, userRights } },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;

export const MONITORS_EXAMPLES = {
  collectMonitors: {
    request: { path: { roleId: [role] }, query: { deviceId: [device] } },
    response: { monitors: [{ id: monitors, roleId: role, deviceId: device }] },
  },
  queryMonitors: {
    request: { path: { roleId: [role] }, body: { filter: { deviceId: [device] }, limit: 100 } },
    response: { monitors: [{ id: monitors, roleId: role, deviceId: device }], nextCursor: null },
  },
  addMonitors: {
    request: {
      path: { roleId: childRole },
      query: { deviceId: device },
      body: { from: EXAMPLE_TIMES.created },
    },
    response: {
      monitors: { id: newRelation, roleId: childRole, deviceId: device, from: EXAMPLE_TIMES.created },
    },
  },
  removeMonitors: {
    request: { path: { roleId: role, monitorsId: monitors } },
    response: { deletedNodeIds: [device], deletedRelationIds: [monitors] },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
