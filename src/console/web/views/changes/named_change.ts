import { api, dataOf } from "../../api.ts";
import { loadRoles } from "../../roles.ts";
import type { Change } from "./kinds.ts";

/** A change with the current names of its subjects; undefined for deleted ones. */
export interface NamedChange extends Change {
  readonly roleName: string | undefined;
  readonly parentName: string | undefined;
  readonly deviceName: string | undefined;
}

/** An id that no role or device has. */
const NONE = 0;

/** Adds the names. */
export async function addNames(changes: readonly Change[], signal: AbortSignal): Promise<NamedChange[]> {
  const [roles, devices] = await Promise.all([
    loadRoles(
      changes.flatMap(({ roleId, parentRoleId }) => [roleId, parentRoleId]).filter((id) => id !== null),
      signal,
    ),
    loadDeviceNames(changes.flatMap(({ deviceId }) => deviceId ?? []), signal),
  ]);
  return changes.map((change) => ({
    ...change,
    roleName: roles.get(change.roleId ?? NONE)?.name,
    parentName: roles.get(change.parentRoleId ?? NONE)?.name,
    deviceName: devices.get(change.deviceId ?? NONE),
  }));
}

async function loadDeviceNames(ids: readonly number[], signal: AbortSignal): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const body = { filter: { id: [...new Set(ids)] }, fields: ["nodeId", "name"] };
  const found = await dataOf(api.POST("/v1/device/query", { body, signal }));
  return new Map(
    found?.device.map(({ id, properties: { name, nodeId } = {} }) => [id, String(name ?? nodeId)]),
  );
}
