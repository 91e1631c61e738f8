import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { defineRead, select } from "../db/define_read.ts";
import { session } from "../db/schema/identity.ts";

/** The live sessions of `:actorId`, newest first. */
export const LIST_SESSIONS = defineRead(
  select({
    id: session.id,
    createdAt: session.createdAt,
    lastTokenAt: session.lastTokenAt,
    client: session.client,
  })
    .from(session)
    .where(and(
      eq(session.userId, sql.placeholder("actorId")),
      isNull(session.endedAt),
      gt(session.idleUntil, sql.placeholder("now")),
    ))
    .orderBy(desc(session.createdAt), session.id),
);
