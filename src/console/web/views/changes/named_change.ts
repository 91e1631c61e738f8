import { loadRoles } from "../../roles.ts";
import { loadDeviceNames } from "../../device_names.ts";
import type { Change } from "./kinds.ts";
import { queryChanges } from "../../ask_lists.ts";

/** A change with what there is of its subjects now. */
export interface NamedChange extends Change {
  /** The ids of those of its roles that still exist. */
  readonly existing: readonly number[];
  /** The current name of its device. */
  readonly deviceName: string | undefined;
}

/** Loads the change of a revision; undefined if the viewer does not see it. */
export async function loadChange(revision: number, signal: AbortSignal): Promise<NamedChange | undefined> {
  const { change } = await queryChanges({ after: revision - 1, limit: 1 }, signal);
  return (await addNames(change.filter((each) => each.revision === revision), signal))[0];
}

/** An id that no device has. */
const NONE = 0;

/** Adds what there is now. */
export async function addNames(changes: readonly Change[], signal: AbortSignal): Promise<NamedChange[]> {
  const [roles, devices] = await Promise.all([
    loadRoles(changes.flatMap(rolesOf), signal),
    loadDeviceNames(changes.flatMap(({ deviceId }) => deviceId ?? []), signal),
  ]);
  return changes.map((change) => ({
    ...change,
    existing: rolesOf(change).filter((id) => roles.has(id)),
    deviceName: devices.get(change.deviceId ?? NONE),
  }));
}

function rolesOf({ roleId, parentRoleId, viaRoleId }: Change): number[] {
  return [roleId, parentRoleId, viaRoleId].filter((id) => id !== null);
}

/** Returns the revisions in which some of these changes undo others, by those. */
export function findUndone(changes: readonly NamedChange[] = []): ReadonlyMap<number | null, number> {
  return new Map(
    changes.map(({ undoes, decision, revision }) => [decision === "ok" ? undoes : null, revision]),
  );
}
