import { DeviceList } from "../devices/device_list.tsx";
import type { TabProps } from "./tab_props.ts";

/** The devices that the role monitors. */
export function DevicesTab({ role }: TabProps) {
  return <DeviceList roleId={role.id} text={undefined} />;
}
