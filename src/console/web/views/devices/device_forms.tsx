import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import { query, readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { ChangeFrame, closeForm, useReturningFocus } from "../change/change_frame.tsx";
import { ChangePanel } from "../change/change_panel.tsx";
import { loadDevicesOf, type WatchedDevice } from "./device.ts";
import { HandOverForm } from "./hand_over_form.tsx";
import { AttachForm, MonitorsForm } from "./monitors_forms.tsx";
import { NewDeviceForm, PropertiesForm } from "./properties_form.tsx";

/** The form in the address of a device: `?do=hand-over`, `attach`, `properties`, or `relation&relation=12`. */
export function DeviceForm({ watched }: { readonly watched: WatchedDevice }) {
  useReturningFocus();
  const asked = query.value.get("do");
  const relationId = readId(query.value.get("relation"));
  const relation = watched.relations.find(({ id }) => id === relationId);
  const role = watched.roles.find(({ id }) => id === relation?.roleId);
  if (asked === "hand-over") return <HandOverForm devices={[watched]} />;
  if (asked === "attach") return <AttachForm watched={watched} />;
  if (asked === "properties") return <PropertiesForm watched={watched} />;
  if (asked === "relation" && relation !== undefined && role !== undefined) {
    return <MonitorsForm key={query.value.get("how")} watched={watched} relation={relation} role={role} />;
  }
  return (
    <ChangeFrame title={texts.value.change.unknown}>
      <button type="button" onClick={closeForm}>{texts.value.cancel}</button>
    </ChangeFrame>
  );
}

/** The form in the address of a role, about its devices (`?do=add-device` or `hand-over`) or itself. */
export function RoleForm({ role }: { readonly role: Role }) {
  const asksForDevices = ["add-device", "hand-over"].includes(query.value.get("do") ?? "");
  return asksForDevices ? <RoleDeviceForm role={role} /> : <ChangePanel role={role} />;
}

function RoleDeviceForm({ role }: { readonly role: Role }) {
  useReturningFocus();
  return query.value.get("do") === "add-device"
    ? <NewDeviceForm key={role.id} role={role} />
    : <HandOverAll key={role.id} role={role} />;
}

function HandOverAll({ role }: { readonly role: Role }) {
  const { data, problem } = useLoad(`devices of ${role.id}`, (signal) => loadDevicesOf(role.id, signal));
  if (data === undefined) return <LoadingNote problem={problem} />;
  if (data.devices.length === 0) {
    const { cancel, devices, deviceForms } = texts.value;
    return (
      <ChangeFrame title={deviceForms.handOver.openAll}>
        <p class="hint">{devices.noneOfRole}</p>
        <button type="button" onClick={closeForm}>{cancel}</button>
      </ChangeFrame>
    );
  }
  return <HandOverForm {...data} />;
}
