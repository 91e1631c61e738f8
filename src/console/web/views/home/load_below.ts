import { queryDevices } from "../../ask_lists.ts";
import type { Page, PageStart } from "../../use_pages.ts";
import { countDevices, type Device } from "../devices/device.ts";
import { loadLatest } from "../devices/latest.ts";
import { loadBelow, type RelatedRole } from "../../related_roles.ts";
import { isLate } from "./age.ts";

/** A role below the viewer's, with the state of the devices there. */
export interface RoleBelow {
  readonly id: number;
  readonly name: string;
  /** The number of devices at and below it. */
  readonly devices: number;
  /** Whether there are more than could be counted. */
  readonly hasMoreDevices: boolean;
  /** When the latest value was measured, in milliseconds since 1970: of a role to look at, of its worst device; undefined without one. */
  readonly latest: number | undefined;
  /** Whether to look at it: all data is late, or one device is silent or has yet to measure what it says that it measures. */
  readonly needsLook: boolean;
}

/** Roles in one page. */
const PAGE = 12;
/** Maximum number of devices per role that are looked at: those of a page fit into one call (`MOST_DEVICES`). */
const DEVICES = 4;
/** A device without a value for so long is to be looked at, whatever the others of its role measure. */
const SILENT_MS = 86_400_000;

/** Loads a page of the roles that a role manages, or of those anywhere below it whose names contain a text. */
export async function loadWatched(
  roleId: number,
  text: string,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<RoleBelow>> {
  const { items, next } = await loadBelow(roleId, text, start, signal, PAGE);
  const found = await Promise.all(items.map((item) => loadDevicesBelow(item, signal)));
  const latest = await loadLatest(found.flatMap(({ devices }) => devices), signal);
  return {
    items: found.map(({ item: { id, role }, devices, count, hasMore }) => {
      const known = devices.flatMap((device) => latest.get(device.id) ?? []);
      const times = known.flatMap(({ time }) => time ?? []);
      const isEmpty = known.some(({ lack }) => lack === "empty");
      const newest = times.length === 0 ? undefined : Math.max(...times);
      const needsLook = isEmpty || isLate(newest) || times.some((time) => Date.now() - time > SILENT_MS);
      return {
        id,
        name: role?.name ?? String(id),
        devices: count,
        hasMoreDevices: hasMore,
        latest: !needsLook ? newest : isEmpty ? undefined : Math.min(...times),
        needsLook,
      };
    }),
    next,
  };
}

async function loadDevicesBelow(item: RelatedRole, signal: AbortSignal) {
  const body = { filter: { ancestorRoleId: [item.id] }, limit: DEVICES };
  const { device, nextCursor } = await queryDevices(body, signal);
  const devices = device as Device[];
  const { count, hasMore } = typeof nextCursor === "string"
    ? await countDevices({ roleId: item.id, isBelow: true }, signal)
    : { count: devices.length, hasMore: false };
  return { item, devices, count, hasMore };
}
