import { toRights } from "../src/graph/rights.ts";
import { type ClosureReport, verifyClosure } from "../src/graph/closure/closure_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { print } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { runTask } from "./lib/run_task.ts";

const SUMMARY =
  `Compares the rights table with the relations that it is computed from, and looks for cycles, roles that no role
manages, rows that refer to something deleted, history that does not end with what is stored, memberships that do not
say what their role demands, and wrong counts for the quotas. Changes nothing; the service can keep running. Exits
with status 1 if anything is wrong.`;

const MAX_LISTED = 100;
const TIMEOUT_MS = 30_000;

async function verify(): Promise<number> {
  parseCommandLine({ name: "closure:verify", summary: SUMMARY, options: {} });
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  using bar = followProgress();
  const report = await verifyClosure(context.database, {
    maxDifferences: MAX_LISTED,
    onProgress: bar.report,
  });
  bar.finish();
  return printReport(report);
}

function printReport(
  {
    differences,
    differenceCount,
    unmanagedRoleIds,
    looseRows,
    wrongHistory,
    wrongDemandIds,
    wrongUsage,
    cycle,
    ...counts
  }: ClosureReport,
): number {
  for (const { descendantId, ancestorId, kept, expected } of differences) {
    print(`Role ${ancestorId} over role ${descendantId}: ${describe(kept)}, should be ${describe(expected)}`);
  }
  if (differenceCount > differences.length) print(`… and ${differenceCount - differences.length} more`);
  for (const id of unmanagedRoleIds.slice(0, MAX_LISTED)) {
    print(`Role ${id} is not a root role, and no relation with roleManagement leads to it`);
  }
  for (const { what, id } of looseRows) {
    const fault = what === "device"
      ? "is not monitored by any role"
      : "refers to something that does not exist";
    print(`The ${what} ${id} ${fault}`);
  }
  for (const { what, id } of wrongHistory) {
    print(`The history of the ${what} ${id} does not say what it is now`);
  }
  for (const id of wrongDemandIds) print(`The membership ${id} does not say what its role demands`);
  for (const { rootId, branch } of wrongUsage) {
    const whose = branch === "" ? "" : ` in the branch ${branch}`;
    print(`The counts of what is stored below the root ${rootId}${whose} are wrong`);
  }
  if (cycle !== undefined) {
    print(
      `The relations form a cycle, so the rows could not be compared: ${[...cycle, cycle[0]].join(" -> ")}`,
    );
    print(`Delete one of these relations, then run "deno task closure:rebuild".`);
    return 1;
  }
  const read = `${counts.relations} relations, ${counts.rows} rows`;
  const faults = differenceCount + unmanagedRoleIds.length + looseRows.length + wrongHistory.length +
    wrongDemandIds.length + wrongUsage.length;
  if (faults === 0) {
    print(`Clean: ${read}.`);
    return 0;
  }
  print(
    `${read}: ${differenceCount} rows are wrong, ${unmanagedRoleIds.length} roles cannot be managed, ` +
      `${looseRows.length} rows refer to something deleted, the history of ${wrongHistory.length} rows is wrong, ` +
      `and so are ${wrongDemandIds.length} copies of demands and ${wrongUsage.length} counts.`,
  );
  if (differenceCount > 0) print(`"deno task closure:rebuild" repairs the rows.`);
  return 1;
}

function describe(mask: number | undefined): string {
  if (mask === undefined) return "no row";
  const names = Object.entries(toRights(mask)).filter(([, held]) => held).map(([name]) => name);
  return names.length === 0 ? "a row without rights" : names.join("+");
}

if (import.meta.main) await runTask(verify);
