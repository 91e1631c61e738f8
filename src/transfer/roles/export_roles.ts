import type { Database } from "../../db/database.ts";
import { readTogether } from "../../db/rows.ts";
import { bind } from "../../db/statement.ts";
import { GraphMovedError } from "../../graph/closure/graph_moved.ts";
import { CURRENT_REVISION } from "../../graph/closure/verification_queries.ts";
import {
  COUNT_ROLES,
  COUNT_ROLES_BELOW,
  EXPORT_ROLES,
  EXPORT_ROLES_BELOW,
  type ExportedRoleRow,
} from "./role_export_queries.ts";
import type { HierarchyRow } from "./role_format.ts";
import { MissingRoleError } from "./import_roles.ts";
import { ALL_RIGHTS, type RightsMask } from "../../graph/rights.ts";

/** Roles per read. At up to 1000 bytes each, this is far below the limit of a server's response. */
const PAGE = 2000;
const MAX_ATTEMPTS = 5;

export interface ExportOptions {
  /** Export only the roles below this one, which stands for the top. By default everything. */
  readonly underId?: number | undefined;
  /** Reports progress as roles are read. Starts again from 0 with each attempt. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ExportReport {
  readonly roles: number;
  readonly relations: number;
  /** Number of relations that enter the exported part from roles outside it. */
  readonly leftOut: number;
}

/** Receives the pages of an attempt in order. `begin` discards the pages of the attempt before. */
export interface ExportSink {
  begin(): Promise<void>;
  write(rows: readonly HierarchyRow[]): Promise<void>;
}

/**
 * Writes names, self rights, roots and relations of the hierarchy to a sink, in order of the role ids, which become the
 * keys; no members, devices or role passwords. Starts over if the graph's revision changes between pages. Throws a
 * `MissingRoleError` for an unknown `underId`, and a `GraphMovedError` after five attempts.
 */
export async function exportHierarchy(
  database: Database,
  sink: ExportSink,
  options: ExportOptions = {},
): Promise<ExportReport> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await sink.begin();
    const report = await exportOnce(database, sink, options);
    if (report !== undefined) return report;
  }
  throw new GraphMovedError(
    `The graph changed during each of ${MAX_ATTEMPTS} attempts to read it. Try again when the service is less busy, ` +
      "or export a backup of it.",
  );
}

/** Returns undefined if the graph was changed meanwhile. */
async function exportOnce(
  database: Database,
  sink: ExportSink,
  { underId, onProgress }: ExportOptions,
): Promise<ExportReport | undefined> {
  const total = await countRoles(database, underId);
  const counts = { roles: 0, relations: 0, leftOut: 0 };
  let begunAt: number | undefined;
  let afterId = -1;
  for (;;) {
    const { revision, page } = await readPage(database, afterId, underId);
    begunAt ??= revision;
    if (revision !== begunAt) return undefined;
    const rows = page.map((row) => toHierarchyRow(row, underId));
    await sink.write(rows);
    for (const [i, { parents, topRights }] of rows.entries()) {
      counts.relations += parents.size + (topRights !== undefined && underId !== undefined ? 1 : 0);
      counts.leftOut += page[i]?.leftOut ?? 0;
    }
    counts.roles += rows.length;
    onProgress?.(counts.roles, total);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return counts;
    afterId = last.id;
  }
}

async function countRoles(database: Database, underId: number | undefined): Promise<number> {
  const count = underId === undefined ? bind(COUNT_ROLES, {}) : bind(COUNT_ROLES_BELOW, { underId });
  const [row] = await database.read(count);
  if (row === undefined) throw new MissingRoleError("The role to export from does not exist.");
  return row.total;
}

async function readPage(
  database: Database,
  afterId: number,
  underId: number | undefined,
): Promise<{ revision: number; page: ExportedRoleRow[] }> {
  const place = { afterId, limit: PAGE };
  const [[current], page] = underId === undefined
    ? await readTogether(database, [CURRENT_REVISION, EXPORT_ROLES], place)
    : await readTogether(database, [CURRENT_REVISION, EXPORT_ROLES_BELOW], { ...place, underId });
  return { revision: current?.revision ?? 0, page };
}

function toHierarchyRow(row: ExportedRoleRow, underId: number | undefined): HierarchyRow {
  const entering: readonly (readonly [number, RightsMask])[] = JSON.parse(row.parents);
  const parents = new Map<string, RightsMask>();
  // A root has no relation that gives its rights. With all rights, the file can be imported under a role, too.
  let topRights = underId === undefined && row.isRoot === 1 ? ALL_RIGHTS : undefined;
  for (const [parentId, rights] of entering) {
    if (parentId === underId) topRights = rights;
    else parents.set(String(parentId), rights);
  }
  const { name, selfRights, externalId } = row;
  return {
    key: String(row.id),
    ...(externalId !== null && { externalId }),
    name,
    selfRights,
    topRights,
    parents,
  };
}
