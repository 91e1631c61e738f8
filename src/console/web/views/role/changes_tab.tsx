import { texts } from "../../language.ts";
import { ChangeList } from "../changes/change_list.tsx";
import { NeedsNote } from "./needs_note.tsx";
import type { TabProps } from "./tab_props.ts";

/** The changes of the role, and refused ones. */
export function ChangesTab({ role, allowed }: TabProps) {
  const { needs } = texts.value.role.changes;
  return (
    <>
      {!allowed.mayManagePeople && <NeedsNote roleId={role.id} text={needs} />}
      <ChangeList roleId={role.id} />
    </>
  );
}
