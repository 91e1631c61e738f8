import { member } from "../db/schema/role.ts";
import { named, raw } from "../db/sql.ts";
import { textOf } from "../role/guard_text.ts";
import * as grant from "./grant_queries.ts";
import * as guard from "./guard_queries.ts";
import * as watch from "./watch_queries.ts";

/** The rules of `guard_queries.ts` and its neighbours for statements that are still texts. */

export const LACKS_GRANT: string = textOf(grant.LACKS_GRANT);

export function managesAnyDevice(): string {
  return textOf(guard.managesAnyDevice());
}

/** About the row `acting` of the text around it. */
export function managesDevicesOf(role: string): string {
  return textOf(guard.managesDevicesOf(named(member, "acting"), raw(role)));
}

export function watchesOf(
  devices: string,
  valueOf: (role: string, isFrom: string) => string,
  { isNeeded, rolesAtOnce }: { readonly isNeeded?: string; readonly rolesAtOnce?: string } = {},
): string[] {
  const watches = watch.watchesOf(
    raw(devices),
    (role, isFrom) => raw(valueOf(textOf(role), textOf(isFrom))),
    {
      ...(isNeeded !== undefined && { isNeeded: raw(isNeeded) }),
      ...(rolesAtOnce !== undefined && { rolesAtOnce: raw(rolesAtOnce) }),
    },
  );
  return [textOf(watches)];
}
