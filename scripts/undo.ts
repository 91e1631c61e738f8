import { forgetByAdministrator, restoreByAdministrator, type Restored } from "../src/undo/undo_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { print } from "./lib/output.ts";
import { parseId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "undo",
  summary:
    `Restores what a deletion took: roles, the relations among them, memberships and devices. The service can keep running.
Requests restore only as much as CLOSURE_MAX_CHANGE allows; this task restores any deletion, during which other writes
wait. It undoes no other changes.

Memberships do not return if they have ended since, or if their user has lost one of the parent or a role above it.
A device that lived on returns to its roles up to the deletion, and from now on as far as a relation from before it does.`,
  positionals: [{ name: "REVISION", description: "Revision of the deletion in the log of changes" }],
  options: {
    forget: {
      type: "boolean",
      description: "Do not restore, but delete the devices at once that lie in the trash since this deletion",
    },
  },
} as const;

/** A server restores some 100,000 rows of rights in this time. */
const TIMEOUT_MS = 60_000;

async function undo(): Promise<number> {
  const { values, positionals: [text = ""] } = parseCommandLine(COMMAND);
  const revision = parseId(text, "REVISION must be the revision of a change.");
  await using context = await openMigratedDatabase(TIMEOUT_MS);
  const deps = { database: context.database, clock: Date.now };
  if (values.forget) {
    print(`Deleted ${await forgetByAdministrator(deps, revision)} devices at once.`);
    return 0;
  }
  const undone = await restoreByAdministrator(deps, revision);
  if (undone === undefined) {
    throw new TaskError(
      `Revision ${revision} is no deletion that can be restored: see "deno task undo --help". Nothing was changed.`,
    );
  }
  const { restored, leftOut, shortened = [] } = undone;
  print(restored === undefined ? "Restored the device." : `Restored ${describe(restored)}.`);
  if (leftOut !== undefined) print(`Left out ${describe(leftOut)}.`);
  for (const { id, roleId, deviceId, reason } of shortened) {
    print(`Not whole: role ${roleId} monitors device ${deviceId} (relation ${id}, ${reason})`);
  }
  return 0;
}

function describe({ roles, devices, relations, monitors, members }: Restored): string {
  return `${roles} roles, ${devices} devices, ${relations} manages relations, ${monitors} monitors relations, ` +
    `${members} memberships`;
}

if (import.meta.main) await runTask(undo);
