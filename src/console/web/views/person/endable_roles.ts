import { api, dataOf } from "../../api.ts";
import { me } from "../../me.ts";
import type { NamedRole } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import type { Pages } from "../../use_pages.ts";
import { hasGrants, type Membership } from "./lists.ts";

/** Maximum number of the viewer's roles that are compared. */
const COMPARED = 5;

interface EndableRoles {
  /** Roles at and below which the viewer may end access: their own, and those of the person. */
  readonly roles: readonly NamedRole[];
  /** The one to begin with: of the viewer's roles that with most of the person's at and below it. */
  readonly top: NamedRole | undefined;
  readonly isKnown: boolean;
}

/** Returns where the viewer may end the person's access. Empty until it is known, and if there is nothing to end. */
export function useEndableRoles(userId: number, { items, hasMore }: Pages<Membership>): EndableRoles {
  const own = (me.value?.memberOf ?? []).filter(({ rights }) => rights.userManagement)
    .map(({ roleId: id, name }) => ({ id, name }));
  const held = (items ?? []).flatMap(({ role }) => role ?? []);
  const compared = own.slice(0, COMPARED);
  const { data } = useLoad(
    `endable ${JSON.stringify(items && [hasMore, compared, held.map(({ id }) => id)])}`,
    async (signal) => {
      if (items === undefined) return undefined;
      if (items.length === 0 && !hasMore && await hasGrants(userId, signal) === false) {
        return { isNothing: true };
      }
      if (compared.length < 2 || held.length === 0) return { own: compared[0] };
      const counts = await Promise.all(compared.map(({ id }) => countAt(id, held, signal)));
      return { own: compared[counts.indexOf(Math.max(...counts))] };
    },
  );
  // What is known stays while it is loaded again, and so does a form that is open.
  if (data === undefined || data.isNothing) return { roles: [], top: undefined, isKnown: data !== undefined };
  const roles = [...new Map([...own, ...held].map((role) => [role.id, role])).values()];
  return { roles, top: data.own ?? roles[0], isKnown: true };
}

/** Counts the roles that are the one with the id, or below it. */
async function countAt(id: number, held: readonly NamedRole[], signal: AbortSignal): Promise<number> {
  const filter = { id: held.map((role) => role.id), ancestorRoleId: [id] };
  const { role } = await dataOf(api.POST("/v1/role/query", { body: { filter }, signal }));
  return new Set([...role.map((each) => each.id), ...filter.id.filter((each) => each === id)]).size;
}
