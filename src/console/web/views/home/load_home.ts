import type { Account } from "../../me.ts";
import { loadSummaries } from "../../roles.ts";
import type { Summary } from "../../schemas.ts";
import { loadDevices, type WatchedDevice } from "../devices/device.ts";

/** A role of which the viewer is a direct member. */
export type OwnRole = Account["memberOf"][number] & {
  /** What is around it; undefined if it went away meanwhile. */
  readonly summary: Summary | undefined;
};

/** What the viewer has. */
export interface Home {
  /** By name. */
  readonly roles: readonly OwnRole[];
  /** The first visible devices. */
  readonly devices: readonly WatchedDevice[];
  readonly hasMoreDevices: boolean;
}

/** Loads what is around the viewer's roles, and the first devices that they see. */
export async function loadHome(memberOf: Account["memberOf"], signal: AbortSignal): Promise<Home> {
  const [summaries, devices] = await Promise.all([
    loadSummaries(memberOf.map(({ roleId }) => roleId), signal),
    loadDevices({}, {}, signal),
  ]);
  return {
    roles: memberOf
      .map((each) => ({ ...each, summary: summaries.get(each.roleId) }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    devices: devices.items,
    hasMoreDevices: typeof devices.next === "string",
  };
}
