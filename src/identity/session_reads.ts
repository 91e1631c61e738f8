import { and, desc, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { defineRead, select } from "../db/define_read.ts";
import { session } from "../db/schema/identity.ts";
import { ACTING_SESSION_LIVES } from "./session_life_queries.ts";

/** SQL: the actor's user id, or null once their session has ended: then a read finds nothing, and costs nothing. */
const LIVE_ACTOR = sql.raw(`(SELECT acting.user_id FROM session acting WHERE ${ACTING_SESSION_LIVES})`);

/** A row's user is the actor, and their session is live. */
export function isActors(userId: SQLiteColumn): SQL {
  return sql`${userId} = ${LIVE_ACTOR}`;
}

/** The live sessions of `:actorId` that come after (`:beforeAt`, `:beforeId`), newest first, up to `:limit`. */
export const LIST_SESSIONS = defineRead(
  select({
    id: session.id,
    createdAt: session.createdAt,
    lastTokenAt: session.lastTokenAt,
    client: session.client,
  })
    .from(session)
    .where(and(
      isActors(session.userId),
      isNull(session.endedAt),
      gt(session.idleUntil, sql.placeholder("now")),
      sql`(${session.createdAt}, ${session.id}) < (${sql.placeholder("beforeAt")}, ${
        sql.placeholder("beforeId")
      })`,
    ))
    .orderBy(desc(session.createdAt), desc(session.id))
    .limit(sql.placeholder("limit")),
);
