import { and, desc, eq, gt, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { defineRead, select } from "../db/define_read.ts";
import * as identity from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import { member, role, roleKey } from "../db/schema/role.ts";
import type { PlainRead } from "../db/plain_read.ts";
import type { SqlArgs } from "../db/statement.ts";
import { isActors } from "../identity/session_reads.ts";

const { userAccount, session, partialLogin, knownAddress, secondFactor, recoveryCode } = identity;
const { oneTimeCode, passwordLink, undoLink, reservedEmail, securityEvent } = identity;

/** The row belongs to the actor. */
function isOwn({ userId }: { readonly userId: SQLiteColumn }): SQL {
  return isActors(userId);
}

/**
 * Short lists of data about `:actorId`, by their names in the export. The account itself is a list of one. Here as in
 * `EXPORT_PAGES`, no hash, HMAC, sealed secret or anything else that gives access is included.
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
};

/** A list that may be long, of which each statement reads up to `:limit` rows after those before. */
export interface ListPages<T> {
  readonly read: PlainRead<T>;
  /** The arguments of the first page. */
  readonly first: SqlArgs;
  /** The arguments of the page that follows this row. */
  after(row: T): SqlArgs;
}

/** Takes the type of the rows from the statement. */
function pages<T>(read: PlainRead<T>, first: SqlArgs, after: (row: T) => SqlArgs): ListPages<T> {
  return { read, first, after };
}

const limit = sql.placeholder("limit");

/** Long lists of data about `:actorId`, in the order of an index. `event` comes with the mail of each event. */
export const EXPORT_PAGES = {
  membership: pages(
    defineRead(
      select({
        id: member.id,
        roleId: member.roleId,
        roleName: role.name,
        rights: member.rights,
        until: member.endsAt,
      })
        .from(member).innerJoin(role, eq(role.id, member.roleId))
        .where(and(
          isOwn(member),
          or(isNull(member.endsAt), gt(member.endsAt, sql.placeholder("now"))),
          gt(member.roleId, sql.placeholder("afterRoleId")),
        ))
        .orderBy(member.roleId).limit(limit),
    ),
    { afterRoleId: -1 },
    ({ roleId }) => ({ afterRoleId: roleId }),
  ),
  key: pages(
    defineRead(
      select({ id: roleKey.id, roleId: roleKey.roleId, name: roleKey.name, createdAt: roleKey.createdAt })
        .from(roleKey).where(and(
          isActors(roleKey.createdBy),
          sql`(${roleKey.createdAt}, ${roleKey.id}) > (${sql.placeholder("afterKeyTime")}, ${
            sql.placeholder("afterKeyId")
          })`,
        ))
        .orderBy(roleKey.createdAt, roleKey.id).limit(limit),
    ),
    { afterKeyTime: -1, afterKeyId: -1 },
    ({ id, createdAt }) => ({ afterKeyTime: createdAt, afterKeyId: id }),
  ),
  session: pages(
    defineRead(
      select({
        id: session.id,
        createdAt: session.createdAt,
        authenticatedAt: session.authenticatedAt,
        lastTokenAt: session.lastTokenAt,
        expiresAt: session.expiresAt,
        client: session.client,
        endedAt: session.endedAt,
        endedReason: session.endedReason,
      })
        .from(session).where(and(
          isOwn(session),
          sql`(${session.createdAt}, ${session.id}) > (${sql.placeholder("afterTime")}, ${
            sql.placeholder("afterSessionId")
          })`,
        ))
        .orderBy(session.createdAt, session.id).limit(limit),
    ),
    { afterTime: -1, afterSessionId: "" },
    ({ createdAt, id }) => ({ afterTime: createdAt, afterSessionId: id }),
  ),
  pendingSignIn: pages(
    defineRead(
      select({
        cursor: sql<number>`${partialLogin}.rowid`,
        authenticatedAt: partialLogin.authenticatedAt,
        expiresAt: partialLogin.expiresAt,
        client: partialLogin.client,
        endedAt: partialLogin.endedAt,
      })
        .from(partialLogin)
        .where(and(isOwn(partialLogin), sql`${partialLogin}.rowid > ${sql.placeholder("afterRow")}`))
        .orderBy(sql`${partialLogin}.rowid`).limit(limit),
    ),
    { afterRow: -1 },
    ({ cursor }) => ({ afterRow: cursor }),
  ),
  knownAddress: pages(
    defineRead(
      select({ address: knownAddress.address, lastSignInAt: knownAddress.lastSignInAt })
        .from(knownAddress)
        .where(and(isOwn(knownAddress), gt(knownAddress.address, sql.placeholder("afterAddress"))))
        .orderBy(knownAddress.address).limit(limit),
    ),
    { afterAddress: "" },
    ({ address }) => ({ afterAddress: address }),
  ),
  event: pages(
    defineRead(
      select({
        id: securityEvent.id,
        at: securityEvent.at,
        event: securityEvent.event,
        result: securityEvent.result,
        attempts: securityEvent.attempts,
        sessionId: securityEvent.sessionId,
        address: securityEvent.address,
        template: outbox.template,
        language: outbox.language,
        recipient: outbox.recipient,
        createdAt: outbox.createdAt,
        deliveredAt: outbox.deliveredAt,
      })
        .from(securityEvent).leftJoin(outbox, eq(outbox.id, securityEvent.opId))
        .where(and(isOwn(securityEvent), lt(securityEvent.id, sql.placeholder("beforeId"))))
        .orderBy(desc(securityEvent.id)).limit(limit),
    ),
    { beforeId: Number.MAX_SAFE_INTEGER },
    ({ id }) => ({ beforeId: id }),
  ),
};
