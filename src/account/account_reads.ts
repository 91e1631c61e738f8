import { and, desc, lt, sql } from "drizzle-orm";
import { defineRead, select } from "../db/define_read.ts";
import { securityEvent, userAccount } from "../db/schema/identity.ts";
import { isActors } from "../identity/session_reads.ts";

/** The account of `:actorId`. */
export const FIND_ACCOUNT = defineRead(
  select({
    id: userAccount.id,
    email: userAccount.email,
    language: userAccount.language,
    createdAt: userAccount.createdAt,
  })
    .from(userAccount)
    .where(isActors(userAccount.id)),
);

/** A page of the security log of `:actorId`: the events before `:beforeId`, newest first. */
export const LIST_EVENTS = defineRead(
  select({
    id: securityEvent.id,
    at: securityEvent.at,
    event: securityEvent.event,
    result: securityEvent.result,
    attempts: securityEvent.attempts,
    sessionId: securityEvent.sessionId,
    address: securityEvent.address,
  })
    .from(securityEvent)
    .where(and(
      isActors(securityEvent.userId),
      lt(securityEvent.id, sql.placeholder("beforeId")),
    ))
    .orderBy(desc(securityEvent.id))
    .limit(sql.placeholder("limit")),
);
