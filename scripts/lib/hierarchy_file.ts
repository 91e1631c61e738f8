import { stringify } from "csv-stringify/sync";
import type { ExportSink } from "../../src/role/transfer/export_service.ts";
import { COLUMNS, formatRow, type HierarchyRow } from "../../src/role/transfer/import_format.ts";
import { writeText } from "./output.ts";

/** Creates a sink that writes exported roles into an open file. Each attempt starts at its beginning. */
export function createFileSink(file: Deno.FsFile): ExportSink {
  return {
    async begin(): Promise<void> {
      await file.truncate();
      await file.seek(0, Deno.SeekMode.Start);
      await writeText(file, stringify([[...COLUMNS]]));
    },
    async write(rows: readonly HierarchyRow[]): Promise<void> {
      await writeText(file, stringify(rows.map(formatRow), { columns: [...COLUMNS] }));
    },
  };
}
