import { basename } from "node:path";
import { stringify } from "csv-stringify/sync";
import { DAY_MS, systemClock } from "../src/core/clock.ts";
import { uniqueViolation } from "../src/db/sql_errors.ts";
import { ClosureTooLargeError } from "../src/graph/closure/closure.ts";
import {
  ADVICE,
  ExternalIdTakenError,
  importHierarchy,
  ImportOutcomeUnknownError,
  ImportTooLargeError,
  MAX_ROWS,
  maxRowsOf,
  MissingRoleError,
  StagingLostError,
} from "../src/transfer/roles/import_roles.ts";
import { PartlyImportedError } from "../src/transfer/roles/import_steps.ts";
import { type AppliedImport, applyImport } from "../src/transfer/apply.ts";
import { findSpelled } from "../src/transfer/known.ts";
import { findMissing } from "../src/transfer/missing.ts";
import { removeMissing } from "../src/transfer/remove_missing.ts";
import { invitePeople } from "../src/transfer/invite.ts";
import { type ImportPlan, NoSuchRoleError, planImport } from "../src/transfer/plan.ts";
import type { TableKind } from "../src/transfer/table_header.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import {
  count,
  describeRoles,
  printCounts,
  printMissing,
  printProblems,
  printRoles,
} from "./lib/import_report.ts";
import { print, printError, writeText } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { parseRoleId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { openService } from "./lib/service_context.ts";
import { readTableFiles, type TableFiles } from "./lib/table_files.ts";
import { createUnfinished, type UnfinishedFile } from "./lib/unfinished_file.ts";

const COMMAND = {
  name: "import",
  needsSettings: "--invite",
  summary:
    `Imports roles, people, members and devices from up to four files. Either all of their rows are read without a problem,
or nothing is imported and the problems are listed with their lines.

A FILE is CSV in UTF-8, separated by commas, semicolons or tabs. Its header tells what it holds; columns in any order
and case, [columns] may be left out:

  roles    key,name,parents,manages,selfRights,[externalId]
  people   email,[language],[externalId],[passwordHash]
  members  role,person,[rights],[until]
  devices  nodeId,role,[externalId],[properties], and any other column as a property

  key           any text without | and =, unique in the file; the roles get new ids
  name          1 to 256 characters
  parents       roles joined by |, each optionally as role=right+right; none for a root, or for a role directly below
                --under. A list that begins with | (such as "|a|b") means both: a place at the top, and these parents
  manages       the rights of the parents without = on the role: names joined by |, "all", or nothing
  selfRights    the rights of the role's members on the role itself, in the same form
  externalId    the id in another system, up to 128 characters
  passwordHash  bcrypt, scrypt, PBKDF2, argon2i or argon2id, also as Django, passlib, Zitadel, Kratos, Keycloak and
                better-auth write them; the first sign-in replaces it by a hash of our own
  role, person  a role: its key, its externalId, or # and its id; of a device also several, joined by |. A person: the
                address, the externalId, or # and the id
  rights        the most rights that the membership gives, in the form of manages; empty: no limit; "none": none
  until         its end, as 2027-01-31 or 2027-01-31T12:00:00Z
  properties    a JSON object

Rights: roleManagement, userManagement, viewManagement, deviceManagement, reportManagement, alarmManagement. Every role
except a root needs a parent with roleManagement on it.

A row whose externalId the database knows is compared with it, and changed only where it differs: importing the same
files again changes nothing. So do people by their address, and devices by their nodeId. What no row names stays, but
for --delete-missing. Addresses and passwords that are there stay, too, and so does what a file has no column for. In
parents, a key comes before an externalId. Elsewhere, what may be either is a problem.

With --under, a row that names or changes what is not below that role is a problem: another role, a device of one, or an
account that is also a member elsewhere. The role itself may be a parent and get members and devices. --outside allows
all of it.

--delete-missing lists what the files do not name, with a tag; the same command with --effect TAG imports the files and
deletes that. Missing are members of the roles that the files name; devices with an externalId in these, which the roles
keep seeing up to now; relations between these roles; and roles with an externalId directly below them or below --under,
down to the lowest. Only files of that kind are compared: without a file of members, no membership is missing. Accounts
are never deleted. A role stays if that would take roles or devices that the list does not name.

No mail is sent without --invite: people without a hash set their password by "Forgot password". New roots without a
member get one by "deno task bootstrap --role NAME --email ADDRESS".

The service can keep running. New roles are written to a database file in one step, for which its writes wait: about 8
seconds for 100,000 roles; after two seconds they are refused with a 503. To a server they are written in several steps,
parents first, so readers may see a part of the roles meanwhile. All else is written in small steps. An import that was
interrupted is completed by importing the same files again. It can write up to 20 million rows of roles, relations and
rights. Split a larger one: import the upper part first, then each part below it with --under.`,
  positionals: [{ name: "FILE", description: "Files to read, at most one of each kind", many: true }],
  options: {
    under: {
      type: "string",
      placeholder: "ROLE_ID",
      description: "Place the roles without parents below this role",
    },
    outside: {
      type: "boolean",
      description: "Let the files also name and change what is not below the role of --under",
    },
    ids: {
      type: "string",
      placeholder: "FILE",
      description:
        "Write the ids as CSV: the file, the key or externalId (or address, or nodeId), and the id",
    },
    "skip-hashes": {
      type: "boolean",
      description: "Load people without their password where its hash cannot be read",
    },
    invite: {
      type: "boolean",
      description: "Queue invitations, MAIL_PER_HOUR an hour, for people without a password",
    },
    "delete-missing": {
      type: "boolean",
      description:
        "Also delete what the files do not name; without --effect only list it, and change nothing",
    },
    effect: {
      type: "string",
      placeholder: "TAG",
      description: "The tag of a list of --delete-missing: delete exactly that, or change nothing",
    },
    "dry-run": { type: "boolean", description: "Check everything and change nothing" },
  },
} as const;

/** Enough for the last batch of a large file. */
const TIMEOUT_MS = 120_000;

async function importFiles(): Promise<number> {
  const { values, positionals } = parseCommandLine(COMMAND);
  const underId = parseRoleId(values.under, "under");
  const { outside, "delete-missing": deletes } = values;
  if (outside && underId === undefined) throw new TaskError("--outside needs --under.");
  if (values.effect !== undefined && !deletes) throw new TaskError("--effect needs --delete-missing.");
  const files = await readTableFiles(positionals, { skipsHashes: values["skip-hashes"] });
  if (files.problems.length > 0) return printProblems(files.problems, positionals);
  const invites = values.invite && !values["dry-run"];
  await using context = invites ? await openService(TIMEOUT_MS) : await openMigratedDatabase(TIMEOUT_MS);
  const trashMs = context.config.storeLimits.trashDays * DAY_MS;
  const maxCost = maxRowsOf(context.database.kind);
  const planned = await planImport(context.database, files.tables, {
    underId,
    outside,
    now: systemClock(),
    trashMs,
    maxRows: MAX_ROWS,
  }).catch((error: unknown) => Promise.reject(toTaskError(error)));
  if ("problems" in planned) {
    const problems = planned.problems.map(({ kind, ...problem }) => ({
      path: files.paths.get(kind) ?? "",
      ...problem,
    }));
    const status = printProblems(problems, positionals);
    if (files.tables.unreadHashes.length > 0) {
      printError("--skip-hashes imports people without the hashes that cannot be read.");
    }
    return status;
  }
  const { plan } = planned;
  const deps = { database: context.database, clock: systemClock };
  const missing = deletes
    ? await findMissing(context.database, plan, new Set(files.paths.keys()), systemClock())
    : undefined;
  const isMoved = missing !== undefined && missing.tag !== values.effect;
  if (isMoved && values.effect !== undefined) {
    printError("What is missing differs from the list of this tag.");
  }
  if (values["dry-run"] || isMoved) {
    const roles = await importHierarchy(deps, plan.graph, { underId, dryRun: true, maxRows: MAX_ROWS })
      .catch((error: unknown) => Promise.reject(toTaskError(error)));
    print(`Would import ${describeRoles(roles, underId)}. Nothing was changed.`);
    printCounts(files, plan);
    if (missing !== undefined) printMissing(missing);
    return isMoved && values.effect !== undefined ? 1 : 0;
  }
  const runId = crypto.randomUUID();
  // Made before the import, so that a place where it cannot be is told at once.
  await using ids = values.ids === undefined ? undefined : await createUnfinished(values.ids);
  using bar = followProgress();
  const applied = await applyImport(deps, plan, {
    runId,
    trashMs,
    maxCost,
    onProgress: bar.report,
  })
    .catch((error: unknown) => Promise.reject(toTaskError(error)));
  bar.finish();
  printRoles(applied, plan);
  printCounts(files, plan);
  if (ids !== undefined) await writeIds(ids, files, plan, applied);
  if ("deps" in context) {
    const { mailPerHour } = context.config;
    const uninvited = listUninvited(files, plan, applied);
    const queued = await invitePeople(context.deps, uninvited, {
      runId,
      mailPerHour,
      onProgress: bar.report,
    });
    bar.finish();
    print(`Queued ${count(queued, "invitation")}, ${mailPerHour} an hour.`);
  }
  print(`The log names this import ${runId}.`);
  const missed = [...applied.missed];
  if (missing !== undefined) {
    const { removals } = missing;
    const left = await removeMissing(deps, removals, {
      runId,
      maxCost,
      trashMs,
      onProgress: bar.report,
    });
    bar.finish();
    print(`Deleted ${removals.length - left.length} of ${count(removals.length, "missing thing")}.`);
    missed.push(...left);
  }
  if (missed.length === 0) return 0;
  for (const message of missed) printError(`Left out: ${message}.`);
  printError("Importing the files again tries once more what was left out.");
  return 1;
}

function toTaskError(error: unknown): unknown {
  if (error instanceof ClosureTooLargeError) {
    return new TaskError(
      `The file would need more than ${MAX_ROWS} rows in the rights table. Nothing was imported. ${ADVICE}`,
      { cause: error },
    );
  }
  if (uniqueViolation(error) !== undefined) {
    return new TaskError(
      "An id of the files was taken meanwhile. What was imported until then stays: run the task again.",
      {
        cause: error,
      },
    );
  }
  const expected = error instanceof NoSuchRoleError || error instanceof MissingRoleError ||
    error instanceof ImportTooLargeError || error instanceof StagingLostError ||
    error instanceof ExternalIdTakenError || error instanceof PartlyImportedError ||
    error instanceof ImportOutcomeUnknownError;
  return expected ? new TaskError(error.message, { cause: error }) : error;
}

/** Returns the ids of the people of the file who have no password. */
function listUninvited({ tables }: TableFiles, { known }: ImportPlan, { people }: AppliedImport): number[] {
  return tables.people.flatMap(({ email, passwordHash }) => {
    const before = known.people.byEmail.get(email);
    if (passwordHash !== undefined || before?.hasPassword === 1) return [];
    return people.get(email) ?? before?.id ?? [];
  });
}

/** Writes the ids of all rows but memberships, in the order of the files. */
async function writeIds(
  unfinished: UnfinishedFile,
  { tables, paths }: TableFiles,
  { graph, known }: ImportPlan,
  { idOfRole, people, devices }: AppliedImport,
): Promise<void> {
  const name = (kind: TableKind): string => basename(paths.get(kind) ?? "");
  const rows: (string | number | undefined)[][] = [["file", "key", "id"]];
  for (const [key, place] of graph.places) rows.push([name("roles"), key, idOfRole(place)]);
  for (const { email, externalId } of tables.people) {
    rows.push([
      name("people"),
      externalId ?? email,
      people.get(email) ?? known.people.byEmail.get(email)?.id,
    ]);
  }
  for (const { nodeId, externalId } of tables.devices) {
    const id = devices.get(nodeId) ?? findSpelled(known.devices.byNodeId, nodeId)?.id;
    rows.push([name("devices"), externalId ?? nodeId, id]);
  }
  {
    using file = await Deno.open(unfinished.path, { write: true });
    await writeText(file, stringify(rows));
  }
  await unfinished.finish();
}

if (import.meta.main) await runTask(importFiles);
