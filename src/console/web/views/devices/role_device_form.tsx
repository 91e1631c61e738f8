import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import { query } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { ChangeFrame, closeForm, useReturningFocus } from "../change/change_frame.tsx";
import { loadDevicesOf } from "./device.ts";
import { HandOverForm } from "./hand_over_form.tsx";
import { NewDeviceForm } from "./properties_form.tsx";

/** Whether the address asks for a form about the devices of a role: `?do=add-device` or `hand-over`. */
export function asksForDeviceForm(): boolean {
  return ["add-device", "hand-over"].includes(query.value.get("do") ?? "");
}

/** That form. */
export function RoleDeviceForm({ role }: { readonly role: Role }) {
  useReturningFocus();
  return query.value.get("do") === "add-device"
    ? <NewDeviceForm key={role.id} role={role} />
    : <HandOverAll key={role.id} role={role} />;
}

function HandOverAll({ role }: { readonly role: Role }) {
  const { state } = useLoad(`devices of ${role.id}`, (signal) => loadDevicesOf(role.id, signal));
  const { data, problem } = state.value;
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
