import { people, plural, pluralOver, roles } from "./words.ts";

export const HOME = {
  roles: plural("# [role|roles] of yours"),
  /** `end`: "Friday 18:00". */
  yours: (end: string): string => `Yours until ${end}`,
  until: (end: string): string => `until ${end}`,
  below: (n: number): string => `${roles(n)} below`,
  picture: "Show the hierarchy around it",
  at: (time: string): string => `At ${time}`,
  lastAt: (time: string): string => `Last value ${time}`,
  /** `time`: "3 hours". */
  noDataFor: (time: string): string => `No data for ${time}`,
  noData: "No values yet",
  viewers: "Who else can see this",
  people: people,
  allViewers: "Everyone, and what they may do",
  find: "Find a role below",
  needsLook: "Without data for over an hour",
  nothingBelow: "There is nothing below this role yet.",
  noneFound: "No role below has this in its name.",
  devices: pluralOver("# [device|devices]", "no devices"),
  /** `isMore`: there are more than were counted. */
  attention: {
    title: "Needs attention",
    waiting: pluralOver("# [invitation waits|invitations wait]"),
    ending: pluralOver("# [membership ends|memberships end] within 7 days"),
    keys: pluralOver("# [key of yours expires|keys of yours expire] within 7 days"),
    refused: pluralOver("# [change was|changes were] refused today"),
  },
};
