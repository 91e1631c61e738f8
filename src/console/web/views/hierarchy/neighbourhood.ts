import type { components } from "../../openapi_types.ts";
import type { Standing } from "../../picture/standing.ts";
import type { Manages, Role, Summary } from "../../schemas.ts";

type Around = components["schemas"]["Neighbourhood"];
type RoleAccess = components["schemas"]["RoleAccess"];

/** What is known of the roles around another, the focus. */
export interface Neighbourhood {
  readonly focusId: number;
  readonly roles: ReadonlyMap<number, Role>;
  /** Between any of these roles, and from others that are known by their ids alone. */
  readonly relations: readonly Manages[];
  /** How much is around each of the roles, also what is not known. */
  readonly summaries: ReadonlyMap<number, Summary>;
  /** The roles of which the viewer is a direct member. */
  readonly memberOf: ReadonlySet<number>;
  /** The person whose rights are shown; undefined for the viewer. */
  readonly person: Person | undefined;
}

/** Another person, as far as the viewer may ask about them. */
export interface Person {
  /** Where they have access. */
  readonly access: ReadonlyMap<number, RoleAccess>;
  /** The names of the roles of which they are a direct member, by their ids. */
  readonly memberOf: ReadonlyMap<number, string>;
  /** The roles about which the viewer may ask. */
  readonly mayAsk: ReadonlySet<number>;
}

/** A part of a neighbourhood, as it is loaded: the same roles above in each, and a page of the children. */
export interface Part extends Pick<Around, "manages" | "summary" | "memberOf" | "person"> {
  readonly focusId: number;
  readonly roles: readonly Role[];
}

/** Roles in one picture, at most: the layout of more takes too long to be looked at. */
export const MAX_ROLES = 150;

/** Puts the parts that were loaded so far together. */
export function joinParts(parts: readonly Part[]): Neighbourhood | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const roles = byId(parts.flatMap((part) => part.roles));
  return {
    focusId: first.focusId,
    roles,
    relations: [...byId(parts.flatMap(({ manages }) => manages)).values()],
    summaries: byId(parts.flatMap(({ summary }) => summary)),
    memberOf: new Set(parts.flatMap(({ memberOf }) => memberOf)),
    person: first.person && joinPeople(parts.flatMap(({ person }) => person ?? []), roles),
  };
}

/** Puts together what the parts know of a person. */
function joinPeople(
  people: readonly NonNullable<Part["person"]>[],
  roles: ReadonlyMap<number, Role>,
): Person {
  const memberOf = people.flatMap((person) => person.memberOf);
  return {
    access: new Map(people.flatMap(({ access }) => access.map((each) => [each.roleId, each]))),
    memberOf: new Map(memberOf.map((id) => [id, roles.get(id)?.name ?? ""])),
    mayAsk: new Set(people.flatMap(({ mayAsk }) => mayAsk)),
  };
}

function byId<T extends { readonly id: number }>(list: readonly T[]): Map<number, T> {
  return new Map(list.map((each) => [each.id, each]));
}

/** What the person whose picture it is may do on a role. */
export function standingOn(
  { id, userRights }: Role,
  { person }: Pick<Neighbourhood, "person">,
): Standing {
  if (person === undefined) return userRights;
  return person.access.get(id)?.rights ?? (person.mayAsk.has(id) ? "none" : "unknown");
}
