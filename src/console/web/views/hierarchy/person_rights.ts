import type { Standing } from "../../picture/standing.ts";
import type { Role } from "../../schemas.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

/** What the person whose picture it is may do on a role. */
export function standingOn(role: Role, { person }: Pick<Neighbourhood, "person">): Standing {
  if (person === undefined) return role.userRights;
  return person.access.get(role.id)?.rights ?? (mayAsk(role, person.ownRoleIds) ? "none" : "unknown");
}

/**
 * Whether whoever looks may ask what others may do on a role. That takes user management, or role management from a role
 * above: direct members may have it on their role by `selfRights` alone.
 */
function mayAsk({ id, userRights }: Role, ownRoleIds: ReadonlySet<number>): boolean {
  return userRights.userManagement === true || (userRights.roleManagement === true && !ownRoleIds.has(id));
}
