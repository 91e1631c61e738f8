import type { components } from "./openapi_types.ts";

/** Types of the interface that several views share. */

export type Role = components["schemas"]["Role"];
/** A role by its id and name alone. */
export type NamedRole = components["schemas"]["NamedRole"];
/** A relation: a role manages another. */
export type Manages = components["schemas"]["Manages"];
/** The number of a role's neighbours. */
export type Summary = components["schemas"]["RoleSummary"];
/** A membership of a person in a role. */
export type Member = components["schemas"]["Member"];
/** What a role demands of the sessions of its members. */
export type Policy = components["schemas"]["AuthenticationPolicy"];
export type Demand = Policy["secondFactor"];
/** What a session may lack. */
export type Needs = Exclude<Demand, "none">;
