import { texts } from "../../language.ts";
import { query, readId } from "../../router.ts";
import { ChangeFrame, closeForm, useReturningFocus } from "../change/change_frame.tsx";
import type { WatchedDevice } from "./device.ts";
import { HandOverForm } from "./hand_over_form.tsx";
import { AttachForm, MonitorsForm } from "./monitors_forms.tsx";
import { PropertiesForm } from "./properties_form.tsx";

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
