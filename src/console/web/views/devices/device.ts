import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { loadRoles, MOST_IDS } from "../../roles.ts";
import { readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import type { Page, PageStart } from "../../use_pages.ts";

/** A device as the interface gives it. */
export type Device = components["schemas"]["Device"];

/** A device, and its visible monitoring roles. */
export interface WatchedDevice {
  readonly device: Device;
  readonly roles: readonly Role[];
  /** The role whose devices were requested. */
  readonly listedFor: number | undefined;
}

/** A filter of devices; by default all visible ones. */
export interface DeviceFilter {
  /** Only devices that this role monitors. */
  readonly roleId?: number | undefined;
  /** Only the devices with this nodeId or id. */
  readonly text?: string | undefined;
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? shorten(value) : undefined;
}

/** Returns the beginning of a long text. */
export function shorten(text: string): string {
  const characters = [...text];
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join("")}…` : text;
}

/** Loads a page of the matching devices, in order of id. */
export async function loadDevices(
  { roleId, text = "" }: DeviceFilter,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<WatchedDevice>> {
  const ofRole = roleId === undefined ? {} : { roleId: [roleId] };
  if (text !== "") {
    const id = readId(text);
    // Filters of the interface must all match, hence two requests.
    const [byNode, byId] = await Promise.all([
      askForDevices({ ...ofRole, nodeId: [text] }, {}, signal),
      id === undefined ? { items: [] } : askForDevices({ ...ofRole, id: [id] }, {}, signal),
    ]);
    const others = byId.items.filter(({ id }) => id !== byNode.items[0]?.id);
    return { items: await withRoles([...byNode.items, ...others], roleId, signal), next: null };
  }
  const { items, next } = await askForDevices(ofRole, start, signal);
  return { items: await withRoles(items, roleId, signal), next };
}

/** Loads a device with its roles; undefined if not visible. */
export async function loadDevice(id: number, signal: AbortSignal): Promise<WatchedDevice | undefined> {
  const { items } = await askForDevices({ id: [id] }, {}, signal);
  return (await withRoles(items, undefined, signal))[0];
}

async function askForDevices(
  filter: { id?: number[]; nodeId?: string[]; roleId?: number[] },
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<Device>> {
  const body = { filter, limit: PAGE, ...start };
  const list = await dataOf(api.POST("/v1/device/query", { body, signal }));
  // Without `fields` and `skipHash`, the list and all fields are present.
  return { items: (list?.device ?? []) as Device[], next: list?.nextCursor };
}

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
    (from === undefined || Date.parse(from) <= now) && (until === undefined || now < Date.parse(until))
  );
  const roles = await loadRoles(present.map(({ roleId }) => roleId), signal);
  return devices.map((device) => ({
    device,
    listedFor,
    roles: [...roles.values()].filter((each) =>
      present.some(({ roleId, deviceId }) => roleId === each.id && deviceId === device.id)
    ),
  }));
}
