import type { RightName } from "../../../../graph/rights.ts";
import type { Isolated } from "../isolated.ts";
import { withMore } from "../plural.ts";
import { CHANGE_EFFECT } from "./change_effect.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles } from "./words.ts";

export const CHANGE = {
  gone: "It is not there any more. Another person may have changed it.",
  back: "Back to the role",
  unknown: "The address does not say what to change.",
  hiddenRole: "(a role that you may not see)",
  nothing: "No one gains or loses a right.",

  effect: CHANGE_EFFECT,

  giving: {
    presets: { reader: "Views only", technician: "Technician", manager: "Manager", everything: "Everything" },
    mask: (rights: readonly RightName[]): string =>
      `You cannot give ${list(rights)}: your own membership does not carry ${
        rights.length === 1 ? "it" : "them"
      }.`,
    onlyTake:
      "You can only take rights away here: to add one, you need role management on both roles, through the same membership.",
    needed: "A new role needs a manager, so the relation always carries role management.",
  },

  problems: {
    cycle: "That would close a circle: the role that would be above is already below the other one.",
    unmanaged:
      "Then no role would manage this one any more. Leave role management on the relation, or first add another parent that has it.",
    /** Of a deletion: roles that it does not delete. */
    unmanagedRoles: (names: readonly Isolated[], more: number): string =>
      `No role would manage ${
        lists.format(withMore(names, more, moreRoles))
      } any more. First put another role with role management above.`,
    lastMember:
      "This is the last member who can manage this topmost role for good. Invite another person for good first.",
    externalIdTaken: "Another role below the same topmost role has this ID already. Choose a different one.",
    tooLarge:
      "This concerns more roles than the service changes at once. Change smaller parts below, one by one.",
    invitations: (time: string): string =>
      `You can invite up to 50 people a day, and looking at what an invitation does counts, too. The next one is possible in ${time}.`,
    moved: "Meanwhile, another person changed something, so nothing was done here. Look at it again.",
    session: "Your session had ended, so nothing was done. Try again.",
    busy:
      "The service was busy, and it is not certain that this was done. Try again: it is never done twice.",
  },

  ...CHANGE_ROLES,
  ...CHANGE_PEOPLE,
};
