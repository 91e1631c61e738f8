import { loadRoles, MOST_IDS } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { loadDeviceNames } from "../../device_names.ts";
import { readersIn } from "./effect_notes.tsx";
import type { Previewed } from "./summary.ts";

/** The details of an effect, which has only ids. */
export interface EffectDetails {
  /** The roles in the effect that the viewer sees. */
  readonly roles: ReadonlyMap<number, Role>;
  /** The roles among the deleted nodes. */
  readonly deletedRoleIds: readonly number[];
  /** The names of the first deleted devices. */
  readonly deletedDevices: readonly string[];
}

/** Maximum number of deleted devices named. */
const NAMED_DEVICES = 5;

/** Loads the names of the roles and devices in an effect. */
export async function loadDetails(
  { effect, deletedNodeIds }: Previewed,
  signal: AbortSignal,
): Promise<EffectDetails> {
  const through = [...effect.named, ...effect.keeps].flatMap(({ on }) =>
    on.flatMap((each) => each.through[0] ?? [])
  );
  const [roles, devices] = await Promise.all([
    loadRoles(
      [...through, ...effect.unmanaged.slice(0, 3), ...readersIn(effect.reading), ...deletedNodeIds],
      signal,
    ),
    loadDeviceNames(
      effect.deletes.devices === 0 ? [] : deletedNodeIds.slice(0, MOST_IDS),
      signal,
      NAMED_DEVICES,
    ),
  ]);
  return {
    roles,
    deletedRoleIds: deletedNodeIds.filter((id) => roles.has(id)),
    deletedDevices: [...devices.values()],
  };
}
