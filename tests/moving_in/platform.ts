import assert from "node:assert/strict";
import { stringify } from "csv-stringify/sync";
import { join } from "node:path";
import type { Database } from "../../src/db/database.ts";
import { verifyClosure } from "../../src/graph/closure/closure_service.ts";
import { createTableFiles, readTableFiles } from "../../scripts/lib/table_files.ts";
import { type AppliedImport, applyImport } from "../../src/transfer/apply.ts";
import { exportTables } from "../../src/transfer/export_tables.ts";
import { findMissing, type Removal } from "../../src/transfer/missing.ts";
import { type ImportPlan, planImport } from "../../src/transfer/plan.ts";
import { removeMissing } from "../../src/transfer/remove_missing.ts";
import { TABLE_KINDS, type TableKind } from "../../src/transfer/table_header.ts";

export type Rows = readonly (readonly string[])[];

/** The files of a platform that moves in: rows, the header first, or texts, by the kind of file. */
export type Files = Readonly<Partial<Record<TableKind, Rows | string>>>;

/** The file of these rows of cells, of which none has to be quoted. */
export function file(...rows: readonly string[]): string {
  return rows.join("\n");
}

export const ROLE_HEADER = "key,name,parents,manages,selfRights,externalId";

/** The file of these roles. */
export function roleFile(...rows: readonly string[]): string {
  return file(ROLE_HEADER, ...rows);
}

/** The password of every person of `smallPlatform`, and its bcrypt hash. */
export const PASSWORD = "correct horse battery";
const HASH = "$2y$04$u3wzw5SYcR6vwp3o6myKQOw38x.xD8TeUZTYeH25hpbTHThW0WJi2";

/** A platform with countries, distributors, installers and sites, a person for each, and devices for each site. */
export function smallPlatform(hash = HASH): Record<TableKind, Rows> {
  const roles = [ROLE_HEADER.split(",")];
  const people = [["email", "name", "language", "externalId", "passwordHash"]];
  const members = [["role", "person", "rights", "until"]];
  const devices = [["nodeId", "role", "externalId", "properties", "model"]];

  function add(key: string, name: string, parents: string): void {
    roles.push([key, name, parents, "all", "all", `crm-${key}`]);
    people.push([
      `${key}@moving.example`,
      `Person, ${key}`,
      key.length % 2 === 0 ? "de" : "",
      `p-${key}`,
      hash,
    ]);
    members.push([key, `p-${key}`, "", ""]);
  }

  add("root", "Platform", "");
  for (const country of ["nl", "be"]) {
    add(country, `Country ${country}`, "root");
    for (const installer of [1, 2]) {
      add(`${country}${installer}`, `Installer ${installer}`, country);
      for (const site of [1, 2, 3]) {
        const key = `${country}${installer}.${site}`;
        add(
          key,
          `Site ${site}`,
          site === 3 ? `${country}1|${country}2=viewManagement` : `${country}${installer}`,
        );
        const properties = JSON.stringify({ serial: site, place: { row: 1 } });
        devices.push([`node-${key}`, key, `dev-${key}`, properties, `M${site}`]);
      }
    }
  }
  return { roles, people, members, devices };
}

/** Files in a folder of their own. Disposal removes it. */
export async function writeFiles(
  files: Files,
  delimiter = ",",
): Promise<AsyncDisposable & { paths: string[] }> {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_moving_" });
  const paths: string[] = [];
  for (const kind of TABLE_KINDS) {
    const rows = files[kind];
    if (rows === undefined) continue;
    const path = join(folder, `${kind}.csv`);
    const text = typeof rows === "string" ? rows : stringify(rows.map((row) => [...row]), { delimiter });
    await Deno.writeTextFile(path, text);
    paths.push(path);
  }
  return { paths, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

export interface Imported extends AppliedImport {
  readonly plan: ImportPlan;
  /** What the files did not name, if that was to be deleted. */
  readonly removals: readonly Removal[];
  /** What stayed of it, and why. */
  readonly left: readonly string[];
}

/** Imports files, or returns their problems as "kind line: message". */
export async function importFiles(
  database: Database,
  files: Files,
  { underId, outside, skipsHashes, stepRows, now = 1_000, runId = "run", delimiter, deletesMissing = false }:
    {
      readonly underId?: number;
      readonly outside?: boolean;
      readonly skipsHashes?: boolean;
      readonly stepRows?: number;
      readonly now?: number;
      readonly runId?: string;
      readonly delimiter?: string;
      readonly deletesMissing?: boolean;
    } = {},
): Promise<Imported | readonly string[]> {
  await using written = await writeFiles(files, delimiter);
  const { tables, paths, problems } = await readTableFiles(written.paths, { skipsHashes });
  if (problems.length > 0) return problems.map(({ line, message }) => `? ${line}: ${message}`);
  const trashMs = 0;
  const planned = await planImport(database, tables, { underId, outside, now, trashMs, maxRows: 100_000 });
  if ("problems" in planned) {
    return planned.problems.map(({ kind, line, message }) => `${kind} ${line}: ${message}`);
  }
  const { plan } = planned;
  const deps = { database, clock: () => now };
  const options = { runId, maxCost: 100_000, trashMs, ...(stepRows && { stepRows }) };
  const { removals } = deletesMissing
    ? await findMissing(database, plan, new Set(paths.keys()), now)
    : { removals: [] };
  const applied = await applyImport(deps, plan, options);
  return { ...applied, plan, removals, left: await removeMissing(deps, removals, options) };
}

/** Imports files without problems. */
export async function importAll(...args: Parameters<typeof importFiles>): Promise<Imported> {
  const imported = await importFiles(...args);
  if (!("plan" in imported)) throw new Error(imported.join("\n"));
  if (imported.missed.length > 0) throw new Error(imported.missed.join("\n"));
  return imported;
}

/** Asserts that files are refused with these problems, and no others. */
export async function assertRefused(
  expected: readonly (string | RegExp)[],
  ...args: Parameters<typeof importFiles>
): Promise<void> {
  const problems = await importFiles(...args);
  assert.ok(!("plan" in problems), "nothing is refused");
  assert.equal(problems.length, expected.length, problems.join("\n"));
  for (const [i, problem] of expected.entries()) {
    if (typeof problem === "string") assert.equal(problems[i], problem);
    else assert.match(problems[i] ?? "", problem);
  }
}

/** The counts of a plan, as [added, changed, unchanged] by kind of file. */
export function countsOf({ plan }: Imported): Record<string, readonly number[]> {
  const counts = Object.entries(plan.counts);
  return Object.fromEntries(
    counts.map(([kind, { added, changed, unchanged }]) => [kind, [added, changed, unchanged]]),
  );
}

/** The ids of the roles that were imported, by their keys. */
export function roleIdsOf({ plan, idOfRole }: Imported): (key: string) => number {
  return (key) => idOfRole(plan.graph.places.get(key) ?? assert.fail(key));
}

/** The rows of a statement, as their values. */
export async function read(database: Database, sql: string): Promise<unknown[][]> {
  return (await database.read({ sql, args: {} })).map((row) => Object.values(row));
}

/** Deletes what was imported. Ids are not given again. */
export async function clear(database: Database): Promise<void> {
  const tables = ["role", "manages", "role_closure", "member", "user_account", "device", "monitors"];
  await database.write(tables.map((table) => ({ sql: `DELETE FROM ${table}`, args: {} })));
}

/** Asserts that the closure, history and usage agree with the relations. */
export async function assertSound(database: Database): Promise<void> {
  const { relations: _relations, rows: _rows, ...faults } = await verifyClosure(database);
  const none = { differences: [], unmanagedRoleIds: [], looseRows: [], wrongHistory: [], wrongUsage: [] };
  assert.deepEqual(faults, { ...none, differenceCount: 0, wrongDemandIds: [], cycle: undefined });
}

/** Returns the texts of the four exported files. */
export async function exportFiles(
  database: Database,
  options: { readonly underId?: number; readonly hashes?: boolean; readonly now?: number } = {},
): Promise<Record<TableKind, string>> {
  const { underId, hashes = true, now = 1_000 } = options;
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_moving_" });
  try {
    {
      await using files = await createTableFiles(folder, { hashes });
      await exportTables(database, files.sink, { underId, hashes, now });
      await files.finish();
    }
    const texts = await Promise.all(TABLE_KINDS.map(async (kind) => {
      return [kind, await Deno.readTextFile(join(folder, `${kind}.csv`))] as const;
    }));
    return Object.fromEntries(texts) as Record<TableKind, string>;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
