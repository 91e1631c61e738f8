import { and, compile, desc, eq, gt, isNotNull, lt, pick, select } from "../../db/builder.ts";
import * as identity from "../../db/schema/identity.ts";
import { outbox } from "../../db/schema/mail.ts";
import { member, role, roleKey } from "../../db/schema/role.ts";
import { int, sql, type SQLiteColumn, type SQLiteTable, text } from "../../db/sql.ts";
import type { SqlArgs, Statement } from "../../db/statement.ts";
import { ACTING, isActors } from "../../identity/session_life_queries.ts";
import { memberLives } from "../../graph/rules/principal_queries.ts";

const { userAccount, session, partialLogin, knownAddress, secondFactor, recoveryCode, passkey } = identity;
const { oneTimeCode, passwordLink, undoLink, reservedEmail, securityEvent } = identity;

/** A table whose rows belong to users. */
type OwnedTable = SQLiteTable & { readonly userId: SQLiteColumn };

/** Reads the actor's rows of a table, ordered by a column. */
function ownRows(table: OwnedTable, shown: Readonly<Record<string, SQLiteColumn>>, order: SQLiteColumn) {
  return compile(ACTING, () => select(shown).from(table).where(isActors(table.userId)).orderBy(order));
}

/**
 * Short lists of the actor's data, by their names in the export; the account is a list of one. As in `EXPORT_PAGES`,
 * no list contains hashes, HMACs, sealed secrets or anything else that gives access.
 */
export const EXPORT_LISTS = {
  account: compile(ACTING, () =>
    select({
      ...pick(userAccount, "id", "email", "name", "language", "createdAt", "externalId"),
      hasPassword: isNotNull(userAccount.passwordHash),
      passwordChangedAt: userAccount.passwordChangedAt,
    }).from(userAccount).where(isActors(userAccount.id))),
  secondFactor: ownRows(
    secondFactor,
    pick(
      secondFactor,
      "kind",
      "email",
      "activatedAt",
      "pendingEmail",
      "pendingUntil",
      "lastMailAt",
      "failures",
    ),
    secondFactor.kind,
  ),
  passkey: ownRows(
    passkey,
    pick(passkey, "name", "createdAt", "lastUsedAt", "transports", "counter"),
    passkey.id,
  ),
  recoveryCode: ownRows(recoveryCode, pick(recoveryCode, "position", "usedAt"), recoveryCode.position),
  code: ownRows(
    oneTimeCode,
    pick(oneTimeCode, "purpose", "email", "createdAt", "expiresAt", "endedAt"),
    oneTimeCode.createdAt,
  ),
  passwordLink: ownRows(
    passwordLink,
    pick(passwordLink, "purpose", "createdAt", "expiresAt", "endedAt"),
    passwordLink.id,
  ),
  undoLink: ownRows(
    undoLink,
    pick(undoLink, "email", "createdAt", "expiresAt", "endedAt"),
    undoLink.createdAt,
  ),
  reservedEmail: compile(ACTING, () => {
    const { email, userId } = reservedEmail;
    return select(pick(reservedEmail, "email", "reservedUntil"))
      .from(undoLink).innerJoin(reservedEmail, and(eq(email, undoLink.email), eq(userId, undoLink.userId)))
      .where(isActors(undoLink.userId)).orderBy(email);
  }),
};

/** A long list, read in pages: each statement reads up to `limit` rows. */
export interface ListPages<R> {
  readonly read: Statement<SqlArgs, R>;
  /** The arguments of the first page. */
  readonly first: SqlArgs;
  /** The arguments of the page that follows this row. */
  after(row: R): SqlArgs;
}

/** Takes the type of the rows from the statement. */
function pages<R>(read: Statement<SqlArgs, R>, first: SqlArgs, after: (row: R) => SqlArgs): ListPages<R> {
  return { read, first, after };
}

const PAGE = { ...ACTING, limit: int };

/** Long lists of the actor's data, in the order of an index. `event` also reads the mail of each event. */
export const EXPORT_PAGES = {
  membership: pages(
    compile({ ...PAGE, afterRoleId: int }, ({ afterRoleId, limit }) => {
      const { id, roleId, userId, rights, endsAt } = member;
      return select({ id, roleId, roleName: role.name, rights, until: endsAt })
        .from(member).innerJoin(role, eq(role.id, roleId))
        .where(and(isActors(userId), memberLives(member), gt(roleId, afterRoleId)))
        .orderBy(roleId).limit(limit);
    }),
    { afterRoleId: -1 },
    ({ roleId }) => ({ afterRoleId: roleId }),
  ),
  key: pages(
    compile({ ...PAGE, afterKeyTime: int, afterKeyId: int }, ({ afterKeyTime, afterKeyId, limit }) => {
      const { id, createdAt, createdBy } = roleKey;
      return select(pick(roleKey, "id", "roleId", "name", "createdAt")).from(roleKey)
        .where(and(isActors(createdBy), sql`(${createdAt}, ${id}) > (${afterKeyTime}, ${afterKeyId})`))
        .orderBy(createdAt, id).limit(limit);
    }),
    { afterKeyTime: -1, afterKeyId: -1 },
    ({ id, createdAt }) => ({ afterKeyTime: createdAt, afterKeyId: id }),
  ),
  session: pages(
    compile({ ...PAGE, afterTime: int, afterSessionId: text }, ({ afterTime, afterSessionId, limit }) => {
      const { id, createdAt } = session;
      const isAfter = sql`(${createdAt}, ${id}) > (${afterTime}, ${afterSessionId})`;
      return select({
        ...pick(session, "id", "createdAt", "authenticatedAt", "lastTokenAt", "expiresAt"),
        ...pick(session, "client", "endedAt", "endedReason"),
      }).from(session)
        .where(and(isActors(session.userId), isAfter))
        .orderBy(createdAt, id).limit(limit);
    }),
    { afterTime: -1, afterSessionId: "" },
    ({ createdAt, id }) => ({ afterTime: createdAt, afterSessionId: id }),
  ),
  pendingSignIn: pages(
    compile({ ...PAGE, afterRow: int }, ({ afterRow, limit }) => {
      const cursor = sql<number>`${partialLogin}.rowid`;
      return select({ cursor, ...pick(partialLogin, "authenticatedAt", "expiresAt", "client", "endedAt") })
        .from(partialLogin).where(and(isActors(partialLogin.userId), gt(cursor, afterRow)))
        .orderBy(cursor).limit(limit);
    }),
    { afterRow: -1 },
    ({ cursor }) => ({ afterRow: cursor }),
  ),
  knownAddress: pages(
    compile({ ...PAGE, afterAddress: text }, ({ afterAddress, limit }) => {
      const { userId, address, lastSignInAt } = knownAddress;
      return select({ address, lastSignInAt }).from(knownAddress)
        .where(and(isActors(userId), gt(address, afterAddress))).orderBy(address).limit(limit);
    }),
    { afterAddress: "" },
    ({ address }) => ({ afterAddress: address }),
  ),
  event: pages(
    compile({ ...PAGE, beforeId: int }, ({ beforeId, limit }) => {
      const { id, opId, userId } = securityEvent;
      return select({
        ...pick(securityEvent, "id", "at", "event", "result", "attempts", "sessionId", "address"),
        ...pick(outbox, "template", "language", "recipient", "createdAt", "deliveredAt"),
      }).from(securityEvent).leftJoin(outbox, eq(outbox.id, opId))
        .where(and(isActors(userId), lt(id, beforeId))).orderBy(desc(id)).limit(limit);
    }),
    { beforeId: Number.MAX_SAFE_INTEGER },
    ({ id }) => ({ beforeId: id }),
  ),
};
