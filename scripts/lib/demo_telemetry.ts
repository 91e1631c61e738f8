import type { AppDeps } from "../../src/app.ts";
import type { Actor } from "../../src/core/actor.ts";
import { AppError } from "../../src/core/errors.ts";
import { createDevice } from "../../src/device/device_service.ts";
import { listDevices, listMonitors } from "../../src/lists/device_listing_service.ts";
import { putMonitors } from "../../src/device/monitors_service.ts";
import type { Namespace, SeriesWrite } from "../../src/telemetry/points/point.ts";
import { type EnergySite, type EnergyStep, energyYear } from "./demo_energy.ts";

/** Namespace of the demo's points. Platforms use this retention policy for values by the minute. */
const DEMO_NAMESPACE: Namespace = { database: "lumenveld", retentionPolicy: "rp_one_m" };
const DEMO_MEASUREMENT = "energy";

/** Integrations for Home Assistant recognize fields by these names and their units. */
const POWER = "actualPowerTot_W";
const CHARGE = "stateOfCharge_frac";
/** What people read in place of these names. */
const NAMES: Readonly<Record<string, string>> = { [POWER]: "Power", [CHARGE]: "State of charge" };
const WATTS_PER_KILOWATT = 1000;

interface DemoSite extends EnergySite {
  /** Name of the role that monitors its devices. */
  readonly role: string;
  /** Name of the role that monitored them until the site was sold. */
  readonly soldBy?: string;
  /** Prefix of the nodeIds of its devices. */
  readonly key: string;
}

/** A device of every site, and its fields. */
interface DemoDevice {
  readonly nodeType: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, (step: EnergyStep) => number>>;
}

const DEVICES: readonly DemoDevice[] = [
  { nodeType: "meter", name: "House meter", fields: { [POWER]: (step) => toWatts(step.load) } },
  { nodeType: "inverter", name: "Solar inverter", fields: { [POWER]: (step) => toWatts(step.solar) } },
  {
    nodeType: "battery",
    name: "Home battery",
    fields: { [POWER]: (step) => toWatts(step.battery), [CHARGE]: (step) => toFraction(step.charge) },
  },
];

const SITES: readonly DemoSite[] = [
  { role: "Kerkstraat 3, Groningen", key: "groningen-3", peak: 5.2, capacity: 9.6, meanLoad: 0.42, seed: 11 },
  {
    role: "Bergstraße 23, Hamburg",
    soldBy: "Haushalt Weber",
    key: "hamburg-23",
    peak: 7.8,
    capacity: 12,
    meanLoad: 0.55,
    seed: 23,
  },
];

/** Points per write: a file database blocks the process while one runs. */
const STEPS_AT_ONCE = 5000;
const NANOSECONDS_PER_MS = 1_000_000n;

/** How long ago a site was sold. */
const SOLD_MS = 120 * 86_400_000;

/** Number of steps reported by `makeDemoTelemetry`. */
export const DEMO_TELEMETRY_STEPS = SITES.length * DEVICES.length;

/** Adds devices to some sites, with the energy data of the past year. */
export async function makeDemoTelemetry(
  deps: Pick<AppDeps, "database" | "clock" | "secrets" | "storeLimits" | "telemetryStore">,
  actor: Actor,
  roleIds: ReadonlyMap<string, number>,
  onProgress: () => void,
): Promise<void> {
  for (const site of SITES) {
    const roleId = roleIds.get(site.role);
    if (roleId === undefined) throw new RangeError(`The demo organization has no role "${site.role}"`);
    const year = [...energyYear(site, deps.clock())];
    const soldBy = site.soldBy === undefined ? undefined : roleIds.get(site.soldBy);
    const sellerId = soldBy === roleId ? undefined : soldBy;
    for (const device of DEVICES) {
      const nodeId = `${site.key}-${device.nodeType}`;
      const deviceId = await addDevice(deps, actor, { roleId: sellerId ?? roleId, nodeId, device });
      // An interrupted run sold it already, and wrote its points before.
      if (deviceId === undefined) {
        onProgress();
        continue;
      }
      for (let at = 0; at < year.length; at += STEPS_AT_ONCE) {
        const series = toSeries(nodeId, device, year.slice(at, at + STEPS_AT_ONCE));
        await deps.telemetryStore.write(actor, DEMO_NAMESPACE, series);
      }
      if (sellerId !== undefined) {
        const soldAt = deps.clock() - SOLD_MS;
        await putMonitors(deps, actor, { roleId, deviceId, from: soldAt });
        await putMonitors(deps, actor, { roleId: sellerId, deviceId, until: soldAt });
      }
      onProgress();
    }
  }
}

type DeviceCreationDeps = Pick<AppDeps, "database" | "clock" | "secrets" | "storeLimits">;

/** Creates a device, unless an interrupted run did. Returns its id, or undefined if that run also sold it. */
async function addDevice(
  deps: DeviceCreationDeps,
  actor: Actor,
  { roleId, nodeId, device }: { roleId: number; nodeId: string; device: DemoDevice },
): Promise<number | undefined> {
  const { nodeType, name, fields } = device;
  const names = Object.fromEntries(Object.keys(fields).map((field) => [field, NAMES[field]]));
  const nodeInfluxSeries = [
    {
      ...DEMO_NAMESPACE,
      measurement: DEMO_MEASUREMENT,
      fields: Object.keys(fields),
      names,
      tags: { nodeId },
    },
  ];
  const properties = { nodeId, name, nodeType, nodeInfluxSeries };
  try {
    return (await createDevice(deps, actor, { roleId, device: { properties } })).device.id ?? undefined;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "NODE_ID_TAKEN")) throw error;
  }
  const page = { afterId: -1, limit: 100 };
  const [made] = (await listDevices(deps, actor, { nodeId: [nodeId] }, page)).rows;
  const relations = made === undefined
    ? []
    : (await listMonitors(deps, actor, "*", { deviceId: [made.id] }, page)).rows;
  return relations.some(({ until }) => until !== undefined) ? undefined : made?.id;
}

function toWatts(kilowatts: number): number {
  return Math.round(kilowatts * WATTS_PER_KILOWATT);
}

/** Returns a fraction with five digits after the point, since percentages have three. */
function toFraction(percent: number): number {
  return Number((percent / 100).toFixed(5));
}

function toSeries(nodeId: string, { fields }: DemoDevice, steps: readonly EnergyStep[]): SeriesWrite[] {
  return Object.entries(fields).map(([field, valueOf]) => ({
    nodeId,
    measurement: DEMO_MEASUREMENT,
    tags: JSON.stringify({ nodeId }),
    field,
    kind: "number",
    line: 1,
    values: new Map(
      steps.map((step) => [BigInt(step.time) * NANOSECONDS_PER_MS, String(valueOf(step))]),
    ),
  }));
}
