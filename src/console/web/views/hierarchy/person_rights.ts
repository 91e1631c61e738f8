import type { Standing } from "../../picture/standing.ts";
import type { Role } from "../../schemas.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

/** What the person whose picture it is may do on a role. */
export function standingOn(
  { id, userRights }: Role,
  { person }: Pick<Neighbourhood, "person">,
): Standing {
  if (person === undefined) return userRights;
  return person.access.get(id)?.rights ?? (person.mayAsk.has(id) ? "none" : "unknown");
}
