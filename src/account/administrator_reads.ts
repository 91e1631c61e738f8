import { and, count, desc, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { defineRead, select } from "../db/define_read.ts";
import {
  partialLogin,
  recoveryCode,
  secondFactor,
  securityEvent,
  session,
  userAccount,
} from "../db/schema/identity.ts";

/** How much there is to end, for showing progress. */
export const COUNT_OPEN = {
  signIns: defineRead(select({ rows: count() }).from(partialLogin).where(isNull(partialLogin.endedAt))),
  sessions: defineRead(select({ rows: count() }).from(session).where(isNull(session.endedAt))),
};

const HAS_ADDRESS = eq(userAccount.email, sql.placeholder("email"));

const OWNER = select({ id: userAccount.id }).from(userAccount).where(HAS_ADDRESS);

const UNUSED_CODES = select({ unused: count() }).from(recoveryCode).where(and(
  eq(recoveryCode.userId, secondFactor.userId),
  eq(secondFactor.kind, "recovery_code"),
  isNull(recoveryCode.usedAt),
));

/** What the administrator sees of an account: its data, factors, live sessions and latest events, without secrets. */
export const LOOK_UP = {
  account: defineRead(
    select({
      id: userAccount.id,
      email: userAccount.email,
      language: userAccount.language,
      createdAt: userAccount.createdAt,
      hasPassword: sql<0 | 1>`${userAccount.passwordHash} IS NOT NULL`,
    }).from(userAccount).where(HAS_ADDRESS),
  ),
  factor: defineRead(
    select({
      kind: secondFactor.kind,
      activatedAt: sql<number>`${secondFactor.activatedAt}`,
      failures: secondFactor.failures,
      nextGuessAt: secondFactor.nextGuessAt,
      remaining: sql<number>`${UNUSED_CODES}`,
    })
      .from(secondFactor)
      .where(and(eq(secondFactor.userId, OWNER), isNotNull(secondFactor.activatedAt)))
      .orderBy(secondFactor.kind),
  ),
  session: defineRead(
    select({
      id: session.id,
      createdAt: session.createdAt,
      lastTokenAt: session.lastTokenAt,
      client: session.client,
    })
      .from(session)
      .where(and(
        eq(session.userId, OWNER),
        isNull(session.endedAt),
        gt(session.idleUntil, sql.placeholder("now")),
      ))
      .orderBy(desc(session.createdAt)),
  ),
  event: defineRead(
    select({
      at: securityEvent.at,
      event: securityEvent.event,
      result: securityEvent.result,
      attempts: securityEvent.attempts,
      address: securityEvent.address,
    })
      .from(securityEvent)
      .where(eq(securityEvent.userId, OWNER))
      .orderBy(desc(securityEvent.id))
      .limit(sql.placeholder("events")),
  ),
};
