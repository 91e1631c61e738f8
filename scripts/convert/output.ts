import { join } from "node:path";
import { exportedColumns } from "../../src/transfer/export_tables.ts";
import { TABLE_KINDS, type TableKind } from "../../src/transfer/table_header.ts";
import { type Cells, formatRow, type HierarchyRow } from "../../src/transfer/roles/role_format.ts";
import { print, writeText } from "../lib/output.ts";
import { createTableFiles } from "../lib/table_files.ts";
import { createUnfinished } from "../lib/unfinished_file.ts";
import type { LeftOut } from "./left_out.ts";

/** The columns of the import's files. An absent cell is empty. */
export type TableRow = Readonly<Record<string, string | undefined>>;

/** What a conversion makes. */
export interface Converted {
  readonly roles: readonly HierarchyRow[];
  readonly people: readonly TableRow[];
  readonly members: readonly TableRow[];
  readonly leftOut: LeftOut;
}

/** Everything that was left out, a line each. */
const LIST = "left_out.txt";

/** Writes the files of an import and the list of what was left out into a folder. */
export async function writeConverted(
  folder: string,
  { roles, people, members, leftOut }: Converted,
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await using files = await createTableFiles(folder, { hashes: true });
  await files.sink.begin();
  const rows: Record<TableKind, readonly TableRow[]> = {
    roles: roles.map((row): Cells => formatRow(row)),
    people,
    members,
    devices: [],
  };
  for (const kind of TABLE_KINDS) {
    const columns = exportedColumns(kind, { hashes: true });
    await files.sink.write(kind, rows[kind].map((row) => columns.map((column) => row[column] ?? "")));
  }
  const list = leftOut.full();
  await using unfinished = await createUnfinished(join(folder, LIST));
  {
    using file = await Deno.open(unfinished.path, { write: true });
    await writeText(file, list.map((line) => `${line}\n`).join(""));
  }
  await unfinished.finish();
  await files.finish();
}

/** Says what was written, and summarizes what was left out. */
export function printConverted(folder: string, { roles, people, members, leftOut }: Converted): void {
  print(
    `Wrote ${roles.length} roles, ${people.length} people and ${members.length} memberships to ${folder}.`,
  );
  const lines = leftOut.summary();
  if (lines.length > 0) {
    print(`Without a counterpart, or to be checked (all of it is in ${join(folder, LIST)}):`);
    for (const line of lines) print(`  ${line}`);
  }
  const files = ["roles", "people", "members"].map((kind) => join(folder, `${kind}.csv`));
  print(`Next: deno task import ${files.join(" ")} --dry-run`);
}
