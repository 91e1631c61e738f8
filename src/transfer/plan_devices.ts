import { parseJson } from "../core/json.ts";
import { canonicalText, spellingsOf, trimBlanks } from "../core/text.ts";
import type { Database } from "../db/database.ts";
import type { ImportedDeviceChange, KnownDevice } from "../device/device_import_queries.ts";
import { quote } from "./roles/role_format.ts";
import { type ImportGraph, NOT_BELOW, type RolePlace } from "./roles/role_graph.ts";
import { findSpelled, type KnownDevices, readFence, readKnownDevices, readTakenNodeIds } from "./known.ts";
import { findRole, type PlanOptions, type RowCounts } from "./plan_parts.ts";
import type { DeviceRow, TableReader } from "./table_reader.ts";

/** A device to make: the first role gets it, the others monitor it, too. */
export interface PlannedDevice {
  readonly row: DeviceRow;
  readonly roles: readonly RolePlace[];
}

/** A role that is to monitor a device, which is there, from now on. */
export interface PlannedMonitors {
  readonly role: RolePlace;
  readonly deviceId: number;
}

/** What a file names of the database. */
export interface NamedDevices {
  readonly roles: ReadonlySet<number>;
  /** By the id of a device, the ids of the roles that are to monitor it. */
  readonly places: ReadonlyMap<number, ReadonlySet<number>>;
}

export interface PlannedDevices {
  readonly devices: PlannedDevice[];
  readonly changes: ImportedDeviceChange[];
  readonly monitors: PlannedMonitors[];
  readonly counts: RowCounts;
  readonly known: KnownDevices;
  readonly named: NamedDevices;
}

/** Compares the devices of a file. */
export async function planDevices(
  database: Database,
  tables: TableReader,
  graph: ImportGraph,
  options: PlanOptions & { readonly fenceId: number | undefined },
): Promise<PlannedDevices> {
  const { now, fenceId } = options;
  const known = await readKnownDevices(
    database,
    tables.devices.map(({ nodeId }) => nodeId),
    tables.devices.flatMap(({ externalId }) => externalId ?? []),
    now,
  );
  const devices = [...known.byNodeId.values(), ...[...known.byExternalId.values()].flat()];
  const fence = await readFence(database, fenceId, devices.flatMap(placesOf));
  const named = { roles: new Set<number>(), places: new Map<number, ReadonlySet<number>>() };
  const planned: PlannedDevices = {
    named,
    devices: [],
    changes: [],
    monitors: [],
    counts: { added: 0, changed: 0, unchanged: 0 },
    known,
  };
  let [changed, unchanged] = [0, 0];
  for (const row of tables.devices) {
    const roles = row.roles.map((reference) => findRole(tables, "devices", row.line, graph, reference));
    const places = roles.filter((role) => role !== undefined);
    if (places.length < roles.length) continue;
    const [first] = places;
    const root = first && Math.min(...graph.rootsOf(first));
    const existing = findDevice(row, places, root, known);
    const ids = places.flatMap((role) => "id" in role ? [role.id] : []);
    for (const id of ids) named.roles.add(id);
    if (typeof existing === "string") {
      tables.report("devices", row.line, existing);
      continue;
    }
    if (existing === undefined) {
      planned.devices.push({ row, roles: places });
      continue;
    }
    if (!placesOf(existing).some((id) => id === fenceId || fence.isBelow(id))) {
      tables.report("devices", row.line, `nodeId ${quote(row.nodeId)} is that of a device ${NOT_BELOW}`);
      continue;
    }
    named.places.set(existing.id, new Set(ids));
    const watching = JSON.parse(existing.roleIds) as number[];
    const further = places.filter((role) => !("id" in role && watching.includes(role.id)));
    planned.monitors.push(...further.map((role) => ({ role, deviceId: existing.id })));
    const properties = tables.hasProperties ? propertiesOf(row, existing) : existing.properties;
    const externalId = existing.externalId === null && row.externalId !== undefined
      ? canonicalText(row.externalId)
      : null;
    const differs = properties !== existing.properties || externalId !== null;
    if (differs) planned.changes.push([existing.id, properties, externalId, watching[0] ?? 0]);
    if (differs || further.length > 0) changed++;
    else unchanged++;
  }
  const taken = await readTakenNodeIds(
    database,
    planned.devices.flatMap(({ row, roles: [role] }) => {
      return spellingsOf(row.nodeId).map((nodeId) =>
        [nodeId, role && "id" in role ? role.id : null] as const
      );
    }),
    { now, trashMs: options.trashMs },
  );
  for (const { row: { line, nodeId } } of planned.devices) {
    if (!spellingsOf(nodeId).some((spelling) => taken.has(spelling))) continue;
    tables.report(
      "devices",
      line,
      `nodeId ${quote(trimBlanks(nodeId))} belongs to a device that is deleted or retired, and not free yet`,
    );
  }
  return { ...planned, counts: { added: planned.devices.length, changed, unchanged } };
}

/** The roles that monitor a device now or will; of a retired one, the last that did. */
function placesOf({ roleIds, lastRoleId }: KnownDevice): number[] {
  const watching = JSON.parse(roleIds) as number[];
  return watching.length > 0 || lastRoleId === null ? watching : [lastRoleId];
}

/** Returns the properties of a row. A device from before keeps the spelling of its nodeId. */
function propertiesOf({ properties }: DeviceRow, { nodeId }: KnownDevice): string {
  const given = parseJson(properties) as { readonly nodeId: string };
  return given.nodeId === nodeId ? properties : JSON.stringify({ ...given, nodeId });
}

/** Returns the device of a row, or why it cannot be that. `root`: below which its external id is unique. */
function findDevice(
  { nodeId, externalId }: DeviceRow,
  roles: readonly RolePlace[],
  root: number | undefined,
  { byNodeId, byExternalId }: KnownDevices,
): KnownDevice | string | undefined {
  const ofNodeId = findSpelled(byNodeId, nodeId);
  const ofExternalId = externalId === undefined
    ? undefined
    : spellingsOf(externalId).flatMap((spelling) => byExternalId.get(spelling) ?? [])
      .find((device) => device.externalRoot === root);
  if (ofExternalId !== undefined) {
    if (spellingsOf(nodeId).includes(ofExternalId.nodeId)) return ofExternalId;
    return `externalId ${quote(externalId ?? "")} is that of the device with nodeId ${
      quote(ofExternalId.nodeId)
    }: ` +
      "a nodeId does not change";
  }
  if (ofNodeId === undefined) return undefined;
  if (
    externalId !== undefined && ofNodeId.externalId !== null &&
    !spellingsOf(externalId).includes(ofNodeId.externalId)
  ) {
    return `nodeId ${quote(nodeId)} is that of a device with externalId ${quote(ofNodeId.externalId)}`;
  }
  const watching = JSON.parse(ofNodeId.roleIds) as number[];
  if (roles.some((role) => "id" in role && watching.includes(role.id))) return ofNodeId;
  return `nodeId ${quote(nodeId)} is that of a device of role #${
    watching[0]
  }: without a common externalId, an import ` +
    "does not give it to another role";
}
