import { rebuildClosure } from "../src/graph/closure/closure_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { print } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { runTask } from "./lib/run_task.ts";

const SUMMARY =
  `Recomputes the rights table from the relations and writes only the rows that differ. The service can keep
running: if the graph changes meanwhile, the task starts over.`;

const TIMEOUT_MS = 30_000;

async function rebuild(): Promise<number> {
  parseCommandLine({ name: "closure:rebuild", summary: SUMMARY, options: {} });
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  using bar = followProgress();
  const { relations, rows, repaired } = await rebuildClosure(context.database, { onProgress: bar.report });
  bar.finish();
  const done = repaired === 0 ? "nothing to repair" : `${repaired} repaired`;
  print(`${relations} relations, ${rows} rows: ${done}.`);
  return 0;
}

if (import.meta.main) await runTask(rebuild);
