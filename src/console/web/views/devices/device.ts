import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { loadRoles, MOST_IDS } from "../../roles.ts";
import { readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import type { Page, PageStart } from "../../use_pages.ts";

/** A device as the interface gives it. */
export type Device = components["schemas"]["Device"];

/** A device, and the roles that monitor it, of those that the person sees. */
export interface WatchedDevice {
  readonly device: Device;
  readonly roles: readonly Role[];
  /** The one whose devices were asked for. */
  readonly listedFor: number | undefined;
}

/** Which devices to list: all that the person sees, unless something is given. */
export interface DeviceFilter {
  /** Only those that this role monitors. */
  readonly roleId?: number | undefined;
  /** Only the one with this nodeId, and the one with this id. */
  readonly text?: string | undefined;
}

const PAGE = 25;
/** Characters of a name or type that are shown. A property can be 16 KiB long. */
const SHOWN = 300;

/** The name that the device's properties give it, or else its nodeId. */
export function nameOf({ properties }: Device): string {
  return textOf(properties["name"]) ?? properties.nodeId;
}

/** What kind of device it is, if its properties say so. */
export function typeOf({ properties }: Device): string | undefined {
  return textOf(properties["nodeType"]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? shorten(value) : undefined;
}

/** The beginning of a text that may be very long. */
export function shorten(text: string): string {
  const characters = [...text];
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join("")}…` : text;
}

/** A page of the devices that a filter leaves, in order of id. */
export async function loadDevices(
  { roleId, text = "" }: DeviceFilter,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<WatchedDevice>> {
  const ofRole = roleId === undefined ? {} : { roleId: [roleId] };
  if (text !== "") {
    const id = readId(text);
    // Different filters of the interface must all match, so these are two requests.
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

/** A device with its roles; undefined if the person does not see it. */
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
  // Without `fields` and `skipHash`, there is a list, and all of each device.
  return { items: (list?.device ?? []) as Device[], next: list?.nextCursor };
}

/** Finds the roles that monitor devices: the first thousand relations of a page, which few come near. */
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
  const roles = await loadRoles(monitors.map(({ roleId }) => roleId), signal);
  return devices.map((device) => ({
    device,
    listedFor,
    roles: [...roles.values()].filter((each) =>
      monitors.some(({ roleId, deviceId }) => roleId === each.id && deviceId === device.id)
    ),
  }));
}
