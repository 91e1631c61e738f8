import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { spellingsOf } from "../core/text.ts";
import { DEVICES_BY, type KnownDevice, TAKEN_NODE_IDS } from "../device/device_import_queries.ts";
import { type KnownPerson, PEOPLE_BY, RESERVED_EMAILS } from "../identity/people_import_queries.ts";
import { KNOWN_MEMBERS, type KnownMember } from "../role/member/member_import_queries.ts";
import { AMBIGUOUS, type KnownRole, type KnownRoles, type References } from "./roles/role_graph.ts";
import { READ_RECORD } from "../role/role_import_queries.ts";
import { BELOW, type KnownRoleRow, ROLES_BY } from "../role/role_changes_queries.ts";
import { MEMBERS_ELSEWHERE } from "./fence_queries.ts";
import type { PlanOptions } from "./plan_parts.ts";

/** What the database has of what a file refers to. */

/** Returns what a map has under the first spelling that it knows. */
export function findSpelled<T>(map: ReadonlyMap<string, T>, text: string): T | undefined {
  const key = spellingsOf(text).find((each) => map.has(each));
  return key === undefined ? undefined : map.get(key);
}

function inAllSpellings(texts: Iterable<string>): Set<string> {
  return new Set(Array.from(texts, spellingsOf).flat());
}

/** Entries per read. */
const CHUNK = 2000;

/** Reads for each part of a list; `read` gets it as JSON. */
export async function readInParts<T, R>(
  list: Iterable<T>,
  read: (json: string) => Promise<R[]>,
): Promise<R[]> {
  const all = [...list];
  const found: R[] = [];
  for (let i = 0; i < all.length; i += CHUNK) {
    for (const row of await read(JSON.stringify(all.slice(i, i + CHUNK)))) found.push(row);
  }
  return found;
}

/**
 * Returns the ids of the roles that an interrupted import of a file has brought, by their keys. None if one of them was
 * deleted: that import is to begin anew.
 */
export async function readBrought(
  database: Database,
  recordId: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (recordId === undefined) return new Map();
  const records = (await database.read(bind(READ_RECORD, { recordId })))
    .map(({ keys, ...record }) => ({ ...record, keys: JSON.parse(keys) as string[] }));
  if (records.some(({ keys, left }) => left < keys.length)) return new Map();
  return new Map(
    records.flatMap(({ firstRoleId, keys }) => keys.map((key, i) => [key, firstRoleId + i] as const)),
  );
}

/**
 * Reads the roles that a file refers to. Below a root, an external id is unique: `underId` chooses its root, and without
 * it, an external id that several roots have is ambiguous. `under` is absent if there is no such role. Unless rows may
 * name what is `outside`, roles are fenced that are not below it.
 */
export async function readKnownRoles(
  database: Database,
  { externalIds, ids }: References,
  { underId, outside }: Pick<PlanOptions, "underId" | "outside">,
): Promise<KnownRoles & { readonly under: KnownRole | undefined }> {
  const allIds = underId === undefined ? ids : new Set([...ids, underId]);
  const ofIds = await readInParts(allIds, (list) => database.read(bind(ROLES_BY.ids, { list })));
  const ofExternalIds = await readInParts(
    inAllSpellings(externalIds),
    (list) => database.read(bind(ROLES_BY.externalIds, { list })),
  );
  const fence = await readFence(
    database,
    outside ? undefined : underId,
    [...ofIds, ...ofExternalIds].map(({ id }) => id),
  );
  const toKnownRole = ({ parents, isRoot, ...role }: KnownRoleRow): KnownRole => ({
    ...role,
    isRoot: isRoot === 1,
    parents: new Map(JSON.parse(parents) as [number, number][]),
    isFenced: !fence.isBelow(role.id),
  });
  const byId = new Map(ofIds.map((row) => [row.id, toKnownRole(row)]));
  const under = underId === undefined ? undefined : byId.get(underId);
  const byExternalId = new Map<string, KnownRole | typeof AMBIGUOUS>();
  for (const row of ofExternalIds) {
    if (row.externalId === null || (under !== undefined && row.externalRoot !== under.root)) continue;
    const role = toKnownRole(row);
    byId.set(role.id, role);
    byExternalId.set(row.externalId, byExternalId.has(row.externalId) ? AMBIGUOUS : role);
  }
  return {
    under,
    byId: (id) => byId.get(id),
    byExternalId: (externalId) => findSpelled(byExternalId, externalId),
  };
}

/** Finds which roles of a list are below a role: all of them without one. */
export async function readFence(
  database: Database,
  underId: number | undefined,
  ids: Iterable<number>,
): Promise<{ isBelow(id: number): boolean }> {
  if (underId === undefined) return { isBelow: () => true };
  const found = await readInParts(new Set(ids), (list) => database.read(bind(BELOW, { list, underId })));
  const below = new Set(found.map(({ id }) => id));
  return { isBelow: (id) => below.has(id) };
}

/** Returns the accounts of a list that are members of roles other than this one and those below it. */
export async function readMembersElsewhere(
  database: Database,
  underId: number,
  userIds: Iterable<number>,
  now: number,
): Promise<ReadonlySet<number>> {
  const found = await readInParts(
    userIds,
    (list) => database.read(bind(MEMBERS_ELSEWHERE, { list, underId, now })),
  );
  return new Set(found.map(({ id }) => id));
}

/** Accounts by what a file may call them. */
export interface KnownPeople {
  readonly byId: ReadonlyMap<number, KnownPerson>;
  readonly byEmail: ReadonlyMap<string, KnownPerson>;
  readonly byExternalId: ReadonlyMap<string, KnownPerson>;
}

export async function readKnownPeople(
  database: Database,
  asked: {
    readonly ids: ReadonlySet<number>;
    readonly emails: ReadonlySet<string>;
    readonly externalIds: ReadonlySet<string>;
  },
): Promise<KnownPeople> {
  const byId = await readInParts(asked.ids, (list) => database.read(bind(PEOPLE_BY.ids, { list })));
  const byEmail = await readInParts(asked.emails, (list) => database.read(bind(PEOPLE_BY.emails, { list })));
  const byExternalId = await readInParts(
    inAllSpellings(asked.externalIds),
    (list) => database.read(bind(PEOPLE_BY.externalIds, { list })),
  );
  return {
    byId: new Map(byId.map((person) => [person.id, person])),
    byEmail: new Map(byEmail.map((person) => [person.email, person])),
    byExternalId: new Map(byExternalId.map((person) => [person.externalId ?? "", person])),
  };
}

/** Returns the addresses that no new account may take now. */
export async function readReservedEmails(
  database: Database,
  emails: Iterable<string>,
  now: number,
): Promise<ReadonlySet<string>> {
  const found = await readInParts(emails, (list) => database.read(bind(RESERVED_EMAILS, { list, now })));
  return new Set(found.map(({ email }) => email));
}

/** Returns the key of a membership in `readKnownMembers`. */
export function pairOf(roleId: number, userId: number): string {
  return `${roleId} ${userId}`;
}

export async function readKnownMembers(
  database: Database,
  pairs: Iterable<readonly [roleId: number, userId: number]>,
  now: number,
): Promise<ReadonlyMap<string, KnownMember>> {
  const found = await readInParts(pairs, (list) => database.read(bind(KNOWN_MEMBERS, { list, now })));
  return new Map(found.map((member) => [pairOf(member.roleId, member.userId), member]));
}

/** Devices by what a file calls them. A nodeId is that of one device which roles monitor; retired ones had it before. */
export interface KnownDevices {
  readonly byNodeId: ReadonlyMap<string, KnownDevice>;
  /** Of each root. */
  readonly byExternalId: ReadonlyMap<string, readonly KnownDevice[]>;
}

export async function readKnownDevices(
  database: Database,
  nodeIds: Iterable<string>,
  externalIds: Iterable<string>,
  now: number,
): Promise<KnownDevices> {
  const ofNodeIds = await readInParts(
    inAllSpellings(nodeIds),
    (list) => database.read(bind(DEVICES_BY.nodeIds, { list, now })),
  );
  const ofExternalIds = await readInParts(
    inAllSpellings(externalIds),
    (list) => database.read(bind(DEVICES_BY.externalIds, { list, now })),
  );
  const byNodeId = new Map<string, KnownDevice>();
  for (const device of ofNodeIds) if (device.roleIds !== "[]") byNodeId.set(device.nodeId, device);
  const byExternalId = Map.groupBy(ofExternalIds, ({ externalId }) => externalId ?? "");
  return { byNodeId, byExternalId };
}

/** Returns the nodeIds that no new device may take, of pairs with the role, or null for a new one. */
export async function readTakenNodeIds(
  database: Database,
  pairs: Iterable<readonly [nodeId: string, roleId: number | null]>,
  times: { readonly now: number; readonly trashMs: number },
): Promise<ReadonlySet<string>> {
  const found = await readInParts(
    pairs,
    (list) => database.read(bind(TAKEN_NODE_IDS, { list, ...times })),
  );
  return new Set(found.map(({ nodeId }) => nodeId));
}
