import type { Isolated } from "../isolated.ts";
import { plural } from "./words.ts";

export const FIND = {
  hint: "Role, person, device, page or action",
  kinds: {
    mine: "Your role",
    recent: "Recent",
    role: "Role",
    person: "Person",
    device: "Device",
    page: "Page",
    action: "Action",
  },
  /** `names`: the roles that manage a role. */
  below: (names: readonly Isolated[]): string => `below ${names.join(", ")}`,
  more: { role: "More roles", person: "More people", device: "More devices" },
  hits: plural("# [hit|hits]"),
  none: "Nothing that you may see is called that. People are found by their email address.",
  noRole: "No role that you may see is called that.",
  beginning: "Only what begins like that is shown.",
  short: "Only what begins like that is shown. From three characters on, any part of a name is found.",
  others: "There are more. Type more of the name.",
  actions: {
    invite: "Invite a person to {role}",
    inviteMany: "Invite several people to {role}",
    create: "New role below {role}",
    why: "Why: a person’s rights on {role}",
    people: "People with access to {role}",
    devices: "Devices of {role}",
    addDevice: "Add a device to {role}",
    handOver: "Hand over the devices of {role}",
    edit: "Change name and rights of {role}",
    move: "Move {role} elsewhere",
    delete: "Delete {role}",
  },
  keys: {
    title: "Keys",
    /** What the keyboards of the language call these keys. */
    names: "Ctrl Home End Enter Esc",
    find: "Find a role, person, device, page or action",
    show: "Show these keys",
    move: "In a picture: to the next box in that direction. In a list of hits: up and down",
    menu: "In a picture: what you may do with the role in view",
    ends: "In a list of hits: to the first or the last",
    open: "Open it, or do it",
    undo: "Undo the change that a notice tells of",
    leave: "Close a window or a notice, or leave a form",
  },
};
