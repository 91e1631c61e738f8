import { isEmail, normalizeEmail } from "../core/email.ts";
import type { Database } from "../db/database.ts";
import type { ImportedDeviceChange, KnownDevice } from "../device/device_import_queries.ts";
import type { ImportedPerson, KnownPerson } from "../identity/people_import_queries.ts";
import { quote } from "../role/transfer/import_format.ts";
import {
  AMBIGUOUS,
  type Found,
  idOfReference,
  type ImportGraph,
  type RolePlace,
} from "../role/transfer/import_graph.ts";
import {
  type KnownDevices,
  type KnownPeople,
  pairOf,
  readKnownDevices,
  readKnownMembers,
  readKnownPeople,
  readKnownRoles,
  readReservedEmails,
  readTakenNodeIds,
} from "./known.ts";
import { ALL_RIGHTS } from "../role/rights.ts";
import type { DeviceRow, MemberRow, PersonRow, TableProblem, TableReader } from "./table_reader.ts";

/** How many rows of a file are new, differ, or are as the database has them. */
export interface RowCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** A membership to make or change: its role and account may be new. */
export interface PlannedMember {
  readonly role: RolePlace;
  readonly person: KnownPerson | PersonRow;
  readonly rights: number;
  readonly endsAt: number | null;
}

/** A device to make: the first role gets it, the others monitor it, too. */
export interface PlannedDevice {
  readonly row: DeviceRow;
  readonly roles: readonly RolePlace[];
}

/** A role that is to monitor a device, which is there, from now on. */
export interface PlannedMonitors {
  readonly role: RolePlace;
  readonly deviceId: number;
}

/** What an import will do, after the roles of `graph`. */
export interface ImportPlan {
  readonly graph: ImportGraph;
  readonly underId: number | undefined;
  readonly people: readonly ImportedPerson[];
  readonly members: readonly PlannedMember[];
  readonly devices: readonly PlannedDevice[];
  readonly deviceChanges: readonly ImportedDeviceChange[];
  readonly monitors: readonly PlannedMonitors[];
  readonly counts: Readonly<Record<"roles" | "people" | "members" | "devices", RowCounts>>;
  /** The ids of rows that the database has, by their key or external id; of devices also those by nodeId. */
  readonly known: { readonly people: KnownPeople; readonly devices: KnownDevices };
}

export interface PlanOptions {
  /** The role that the roles without parents get below. */
  readonly underId?: number | undefined;
  readonly now: number;
  /** For how long a deleted device lies in the trash. */
  readonly trashMs: number;
  /** Maximum number of rows of the rights table. */
  readonly maxRows: number;
}

/** The role to import under does not exist. */
export class NoSuchRoleError extends Error {
  override readonly name = "NoSuchRoleError";
}

/**
 * Compares files with the database and finds out what an import would do, or all problems that would keep it from that.
 * Reads only. Throws a `NoSuchRoleError` for an unknown `underId`, and a `ClosureTooLargeError`.
 */
export async function planImport(
  database: Database,
  tables: TableReader,
  options: PlanOptions,
): Promise<{ readonly plan: ImportPlan } | { readonly problems: readonly TableProblem[] }> {
  const { underId, now, maxRows } = options;
  const references = [
    ...tables.members.map(({ role }) => role),
    ...tables.devices.flatMap(({ roles }) => roles),
  ];
  const known = await readKnownRoles(
    database,
    withReferences(tables.graph.references(), references),
    underId,
  );
  if (underId !== undefined && known.under === undefined) {
    throw new NoSuchRoleError("The role to import under does not exist.");
  }
  const checked = tables.graph.finish({ under: underId !== undefined, underId, known, maxRows });
  if ("problems" in checked) {
    return {
      problems: [
        ...checked.problems.map((problem) => ({ kind: "roles" as const, ...problem })),
        ...tables.problems(),
      ],
    };
  }
  const { graph } = checked;
  const people = await planPeople(database, tables, now);
  const members = await planMembers(database, tables, { graph, now, ...people });
  const devices = await planDevices(database, tables, graph, options);
  if (tables.problems().length > 0) return { problems: tables.problems() };
  const { rows, changed, changedRelations, unchanged } = graph;
  const changedRoles = new Set([
    ...changed.map(({ line }) => line),
    ...changedRelations.map(({ line }) => line),
  ]);
  return {
    plan: {
      graph,
      underId,
      people: people.people,
      members: members.members,
      devices: devices.devices,
      deviceChanges: devices.changes,
      monitors: devices.monitors,
      counts: {
        roles: { added: rows.length, changed: changedRoles.size, unchanged },
        people: people.counts,
        members: members.counts,
        devices: devices.counts,
      },
      known: { people: people.known, devices: devices.known },
    },
  };
}

function withReferences(
  { externalIds, ids }: { readonly externalIds: ReadonlySet<string>; readonly ids: ReadonlySet<number> },
  references: readonly string[],
): { externalIds: Set<string>; ids: Set<number> } {
  const all = { externalIds: new Set(externalIds), ids: new Set(ids) };
  for (const reference of references) {
    all.externalIds.add(reference);
    const id = idOfReference(reference);
    if (id !== undefined) all.ids.add(id);
  }
  return all;
}

interface PlannedPeople {
  readonly people: ImportedPerson[];
  readonly counts: RowCounts;
  readonly known: KnownPeople;
}

async function planPeople(database: Database, tables: TableReader, now: number): Promise<PlannedPeople> {
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
  const ofExternalId = externalId === undefined ? undefined : byExternalId.get(externalId);
  if (ofExternalId !== undefined && ofExternalId.email !== email) {
    return `the account with externalId ${quote(externalId ?? "")} has the address ${
      quote(ofExternalId.email)
    }: ` +
      "an import changes no address, its owner does";
  }
  const other = ofEmail?.externalId ?? undefined;
  if (other !== undefined && externalId !== undefined && other !== externalId) {
    return `the account of ${quote(email)} has the externalId ${quote(other)}`;
  }
  return ofEmail;
}

function toImported({ email, language, externalId, passwordHash }: PersonRow): ImportedPerson {
  return [email, language ?? null, externalId ?? null, passwordHash ?? null];
}

/** A password is only brought to an account without one. */
function differenceOf(row: PersonRow, person: KnownPerson): ImportedPerson | undefined {
  const language = row.language === person.language ? null : row.language ?? null;
  const externalId = person.externalId === null ? row.externalId ?? null : null;
  const passwordHash = person.hasPassword === 1 ? null : row.passwordHash ?? null;
  if (language === null && externalId === null && passwordHash === null) return undefined;
  return [row.email, language, externalId, passwordHash];
}

async function planMembers(
  database: Database,
  tables: TableReader,
  { graph, now, known }: Pick<PlannedPeople, "known"> & { readonly graph: ImportGraph; readonly now: number },
): Promise<{ members: PlannedMember[]; counts: RowCounts }> {
  const findMember = personFinder(tables.people, known);
  const planned: (Pick<PlannedMember, "role" | "person"> & Pick<MemberRow, "rights" | "endsAt">)[] = [];
  const lines = new Map<string, number>();
  for (const row of tables.members) {
    const role = findRole(tables, "members", row.line, graph.find(row.role), row.role);
    const person = findMember(row.person);
    if (person === AMBIGUOUS) {
      tables.report(
        "members",
        row.line,
        `the person ${quote(row.person)} may be one of two accounts: write # and the id`,
      );
    } else if (person === undefined) {
      tables.report(
        "members",
        row.line,
        `the person ${quote(row.person)} is neither in the files nor in the database`,
      );
    }
    if (role === undefined || person === undefined || person === AMBIGUOUS) continue;
    const pair = `${JSON.stringify(role)} ${person.email}`;
    const first = lines.get(pair);
    if (first !== undefined) {
      tables.report("members", row.line, `this person and role are already in line ${first}`);
      continue;
    }
    lines.set(pair, row.line);
    planned.push({ role, person, rights: row.rights, endsAt: row.endsAt });
  }
  const pairs = planned.flatMap(({ role, person }) =>
    "id" in role && "id" in person ? [[role.id, person.id] as const] : []
  );
  const existing = await readKnownMembers(database, pairs, now);
  const members: PlannedMember[] = [];
  let [added, unchanged] = [0, 0];
  for (const { role, person, ...given } of planned) {
    const before = "id" in role && "id" in person ? existing.get(pairOf(role.id, person.id)) : undefined;
    // What has no column stays as it is.
    const rights = given.rights ?? before?.rights ?? ALL_RIGHTS;
    const endsAt = given.endsAt === undefined ? before?.endsAt ?? null : given.endsAt;
    const isOver = endsAt !== null && endsAt <= now;
    if (before === undefined ? isOver : before.rights === rights && before.endsAt === endsAt) {
      unchanged++;
      continue;
    }
    if (before === undefined) added++;
    members.push({ role, person, rights, endsAt });
  }
  return { members, counts: { added, changed: members.length - added, unchanged } };
}

/** Returns what finds an account by an address, an external id, or `#` and an id. */
function personFinder(
  rows: readonly PersonRow[],
  known: KnownPeople,
): (reference: string) => Found<KnownPerson | PersonRow> {
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  const byExternalId = new Map(
    rows.flatMap((row) => row.externalId === undefined ? [] : [[row.externalId, row]]),
  );
  return (reference) => {
    const id = idOfReference(reference);
    if (id !== undefined) return known.byId.get(id);
    const email = normalizeEmail(reference);
    const ofEmail = known.byEmail.get(email) ?? byEmail.get(email);
    const inFile = byExternalId.get(reference);
    const ofExternalId = known.byExternalId.get(reference) ??
      (inFile && (known.byEmail.get(inFile.email) ?? inFile));
    if (ofEmail !== undefined && ofExternalId !== undefined && ofEmail.email !== ofExternalId.email) {
      return AMBIGUOUS;
    }
    return ofEmail ?? ofExternalId;
  };
}

function findRole(
  tables: TableReader,
  kind: "members" | "devices",
  line: number,
  found: Found<RolePlace>,
  reference: string,
): RolePlace | undefined {
  if (found === undefined) {
    tables.report(kind, line, `the role ${quote(reference)} is neither in the files nor in the database`);
  } else if (found === AMBIGUOUS) {
    tables.report(kind, line, `the role ${quote(reference)} may be one of several: write # and its id`);
  } else return found;
  return undefined;
}

interface PlannedDevices {
  readonly devices: PlannedDevice[];
  readonly changes: ImportedDeviceChange[];
  readonly monitors: PlannedMonitors[];
  readonly counts: RowCounts;
  readonly known: KnownDevices;
}

async function planDevices(
  database: Database,
  tables: TableReader,
  graph: ImportGraph,
  options: PlanOptions,
): Promise<PlannedDevices> {
  const { now } = options;
  const known = await readKnownDevices(
    database,
    tables.devices.map(({ nodeId }) => nodeId),
    tables.devices.flatMap(({ externalId }) => externalId ?? []),
    now,
  );
  const planned: PlannedDevices = {
    devices: [],
    changes: [],
    monitors: [],
    counts: { added: 0, changed: 0, unchanged: 0 },
    known,
  };
  let [changed, unchanged] = [0, 0];
  for (const row of tables.devices) {
    const roles = row.roles.map((reference) =>
      findRole(tables, "devices", row.line, graph.find(reference), reference)
    );
    const places = roles.filter((role) => role !== undefined);
    if (places.length < roles.length) continue;
    const [first] = places;
    const root = first && Math.min(...graph.rootsOf(first));
    const existing = findDevice(row, places, root, known);
    if (typeof existing === "string") {
      tables.report("devices", row.line, existing);
      continue;
    }
    if (existing === undefined) {
      planned.devices.push({ row, roles: places });
      continue;
    }
    const watching = JSON.parse(existing.roleIds) as number[];
    const further = places.filter((role) => !("id" in role && watching.includes(role.id)));
    planned.monitors.push(...further.map((role) => ({ role, deviceId: existing.id })));
    const properties = tables.hasProperties ? row.properties : existing.properties;
    const externalId = existing.externalId === null ? row.externalId ?? null : null;
    const differs = properties !== existing.properties || externalId !== null;
    if (differs) planned.changes.push([existing.id, properties, externalId, watching[0] ?? 0]);
    if (differs || further.length > 0) changed++;
    else unchanged++;
  }
  const taken = await readTakenNodeIds(
    database,
    planned.devices.map(({ row, roles: [role] }) => [row.nodeId, role && "id" in role ? role.id : null]),
    { now, trashMs: options.trashMs },
  );
  for (const { row: { line, nodeId } } of planned.devices) {
    if (!taken.has(nodeId)) continue;
    tables.report(
      "devices",
      line,
      `nodeId ${quote(nodeId)} belongs to a device that is deleted or retired, and not free yet`,
    );
  }
  return { ...planned, counts: { added: planned.devices.length, changed, unchanged } };
}

/** Returns the device of a row, or why it cannot be that. `root`: below which its external id is unique. */
function findDevice(
  { nodeId, externalId }: DeviceRow,
  roles: readonly RolePlace[],
  root: number | undefined,
  { byNodeId, byExternalId }: KnownDevices,
): KnownDevice | string | undefined {
  const ofNodeId = byNodeId.get(nodeId);
  const ofExternalId = externalId === undefined
    ? undefined
    : byExternalId.get(externalId)?.find((device) => device.externalRoot === root);
  if (ofExternalId !== undefined) {
    if (ofExternalId.nodeId === nodeId) return ofExternalId;
    return `externalId ${quote(externalId ?? "")} is that of the device with nodeId ${
      quote(ofExternalId.nodeId)
    }: ` +
      "a nodeId does not change";
  }
  if (ofNodeId === undefined) return undefined;
  if (externalId !== undefined && ofNodeId.externalId !== null && externalId !== ofNodeId.externalId) {
    return `nodeId ${quote(nodeId)} is that of a device with externalId ${quote(ofNodeId.externalId)}`;
  }
  const watching = JSON.parse(ofNodeId.roleIds) as number[];
  if (roles.some((role) => "id" in role && watching.includes(role.id))) return ofNodeId;
  return `nodeId ${quote(nodeId)} is that of a device of role #${
    watching[0]
  }: without a common externalId, an import ` +
    "does not give it to another role";
}
