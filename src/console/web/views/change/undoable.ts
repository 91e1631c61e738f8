import type { NoticeAction } from "../../components/notice.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { queryChanges } from "../../ask_lists.ts";

type Change = components["schemas"]["Change"];

/** What can be undone, if the same thing has not changed since. */
const UNDOABLE =
  /^(role\.(create|update)|manages\.(put|update|move|delete)|member\.(add|update|remove|leave)|device\.transfer|monitors\.(add|update|remove))$/;

/** Whether to offer an undo. The service decides, by more than the log tells. */
export function canBeUndone({ kind, decision, oldRights }: Change): boolean {
  if (decision !== "ok") return false;
  // A move onto an existing relation is no single change to take back.
  return UNDOABLE.test(kind) && !(kind === "manages.move" && oldRights !== null);
}

/** Whether the change deleted roles or devices, which its undo restores. */
export function isDeletion({ kind, deletedRoles, deletedDevices }: Change): boolean {
  return (kind === "manages.delete" || kind === "monitors.remove") && deletedRoles + deletedDevices > 0;
}

/** Returns the way to the undo of a change; undefined if the viewer does not read it, or it cannot be undone. */
export async function findUndo(revision: number | undefined): Promise<NoticeAction | undefined> {
  if (revision === undefined) return undefined;
  // Without it, the log still offers the undo.
  const read = await queryChanges({ after: Math.max(0, revision - 2), limit: 2 }).catch(() => undefined);
  const found = read?.change.find((each) => each.revision === revision);
  // A move has a second row, about the relation that it replaced.
  const move = read?.change.find(({ kind, at, roleId }) =>
    kind === "manages.move" && at === found?.at && roleId === found.roleId
  );
  const change = found?.kind === "manages.delete" && move && canBeUndone(move) ? move : found;
  if (change === undefined || !canBeUndone(change)) return undefined;
  const { undo } = texts.value.changes;
  return { label: isDeletion(change) ? undo.restore : undo.button, query: { undo: String(change.revision) } };
}
