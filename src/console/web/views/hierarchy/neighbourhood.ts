import type { components } from "../../openapi_types.ts";
import type { Manages, Role, Summary } from "../../schemas.ts";

type RoleAccess = components["schemas"]["RoleAccess"];

/** What is known of the roles around another, the focus. */
export interface Neighbourhood {
  readonly focusId: number;
  readonly roles: ReadonlyMap<number, Role>;
  /** Between any of these roles, and from others that are known by their ids alone. */
  readonly relations: readonly Manages[];
  /** How much is around each of the roles, also what is not known. */
  readonly summaries: ReadonlyMap<number, Summary>;
  /** The person whose rights are shown; undefined for whoever looks. */
  readonly person: Person | undefined;
}

/** Somebody else, as far as whoever looks may ask about them. */
export interface Person {
  readonly email: string;
  /** Where they have access. */
  readonly access: ReadonlyMap<number, RoleAccess>;
  /** The names of the roles whose members they are, of those that lead to the focus or are around it, by their ids. */
  readonly memberOf: ReadonlyMap<number, string>;
  /** Roles of which whoever looks is a direct member. */
  readonly ownRoleIds: ReadonlySet<number>;
}

/** A part of a neighbourhood, as it is loaded. */
export interface Part {
  readonly focusId: number;
  readonly roles: readonly Role[];
  readonly relations: readonly Manages[];
  readonly summaries: readonly Summary[];
  readonly person: Person | undefined;
}

/** Roles in one picture, at most: the layout of more takes too long to be looked at. */
export const MAX_ROLES = 150;

/** Puts the parts that were loaded so far together. */
export function joinParts(parts: readonly Part[]): Neighbourhood | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const relations = new Map(parts.flatMap((part) => part.relations).map((each) => [each.id, each]));
  return {
    focusId: first.focusId,
    roles: new Map(parts.flatMap(({ roles }) => roles).map((role) => [role.id, role])),
    relations: [...relations.values()],
    summaries: new Map(parts.flatMap(({ summaries }) => summaries).map((each) => [each.id, each])),
    person: joinPeople(parts.flatMap(({ person }) => person ?? [])),
  };
}

/** Puts together what the parts know of a person. */
function joinPeople(people: readonly Person[]): Person | undefined {
  const [first] = people;
  return first && {
    email: first.email,
    access: new Map(people.flatMap(({ access }) => [...access])),
    memberOf: new Map(people.flatMap(({ memberOf }) => [...memberOf])),
    ownRoleIds: new Set(people.flatMap(({ ownRoleIds }) => [...ownRoleIds])),
  };
}
