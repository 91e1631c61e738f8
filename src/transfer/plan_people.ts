import { isEmail, normalizeEmail } from "../core/email.ts";
import { canonicalText, spellingsOf } from "../core/text.ts";
import type { Database } from "../db/database.ts";
import type { ImportedPerson, KnownPerson } from "../identity/people_import_queries.ts";
import { quote } from "./roles/role_format.ts";
import { idOfReference } from "./roles/role_graph.ts";
import {
  findSpelled,
  type KnownPeople,
  readKnownPeople,
  readMembersElsewhere,
  readReservedEmails,
} from "./known.ts";
import type { RowCounts } from "./plan_parts.ts";
import type { PersonRow, TableReader } from "./table_reader.ts";

export interface PlannedPeople {
  readonly people: ImportedPerson[];
  readonly counts: RowCounts;
  readonly known: KnownPeople;
}

/** Compares the people of a file, and reads those to whom memberships refer. */
export async function planPeople(
  database: Database,
  tables: TableReader,
  { now, fenceId }: { readonly now: number; readonly fenceId: number | undefined },
): Promise<PlannedPeople> {
  const asked = { ids: new Set<number>(), emails: new Set<string>(), externalIds: new Set<string>() };
  for (const { email, externalId } of tables.people) {
    asked.emails.add(email);
    if (externalId !== undefined) asked.externalIds.add(externalId);
  }
  for (const { person } of tables.members) {
    asked.externalIds.add(person);
    if (isEmail(person)) asked.emails.add(normalizeEmail(person));
    const id = idOfReference(person);
    if (id !== undefined) asked.ids.add(id);
  }
  const known = await readKnownPeople(database, asked);
  const people: ImportedPerson[] = [];
  const added: PersonRow[] = [];
  const changed = new Map<number, PersonRow>();
  let unchanged = 0;
  for (const row of tables.people) {
    const found = findPerson(row, known);
    if (typeof found === "string") tables.report("people", row.line, found);
    else if (found === undefined) added.push(row);
    const change = found === undefined || typeof found === "string"
      ? toImported(row)
      : differenceOf(row, found);
    if (change === undefined) unchanged++;
    else people.push(change);
    if (typeof found === "object" && change !== undefined) changed.set(found.id, row);
  }
  // A password that a part of the hierarchy brings must not open an account with rights outside of it.
  const elsewhere = fenceId === undefined
    ? []
    : await readMembersElsewhere(database, fenceId, changed.keys(), now);
  for (const id of elsewhere) {
    const { line = 0, email = "" } = changed.get(id) ?? {};
    tables.report(
      "people",
      line,
      `the account of ${quote(email)} is also a member outside of --under: it is only changed with --outside`,
    );
  }
  const reserved = await readReservedEmails(database, added.map(({ email }) => email), now);
  for (const { line, email } of added) {
    if (!reserved.has(email)) continue;
    tables.report(
      "people",
      line,
      `email ${quote(email)} is reserved for its former owner, who may take it back`,
    );
  }
  const counts = { added: added.length, changed: people.length - added.length, unchanged };
  return { people, counts, known };
}

/** Returns the account of a row, or why it cannot be that. */
function findPerson(
  { email, externalId }: PersonRow,
  { byEmail, byExternalId }: KnownPeople,
): KnownPerson | string | undefined {
  const ofEmail = byEmail.get(email);
  const ofExternalId = externalId === undefined ? undefined : findSpelled(byExternalId, externalId);
  if (ofExternalId !== undefined && ofExternalId.email !== email) {
    return `the account with externalId ${quote(externalId ?? "")} has the address ${
      quote(ofExternalId.email)
    }: ` +
      "an import changes no address, its owner does";
  }
  const other = ofEmail?.externalId ?? undefined;
  if (other !== undefined && externalId !== undefined && !spellingsOf(externalId).includes(other)) {
    return `the account of ${quote(email)} has the externalId ${quote(other)}`;
  }
  return ofEmail;
}

function storedId(externalId: string | undefined): string | null {
  return externalId === undefined ? null : canonicalText(externalId);
}

function toImported({ email, language, externalId, passwordHash, name }: PersonRow): ImportedPerson {
  return [email, language ?? null, storedId(externalId), passwordHash ?? null, name ?? null];
}

/** A password and a name are only brought to an account without one. */
function differenceOf(row: PersonRow, person: KnownPerson): ImportedPerson | undefined {
  const language = row.language === person.language ? null : row.language ?? null;
  const externalId = person.externalId === null ? storedId(row.externalId) : null;
  const passwordHash = person.hasPassword === 1 ? null : row.passwordHash ?? null;
  const name = person.name === null ? row.name ?? null : null;
  const change = [language, externalId, passwordHash, name] as const;
  return change.every((value) => value === null) ? undefined : [row.email, ...change];
}
