import type { Role, Summary } from "../../schemas.ts";
import type { Allowed } from "./allowed.ts";

/** Props of the tabs beside a role's picture. */
export interface TabProps {
  readonly role: Role;
  readonly summary: Summary;
  readonly allowed: Allowed;
}
