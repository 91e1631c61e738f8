import { useSignal } from "@preact/signals";
import { LoadingNote } from "../../components/loading_note.tsx";
import { texts } from "../../language.ts";
import type { Role } from "../../schemas.ts";
import type { PageStart } from "../../use_pages.ts";
import { useLoad } from "../../use_load.ts";
import { ChangeFrame, closeForm } from "../change/change_frame.tsx";
import { loadDevicesOf } from "./device.ts";
import { HandOverForm } from "./hand_over_form.tsx";

/** The form that gives all devices of a role to another: as many as one change may have, and then the others. */
export function HandOverAll({ role }: { readonly role: Role }) {
  const start = useSignal<PageStart>({});
  const { data, problem, reload } = useLoad(
    `devices of ${role.id} ${start.value.cursor}`,
    async (signal) => ({
      from: start.value,
      ...await loadDevicesOf(role.id, start.value, signal),
    }),
  );
  if (data === undefined) return <LoadingNote problem={problem} />;
  const { items, next: cursor, rest, from } = data;
  // The form stays, with the role that takes over and what failed.
  const loading = from === start.value ? undefined : <LoadingNote problem={problem} onAgain={reload} />;
  if (items.length === 0) {
    const { cancel, devices, deviceForms } = texts.value;
    return (
      <ChangeFrame title={deviceForms.handOver.openAll}>
        <p class="hint">{devices.noneOfRole}</p>
        <button type="button" onClick={closeForm}>{cancel}</button>
      </ChangeFrame>
    );
  }
  const goOn = typeof cursor === "string" ? () => void (start.value = { cursor }) : undefined;
  return <HandOverForm of={role.name} devices={items} rest={rest} onGoOn={goOn} loading={loading} />;
}
