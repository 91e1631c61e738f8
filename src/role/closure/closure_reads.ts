import { and, count, eq, gt, lt, max, notExists, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { unionAll } from "drizzle-orm/sqlite-core";
import { defineRead, select } from "../../db/define_read.ts";
import { userAccount } from "../../db/schema/identity.ts";
import {
  changeLog,
  manages,
  managesHistory,
  member,
  memberHistory,
  OPEN_REVISION,
  role,
  roleClosure,
  roleHistory,
  roleKey,
} from "../../db/schema/role.ts";
import { device, monitors } from "../../db/schema/telemetry.ts";
import { maskOf } from "../rights.ts";

const LIMIT = sql.placeholder("limit");

/** The revision of the graph. It increases with every decision. */
export const CURRENT_REVISION = defineRead(
  select({ revision: sql<number>`coalesce(${max(changeLog.rev)}, 0)` }).from(changeLog),
);

/** Numbers of rows to read, for showing progress. */
export const TOTALS = {
  relations: defineRead(select({ total: count() }).from(manages)),
  rows: defineRead(select({ total: count() }).from(roleClosure)),
};

/** The page of relations after `:afterId`. */
export const RELATIONS_AFTER = defineRead(
  select({ id: manages.id, parentId: manages.parentId, childId: manages.childId, rights: manages.rights })
    .from(manages)
    .where(gt(manages.id, sql.placeholder("afterId")))
    .orderBy(manages.id)
    .limit(LIMIT),
);

/** The page of closure rows after a pair, in the order of the table's key. */
export const CLOSURE_ROWS_AFTER = defineRead(
  select({
    descendantId: roleClosure.descendantId,
    ancestorId: roleClosure.ancestorId,
    rights: roleClosure.rights,
  })
    .from(roleClosure)
    .where(sql`(${roleClosure.descendantId}, ${roleClosure.ancestorId}) >
      (${sql.placeholder("descendantId")}, ${sql.placeholder("ancestorId")})`)
    .orderBy(roleClosure.descendantId, roleClosure.ancestorId)
    .limit(LIMIT),
);

const MANAGING_RELATION = select({ id: manages.id }).from(manages).where(and(
  eq(manages.childId, role.id),
  sql`${manages.rights} & ${maskOf("roleManagement")}`,
));

/** Roles after `:afterId` that nobody can manage: not a root, and no relation with roleManagement enters them. */
export const UNMANAGED_ROLES_AFTER = defineRead(
  select({ id: role.id })
    .from(role)
    .where(and(gt(role.id, sql.placeholder("afterId")), eq(role.isRoot, 0), notExists(MANAGING_RELATION)))
    .orderBy(role.id)
    .limit(LIMIT),
);

function lacks(table: SQLiteTable & { readonly id: SQLiteColumn }, column: SQLiteColumn): SQL {
  return notExists(select({ id: table.id }).from(table).where(eq(table.id, column)));
}

/** Rows that refer to a missing row, as foreign keys would prevent, and devices that no role monitors. */
export const LOOSE_ROWS = defineRead(
  unionAll(
    select({ what: sql<string>`'manages relation'`, id: manages.id }).from(manages)
      .where(or(lacks(role, manages.parentId), lacks(role, manages.childId))),
    select({ what: sql<string>`'membership'`, id: member.id }).from(member)
      .where(or(
        lacks(role, member.roleId),
        and(gt(member.userId, 0), lacks(userAccount, member.userId)),
        and(lt(member.userId, 0), lacks(roleKey, member.id)),
      )),
    select({ what: sql<string>`'key'`, id: roleKey.id }).from(roleKey).where(lacks(member, roleKey.id)),
    select({ what: sql<string>`'monitors relation'`, id: monitors.id }).from(monitors)
      .where(or(lacks(role, monitors.roleId), lacks(device, monitors.deviceId))),
    select({ what: sql<string>`'device'`, id: device.id }).from(device)
      .where(notExists(
        select({ id: monitors.id }).from(monitors).where(eq(monitors.deviceId, device.id)),
      )),
  ).limit(LIMIT),
);

const isOpen = ({ toRev }: { readonly toRev: SQLiteColumn }): SQL => eq(toRev, OPEN_REVISION);

function lacksOpen(history: SQLiteTable & { readonly toRev: SQLiteColumn }, ...equalities: SQL[]): SQL {
  return notExists(select({ toRev: history.toRev }).from(history).where(and(isOpen(history), ...equalities)));
}

/** Roles, relations and memberships that the history lacks or has otherwise, and those of the history that do not exist. */
export const WRONG_HISTORY = defineRead(
  unionAll(
    select({ what: sql<string>`'role'`, id: role.id }).from(role).where(
      lacksOpen(roleHistory, eq(roleHistory.roleId, role.id), eq(roleHistory.selfRights, role.selfRights)),
    ),
    select({ what: sql<string>`'role'`, id: roleHistory.roleId }).from(roleHistory).where(
      and(isOpen(roleHistory), lacks(role, roleHistory.roleId)),
    ),
    select({ what: sql<string>`'manages relation'`, id: manages.id }).from(manages).where(
      lacksOpen(
        managesHistory,
        eq(managesHistory.relationId, manages.id),
        eq(managesHistory.parentId, manages.parentId),
        eq(managesHistory.childId, manages.childId),
        eq(managesHistory.rights, manages.rights),
      ),
    ),
    select({ what: sql<string>`'manages relation'`, id: managesHistory.relationId }).from(managesHistory)
      .where(
        and(isOpen(managesHistory), lacks(manages, managesHistory.relationId)),
      ),
    select({ what: sql<string>`'membership'`, id: member.id }).from(member).where(
      lacksOpen(
        memberHistory,
        eq(memberHistory.memberId, member.id),
        eq(memberHistory.roleId, member.roleId),
        eq(memberHistory.userId, member.userId),
        eq(memberHistory.rights, member.rights),
        sql`${memberHistory.endsAt} IS ${member.endsAt}`,
      ),
    ),
    select({ what: sql<string>`'membership'`, id: memberHistory.memberId }).from(memberHistory).where(
      and(isOpen(memberHistory), lacks(member, memberHistory.memberId)),
    ),
  ).limit(LIMIT),
);
