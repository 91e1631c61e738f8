import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import type { Summary } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { loadDevices, type WatchedDevice } from "../devices/device.ts";
import { EndedDevices } from "../devices/ended_devices.tsx";
import { House } from "./house.tsx";
import { RolesBelow } from "./roles_below.tsx";
import { Viewers } from "./viewers.tsx";

/** Up to so many devices and roles, the devices are shown one by one; with more, the roles. */
const FEW_DEVICES = 12;
const FEW_ROLES = 6;

/** Whether to show devices one by one. `below`: the number of roles around them. */
export function areFew(devices: readonly WatchedDevice[], hasMore: boolean, below: number): boolean {
  return !hasMore && devices.length > 0 && devices.length <= FEW_DEVICES && below <= FEW_ROLES;
}

interface AtRoleProps {
  readonly roleId: number;
  readonly summary: Summary;
}

/** What people come to a role for: the latest of its devices and of those below, or the roles there; who else sees it. */
export function AtRole({ roleId, summary }: AtRoleProps) {
  const { data, problem } = useLoad(
    `devices at ${roleId}`,
    (signal) => loadDevices({ roleId, isBelow: true }, {}, signal),
  );
  return (
    <div class="at-role">
      {data === undefined
        ? <LoadingNote problem={problem} />
        : areFew(data.items, typeof data.next === "string", summary.descendants)
        ? <House devices={data.items} titleId={roleId} />
        : (
          <>
            {summary.descendants > 0
              ? <RolesBelow own={{ roleId, summary }} />
              : <p class="hint">{texts.value.devices.noneOfRole}</p>}
            <Viewers roleId={roleId} isBelow />
          </>
        )}
      <EndedDevices filter={{ roleId, isBelow: true }} />
    </div>
  );
}
