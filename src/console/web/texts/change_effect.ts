import type { RightName } from "../../../graph/rights.ts";
import type { components } from "../openapi_types.ts";
import type { Isolated } from "./isolated.ts";
import type { Parts } from "./parts.ts";
import { type Counted, withMore } from "./plural.ts";

/** How many people gain or lose rights, and which. */
export interface Amount {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Undefined if it is not known. */
  readonly roles: number | undefined;
  /** How the numbers are to be read. */
  readonly bound: "exact" | "atMost" | "about";
}

/** The words around what gains and loses have in common. */
interface GainWords {
  readonly list: (rights: readonly RightName[]) => string;
  readonly roles: Counted;
  /** What precedes the people. */
  readonly who: Readonly<Record<Amount["bound"], string>>;
  /** What follows the rights, with the roles in place of "#". */
  readonly on: Readonly<Record<Amount["bound"] | "total", string>>;
}

/** Functions that make the sentences about those who gain and lose. */
export function gainsIn({ list, roles, who, on }: GainWords) {
  const rest = (amount: Amount): string => {
    const { rights, roles: n, bound } = amount;
    if (n === undefined) return ` ${list(rights)}.`;
    // Of several rights on several roles, the number is that of all together: not each right may be on each role.
    const isTotal = rights.length > 1 && n > 1 && bound === "exact";
    return ` ${list(rights)}${on[isTotal ? "total" : bound].replace("#", roles(n, bound === "about"))}`;
  };
  return {
    /** "7 people lose device management, on 4 roles." */
    ofMany: (does: Counted) => <T>(strong: (text: string) => T, amount: Amount): Parts<T> => [
      strong(who[amount.bound] + does(amount.people)),
      rest(amount),
    ],
    /** The same of one person. */
    ofOne: (does: string, mayDo: string) => <T>(name: T, amount: Amount): Parts<T> => [
      name,
      ` ${amount.bound === "exact" ? does : mayDo}${rest(amount)}`,
    ],
  };
}

/** What a list of readers is made of. */
interface ReaderWords {
  readonly roles: Counted;
  readonly moreRoles: Counted;
  readonly separator?: string;
  /** The people of these roles, in parentheses. */
  readonly upTo: Counted;
}

/** A function that lists roles that read more or less, by name where it is known, and their people. */
export function readersIn({ roles, moreRoles, separator = "; ", upTo }: ReaderWords) {
  return (names: readonly Isolated[], others: number, most: number): string => {
    const listed = withMore(names, others, names.length === 0 ? roles : moreRoles).join(separator);
    return most > 0 ? `${listed} (${upTo(most)})` : listed;
  };
}

/** A function that lists what is restored. */
export function restoredIn(
  list: (roles: number, devices: number, relations: number, memberships: number) => string,
) {
  return ({ roles, devices, relations, monitors, members }: components["schemas"]["Restored"]): string =>
    list(roles, devices, relations + monitors, members);
}

/** Tells how many more people there are, of whom the viewer may not see some. */
export function moreIn(more: Counted, allHidden: string, someHidden: (hidden: number) => string) {
  return (n: number, hidden: number): string =>
    more(n) + (hidden === 0 ? "" : hidden === n ? allHidden : someHidden(hidden));
}
