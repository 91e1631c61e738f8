import type { Isolated } from "../isolated.ts";
import { countIn, type Forms } from "../plural.ts";

const count = countIn("en");
const lists = new Intl.ListFormat("en");
const DEVICES: Forms = { one: "device", other: "devices" };

/** A sentence with parts that are not plain text: names and times. */
type Parts<T> = readonly (string | T)[];

export const DEVICE_FORMS = {
  edit: "Change properties",
  handOver: {
    open: "Hand over",
    openAll: "Hand over all",
    title: <T>(device: T): Parts<T> => ["Hand over ", device],
    titleMany: (n: number): string => `Hand over ${count(n, DEVICES)}`,
    names: (names: readonly Isolated[]): string => `Together: ${lists.format(names)}.`,
    onlyFirst: (n: number): string =>
      `The role has more devices: these are the first ${n}. Hand over the others afterwards.`,
    to: "Who takes over",
    choose: "Choose the role that takes over.",
    newOwner: "The new owner has no role yet",
    at: "From",
    atHint: (zone: string): string => `In your time zone, ${zone}. Empty: now.`,
    now: "now",
    keeps: <T>(role: T, time: T | string): Parts<T> => [
      role,
      " keeps reading what was measured until ",
      time,
      ", and nothing later.",
    ],
    reads: <T>(role: T, time: T | string): Parts<T> => [role, " reads what is measured from ", time, " on."],
    stays: <T>(role: T, _time: T | string): Parts<T> => [role, " has it already, and goes on alone."],
    hidden: (n: number): string =>
      `${count(n, { one: "role", other: "roles" })} that you do not see will read nothing later, too.`,
    dropped: (n: number): string =>
      `${count(n, { one: "period", other: "periods" })} to come will be deleted.`,
    above: "Roles above one of them read what that one reads, and those above both read all of it.",
    othersKeep: "Roles that you do not see keep what they have.",
    whoHasAccess: <T>(role: T): Parts<T> => ["Who has access to ", role],
    submit: "Hand over",
    working: "Handing over…",
    workingAt: (n: number, all: number): string => `Handing over, ${n} of ${all}…`,
    done: (role: Isolated): string => `Handed over to ${role}.`,
    willFail: "These stay where they are:",
    failed: "These were not handed over:",
    forbidden:
      "You may not hand it over to this role. That takes device management on it, and on a role that has the device.",
  },
  attach: {
    open: "Let another role read it",
    title: <T>(device: T): Parts<T> => ["Let another role read ", device],
    role: "Role",
    choose: "Choose a role.",
    from: "From",
    until: "Until",
    emptyFrom: (zone: string): string =>
      `In your time zone, ${zone}. Empty: as far back as the role that gives it.`,
    emptyUntil: (zone: string): string =>
      `In your time zone, ${zone}. Empty: as long as the role that gives it.`,
    reads: <T>(role: T, period: T | string): Parts<T> => [role, " reads what is measured ", period, "."],
    present: "While that lasts, it sees the device, and its rights on devices hold for it.",
    submit: "Let it read",
    working: "Saving…",
    done: (role: Isolated): string => `${role} reads the device.`,
    forbidden:
      "You may not do that: one role of yours needs device management on this role, and on one that has the device.",
  },
  period: {
    open: "Period",
    openFor: (role: Isolated): string => `Period of ${role}`,
    title: <T>(role: T, device: T): Parts<T> => ["When ", role, " reads ", device],
    emptyFrom: (zone: string): string => `In your time zone, ${zone}. It cannot move back.`,
    emptyUntil: (zone: string): string => `In your time zone, ${zone}. Empty: without an end.`,
    unchanged: "Choose another time.",
    submit: "Change the period",
    done: "The period was changed.",
    forbidden: "You may not change that: it takes device management on the role.",
    from: <T>(from: T): Parts<T> => ["from ", from, " on"],
    until: <T>(until: T): Parts<T> => ["until ", until],
    both: <T>(from: T, until: T): Parts<T> => ["from ", from, " until ", until],
    always: "at any time",
  },
  detach: {
    open: "Detach it instead",
    back: "Change the period instead",
    title: <T>(device: T, role: T): Parts<T> => ["Detach ", device, " from ", role],
    loses: <T>(role: T): Parts<T> => [
      role,
      " no longer sees the device, nor what was measured in this period. To keep that, let the period end.",
    ],
    deletes:
      "No other role has it: the device is deleted, with all that it measured. The log can undo that for a while.",
    submit: "Detach",
    submitDelete: "Delete the device",
    working: "Detaching…",
    done: "The device was detached.",
    doneDeleted: "The device was deleted.",
  },
  properties: {
    title: <T>(device: T): Parts<T> => ["Properties of ", device],
    name: "Name",
    kind: "Kind",
    kinds: { text: "Text", number: "Number", flag: "Yes or no", json: "JSON" },
    value: "Value",
    remove: "Remove",
    removeOf: (name: Isolated): string => `Remove ${name}`,
    add: "Another property",
    removed: (names: readonly Isolated[]): string => `Removed when you save: ${lists.format(names)}.`,
    size: (bytes: string, most: string): string => `${bytes} of ${most} bytes.`,
    tooLarge: (bytes: string, most: string): string =>
      `The properties have ${bytes} bytes, and may have ${most}. Shorten or remove some.`,
    notNumber: "This is not a number.",
    lost: "This number has more digits than are kept: write it as a text.",
    notJson: "This is not JSON.",
    noName: "Give the property a name.",
    nameTaken: "There is a property with this name.",
    submit: "Save the properties",
    working: "Saving…",
    done: "The properties were changed.",
    modified:
      "Another user changed the device meanwhile. Their changes are shown now, and what you typed stays. Save again if that is right.",
    forbidden: "You may not change this device: that takes device management on a role that has it.",
  },
  create: {
    open: "Add a device",
    title: <T>(role: T): Parts<T> => ["A new device of ", role],
    nodeId: "Node ID",
    nodeIdHint: "The name under which it sends measurements: up to 128 characters, fixed for good.",
    nodeIdFault: "A node ID has 1 to 128 characters, in one line.",
    submit: "Add the device",
    working: "Adding…",
    done: (name: Isolated): string => `${name} was added.`,
    taken: "Another device has this node ID, or had it until recently.",
    full: "No more devices fit below the topmost role.",
    forbidden: "You may not add devices here: that takes device management on the role.",
  },
  choices: {
    now: "Now",
    today: "Start of today",
    tomorrow: "Start of tomorrow",
    nextMonth: "Next month",
    none: "None",
  },
  refusals: {
    cannotEnd: (n: number): string =>
      n === 1
        ? "Another role has it, too, and you may not take it from there. Ask those who manage that role."
        : `${
          count(n, { one: "other role has", other: "other roles have" })
        } it, too, and you may not take it from there. Ask those who manage them.`,
    tooMany: "As many roles have this device as may have it.",
    outside: "You can give the device only for a time in which a role of yours has it.",
    beginsEarlier: "A period cannot begin earlier than before.",
    isEmpty: "The period would end before it begins.",
  },
};
