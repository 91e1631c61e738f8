import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { defineRead, select } from "../db/define_read.ts";
import * as identity from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import { member, role } from "../db/schema/role.ts";
import { isActors } from "../identity/session_reads.ts";

const { userAccount, session, partialLogin, knownAddress, secondFactor, recoveryCode } = identity;
const { oneTimeCode, passwordLink, undoLink, reservedEmail, securityEvent } = identity;

/** The row belongs to the actor. */
function isOwn({ userId }: { readonly userId: SQLiteColumn }): SQL {
  return isActors(userId);
}

/**
 * All data about `:actorId`, by the name of its list in the export. The account itself is a list of one. Includes no
 * hash, HMAC, sealed secret or anything else that gives access.
 */
export const EXPORT_LISTS = {
  account: defineRead(
    select({
      id: userAccount.id,
      email: userAccount.email,
      language: userAccount.language,
      createdAt: userAccount.createdAt,
      hasPassword: sql<0 | 1>`${userAccount.passwordHash} IS NOT NULL`,
      passwordChangedAt: userAccount.passwordChangedAt,
    }).from(userAccount).where(isOwn({ userId: userAccount.id })),
  ),
  membership: defineRead(
    select({ id: member.id, roleId: member.roleId, roleName: role.name })
      .from(member).innerJoin(role, eq(role.id, member.roleId)).where(isOwn(member)).orderBy(member.id),
  ),
  session: defineRead(
    select({
      id: session.id,
      createdAt: session.createdAt,
      authenticatedAt: session.authenticatedAt,
      lastTokenAt: session.lastTokenAt,
      expiresAt: session.expiresAt,
      client: session.client,
      endedAt: session.endedAt,
      endedReason: session.endedReason,
    }).from(session).where(isOwn(session)).orderBy(session.createdAt, session.id),
  ),
  pendingSignIn: defineRead(
    select({
      authenticatedAt: partialLogin.authenticatedAt,
      expiresAt: partialLogin.expiresAt,
      client: partialLogin.client,
      endedAt: partialLogin.endedAt,
    }).from(partialLogin).where(isOwn(partialLogin)).orderBy(partialLogin.expiresAt),
  ),
  knownAddress: defineRead(
    select({ address: knownAddress.address, lastSignInAt: knownAddress.lastSignInAt })
      .from(knownAddress).where(isOwn(knownAddress)).orderBy(knownAddress.address),
  ),
  secondFactor: defineRead(
    select({
      kind: secondFactor.kind,
      email: secondFactor.email,
      activatedAt: secondFactor.activatedAt,
      pendingEmail: secondFactor.pendingEmail,
      pendingUntil: secondFactor.pendingUntil,
      lastMailAt: secondFactor.lastMailAt,
      failures: secondFactor.failures,
    }).from(secondFactor).where(isOwn(secondFactor)).orderBy(secondFactor.kind),
  ),
  recoveryCode: defineRead(
    select({ position: recoveryCode.position, usedAt: recoveryCode.usedAt })
      .from(recoveryCode).where(isOwn(recoveryCode)).orderBy(recoveryCode.position),
  ),
  code: defineRead(
    select({
      purpose: oneTimeCode.purpose,
      email: oneTimeCode.email,
      createdAt: oneTimeCode.createdAt,
      expiresAt: oneTimeCode.expiresAt,
      endedAt: oneTimeCode.endedAt,
    }).from(oneTimeCode).where(isOwn(oneTimeCode)).orderBy(oneTimeCode.createdAt),
  ),
  passwordLink: defineRead(
    select({
      purpose: passwordLink.purpose,
      createdAt: passwordLink.createdAt,
      expiresAt: passwordLink.expiresAt,
      endedAt: passwordLink.endedAt,
    }).from(passwordLink).where(isOwn(passwordLink)).orderBy(passwordLink.id),
  ),
  undoLink: defineRead(
    select({
      email: undoLink.email,
      createdAt: undoLink.createdAt,
      expiresAt: undoLink.expiresAt,
      endedAt: undoLink.endedAt,
    }).from(undoLink).where(isOwn(undoLink)).orderBy(undoLink.createdAt),
  ),
  reservedEmail: defineRead(
    select({ email: reservedEmail.email, reservedUntil: reservedEmail.reservedUntil })
      .from(undoLink)
      .innerJoin(
        reservedEmail,
        and(eq(reservedEmail.email, undoLink.email), eq(reservedEmail.userId, undoLink.userId)),
      )
      .where(isOwn(undoLink)).orderBy(reservedEmail.email),
  ),
  mail: defineRead(
    select({
      template: outbox.template,
      language: outbox.language,
      recipient: outbox.recipient,
      createdAt: outbox.createdAt,
      deliveredAt: outbox.deliveredAt,
    })
      .from(securityEvent).innerJoin(outbox, eq(outbox.id, securityEvent.opId))
      .where(isOwn(securityEvent)).orderBy(securityEvent.id),
  ),
};
