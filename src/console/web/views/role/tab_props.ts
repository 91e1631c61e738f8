import type { Role, Summary } from "../../schemas.ts";
import type { Allowed } from "./allowed.ts";

/** What each tab beside the picture of a role is given. */
export interface TabProps {
  readonly role: Role;
  readonly summary: Summary;
  readonly allowed: Allowed;
}
