import assert from "node:assert/strict";
import { MARKER } from "./bad_bodies.ts";
import { send, succeed } from "../helpers/http.ts";
import type { ListedRequest } from "./request_catalogue.ts";
import { minute, WRITE } from "./telemetry_requests.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** A successful request for every operation on devices. */

/** A device that one role monitors, and the other ids in the requests. */
export interface DeviceScene {
  readonly deviceId: number;
  readonly nodeId: string;
  /** The relation of the role that monitors the device. */
  readonly monitorsId: number;
  readonly roleId: number;
  /** A role that does not monitor it. */
  readonly otherRoleId: number;
}

/** Creates a device that the role monitors. */
export async function createDevice(
  target: TestApp,
  token: string,
  roleId: number,
  nodeId: string,
): Promise<{ deviceId: number; monitorsId: number }> {
  const { device, monitors } = await succeed<{ device: { id: number }; monitors: { id: number } }>(
    target,
    "POST",
    `/v1/device?roleId=${roleId}`,
    { token, body: { properties: { nodeId } } },
  );
  return { deviceId: device.id, monitorsId: monitors.id };
}

/** Sets the scene. */
export async function setDeviceScene(
  target: TestApp,
  { token, roleId, otherRoleId }: { token: string; roleId: number; otherRoleId: number },
): Promise<DeviceScene> {
  const nodeId = "meter 1";
  const device = await createDevice(target, token, roleId, nodeId);
  const body = [{ measurement: "energy", time: minute(0), tags: { nodeId }, fields: { power: 1 } }];
  assert.equal((await send(target, "POST", WRITE, { token, body })).status, 204);
  return { ...device, nodeId, roleId, otherRoleId };
}

/** Properties accept any further field. */
const FURTHER_FIELDS = [MARKER, "__proto__", "constructor", "toString", ""].map((key) =>
  `properties with the unknown field ${JSON.stringify(key)}`
);

export function deviceRequests(scene: DeviceScene): ListedRequest[] {
  const { deviceId, nodeId, monitorsId, roleId, otherRoleId } = scene;
  const lists = { accepts: "access or key", kind: "collect" } as const;
  const queries = { ...lists, bodyOptional: true, allOptional: true } as const;
  const acts = { accepts: "access or key", kind: "act" } as const;
  return [
    { ...lists, route: "GET /v1/device", query: `id=${deviceId}` },
    {
      ...queries,
      route: "POST /v1/device/query",
      body: {
        filter: { id: [deviceId], nodeId: [nodeId], externalId: ["none"], roleId: [roleId] },
        limit: 10,
      },
    },
    {
      ...acts,
      route: "POST /v1/device",
      query: `roleId=${roleId}`,
      body: { properties: { nodeId: "meter 2" }, externalId: "2" },
      wellFormed: [...FURTHER_FIELDS, "externalId = null", "the body without externalId"],
    },
    {
      ...acts,
      route: "PUT /v1/device/:deviceId",
      query: "mode=replace",
      body: { properties: { nodeId }, externalId: "1" },
      wellFormed: [
        ...FURTHER_FIELDS,
        "properties without nodeId",
        "externalId = null",
        "the body without externalId",
      ],
    },
    { ...acts, route: "POST /v1/device/:deviceId/transfer", query: `toRoleId=${otherRoleId}` },
    {
      ...acts,
      route: "POST /v1/device/transfer",
      query: `toRoleId=${otherRoleId}`,
      body: { deviceId: [deviceId] },
    },
    { ...lists, route: "GET /v1/role/:roleId/monitors", roleId },
    {
      ...queries,
      route: "POST /v1/role/:roleId/monitors/query",
      roleId,
      body: { filter: { id: [monitorsId], deviceId: [deviceId] }, limit: 10 },
    },
    {
      ...acts,
      route: "PUT /v1/role/:roleId/monitors",
      roleId: otherRoleId,
      query: `deviceId=${deviceId}`,
      body: {},
      bodyOptional: true,
    },
    { ...acts, route: "DELETE /v1/role/:roleId/monitors/:monitorsId", roleId },
  ];
}
