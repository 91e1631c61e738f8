import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { GraphMovedError } from "../graph/closure/graph_moved.ts";
import { CURRENT_REVISION } from "../graph/closure/verification_queries.ts";
import { exportHierarchy } from "./roles/export_roles.ts";
import { type Cells, formatLimit, formatRow, type HierarchyRow } from "./roles/role_format.ts";
import { EXPORT_DEVICES, EXPORT_MEMBERS, EXPORT_PEOPLE } from "./export_queries.ts";
import { TABLE_COLUMNS, type TableKind } from "./table_header.ts";

/** Rows per read. With properties of 16 KiB each, this is below the limit of a server's response. */
const PAGE = 500;
const MAX_ATTEMPTS = 5;

export interface ExportTablesOptions {
  /** Only the roles below this one, with their members and devices. */
  readonly underId?: number | undefined;
  /** Write the hashes of passwords. */
  readonly hashes: boolean;
  readonly now: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Receives the rows of each file in order. `begin` discards the rows of the attempt before. */
export interface TableSink {
  begin(): Promise<void>;
  /** Values in the order of the file's columns. */
  write(kind: TableKind, rows: readonly (readonly string[])[]): Promise<void>;
}

/** What was written, and what no file has: devices without an open relation to a role. */
export interface ExportTablesReport extends Readonly<Record<TableKind, number>> {
  /** Relations that enter the exported part from roles outside it. */
  readonly leftOut: number;
  readonly retired: number;
}

/** Returns the columns of the files that an export writes. */
export function exportedColumns(kind: TableKind, { hashes }: Pick<ExportTablesOptions, "hashes">): string[] {
  const { required, optional } = TABLE_COLUMNS[kind];
  return [...required, ...optional].filter((column) => hashes || column !== "passwordHash");
}

/**
 * Writes roles, people, members and devices as an import reads them. The keys number the roles in order of id, so an
 * import into an empty database is exported to the same bytes. Starts over if the graph's revision changes. Throws a
 * `MissingRoleError` for an unknown `underId`, and a `GraphMovedError` after five attempts.
 */
export async function exportTables(
  database: Database,
  sink: TableSink,
  options: ExportTablesOptions,
): Promise<ExportTablesReport> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await sink.begin();
    const revision = await currentRevision(database);
    const report = await exportOnce(database, sink, options);
    if (await currentRevision(database) === revision) return report;
  }
  throw new GraphMovedError(
    `The database changed during each of ${MAX_ATTEMPTS} attempts to read it. Try again when the service is less ` +
      "busy, or export a backup of it.",
  );
}

async function currentRevision(database: Database): Promise<number> {
  const [current] = await database.read(bind(CURRENT_REVISION, {}));
  return current?.revision ?? 0;
}

async function exportOnce(
  database: Database,
  sink: TableSink,
  options: ExportTablesOptions,
): Promise<ExportTablesReport> {
  const { underId, now, onProgress } = options;
  const { rows, leftOut } = await readHierarchy(database, options);
  const prefix = choosePrefix(rows);
  const keys = new Map(rows.map(({ key }, i) => [Number(key), `${prefix}${i + 1}`]));
  await sink.write("roles", rows.map((row) => toCells(renumber(row, keys), "roles", options)));

  const people = new Set<number>();
  let members = 0;
  await eachPage(async (afterId) => {
    const page = await database.read(bind(EXPORT_MEMBERS, { afterId, limit: PAGE, now }));
    const inside = page.filter(({ roleId }) => keys.has(roleId));
    for (const { userId } of inside) people.add(userId);
    members += inside.length;
    await sink.write(
      "members",
      inside.map(({ roleId, email, rights, endsAt }) => [
        keys.get(roleId) ?? "",
        email,
        formatLimit(rights),
        endsAt === null ? "" : new Date(endsAt).toISOString(),
      ]),
    );
    return page;
  });

  let persons = 0;
  await eachPage(async (afterId) => {
    const page = await database.read(bind(EXPORT_PEOPLE, { afterId, limit: PAGE }));
    const inside = page.filter(({ id }) => underId === undefined || people.has(id));
    persons += inside.length;
    await sink.write(
      "people",
      inside.map(({ email, name, language, externalId, passwordHash }) => {
        const cells = {
          email,
          name: name ?? "",
          language,
          externalId: externalId ?? "",
          passwordHash: passwordHash ?? "",
        };
        return toCells(cells, "people", options);
      }),
    );
    return page;
  });

  let [devices, retired] = [0, 0];
  await eachPage(async (afterId) => {
    const page = await database.read(bind(EXPORT_DEVICES, { afterId, limit: PAGE, now }));
    const inside = page.flatMap(({ nodeId, externalId, properties, roleIds }) => {
      const ids = JSON.parse(roleIds) as number[];
      const role = [...new Set(ids)].flatMap((id) => keys.get(id) ?? []).join("|");
      if (ids.length === 0) retired++;
      return role === "" ? [] : [[nodeId, role, externalId ?? "", properties]];
    });
    devices += inside.length;
    await sink.write("devices", inside);
    onProgress?.(devices, devices + page.length);
    return page;
  });
  return { roles: rows.length, people: persons, members, devices, leftOut, retired };
}

async function readHierarchy(
  database: Database,
  { underId, onProgress }: ExportTablesOptions,
): Promise<{ rows: HierarchyRow[]; leftOut: number }> {
  let rows: HierarchyRow[] = [];
  const report = await exportHierarchy(database, {
    begin: () => Promise.resolve(void (rows = [])),
    write: (page) => Promise.resolve(void rows.push(...page)),
  }, { underId, ...(onProgress && { onProgress }) });
  return { rows, leftOut: report.leftOut };
}

/** Returns what to put before the numbers so that no key is the external id of a role. */
function choosePrefix(rows: readonly HierarchyRow[]): string {
  let prefix = "";
  const isTaken = ({ externalId = "" }: HierarchyRow): boolean => {
    return externalId.startsWith(prefix) && /^\d+$/.test(externalId.slice(prefix.length));
  };
  while (rows.some(isTaken)) prefix += "k";
  return prefix;
}

/** Replaces ids by keys. */
function renumber({ key, parents, ...row }: HierarchyRow, keys: ReadonlyMap<number, string>): Cells {
  const renumbered = Array.from(parents, ([id, rights]) => [keys.get(Number(id)) ?? id, rights] as const);
  return formatRow({ ...row, key: keys.get(Number(key)) ?? key, parents: new Map(renumbered) });
}

function toCells(
  cells: Readonly<Partial<Record<string, string>>>,
  kind: TableKind,
  options: Pick<ExportTablesOptions, "hashes">,
): string[] {
  return exportedColumns(kind, options).map((column) => cells[column] ?? "");
}

/** Reads pages by the id of the row before, until one is not full. */
async function eachPage(
  read: (afterId: number) => Promise<readonly { readonly id: number }[]>,
): Promise<void> {
  for (let afterId = -1;;) {
    const page = await read(afterId);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    afterId = last.id;
  }
}
