import { forEachRight, type Rights } from "../../../../graph/rights.ts";
import { me } from "../../me.ts";
import { ALL } from "../../rights.ts";
import type { Member } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";
import { loadMemberships } from "./loaders.ts";

/** Returns the viewer's memberships; undefined until loaded. */
export function useOwnMemberships(): readonly Member[] | undefined {
  const email = me.value?.email;
  return useLoad(
    `memberships of ${email}`,
    (signal) => email === undefined ? Promise.resolve(undefined) : loadMemberships(email, signal),
  ).data;
}

/** Returns the rights that memberships carry together, all until they are loaded. Their holder can give no more. */
export function carriedBy(memberships: readonly Member[] | undefined): Rights {
  if (memberships === undefined) return ALL;
  return forEachRight((name) => memberships.some(({ rights }) => rights === undefined || rights[name]));
}

/** Returns the end of the last membership; undefined if one does not end. */
export function lastEnd(memberships: readonly Member[]): string | undefined {
  if (memberships.some(({ until }) => until === undefined)) return undefined;
  return memberships.map(({ until }) => until ?? "").sort().at(-1);
}
