import type { PageRequest } from "../src/core/page.ts";
import { formatCsv } from "../src/http/csv.ts";
import { accessFile } from "../src/lists/access/access_csv.ts";
import { countPeople, readPeopleAsAdministrator } from "../src/lists/access/people_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { AS_OF_OPTION, parseAsOf, refuseMoment } from "./lib/moment.ts";
import { printError, writeText } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { parseRoleId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { createUnfinished } from "./lib/unfinished_file.ts";

const COMMAND = {
  name: "access",
  summary:
    `Writes who has access to a role as CSV: the people and keys that are members of it or of a role above it, with the rights that
they hold on it together, whether they are direct members, the other roles that give the access, and when it ends.

Cells that begin with = + - or @ get a ' before them, since a spreadsheet would take them for formulas. Only its owner
can read FILE.

The service can keep running. Each line names the revision of the graph that it shows.

  deno task access --role 12 --csv access.csv
  deno task access --role 12 --as-of 2026-03-01T00:00:00Z`,
  options: {
    role: { type: "string", placeholder: "ROLE_ID", description: "Id of the role" },
    csv: {
      type: "string",
      placeholder: "FILE",
      description: "File to write or overwrite (default: standard output)",
    },
    ...AS_OF_OPTION,
  },
} as const;

const TIMEOUT_MS = 30_000;

async function access(): Promise<number> {
  const { values: { role, csv: path, "as-of": moment } } = parseCommandLine(COMMAND);
  const roleId = parseRoleId(role, "role");
  if (roleId === undefined) throw new TaskError("--role is missing: the id of the role.");
  const asOf = parseAsOf(moment);
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  const deps = { database: context.database, clock: Date.now };
  const total = await countPeople(deps, roleId);
  // A deleted role has a past.
  if (total === undefined && asOf === undefined) throw new TaskError("The role does not exist.");

  using bar = followProgress();
  let written = 0;
  const readPage = async (page: PageRequest) => {
    const read = await readPeopleAsAdministrator(deps, { roleId, asOf }, page).catch(refuseMoment);
    written += read.rows.length;
    bar.report(written, Math.max(written, total ?? 0));
    return read;
  };
  const texts = formatCsv(accessFile(readPage));
  if (path === undefined) {
    for await (const text of texts) await writeText(Deno.stdout, text);
  } else {
    // Written beside FILE and renamed, so that readers see the old file or the whole new one.
    await using unfinished = await createUnfinished(path);
    using file = await Deno.open(unfinished.path, { write: true });
    for await (const text of texts) await writeText(file, text);
    await unfinished.finish();
  }
  bar.finish();
  printError(`Wrote ${written} people and keys with access to the role.`);
  return 0;
}

if (import.meta.main) await runTask(access);
