import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { loadRoles, MOST_IDS } from "../../roles.ts";
import { readId } from "../../router.ts";
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
  /** The only role whose devices were requested. */
  readonly listedFor: number | undefined;
}

/** A filter of devices; by default all visible ones. */
export interface DeviceFilter {
  /** Only devices that this role monitors. */
  readonly roleId?: number | undefined;
  /** Also those that roles below it monitor. */
  readonly isBelow?: boolean;
  /** Only the devices with this nodeId, name or id. */
  readonly text?: string;
  /** By names of properties, the text that each must be. */
  readonly properties?: Readonly<Record<string, string>>;
}

const PAGE = 25;
/** Maximum characters shown of a name or type. A property can have 16 KiB. */
const SHOWN = 300;

/** Returns the name in the device's properties, or else its nodeId. */
export function nameOf({ properties }: Device): string {
  return textOf(properties["name"]) ?? properties.nodeId;
}

/** Returns the type in the device's properties, if any. */
export function typeOf({ properties }: Device): string | undefined {
  return textOf(properties["nodeType"]);
}

/** Returns the text of a property, if it is one that can be asked for. */
export function propertyText({ properties }: Device, name: string): string | undefined {
  const value = properties[name];
  return typeof value === "string" && value !== "" && value.length <= SHOWN ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? shorten(value) : undefined;
}

/** Returns the beginning of a long text. */
export function shorten(text: string): string {
  const characters = [...text];
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join("")}…` : text;
}

interface QueryFilter {
  readonly ended?: true;
  readonly id?: number[];
  readonly nodeId?: string[];
  readonly roleId?: number[];
  readonly ancestorRoleId?: number[];
  readonly property?: Record<string, string[]>;
}

function toQuery({ roleId, isBelow = false, properties = {} }: DeviceFilter): QueryFilter {
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
    const id = readId(text);
    // Filters of the interface must all match, hence several requests.
    const found = await Promise.all([
      askForDevices({ ...asked, nodeId: [text] }, {}, signal),
      ...id === undefined ? [] : [askForDevices({ ...asked, id: [id] }, {}, signal)],
      askForDevices({ ...asked, property: { ...asked.property, name: [text] } }, {}, signal),
    ]);
    const byId = new Map(found.flatMap(({ items }) => items).map((device) => [device.id, device]));
    return { items: await withRoles([...byId.values()], listedFor, signal), next: null };
  }
  const { items, next } = await askForDevices(asked, start, signal, limit);
  return { items: await withRoles(items, listedFor, signal), next };
}

/** Maximum number of devices counted, handed over together, or read at once for a file. */
export const MOST_DEVICES = 100;

/** Counts the matching devices, up to `MOST_DEVICES`. */
export async function countDevices(
  filter: DeviceFilter,
  signal: AbortSignal,
): Promise<{ readonly count: number; readonly hasMore: boolean }> {
  const body = { filter: toQuery(filter), limit: MOST_DEVICES, fields: ["lastUpdate"] };
  const list = await dataOf(api.POST("/v1/device/query", { body, signal }));
  return { count: list?.device.length ?? 0, hasMore: typeof list?.nextCursor === "string" };
}

/** Loads the devices that a role monitors, up to `MOST_DEVICES`. */
export async function loadDevicesOf(
  roleId: number,
  signal: AbortSignal,
): Promise<{ readonly devices: readonly WatchedDevice[]; readonly hasMore: boolean }> {
  const { items, next } = await askForDevices({ roleId: [roleId] }, {}, signal, MOST_DEVICES);
  return { devices: await withRoles(items, roleId, signal), hasMore: typeof next === "string" };
}

/** Loads a device with its roles; undefined if not visible. */
export async function loadDevice(id: number, signal: AbortSignal): Promise<WatchedDevice | undefined> {
  const { items } = await askForDevices({ id: [id] }, {}, signal);
  return (await withRoles(items, undefined, signal))[0];
}

/** A device that is not visible any more, with the periods in which the viewer may read it. */
export interface EndedDevice {
  readonly id: number;
  readonly nodeId: string;
  readonly periods: readonly Pick<Monitors, "from" | "until">[];
}

/** Loads a page of the devices that roles of the viewer monitored, and none does now. */
export async function loadEnded(
  filter: Pick<DeviceFilter, "roleId" | "isBelow"> & { readonly id?: number },
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<EndedDevice>> {
  const { id } = filter;
  const asked = { ...toQuery(filter), ...id !== undefined && { id: [id] }, ended: true as const };
  const body = { filter: asked, limit: PAGE, ...start };
  const list = await dataOf(api.POST("/v1/device/query", { body, signal }));
  const items = (list?.device ?? []).map(({ id, properties, periods = [] }) => ({
    id,
    nodeId: properties?.nodeId ?? "",
    periods,
  }));
  return { items, next: list?.nextCursor };
}

async function askForDevices(
  filter: QueryFilter,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<Device>> {
  const body = { filter, limit, ...start };
  const list = await dataOf(api.POST("/v1/device/query", { body, signal }));
  // Without `fields` and `skipHash`, the list and all fields are present.
  return { items: (list?.device ?? []) as Device[], next: list?.nextCursor };
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
  const present = monitors.filter(({ from, until }) =>
    (from === undefined || Date.parse(from) <= now + CLOCKS_MS) &&
    (until === undefined || now < Date.parse(until))
  );
  const roles = await loadRoles(present.map(({ roleId }) => roleId), signal);
  return devices.map((device) => {
    const relations = present.filter(({ roleId, deviceId }) => deviceId === device.id && roles.has(roleId));
    const watching = [...roles.values()].filter(({ id }) => relations.some(({ roleId }) => roleId === id));
    return { device, listedFor, relations, roles: watching };
  });
}
