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
    `Writes the hierarchy as CSV, in the format that "deno task import" reads: names, self rights, roots, and
relations with their rights, as they were at one moment. The keys are the ids of the roles. Members, devices and the
passwords of roles are not in it: for all that there is "deno task backup".

Names are exported as they are, those that begin with = too: a spreadsheet may take such a one for a formula. Only its
owner may read FILE.

The service may go on meanwhile; where it changes the graph, the task starts over, five times at most.`,
  positionals: [
    {
      name: "FILE",
      description: "The file to write, in place of one that is there (else: standard output)",
      optional: true,
    },
  ],
  options: {
    under: {
      type: "string",
      placeholder: "ROLE_ID",
      description:
        "Only the roles below this one, for an import under another; what enters from elsewhere is left out",
    },
  },
} as const;

const TIMEOUT_MS = 30_000;

async function exportFile(): Promise<number> {
  const { values, positionals: [path] } = parseCommandLine(COMMAND);
  const underId = parseRoleId(values.under, "under");
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  // Written beside its place: a reader of FILE sees all of it or what was there before.
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
      `${leftOut} relations that enter from elsewhere were left out: a role may lack the one it needs.`,
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
