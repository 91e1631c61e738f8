import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import { exportHierarchy } from "../src/transfer/roles/export_roles.ts";
import { MissingRoleError } from "../src/transfer/roles/import_roles.ts";
import { exportTables, type ExportTablesOptions } from "../src/transfer/export_tables.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { createFileSink } from "./lib/hierarchy_file.ts";
import { printError } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { parseRoleId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { createTableFiles } from "./lib/table_files.ts";
import { createUnfinished } from "./lib/unfinished_file.ts";

const COMMAND = {
  name: "export",
  summary:
    `Writes CSV files that "deno task import" reads, as of one moment. Without --to it writes the roles alone: names, self
rights, roots, and relations with their rights; the keys are the ids of the roles. With --to it writes roles.csv,
people.csv, members.csv and devices.csv, whose keys number the roles: importing them into an empty database and
exporting again gives the same bytes.

Not included are passwords of roles, demands of a second factor, keys, who gave what, former periods of devices, retired
devices, telemetry, and the log: "deno task backup" includes everything.

Texts are exported unchanged, even if they begin with =, which a spreadsheet may take for a formula. Only their owner
can read the files. Hashes let their reader try passwords: keep a file with them as safe as a password.

The service can keep running; if it changes the graph meanwhile, the task starts over, up to five times.`,
  positionals: [
    {
      name: "FILE",
      description: "File to write or overwrite (default: standard output)",
      optional: true,
    },
  ],
  options: {
    to: {
      type: "string",
      placeholder: "FOLDER",
      description: "Write all four files into this folder, which is made if it is missing",
    },
    hashes: { type: "boolean", description: "With --to: write the hashes of passwords, too" },
    under: {
      type: "string",
      placeholder: "ROLE_ID",
      description:
        "Only the roles below this one, for an import under another; relations from other roles are left out",
    },
  },
} as const;

const TIMEOUT_MS = 30_000;

async function exportFile(): Promise<number> {
  const { values, positionals: [path] } = parseCommandLine(COMMAND);
  const underId = parseRoleId(values.under, "under");
  if (values.to !== undefined) {
    if (path !== undefined) throw new TaskError("FILE and --to exclude each other.");
    return await exportFolder(values.to, { underId, hashes: values.hashes });
  }
  if (values.hashes) throw new TaskError("--hashes needs --to.");
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  // Written beside FILE and renamed, so that readers see the old file or the whole new one.
  await using unfinished = await createUnfinished(path ?? join(tmpdir(), "rolegrid_export"));
  using file = await Deno.open(unfinished.path, { read: true, write: true });
  using bar = followProgress();
  const options = { underId, onProgress: bar.report };
  const report = await exportHierarchy(context.database, createFileSink(file), options)
    .catch((error: unknown) => Promise.reject(toTaskError(error)));
  bar.finish();
  if (path === undefined) await copyToStandardOutput(file);
  else await unfinished.finish();
  const { roles, relations, leftOut } = report;
  printError(`Exported ${roles} roles and ${relations} relations.`);
  if (leftOut > 0) printLeftOut(leftOut);
  return 0;
}

async function exportFolder(
  folder: string,
  options: Pick<ExportTablesOptions, "underId" | "hashes">,
): Promise<number> {
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await using unfinished = await createTableFiles(folder, options);
  using bar = followProgress();
  const report = await exportTables(context.database, unfinished.sink, {
    ...options,
    now: systemClock(),
    onProgress: bar.report,
  }).catch((error: unknown) => Promise.reject(toTaskError(error)));
  bar.finish();
  await unfinished.finish();
  const { roles, people, members, devices, leftOut, retired } = report;
  printError(
    `Exported ${roles} roles, ${people} people, ${members} memberships and ${devices} devices to ${folder}.`,
  );
  if (leftOut > 0) printLeftOut(leftOut);
  if (retired > 0) printError(`${retired} retired devices, which no role monitors, were left out.`);
  return 0;
}

function printLeftOut(leftOut: number): void {
  printError(`${leftOut} relations from other roles were left out: a role may lack a parent that it needs.`);
}

async function copyToStandardOutput(file: Deno.FsFile): Promise<void> {
  await file.seek(0, Deno.SeekMode.Start);
  await file.readable.pipeTo(Deno.stdout.writable, { preventClose: true });
}

function toTaskError(error: unknown): unknown {
  return error instanceof MissingRoleError ? new TaskError(error.message, { cause: error }) : error;
}

if (import.meta.main) await runTask(exportFile);
