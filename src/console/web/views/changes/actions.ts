import { queryChanges } from "../../ask_lists.ts";
import type { Change } from "./kinds.ts";
import { addNames, type NamedChange } from "./named_change.ts";

/** By kinds of changes of which the log has further rows, the kinds of these. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  "device.transfer": ["monitors.end"],
  "manages.move": ["manages.delete"],
  "access.end": ["member.remove", "key.delete", "role.password_removed", "access.end"],
};

interface Action<C> {
  readonly head: C;
  hasParts: boolean;
}

/** Whether the row says what was done by others. A part that is of the same kind is about a role's membership. */
function isHead({ kind, decision }: Change): boolean {
  return PARTS[kind] !== undefined && decision === "ok";
}

/** Of the rows of one action; of a move, they are about the same role. */
function momentOf({ at, actor, kind, roleId }: Change): string {
  return `${at} ${actor?.type} ${actor?.id} ${kind.startsWith("manages.") ? roleId : ""}`;
}

/** Leaves out the parts of each action of which the list has the row that says what was done. */
export function groupActions<C extends Change>(changes: readonly C[]): readonly Action<C>[] {
  const heads = new Map(
    changes.filter(isHead).map((head): [string, Action<C>] => [
      momentOf(head),
      // Of those that end with a person's access, a filter may leave out most.
      { head, hasParts: head.kind === "access.end" },
    ]),
  );
  return changes.flatMap((change) => {
    const action = heads.get(momentOf(change));
    if (action?.head === change) return [action];
    if (action === undefined || PARTS[action.head.kind]?.includes(change.kind) !== true) {
      return [{ head: change, hasParts: false }];
    }
    action.hasParts = true;
    return [];
  });
}

/** Loads the parts of an action, whatever the list is filtered by: up to 1000. */
export async function loadParts(head: Change, signal: AbortSignal): Promise<readonly NamedChange[]> {
  const { at, kind, revision } = head;
  const { change } = await queryChanges({ filter: { from: at, to: at }, after: revision }, signal);
  return await addNames(
    change.filter((each) => momentOf(each) === momentOf(head) && PARTS[kind]?.includes(each.kind)),
    signal,
  );
}
