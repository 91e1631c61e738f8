import { and, desc, eq, gt, sql } from "drizzle-orm";
import { defineRead, select } from "../../db/define_read.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { member, roleKey } from "../../db/schema/role.ts";
import { isActors } from "../../identity/session_reads.ts";

/** The live keys that `:actorId` made before (`:beforeTime`, `:beforeId`), newest first, up to `:limit`. */
export const LIST_OWN_KEYS = defineRead(
  select({
    id: roleKey.id,
    roleId: roleKey.roleId,
    name: roleKey.name,
    prefix: roleKey.prefix,
    rights: member.rights,
    asks: roleKey.asks,
    expiresAt: sql<number>`${member.endsAt}`,
    createdAt: roleKey.createdAt,
    createdBy: userAccount.email,
    lastUsedAt: roleKey.lastUsedAt,
  })
    .from(roleKey)
    .innerJoin(member, eq(member.id, roleKey.id))
    .innerJoin(userAccount, eq(userAccount.id, roleKey.createdBy))
    .where(and(
      isActors(roleKey.createdBy),
      gt(member.endsAt, sql.placeholder("now")),
      sql`(${roleKey.createdAt}, ${roleKey.id}) < (${sql.placeholder("beforeTime")}, ${
        sql.placeholder("beforeId")
      })`,
    ))
    .orderBy(desc(roleKey.createdAt), desc(roleKey.id))
    .limit(sql.placeholder("limit")),
);
