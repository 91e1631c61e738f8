import { DAY_MS } from "../../core/clock.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { member, role } from "../../db/schema/role.ts";
import { int, placeholdersOf, row, rowsOf, type SQL, sql } from "../../db/sql.ts";
import { maskOf } from "../../graph/rights.ts";

/** The members who keep a root role: a root always has one, so that it can be managed. */

const ROLE_MANAGEMENT = maskOf("roleManagement");
const { now } = placeholdersOf({ now: int });

/**
 * Whether the membership is a person's, lets them manage roles, and never ends. Every root role keeps such a member. One
 * whose account is deleted no longer counts (`holderLives`).
 */
export function keepsRoot(keeper: typeof member): SQL {
  const holder = row(userAccount, "holder");
  return sql`(${canKeep(keeper)} AND EXISTS (SELECT 1 FROM ${holder} WHERE ${holder.id} = ${keeper.userId}))`;
}

function canKeep({ userId, rights, endsAt }: typeof member): SQL {
  return sql`(${userId} > 0 AND ${rights} & ${ROLE_MANAGEMENT} AND ${endsAt} IS NULL)`;
}

/** How old the record may be that a member who keeps a root has met its demand. */
const MAX_PROOF_AGE_MS = 90 * DAY_MS;

/** Whether a session that acted by the membership met its role's demand lately. */
export function metLately({ metAt }: typeof member): SQL {
  return sql`${metAt} > ${now} - ${MAX_PROOF_AGE_MS}`;
}

/** Whether the membership is the last that keeps a root role. Its own account is taken to exist. */
export function isLastKeeper(keeper: typeof member): SQL {
  const { root, other } = rowsOf({ root: role, other: member });
  return sql`(${canKeep(keeper)}
    AND EXISTS (SELECT 1 FROM ${root} WHERE ${root.id} = ${keeper.roleId} AND ${root.isRoot})
    AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.roleId} = ${keeper.roleId} AND ${other.id} <> ${keeper.id}
      AND ${keepsRoot(other)}))`;
}
