import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { PageRequest } from "../../core/page.ts";
import type { Database } from "../../db/database.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind, bindNamed } from "../../db/statement.ts";
import { type AsOf, momentArgs, type PeriodUntil } from "../../graph/history/as_of.ts";
import { NO_RIGHTS, type Rights, type RightsMask, toRights } from "../../graph/rights.ts";
import { halvesOf, toJson } from "../../graph/paging/page_service.ts";
import { type AccessPage, cutPage, readPageRow } from "./access_page.ts";
import {
  ADMINISTRATOR_PEOPLE_PAGES,
  COUNT_PEOPLE,
  KEYS_AFTER,
  PEOPLE_PAGES,
  type PeoplePageRow,
  SEEN_ROLES,
} from "./people_queries.ts";

/** The access of a person or a key to a role. */
export interface PersonAccess {
  /** The id of the account. Absent for a key, as the address. */
  readonly userId?: number;
  readonly userEmail?: string | null;
  readonly key?: { readonly id: number; readonly name: string | null };
  readonly rights: Rights;
  /** Whether they are a direct member of the role. */
  readonly direct: boolean;
  /** Other roles that give the access, as far as the reader sees them, in ascending order. */
  readonly through: readonly number[];
  /** How many more roles give the access. */
  readonly hidden: number;
  /** When the access ends, as an ISO time; absent if it does not. */
  readonly until?: string;
}

/** A page of people and keys with access to a role, with the names of the roles in `through`. */
export interface PeoplePage extends AccessPage<PersonAccess> {
  readonly names: ReadonlyMap<number, string>;
}

/** Maximum number of roles that `PersonAccess.through` names for an actor. */
const MAX_THROUGH = 10;

export interface PeopleQuery {
  readonly roleId: number;
  /** Only people and keys that hold all of these rights. */
  readonly rights: RightsMask;
  /** Only people with one of these normalized addresses. */
  readonly emails?: readonly string[] | undefined;
  /** The moment to show, in place of now. */
  readonly asOf?: AsOf | undefined;
  /** The period to show, in place of now or a moment. */
  readonly during?: PeriodUntil | undefined;
}

export type AccessDeps = { readonly database: Database; readonly clock: Clock };

interface PersonRow {
  readonly place: number;
  readonly userEmail: string | null;
  readonly keyName: string | null;
  readonly rights: RightsMask;
  readonly isDirect: number;
  readonly endsAt: number | null;
  /** The other roles that give the access. */
  readonly roleIds: readonly number[];
}

/**
 * Returns a page of the people and keys with access to a role, accounts by id, then keys by id. Empty unless the actor
 * sees the role as a manager. Throws the errors of `readPageRow`.
 */
export async function readPeople(
  { database, clock }: AccessDeps,
  { userId: actorId, sessionId }: Actor,
  { roleId, rights, emails, asOf, during }: PeopleQuery,
  page: PageRequest,
): Promise<PeoplePage> {
  const pages = emails === undefined ? PEOPLE_PAGES.all : PEOPLE_PAGES.email;
  const now = clock();
  // A period that begins in the future ends there, and is refused.
  const period = during && { ...during, toMs: Math.max(during.fromMs, Math.min(during.toMs ?? now, now)) };
  const [statement, moment] = period !== undefined
    ? [pages.during, period]
    : asOf === undefined
    ? [pages.now, {}]
    : [pages.then, momentArgs(asOf)];
  const args = {
    now,
    actorId,
    sessionId,
    roleId,
    rights,
    emails: toJson(emails),
    ...moment,
    ...page,
  };
  const read = async (emailList: string | null): Promise<PeoplePageRow[]> => {
    const bound = bindNamed(statement, { ...args, emails: emailList });
    const row = await readPageRow(database, bound, period ?? asOf);
    if (row.isCostly === 0) return [row];
    const [one, other] = halvesOf(emailList);
    return [...await read(one), ...await read(other)];
  };
  const rows = await read(toJson(emails));
  return toPage(await Promise.all(rows.map(nameSeen)), page.limit);

  /**
   * Adds the roles that the actor sees. With many memberships, one more statement finds these; its later state counts.
   */
  async function nameSeen(row: PeoplePageRow): Promise<PeoplePageRow> {
    if (row.seenRoles !== null) return row;
    const roleIds = [...new Set((JSON.parse(row.rows) as PersonRow[]).flatMap((person) => person.roleIds))];
    if (roleIds.length === 0) return { ...row, seenRoles: "[]" };
    const bound = bind(SEEN_ROLES, { now, actorId, sessionId, roleIds: JSON.stringify(roleIds) });
    const [seen] = await readRevised(database, bound);
    if (seen === undefined) throw new AppError("TOKEN_INVALID");
    return { ...row, seenRoles: seen.roles };
  }
}

/**
 * Returns a page of the people and keys with access to a role, for an administrator, with all roles that give the
 * access. For a moment, throws the errors of `readPageRow`.
 */
export async function readPeopleAsAdministrator(
  { database, clock }: AccessDeps,
  { roleId, asOf }: Pick<PeopleQuery, "roleId" | "asOf">,
  page: PageRequest,
): Promise<PeoplePage> {
  const { now, then } = ADMINISTRATOR_PEOPLE_PAGES;
  const [statement, moment] = asOf === undefined ? [now, {}] : [then, momentArgs(asOf)];
  const args = { now: clock(), roleId, rights: NO_RIGHTS, ...moment, ...page };
  return toPage(
    [await readPageRow(database, bindNamed(statement, args), asOf)],
    page.limit,
    Infinity,
  );
}

/**
 * Returns about how many people and keys have access to a role: the access of some may have ended. Undefined without
 * the role.
 */
export async function countPeople(
  { database }: Pick<AccessDeps, "database">,
  roleId: number,
): Promise<number | undefined> {
  const [row] = await database.read(bind(COUNT_PEOPLE, { roleId }));
  return row?.people ?? undefined;
}

/**
 * Returns a page from the rows of one statement, or of several that each read part of a list of addresses to its end.
 */
function toPage(
  rows: readonly PeoplePageRow[],
  limit: number,
  maxThrough = MAX_THROUGH,
): PeoplePage {
  const people = rows.flatMap((row) => JSON.parse(row.rows) as PersonRow[]);
  const names = new Map(rows.flatMap((row) => JSON.parse(row.seenRoles ?? "[]") as [number, string][]));
  const show = (person: PersonRow): PersonAccess => toAccess(person, names, maxThrough);
  const page = cutPage(people, rows[0]?.lookedTo ?? null, { limit, placeOf: ({ place }) => place, show });
  const revisions = rows.map(({ revision }) => revision);
  return { ...page, names, revision: Math.min(...revisions), revisionEnd: Math.max(...revisions) };
}

function toAccess(person: PersonRow, seen: ReadonlyMap<number, string>, maxThrough: number): PersonAccess {
  const { place, userEmail, keyName, rights, isDirect, endsAt, roleIds } = person;
  const through = roleIds.filter((id) => seen.has(id)).sort((a, b) => a - b).slice(0, maxThrough);
  return {
    ...(place > KEYS_AFTER
      ? { key: { id: place - KEYS_AFTER, name: keyName } }
      : { userId: place, userEmail }),
    rights: toRights(rights),
    direct: isDirect === 1,
    through,
    hidden: roleIds.length - through.length,
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
  };
}
