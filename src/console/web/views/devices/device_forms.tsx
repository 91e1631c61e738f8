import type { FunctionComponent } from "preact";
import { texts } from "../../language.ts";
import { query, readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { ChangeFrame, closeForm, useReturningFocus } from "../change/change_frame.tsx";
import type { WatchedDevice } from "./device.ts";
import { ChangePanel } from "../change/change_panel.tsx";
import { HandOverAll } from "./hand_over_all.tsx";
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

/** The forms in the address of a role that are about its devices. */
const OF_ROLE: Readonly<Record<string, FunctionComponent<{ readonly role: Role }>>> = {
  "add-device": NewDeviceForm,
  "hand-over": HandOverAll,
};

/** The form in the address of a role, about its devices or itself. */
export function RoleForm({ role }: { readonly role: Role }) {
  const asked = query.value.get("do") ?? "";
  const Form = Object.hasOwn(OF_ROLE, asked) ? OF_ROLE[asked] : undefined;
  return Form === undefined ? <ChangePanel role={role} /> : <DevicesOfRole role={role} Form={Form} />;
}

function DevicesOfRole(
  { role, Form }: { readonly role: Role; readonly Form: FunctionComponent<{ readonly role: Role }> },
) {
  useReturningFocus();
  return <Form key={role.id} role={role} />;
}
