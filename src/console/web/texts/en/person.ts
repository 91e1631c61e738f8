import type { Isolated } from "../isolated.ts";

export const PERSON = {
  id: (id: number): string => `Person ${id}`,
  you: "This is you.",
  left: (time: string | null): string =>
    `${
      time === null ? "No" : `Since ${time}, no`
    } access to roles that you manage. What this person gave may still stand: see below.`,
  reach: "What you reach",
  unknownTitle: "There is no one here whom you may see",
  unknownText:
    "You see the people who have access to roles whose members you manage. This person has none, or does not exist. Those who manage the members of other roles may see them.",
  log: "What they did",
  concerns: "What concerns them",
  draw: "Rights in the picture",
  endBelow: (role: Isolated): string => `End all access below ${role}…`,
  memberOf: "Member of",
  memberNone: "Of no role whose members you manage.",
  reaches: (roles: string): string => `reaches ${roles} below`,
  until: (end: string): string => `until ${end}`,
  change: "Change",
  changeOf: (role: Isolated): string => `Change the membership in ${role}`,
  removeOf: (role: Isolated): string => `Remove the membership in ${role}`,
  access: "What they reach",
  accessHint: "Of the roles whose members you manage.",
  accessNone: "No role whose members you manage.",
  find: "Find by a part of the name",
  findNone: "They reach no role with such a name.",
  keys: "Keys they made",
  keysNone: "None that you may see.",
  made: (date: string): string => `made ${date}`,
  ends: (date: string): string => `ends ${date}`,
  gave: "What they gave that still stands",
  gaveNone: "Nothing that you may see.",
  membership: <T>(person: T): readonly (T | string)[] => ["Membership of ", person],
  set: (date: string): string => `set ${date}`,
  relation: <T>(parent: T, child: T): readonly (T | string)[] => [parent, " manages ", child],
  latest: "Their latest changes",
  all: "All changes of theirs",
  under: "At and below which role",
};
