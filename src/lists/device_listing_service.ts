import { createHash } from "node:crypto";
import type { Actor } from "../core/actor.ts";
import { mapPage, type Page, PAGE_ROWS, type PageRequest } from "../core/page.ts";
import { intersect, type List, readPage, type RoleSelection, toJson } from "../graph/paging/page_service.ts";
import type { DeviceDeps } from "../device/deps.ts";
import {
  DEVICE_PAGES,
  DEVICE_UPDATE_PAGES,
  ENDED_DEVICE_PAGES,
  MONITORS_PAGES,
} from "./device_listing_queries.ts";
import type { Period } from "../device/grant_service.ts";
import { type Device, type DeviceRow, toDevice } from "../device/device_service.ts";
import { type Monitors, type MonitorsRow, toMonitors, toPeriod } from "../device/monitors_service.ts";
import { joinPeriods } from "../device/periods.ts";

/** 32 bytes in base64. */
const SHA256_BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** Maximum number of devices that a statement with a filter by properties reads: 4 MB of the largest. */
const SCANNED_DEVICES = 250;

export interface DeviceFilter {
  readonly id?: List<number>;
  readonly nodeId?: List<string>;
  /** Only devices that the actor may update match. */
  readonly externalId?: List<string>;
  /** Roles that monitor the device, of which the actor is a member. */
  readonly roleId?: List<number>;
  /** Roles of which the actor is a member, and those below them, that monitor the device. */
  readonly ancestorRoleId?: List<number>;
  /** By names of properties, the texts of which each must be one. */
  readonly property?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Returns devices that are monitored now by a role of which the actor is a member, directly or indirectly. */
export async function listDevices(
  deps: DeviceDeps,
  actor: Actor,
  filter: DeviceFilter,
  page: PageRequest,
): Promise<Page<Device>> {
  const { driver, args } = driveBy(filter);
  const statement = DEVICE_PAGES[driver];
  if (filter.property === undefined) {
    return mapPage(await readPage<DeviceRow>(deps, actor, statement, page, args), toDevice);
  }
  // No index has properties: the statement scans devices, and returns those that match.
  const scan = { ...page, limit: SCANNED_DEVICES };
  const { rows, next } = await readPage<DeviceRow>(deps, actor, statement, scan, args);
  const shown = rows.slice(0, page.limit).map(toDevice);
  return { rows: shown, next: rows.length > page.limit ? shown.at(-1)?.id ?? next : next };
}

function driveBy({ id, nodeId, externalId, roleId, ancestorRoleId, property }: DeviceFilter) {
  const driver = id
    ? "id"
    : nodeId
    ? "nodeId"
    : externalId
    ? "externalId"
    : roleId
    ? "role"
    : ancestorRoleId
    ? "ancestor"
    : "none";
  const paths = Object.entries(property ?? {}).map(([name, texts]) => [`$."${name}"`, texts] as const);
  const args = {
    ids: toJson(id),
    nodeIds: toJson(nodeId),
    externalIds: toJson(externalId),
    roleIds: toJson(roleId),
    ancestorIds: toJson(ancestorRoleId),
    property: property === undefined ? null : toJson(paths.map(([path]) => path)),
    texts: toJson(paths.flatMap(([path, texts]) => texts.map((text) => `${path}\n${text}`))),
  };
  return { driver, args } as const;
}

/** A device that the actor no longer sees, with the periods in which they may read it. */
export interface EndedDevice extends Pick<Device, "id" | "userRights"> {
  readonly properties: { readonly nodeId: string; readonly nodeInfluxSeries?: unknown };
  readonly periods: readonly Pick<Monitors, "from" | "until">[];
}

interface EndedDeviceRow {
  readonly id: number;
  readonly nodeId: string;
  /** Of each relation. */
  readonly periods: readonly (readonly [from: number | null, until: number | null])[];
  /** The property `nodeInfluxSeries` as it was when the last of them ended; null without one. */
  readonly series: unknown;
}

/**
 * Returns devices that a role of the actor monitored, directly or indirectly, and none does now. Of what they are by now,
 * the actor is told nothing: of properties the nodeId, which never changes, and `nodeInfluxSeries` as it was then.
 */
export async function listEndedDevices(
  deps: DeviceDeps,
  actor: Actor,
  filter: Omit<DeviceFilter, "externalId" | "property">,
  page: PageRequest,
): Promise<Page<EndedDevice>> {
  const { driver, args: { property: _property, texts: _texts, ...args } } = driveBy(filter);
  const rows = await readPage<EndedDeviceRow>(deps, actor, ENDED_DEVICE_PAGES[driver], page, args);
  return mapPage(rows, ({ id, nodeId, periods, series }) => ({
    id,
    properties: { nodeId, ...series !== null && { nodeInfluxSeries: series } },
    userRights: { propertyEditabilities: {}, monitorManagement: false },
    periods: joinPeriods(periods.map(([from, until]): Period => ({ from, until })))
      .map(({ from, until }) => toPeriod(from, until)),
  }));
}

/**
 * Whether `hash` is that of the devices that `listDevices` returns: the base64 of the SHA-256 of each `lastUpdate`, in
 * order of id, without a separator. Reads page by page, without properties and rights, and nothing if `hash` cannot be
 * a hash. Returns false once `signal` is aborted.
 */
export async function hasUpdateHash(
  deps: DeviceDeps,
  actor: Actor,
  filter: DeviceFilter,
  hash: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!SHA256_BASE64.test(hash)) return false;
  const { driver, args } = driveBy(filter);
  const digest = createHash("sha256");
  let afterId: number | null = -1;
  while (afterId !== null) {
    if (signal.aborted) return false;
    const page: Page<Pick<Device, "id" | "lastUpdate">> = await readPage(
      deps,
      actor,
      DEVICE_UPDATE_PAGES[driver],
      { afterId, limit: PAGE_ROWS },
      args,
    );
    digest.update(page.rows.map(({ lastUpdate }) => lastUpdate).join(""));
    afterId = page.next;
  }
  return digest.digest("base64") === hash;
}

export interface MonitorsFilter {
  readonly id?: List<number>;
  readonly deviceId?: List<number>;
}

/** A relation, with the nodeId of its device if it has a period. */
export interface ListedMonitors extends Monitors {
  readonly nodeId?: string;
}

interface ListedMonitorsRow extends MonitorsRow {
  readonly nodeId: string | null;
}

/** Returns monitors relations, closed ones too, of roles of which the actor is a member, directly or indirectly. */
export async function listMonitors(
  deps: DeviceDeps,
  actor: Actor,
  selection: RoleSelection,
  filter: MonitorsFilter,
  page: PageRequest,
): Promise<Page<ListedMonitors>> {
  const roles = intersect(selection, undefined);
  const driver = filter.id ? "id" : filter.deviceId ? "device" : roles ? "role" : "none";
  const filters = { ids: toJson(filter.id), deviceIds: toJson(filter.deviceId), roleIds: toJson(roles) };
  const rows = await readPage<ListedMonitorsRow>(deps, actor, MONITORS_PAGES[driver], page, filters);
  return mapPage(
    rows,
    ({ nodeId, ...row }) => ({ ...toMonitors(row), ...(nodeId === null ? {} : { nodeId }) }),
  );
}
