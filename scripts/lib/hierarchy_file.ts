import { stringify } from "csv-stringify/sync";
import type { ExportSink } from "../../src/transfer/roles/export_roles.ts";
import { formatRow, type HierarchyRow } from "../../src/transfer/roles/role_format.ts";
import { exportedColumns } from "../../src/transfer/export_tables.ts";
import { writeText } from "./output.ts";

const EXPORTED = exportedColumns("roles", { hashes: false });

/** Creates a sink that writes exported roles into an open file. Each attempt starts at its beginning. */
export function createFileSink(file: Deno.FsFile): ExportSink {
  return {
    async begin(): Promise<void> {
      await file.truncate();
      await file.seek(0, Deno.SeekMode.Start);
      await writeText(file, stringify([EXPORTED]));
    },
    async write(rows: readonly HierarchyRow[]): Promise<void> {
      await writeText(file, stringify(rows.map(formatRow), { columns: EXPORTED }));
    },
  };
}
