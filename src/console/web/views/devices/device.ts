import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { find } from "../../find.ts";
import { queryDevices } from "../../ask_lists.ts";
import { SHOWN, textOf } from "../../device_names.ts";
import { edgesOf } from "../../periods.ts";
import { loadRoles, MOST_IDS } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import type { Page, PageStart } from "../../use_pages.ts";

/** A device as the interface gives it. */
export type Device = components["schemas"]["Device"];

/** A period in which a role monitors a device. */
export type Monitors = components["schemas"]["Monitors"];

/** A device, and its visible monitoring roles. */
export interface WatchedDevice {
  readonly device: Device;
  readonly roles: readonly Role[];
  /** The relations of these roles that are open now. */
  readonly relations: readonly Monitors[];
  /** When periods of visible roles begin and end, as far as a page tells that apart, in milliseconds since 1970. */
  readonly edges: readonly number[];
  /** The only role whose devices were requested. */
  readonly listedFor: number | undefined;
}

/** A filter of devices; by default all visible ones. */
export interface DeviceFilter {
  /** Only devices that this role monitors. */
  readonly roleId?: number | undefined;
  /** Also those that roles below it monitor. */
  readonly isBelow?: boolean;
  /** Only the devices with this in their nodeId or name, or with this id. */
  readonly text?: string;
  /** By names of properties, the text that each must be. */
  readonly properties?: Readonly<Record<string, string>>;
}

const PAGE = 25;
/** Hits of the search in a page. */
const MOST_FOUND = 50;
/** Returns the type in the device's properties, if any. */
export function typeOf({ properties }: Device): string | undefined {
  return textOf(properties["nodeType"]);
}

/** Returns the text of a property, if it is one that can be asked for. */
export function propertyText({ properties }: Device, name: string): string | undefined {
  const value = properties[name];
  return typeof value === "string" && value !== "" && value.length <= SHOWN ? value : undefined;
}

interface QueryFilter {
  readonly id?: number[];
  readonly roleId?: number[];
  readonly ancestorRoleId?: number[];
  readonly property?: Record<string, string[]>;
}

/** Returns a filter without its text as the service takes it. */
export function toQuery({ roleId, isBelow = false, properties = {} }: DeviceFilter): QueryFilter {
  const property = Object.fromEntries(Object.entries(properties).map(([name, text]) => [name, [text]]));
  return {
    ...roleId !== undefined && (isBelow ? { ancestorRoleId: [roleId] } : { roleId: [roleId] }),
    ...Object.keys(property).length > 0 && { property },
  };
}

/** Loads a page of the matching devices, in order of id: up to `limit`. */
export async function loadDevices(
  filter: DeviceFilter,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<WatchedDevice>> {
  const { roleId, isBelow, text = "" } = filter;
  const listedFor = isBelow ? undefined : roleId;
  const asked = toQuery(filter);
  if (text !== "") {
    const found = await find({ text, kind: ["device"], limit: MOST_FOUND, ...start }, signal);
    const id = found.device.map((each) => each.id);
    const { items } = id.length === 0
      ? { items: [] }
      : await askForDevices({ ...asked, id }, {}, signal, MOST_FOUND);
    return { items: await withRoles(items, listedFor, signal), next: found.nextCursor.device };
  }
  const { items, next } = await askForDevices(asked, start, signal, limit);
  return { items: await withRoles(items, listedFor, signal), next };
}

/** Maximum number of devices handed over together, or read at once for a file. */
export const MOST_DEVICES = 100;
/** Maximum number of devices counted. */
const MOST_COUNTED = 1000;

/** A number of devices. */
export interface DeviceCount {
  readonly count: number;
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** Counts the matching devices, up to `MOST_COUNTED`. */
export async function countDevices(
  filter: DeviceFilter,
  signal: AbortSignal,
  start: PageStart = {},
): Promise<DeviceCount> {
  const body = { filter: toQuery(filter), limit: MOST_COUNTED, fields: ["lastUpdate"], ...start };
  const { device, nextCursor } = await queryDevices(body, signal);
  return { count: device.length, hasMore: typeof nextCursor === "string" };
}

/**
 * Loads the devices that a role monitors, up to `MOST_DEVICES`, and counts those that follow. After the last, begins anew:
 * with those that could not be handed over.
 */
export async function loadDevicesOf(
  roleId: number,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<WatchedDevice> & { readonly rest: DeviceCount | undefined }> {
  const page = await loadDevices({ roleId }, start, signal, MOST_DEVICES);
  if (page.items.length === 0 && start.cursor !== undefined) return await loadDevicesOf(roleId, {}, signal);
  const { next: cursor } = page;
  return {
    ...page,
    rest: typeof cursor === "string" ? await countDevices({ roleId }, signal, { cursor }) : undefined,
  };
}

/** Loads a device with its roles; undefined if not visible. */
export async function loadDevice(id: number, signal: AbortSignal): Promise<WatchedDevice | undefined> {
  const { items } = await askForDevices({ id: [id] }, {}, signal);
  return (await withRoles(items, undefined, signal))[0];
}

async function askForDevices(
  filter: QueryFilter,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<Device>> {
  const { device, nextCursor } = await queryDevices({ filter, limit, ...start }, signal);
  // Without `fields`, all are present.
  return { items: device as Device[], next: nextCursor };
}

/** What begins at once has begun, even if the browser's clock is this late. */
const CLOCKS_MS = 60_000;

/** Loads the roles that monitor devices now: of the first thousand relations per page, more than nearly all have. */
async function withRoles(
  devices: readonly Device[],
  listedFor: number | undefined,
  signal: AbortSignal,
): Promise<WatchedDevice[]> {
  if (devices.length === 0) return [];
  const { monitors } = await dataOf(api.POST("/v1/role/{roleId}/monitors/query", {
    params: { path: { roleId: "*" } },
    body: { filter: { deviceId: devices.map(({ id }) => id) }, limit: MOST_IDS },
    signal,
  }));
  const now = Date.now();
  const edges = new Map(
    devices.map(({ id }) => [id, edgesOf(monitors.filter((each) => each.deviceId === id))]),
  );
  const present = monitors.filter(({ from, until }) =>
    (from === undefined || Date.parse(from) <= now + CLOCKS_MS) &&
    (until === undefined || now < Date.parse(until))
  );
  const roles = await loadRoles(present.map(({ roleId }) => roleId), signal);
  return devices.map((device) => {
    const relations = present.filter(({ roleId, deviceId }) => deviceId === device.id && roles.has(roleId));
    const watching = [...roles.values()].filter(({ id }) => relations.some(({ roleId }) => roleId === id));
    return { device, listedFor, relations, edges: edges.get(device.id) ?? [], roles: watching };
  });
}
