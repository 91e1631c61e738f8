import type { components } from "./openapi_types.ts";

/** What several views show of the interface. */

export type Role = components["schemas"]["Role"];
/** A relation: that a role manages another. */
export type Manages = components["schemas"]["Manages"];
/** How much is around a role. */
export type Summary = components["schemas"]["RoleSummary"];
/** A membership: that a person is a member of a role. */
export type Member = components["schemas"]["Member"];
