import { texts } from "../../language.ts";
import { ChangeList } from "../changes/change_list.tsx";
import type { TabProps } from "./tab_props.ts";

/** The changes of the role, and refused ones. */
export function ChangesTab({ role, allowed }: TabProps) {
  const { needs } = texts.value.role.changes;
  return (
    <>
      {!allowed.mayManagePeople && <p class="hint">{needs}</p>}
      <ChangeList roleId={role.id} />
    </>
  );
}
