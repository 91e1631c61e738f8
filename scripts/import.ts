import { readConfig } from "../src/service/config.ts";
import { systemClock } from "../src/core/clock.ts";
import { ClosureTooLargeError } from "../src/role/closure/closure.ts";
import type { CheckedGraph, ImportGraph, ImportProblem } from "../src/role/transfer/import_graph.ts";
import {
  ADVICE,
  importHierarchy,
  ImportOutcomeUnknownError,
  type ImportReport,
  ImportTooLargeError,
  maxRowsOf,
  MissingRoleError,
  StagingLostError,
} from "../src/role/transfer/import_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase, readEnvironment } from "./lib/database_context.ts";
import { readHierarchyFile } from "./lib/hierarchy_file.ts";
import { print, printError } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { parseRoleId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "import",
  summary:
    `Imports a hierarchy of roles: either the whole file, or nothing and a list of all problems with their lines.

FILE is CSV in UTF-8 with the columns key,name,parents,manages,selfRights, rows in any order:

  key         any text without | and =, unique in the file; the roles get new ids
  name        1 to 256 characters
  parents     keys joined by |, each optionally as key=right+right; none for a root, or for a role directly below
              --under. A list that begins with | (such as "|a|b") means both: a place at the top, and these parents
  manages     the rights of the parents without = on the role: names joined by |, "all", or nothing
  selfRights  the rights of the role's members on the role itself, in the same form

Rights: roleManagement, userManagement, viewManagement, deviceManagement, reportManagement, alarmManagement. Every role
except a root needs a parent with roleManagement on it.

New roots have no members: "deno task bootstrap --role NAME --email ADDRESS" adds the first one. Alternatively, create a
root with bootstrap first, and import below it with --under.

The service can keep running. With a database file, its writes wait during the last step, which takes about 8 seconds for
100,000 roles; after two seconds they are refused with a 503. An import can write up to 20 million rows of roles, relations
and rights to a file, and 400,000 to a server. Split a larger one: import the upper part first, then each part below it
with --under.`,
  positionals: [{ name: "FILE", description: "File to read" }],
  options: {
    under: {
      type: "string",
      placeholder: "ROLE_ID",
      description: "Place the roles without parents below this role",
    },
    "dry-run": { type: "boolean", description: "Check everything and change nothing" },
  },
} as const;

const MAX_LISTED = 20;
const MAX_ROOTS_LISTED = 5;
/** Enough for the last batch of a large file. */
const TIMEOUT_MS = 120_000;

async function importFile(): Promise<number> {
  const { values, positionals: [path = ""] } = parseCommandLine(COMMAND);
  const underId = parseRoleId(values.under, "under");
  const checked = await readFile(path, underId !== undefined);
  if ("problems" in checked) return printProblems(checked.problems);
  const dryRun = values["dry-run"];
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  using bar = followProgress();
  const deps = { database: context.database, clock: systemClock };
  const report = await importHierarchy(deps, checked.graph, { underId, dryRun, onProgress: bar.report })
    .catch((error: unknown) => Promise.reject(toTaskError(error)));
  bar.finish();
  printReport(report, checked.graph, underId);
  return 0;
}

async function readFile(path: string, under: boolean): Promise<CheckedGraph> {
  const { databaseUrl } = readConfig(await readEnvironment(), "development");
  const maxRows = maxRowsOf(databaseUrl.startsWith("file:") ? "file" : "remote");
  try {
    return await readHierarchyFile(path, { under, maxRows });
  } catch (error) {
    if (!(error instanceof ClosureTooLargeError)) throw error;
    throw new TaskError(
      `The file would need more than ${maxRows} rows in the rights table. Nothing was imported. ${ADVICE}`,
      { cause: error },
    );
  }
}

function toTaskError(error: unknown): unknown {
  const expected = error instanceof MissingRoleError || error instanceof ImportTooLargeError ||
    error instanceof StagingLostError || error instanceof ImportOutcomeUnknownError;
  return expected ? new TaskError(error.message, { cause: error }) : error;
}

function printProblems(problems: readonly ImportProblem[]): number {
  for (const { line, message } of problems.slice(0, MAX_LISTED)) printError(`Line ${line}: ${message}`);
  const more = problems.length - MAX_LISTED;
  if (more > 0) printError(`… and ${more} more`);
  printError(`${count(problems.length, "problem")}. Nothing was imported.`);
  return 1;
}

function printReport(
  { roles, relations, closureRows, firstRoleId }: ImportReport,
  graph: ImportGraph,
  underId: number | undefined,
): void {
  const place = underId === undefined ? "" : ` under role ${underId}`;
  const what = `${count(roles, "role")}, ${count(relations, "relation")}, ` +
    `${count(closureRows, "row")} of the rights table`;
  if (firstRoleId === undefined) return print(`Would import ${what}${place}. Nothing was changed.`);
  print(`Imported ${what}${place}. Their ids: ${firstRoleId} to ${firstRoleId + roles - 1}.`);
  if (underId === undefined) printRoots(graph, firstRoleId);
}

function printRoots({ rows }: ImportGraph, firstRoleId: number): void {
  const roots = rows.flatMap(({ name, topRights }, i) => topRights === undefined ? [] : { name, i });
  for (const { name, i } of roots.slice(0, MAX_ROOTS_LISTED)) {
    print(`Root role "${name}" (id ${firstRoleId + i}) has no member yet.`);
  }
  if (roots.length > MAX_ROOTS_LISTED) print(`… and ${roots.length - MAX_ROOTS_LISTED} more roots`);
  if (roots.length > 0) {
    print(`"deno task bootstrap --role NAME --email ADDRESS" gives a root its first member.`);
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

if (import.meta.main) await runTask(importFile);
