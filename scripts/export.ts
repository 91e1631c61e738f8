import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportHierarchy } from "../src/role/transfer/export_service.ts";
import { MissingRoleError } from "../src/role/transfer/import_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { createFileSink } from "./lib/hierarchy_file.ts";
import { printError } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { parseRoleId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { createUnfinished } from "./lib/unfinished_file.ts";

const COMMAND = {
  name: "export",
  summary:
    `Writes the hierarchy as CSV, in the format that "deno task import" reads: names, self rights, roots, and relations
with their rights, as of one moment. The keys are the ids of the roles. Members, devices and role passwords are not
included; "deno task backup" includes everything.

Names are exported unchanged, even if they begin with =, which a spreadsheet may take for a formula. Only its owner can
read FILE.

The service can keep running; if it changes the graph meanwhile, the task starts over, up to five times.`,
  positionals: [
    {
      name: "FILE",
      description: "File to write or overwrite (default: standard output)",
      optional: true,
    },
  ],
  options: {
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
  if (leftOut > 0) {
    printError(
      `${leftOut} relations from other roles were left out: a role may lack a parent that it needs.`,
    );
  }
  return 0;
}

async function copyToStandardOutput(file: Deno.FsFile): Promise<void> {
  await file.seek(0, Deno.SeekMode.Start);
  await file.readable.pipeTo(Deno.stdout.writable, { preventClose: true });
}

function toTaskError(error: unknown): unknown {
  return error instanceof MissingRoleError ? new TaskError(error.message, { cause: error }) : error;
}

if (import.meta.main) await runTask(exportFile);
