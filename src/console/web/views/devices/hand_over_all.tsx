import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { ChangeFrame, closeForm } from "../change/change_frame.tsx";
import { loadDevicesOf } from "./device.ts";
import { HandOverForm } from "./hand_over_form.tsx";

/** The form that gives all devices of a role to another. */
export function HandOverAll({ role }: { readonly role: Role }) {
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
