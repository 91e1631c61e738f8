import { texts } from "../../language.ts";
import { type Change, type Decision, isRefused, type Kind, type Subject } from "./kinds.ts";

/** Whether the console knows this kind; a later version of the service may have others. */
export function isKind(text: string): text is Kind {
  return Object.hasOwn(texts.value.changes.kinds, text);
}

/** Whether the console knows this decision. */
export function isDecision(text: string): text is Decision {
  return Object.hasOwn(texts.value.changes.decisions, text);
}

/** Returns the subject of a change's sentence; undefined for a kind of a later version. */
export function subjectOf(change: Change): Subject | undefined {
  const { kind, roleId, oldName, oldRights, newRights, deletedNodeIds } = change;
  const keepsRights = oldRights !== null && JSON.stringify(oldRights) === JSON.stringify(newRights);
  if (!isKind(kind) || isRefused(change)) return isKind(kind) ? kind : undefined;
  if (kind === "role.update" && oldName !== null) return "role.rename";
  if (kind === "member.update" && keepsRights) return "member.time";
  if (kind === "manages.delete" && roleId !== null && deletedNodeIds.includes(roleId)) return "role.delete";
  return kind;
}
