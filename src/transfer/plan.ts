import type { Database } from "../db/database.ts";
import type { ImportedDeviceChange } from "../device/device_import_queries.ts";
import type { ImportedPerson } from "../identity/people_import_queries.ts";
import { idOfReference, type ImportGraph } from "./roles/role_graph.ts";
import { type KnownDevices, type KnownPeople, readBrought, readKnownRoles } from "./known.ts";
import { type NamedDevices, planDevices, type PlannedDevice, type PlannedMonitors } from "./plan_devices.ts";
import { type NamedMembers, planMembers, type PlannedMember } from "./plan_members.ts";
import type { PlanOptions, RowCounts } from "./plan_parts.ts";
import { planPeople } from "./plan_people.ts";
import type { TableProblem, TableReader } from "./table_reader.ts";

/** What an import will do, after the roles of `graph`. */
export interface ImportPlan {
  readonly graph: ImportGraph;
  readonly underId: number | undefined;
  /** The role below which all must be that the import touches, if it is under one and may not touch what is outside. */
  readonly fenceId: number | undefined;
  /** Names the file of roles and its place, if that has rows without external ids. */
  readonly recordId: string | undefined;
  /** Whether an interrupted import of that file has brought some of its roles. */
  readonly isBegun: boolean;
  readonly people: readonly ImportedPerson[];
  readonly members: readonly PlannedMember[];
  readonly devices: readonly PlannedDevice[];
  readonly deviceChanges: readonly ImportedDeviceChange[];
  readonly monitors: readonly PlannedMonitors[];
  readonly counts: Readonly<Record<"roles" | "people" | "members" | "devices", RowCounts>>;
  /** The ids of rows that the database has, by their key or external id; of devices also those by nodeId. */
  readonly known: { readonly people: KnownPeople; readonly devices: KnownDevices };
  /** What the rows name of the database, besides the roles that `graph` names. */
  readonly named: { readonly members: NamedMembers; readonly devices: NamedDevices };
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
  const recordId = tables.graph.fingerprint(underId);
  const brought = await readBrought(database, recordId);
  const known = await readKnownRoles(
    database,
    withReferences(tables.graph.references(brought), references),
    options,
  );
  if (underId !== undefined && known.under === undefined) {
    throw new NoSuchRoleError("The role to import under does not exist.");
  }
  const checked = tables.graph.finish({ under: underId !== undefined, underId, known, brought, maxRows });
  if ("problems" in checked) {
    return {
      problems: [
        ...checked.problems.map((problem) => ({ kind: "roles" as const, ...problem })),
        ...tables.problems(),
      ],
    };
  }
  const { graph } = checked;
  const fenceId = options.outside ? undefined : underId;
  const people = await planPeople(database, tables, { now, fenceId });
  const members = await planMembers(database, tables, { graph, now, ...people });
  const devices = await planDevices(database, tables, graph, { ...options, fenceId });
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
      fenceId,
      recordId,
      isBegun: brought.size > 0,
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
      named: { members: members.named, devices: devices.named },
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
