import { userAccount } from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import { changeLog, idSequence, member, role } from "../db/schema/role.ts";
import {
  assigned,
  bare,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import { insertPasswordLink } from "../identity/password_link_queries.ts";
import { insertUser, updateUser } from "../identity/user_queries.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { begunAt } from "../changes/chain_queries.ts";
import { keepsRoot } from "./member/keeper_queries.ts";
import { ALL_RIGHTS } from "../graph/rights.ts";
import { insertMemberships } from "../changes/insertion_queries.ts";

/** The session id in the change log for changes that the administrator makes. No user's session has it. */
export const ADMINISTRATOR_SESSION = "operator";

const { opId, now, email, name, passwordHash, mailId, sealedParams, linkExpiresAt } = placeholdersOf({
  opId: text,
  now: int,
  email: text,
  name: text,
  passwordHash: nullable(text),
  mailId: text,
  sealedParams: text,
  linkExpiresAt: int,
});

const CREATED = sql`FROM ${changeLog} WHERE ${changeLog.opId} = ${opId} AND ${changeLog.step} = 'write'`;
/** The account of the root's first member. */
const SUBJECT = sql`(SELECT ${changeLog.subjectId} ${CREATED})`;

const { root, keeper } = rowsOf({ root: role, keeper: member });
/** The members that keep a root role of this name. */
const KEEPERS = sql`FROM ${root} CROSS JOIN ${keeper} ON ${keeper.roleId} = ${root.id} AND ${
  keepsRoot(keeper)
}
  WHERE ${root.name} = ${name} AND ${root.isRoot}`;
const ROOT_EXISTS = sql`EXISTS (SELECT 1 ${KEEPERS})`;

/**
 * Selects the oldest root of this name that no member keeps, or null. Bootstrap gives it a keeper and leaves its self
 * rights. Imports create such roots, and roles above them may add members who do not keep them.
 */
function rootWithoutKeeper(): SQL {
  const { root, other } = rowsOf({ root: role, other: member });
  const isKept = sql`EXISTS (SELECT 1 FROM ${other} WHERE ${other.roleId} = ${root.id} AND ${
    keepsRoot(other)
  })`;
  return sql`(SELECT min(${root.id}) FROM ${root} WHERE ${root.name} = ${name} AND ${root.isRoot}
  AND NOT ${isKept})`;
}

/** The oldest root role of this name with its first keeper. Several roots can have one name, as renaming allows it. */
const FIRST_ROOT = sql`${KEEPERS} ORDER BY ${root.id}, ${keeper.id} LIMIT 1`;
const ROOT_COLUMNS = sql`${root.id} AS roleId, ${keeper.userId} AS userId, ${keeper.id} AS memberId`;

/** A root role and its first member. */
export interface Root {
  readonly userId: number;
  readonly roleId: number;
  readonly memberId: number;
}

export const FIND_ROOT = rows<Root>()({ name: text }, () =>
  sql`
  SELECT ${ROOT_COLUMNS} ${FIRST_ROOT}`);

const RECORD = define({ opId: text, now: int, email: text, name: text }, () => {
  const { names, values } = inserted(changeLog, {
    opId,
    at: now,
    actorId: userAccount.id,
    sessionId: quoted(ADMINISTRATOR_SESSION),
    kind: sql`'role.bootstrap'`,
    subjectId: userAccount.id,
    newRights: ALL_RIGHTS,
    decision: sql`'ok'`,
    step: sql`'write'`,
    details: sql`json_object('name', ${name})`,
  });
  return sql`
    INSERT INTO ${changeLog} (${names})
    SELECT ${values}
    FROM ${userAccount} WHERE ${userAccount.email} = ${email} AND NOT ${ROOT_EXISTS}`;
});

const TAKE_IDS = define({ opId: text }, () => {
  const next = assigned(idSequence, { lastId: sql`${idSequence.lastId} + 1` });
  return sql`UPDATE ${idSequence} SET ${next} WHERE EXISTS (SELECT 1 ${CREATED})`;
});

function lastOf(sequence: "node" | "relation"): SQL {
  return sql`(SELECT ${idSequence.lastId} FROM ${idSequence} WHERE ${idSequence.name} = ${quoted(sequence)})`;
}

const NOTE_IDS = define({ opId: text, name: text }, () => {
  const limited = row(member, "limited");
  const ids = assigned(changeLog, {
    roleId: sql`coalesce(${rootWithoutKeeper()}, ${lastOf("node")})`,
    relationId: lastOf("relation"),
    deletedRelationIds: sql`(SELECT json_array(${limited.id}) FROM ${limited}
        WHERE ${limited.roleId} = ${rootWithoutKeeper()} AND ${limited.userId} = ${changeLog.subjectId})`,
  });
  return sql`
    UPDATE ${changeLog} SET ${ids}
    WHERE ${changeLog.opId} = ${opId} AND ${changeLog.step} = 'write'`;
});

const INSERT_ROLE = define({ opId: text, name: text }, () => {
  const { names, values } = inserted(role, {
    id: changeLog.roleId,
    name,
    selfRights: ALL_RIGHTS,
    isRoot: 1,
  });
  return sql`
    INSERT INTO ${role} (${names}) SELECT ${values} ${CREATED}
    ON CONFLICT (${bare(role.id)}) DO NOTHING`;
});

const DELETE_LIMITED = define({ opId: text }, () =>
  sql`
    DELETE FROM ${member} WHERE ${member.id} = (SELECT ${changeLog.deletedRelationIds} ->> 0 ${CREATED})`);

const INSERT_MEMBER = define({ opId: text }, () => {
  const { relationId: id, roleId, subjectId: userId } = changeLog;
  return insertMemberships({ id, roleId, userId, chain: begunAt(roleId, userId) }, CREATED);
});

const IS_UNOPENED = sql`${userAccount.passwordHash} IS NULL AND ${userAccount.id} = ${SUBJECT}`;

export interface BootstrapRow extends Root {
  readonly created: 0 | 1;
  /** The role existed, without a member who keeps it. */
  readonly existed: 0 | 1;
  readonly passwordSet: 0 | 1;
  readonly invited: 0 | 1;
}

/**
 * Creates a root role with its first member, for the administrator. Does nothing if a root role of that name has a
 * keeper. An account that has a password keeps it. Returns a `BootstrapRow`.
 */
export const BOOTSTRAP = [
  insertUser({ name: text }, { language: sql`'en'`, source: sql`WHERE NOT ${ROOT_EXISTS}` }),
  RECORD,
  TAKE_IDS,
  NOTE_IDS,
  INSERT_ROLE,
  DELETE_LIMITED,
  INSERT_MEMBER,
  updateUser(
    { opId: text, passwordHash: nullable(text) },
    { passwordHash },
    sql`${passwordHash} IS NOT NULL AND ${IS_UNOPENED}`,
  ),
  insertPasswordLink({ opId: text, linkExpiresAt: int }, {
    purpose: "invitation",
    user: userAccount.id,
    expiresAt: linkExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${IS_UNOPENED}`,
  }),
  queueMail({ opId: text, name: text, mailId: text, sealedParams: text, linkExpiresAt: int }, {
    id: mailId,
    template: "invitation",
    language: userAccount.language,
    recipient: userAccount.email,
    roleName: name,
    sealedParams,
    expiresAt: linkExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${IS_UNOPENED}`,
  }),
  rows<BootstrapRow>()({ opId: text, name: text, passwordHash: nullable(text), mailId: text }, () => {
    const { id, passwordHash: hash } = userAccount;
    const isSet =
      sql`EXISTS (SELECT 1 FROM ${userAccount} WHERE ${id} = ${keeper.userId} AND ${hash} = ${passwordHash})`;
    return sql`
    SELECT EXISTS (SELECT 1 ${CREATED}) AS created,
      EXISTS (SELECT 1 ${CREATED} AND ${changeLog.roleId} <> ${lastOf("node")}) AS existed,
      EXISTS (SELECT 1 FROM ${outbox} WHERE ${outbox.id} = ${mailId}) AS invited,
      ${isSet} AS passwordSet, ${ROOT_COLUMNS} ${FIRST_ROOT}`;
  }),
] as const;
