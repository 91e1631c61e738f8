import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { withQuery } from "../../router.ts";
import { useKeptFocus } from "../../use_kept_focus.ts";
import { DeviceList, readFilter, useDevices } from "../devices/device_list.tsx";
import type { TabProps } from "./tab_props.ts";

/** The devices that the role monitors or, with `?below=1` in the address, also those of the roles below it. */
export function DevicesTab({ role, allowed }: TabProps) {
  const { create, handOver } = texts.value.deviceForms;
  const filter = { ...readFilter(), text: "", roleId: role.id };
  const pages = useDevices(filter);
  const mayManage = role.userRights.deviceManagement === true || allowed.mayChange;
  const hasOwn = pages.items?.some(({ relations }) => relations.some(({ roleId }) => roleId === role.id));
  // The devices that were handed over take the link that did it along.
  const actions = useKeptFocus<HTMLDivElement>();
  return (
    <>
      {mayManage && (
        <div ref={actions} class="list-actions">
          <Link to={withQuery({ do: "add-device" })} class="button">{create.open}</Link>
          {hasOwn && <Link to={withQuery({ do: "hand-over" })} class="button">{handOver.openAll}</Link>}
        </div>
      )}
      <DeviceList filter={filter} pages={pages} />
    </>
  );
}
