import type { Row } from "../db/database.ts";
import * as identity from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import { member, role, roleKey } from "../db/schema/role.ts";
import { columns, int, rows, type SQL, sql, type SQLiteColumn, type SQLiteTable, text } from "../db/sql.ts";
import type { RowOf, SqlArgs, Statement } from "../db/statement.ts";
import { ACTING, isActors } from "../identity/session_life_queries.ts";
import { memberLives } from "../role/guard/principal_queries.ts";

const { userAccount, session, partialLogin, knownAddress, secondFactor, recoveryCode, passkey } = identity;
const { oneTimeCode, passwordLink, undoLink, reservedEmail, securityEvent } = identity;

/** A table whose rows belong to users. */
type OwnedTable = SQLiteTable & { readonly userId: SQLiteColumn };

/** Reads the actor's rows of a table, ordered by a column. */
function ownRows(table: OwnedTable, shown: SQL, order: SQLiteColumn): Statement<SqlArgs, Row> {
  return rows<Row>()(
    ACTING,
    () => sql`SELECT ${shown} FROM ${table} WHERE ${isActors(table.userId)} ORDER BY ${order}`,
  );
}

const ACCOUNT = columns(userAccount, "id", "email", "language", "createdAt", "externalId");

const FACTOR = columns(
  secondFactor,
  "kind",
  "email",
  "activatedAt",
  "pendingEmail",
  "pendingUntil",
  "lastMailAt",
  "failures",
);

/**
 * Short lists of the actor's data, by their names in the export; the account is a list of one. As in `EXPORT_PAGES`,
 * no list contains hashes, HMACs, sealed secrets or anything else that gives access.
 */
export const EXPORT_LISTS = {
  account: rows<Row>()(ACTING, () =>
    sql`
    SELECT ${ACCOUNT}, ${userAccount.passwordHash} IS NOT NULL AS hasPassword,
      ${columns(userAccount, "passwordChangedAt")}
    FROM ${userAccount} WHERE ${isActors(userAccount.id)}`),
  secondFactor: ownRows(secondFactor, FACTOR, secondFactor.kind),
  passkey: ownRows(
    passkey,
    columns(passkey, "name", "createdAt", "lastUsedAt", "transports", "counter"),
    passkey.id,
  ),
  recoveryCode: ownRows(recoveryCode, columns(recoveryCode, "position", "usedAt"), recoveryCode.position),
  code: ownRows(
    oneTimeCode,
    columns(oneTimeCode, "purpose", "email", "createdAt", "expiresAt", "endedAt"),
    oneTimeCode.createdAt,
  ),
  passwordLink: ownRows(
    passwordLink,
    columns(passwordLink, "purpose", "createdAt", "expiresAt", "endedAt"),
    passwordLink.id,
  ),
  undoLink: ownRows(
    undoLink,
    columns(undoLink, "email", "createdAt", "expiresAt", "endedAt"),
    undoLink.createdAt,
  ),
  reservedEmail: rows<Row>()(ACTING, () =>
    sql`
    SELECT ${columns(reservedEmail, "email", "reservedUntil")}
    FROM ${undoLink} JOIN ${reservedEmail}
      ON ${reservedEmail.email} = ${undoLink.email} AND ${reservedEmail.userId} = ${undoLink.userId}
    WHERE ${isActors(undoLink.userId)} ORDER BY ${reservedEmail.email}`),
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

const MEMBERSHIP = columns(member, "id", "roleId");
const KEY = columns(roleKey, "id", "roleId", "name", "createdAt");
const SESSION = columns(
  session,
  "id",
  "createdAt",
  "authenticatedAt",
  "lastTokenAt",
  "expiresAt",
  "client",
  "endedAt",
  "endedReason",
);
const SIGN_IN = columns(partialLogin, "authenticatedAt", "expiresAt", "client", "endedAt");
const ADDRESS = columns(knownAddress, "address", "lastSignInAt");
const EVENT = columns(securityEvent, "id", "at", "event", "result", "attempts", "sessionId", "address");
const MAIL = columns(outbox, "template", "language", "recipient", "createdAt", "deliveredAt");

const PAGE = { ...ACTING, limit: int };

/** Long lists of the actor's data, in the order of an index. `event` also reads the mail of each event. */
export const EXPORT_PAGES = {
  membership: pages(
    rows(MEMBERSHIP)({ ...PAGE, afterRoleId: int }, ({ afterRoleId, limit }) =>
      sql`
      SELECT ${MEMBERSHIP}, ${role.name} AS roleName, ${member.rights}, ${member.endsAt} AS until
      FROM ${member} JOIN ${role} ON ${role.id} = ${member.roleId}
      WHERE ${isActors(member.userId)} AND ${memberLives(member)} AND ${member.roleId} > ${afterRoleId}
      ORDER BY ${member.roleId} LIMIT +${limit}`),
    { afterRoleId: -1 },
    ({ roleId }) => ({ afterRoleId: roleId }),
  ),
  key: pages(
    rows(KEY)({ ...PAGE, afterKeyTime: int, afterKeyId: int }, ({ afterKeyTime, afterKeyId, limit }) =>
      sql`
      SELECT ${KEY} FROM ${roleKey}
      WHERE ${isActors(roleKey.createdBy)}
        AND (${roleKey.createdAt}, ${roleKey.id}) > (${afterKeyTime}, ${afterKeyId})
      ORDER BY ${roleKey.createdAt}, ${roleKey.id} LIMIT +${limit}`),
    { afterKeyTime: -1, afterKeyId: -1 },
    ({ id, createdAt }) => ({ afterKeyTime: createdAt, afterKeyId: id }),
  ),
  session: pages(
    rows(SESSION)(
      { ...PAGE, afterTime: int, afterSessionId: text },
      ({ afterTime, afterSessionId, limit }) =>
        sql`
      SELECT ${SESSION} FROM ${session}
      WHERE ${isActors(session.userId)}
        AND (${session.createdAt}, ${session.id}) > (${afterTime}, ${afterSessionId})
      ORDER BY ${session.createdAt}, ${session.id} LIMIT +${limit}`,
    ),
    { afterTime: -1, afterSessionId: "" },
    ({ createdAt, id }) => ({ afterTime: createdAt, afterSessionId: id }),
  ),
  pendingSignIn: pages(
    rows<RowOf<typeof SIGN_IN> & { readonly cursor: number }>()(
      { ...PAGE, afterRow: int },
      ({ afterRow, limit }) =>
        sql`
      SELECT ${partialLogin}.rowid AS cursor, ${SIGN_IN} FROM ${partialLogin}
      WHERE ${isActors(partialLogin.userId)} AND ${partialLogin}.rowid > ${afterRow}
      ORDER BY ${partialLogin}.rowid LIMIT +${limit}`,
    ),
    { afterRow: -1 },
    ({ cursor }) => ({ afterRow: cursor }),
  ),
  knownAddress: pages(
    rows(ADDRESS)({ ...PAGE, afterAddress: text }, ({ afterAddress, limit }) =>
      sql`
      SELECT ${ADDRESS} FROM ${knownAddress}
      WHERE ${isActors(knownAddress.userId)} AND ${knownAddress.address} > ${afterAddress}
      ORDER BY ${knownAddress.address} LIMIT +${limit}`),
    { afterAddress: "" },
    ({ address }) => ({ afterAddress: address }),
  ),
  event: pages(
    rows(EVENT)({ ...PAGE, beforeId: int }, ({ beforeId, limit }) =>
      sql`
      SELECT ${EVENT}, ${MAIL}
      FROM ${securityEvent} LEFT JOIN ${outbox} ON ${outbox.id} = ${securityEvent.opId}
      WHERE ${isActors(securityEvent.userId)} AND ${securityEvent.id} < ${beforeId}
      ORDER BY ${securityEvent.id} DESC LIMIT +${limit}`),
    { beforeId: Number.MAX_SAFE_INTEGER },
    ({ id }) => ({ beforeId: id }),
  ),
};
