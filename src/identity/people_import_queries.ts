import { and, compile, gt, isNotNull, pick, select } from "../db/builder.ts";
import { reservedEmail, securityEvent, userAccount } from "../db/schema/identity.ts";
import {
  assigned,
  bare,
  define,
  excluded,
  inserted,
  int,
  placeholdersOf,
  row,
  type SQL,
  sql,
  type SQLiteColumn,
  text,
} from "../db/sql.ts";
import type { RowOf } from "../db/statement.ts";

/** Accounts that an import brings. The lists are JSON. */

const KNOWN = {
  ...pick(userAccount, "id", "email", "name", "language", "externalId"),
  hasPassword: isNotNull(userAccount.passwordHash),
};
/** An account as an import compares it. */
export type KnownPerson = RowOf<typeof READ_PEOPLE>;

function selectPeople(list: SQL, isListed: SQL) {
  return select(KNOWN).from(sql`json_each(${list}) listed`).crossJoin(userAccount).where(isListed);
}

function peopleBy(column: SQLiteColumn) {
  return compile({ list: text }, ({ list }) => selectPeople(list, sql`${column} = listed.value`));
}

/** The accounts of a list of ids, of addresses or of external ids. */
export const PEOPLE_BY = {
  ids: peopleBy(userAccount.id),
  emails: peopleBy(userAccount.email),
  externalIds: peopleBy(userAccount.externalId),
} as const;

const reserved = row(reservedEmail, "reserved");

/** The addresses of a list that no new account may take, since their former owners may want them back. */
export const RESERVED_EMAILS = compile({ list: text, now: int }, ({ list, now }) => {
  const isListed = and(sql`${reserved.email} = listed.value`, gt(reserved.reservedUntil, now));
  return select({ email: reserved.email }).from(sql`json_each(${list}) listed`).crossJoin(reserved).where(
    isListed,
  );
});

const IMPORT = { opId: text, runId: text, now: int, people: text };
const { opId, runId, now, people } = placeholdersOf(IMPORT);

/** An account to make or to change: null leaves a column as it is, or at its default. */
export type ImportedPerson = readonly [
  email: string,
  language: string | null,
  externalId: string | null,
  passwordHash: string | null,
  name: string | null,
];

/** Makes the accounts that are missing. A password and a name are only set where there is none. */
const WRITE_PEOPLE = define({ now: int, people: text }, () => {
  const { names, values } = inserted(userAccount, {
    email: sql`listed.value ->> 0`,
    language: sql`coalesce(listed.value ->> 1, 'en')`,
    externalId: sql`listed.value ->> 2`,
    passwordHash: sql`listed.value ->> 3`,
    name: sql`listed.value ->> 4`,
    passwordChangedAt: sql`CASE WHEN listed.value ->> 3 IS NOT NULL THEN ${now} END`,
    createdAt: now,
  });
  const { email, name, externalId, passwordHash, passwordChangedAt } = userAccount;
  const ifUnset = (column: SQLiteColumn): SQL =>
    sql`CASE WHEN ${passwordHash} IS NULL THEN ${excluded(column)}
      ELSE ${column} END`;
  const isFree = sql`NOT EXISTS (SELECT 1 FROM ${reserved}
    WHERE ${reserved.email} = listed.value ->> 0 AND ${reserved.reservedUntil} > ${now})`;
  return sql`
  INSERT INTO ${userAccount} (${names}) SELECT ${values} FROM json_each(${people}) listed WHERE ${isFree}
  ON CONFLICT (${bare(email)}) DO UPDATE SET ${
    assigned(userAccount, {
      externalId: sql`coalesce(${excluded(externalId)}, ${externalId})`,
      name: sql`coalesce(${name}, ${excluded(name)})`,
      passwordHash: ifUnset(passwordHash),
      passwordChangedAt: ifUnset(passwordChangedAt),
    })
  }`;
});

/** The language of an account that is there already changes only where the list names one. */
const WRITE_LANGUAGES = define({ people: text }, () =>
  sql`
  UPDATE ${userAccount} SET ${assigned(userAccount, { language: sql`listed.language` })}
  FROM (SELECT value ->> 0 AS email, value ->> 1 AS language FROM json_each(${people})) listed
  WHERE ${userAccount.email} = listed.email AND listed.language <> ${userAccount.language}`);

/** Records an event for each account, which names the run in place of a session. */
const RECORD_PEOPLE = define({ opId: text, runId: text, now: int, people: text }, () => {
  const { names, values } = inserted(securityEvent, {
    opId: sql`${opId} || ' ' || listed.key`,
    at: now,
    event: sql`'account.import'`,
    result: sql`'ok'`,
    userId: userAccount.id,
    sessionId: sql`'import:' || ${runId}`,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names}) SELECT ${values} FROM json_each(${people}) listed
  CROSS JOIN ${userAccount} ON ${userAccount.email} = listed.value ->> 0`;
});

const READ_PEOPLE = compile(
  { people: text },
  () => selectPeople(people, sql`${userAccount.email} = listed.value ->> 0`),
);

/** Makes and changes the accounts of a list of `ImportedPerson`. The last statement returns them. */
export const IMPORT_PEOPLE = [WRITE_PEOPLE, WRITE_LANGUAGES, RECORD_PEOPLE, READ_PEOPLE] as const;
