import { countIn, type Forms } from "../plural.ts";

const count = countIn("en");

function some(n: number, forms: Forms, isMore: boolean): string {
  return `${isMore ? "more than " : ""}${count(n, forms)}`;
}

export const HOME = {
  title: "Home",
  roles: (n: number): string => count(n, { one: "role of yours", other: "roles of yours" }),
  /** `end`: "Friday 18:00". */
  yours: (end: string): string => `Yours until ${end}`,
  until: (end: string): string => `until ${end}`,
  below: (n: number): string => `${count(n, { one: "role", other: "roles" })} below`,
  picture: "Show the hierarchy around it",
  at: (time: string): string => `At ${time}`,
  lastAt: (time: string): string => `Last value ${time}`,
  /** `time`: "3 hours". */
  noDataFor: (time: string): string => `No data for ${time}`,
  noData: "No values yet",
  viewers: "Who else can see this",
  people: (n: number, isPart: boolean): string => count(n, { one: "person", other: "people" }, isPart),
  allViewers: "Everyone, and what they may do",
  find: "Find a role below",
  needsLook: "Without data for over an hour",
  nothingBelow: "There is nothing below this role yet.",
  noneFound: "No role below has this in its name.",
  devices: (n: number, hasMore: boolean): string =>
    n === 0 ? "no devices" : some(n, { one: "device", other: "devices" }, hasMore),
  /** `isMore`: there are more than were counted. */
  attention: {
    title: "Needs attention",
    waiting: (n: number, isMore: boolean): string =>
      some(n, { one: "invitation waits", other: "invitations wait" }, isMore),
    ending: (n: number, isMore: boolean): string =>
      `${some(n, { one: "membership ends", other: "memberships end" }, isMore)} within 7 days`,
    keys: (n: number, isMore: boolean): string =>
      `${some(n, { one: "key of yours expires", other: "keys of yours expire" }, isMore)} within 7 days`,
    refused: (n: number, isMore: boolean): string =>
      `${some(n, { one: "change was", other: "changes were" }, isMore)} refused today`,
  },
};
