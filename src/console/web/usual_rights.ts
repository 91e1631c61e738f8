import { forEachRight, type RightName, type Rights } from "../../graph/rights.ts";
import { language, texts } from "./language.ts";
import { page } from "./page.ts";
import { ALL } from "./rights.ts";

/** A usual set of rights, named in the language of the page. */
interface UsualRights {
  readonly name: string;
  readonly rights: Rights;
}

/** Returns the usual sets of rights, the smallest first: those of the platform (`RIGHT_PRESETS`), else the console's. */
export function usualRights(): readonly UsualRights[] {
  if (page.rightPresets.length > 0) {
    return page.rightPresets.map(({ names, rights }) => ({
      name: names[language.value] ?? names[""] ?? "",
      rights,
    }));
  }
  const { reader, technician, manager, everything } = texts.value.change.giving.presets;
  return [
    { name: reader, rights: only("viewManagement") },
    { name: technician, rights: only("viewManagement", "deviceManagement", "alarmManagement") },
    { name: manager, rights: only("roleManagement", "userManagement", "viewManagement") },
    { name: everything, rights: ALL },
  ];
}

function only(...names: readonly RightName[]): Rights {
  return forEachRight((name) => names.includes(name));
}
