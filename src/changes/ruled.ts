import type { SqlArgs, SqlValue } from "../db/statement.ts";
import type { Decider, ThreadDecision } from "../db/thread/deciders.ts";
import type { Authorization, Membership } from "../graph/rules/rules.ts";
import type { Decision } from "./decision.ts";
import type { Step } from "../graph/step_queries.ts";

/** What the decision about a change finds, in TypeScript: pure functions of facts (`command.ts`). */

/** What a decision finds, before the limits of the write: cost, quota, bucket. */
export interface Ruled {
  readonly ruling: Decision;
  /** What later statements do, of `ok`. */
  readonly step?: Step;
  /** Through which memberships a change is made, of `ok` and `noop`: the oldest of their roles is logged. */
  readonly by?: readonly Membership[];
  /** The role that is logged in place of that. */
  readonly via?: number | null;
  /** By which memberships a change is charged. By default `by`. */
  readonly chargedBy?: readonly Membership[];
  /** It only takes away, so a full bucket does not refuse it. */
  readonly takesAway?: boolean;
  /** What the log says, for the columns of the write. */
  readonly [name: string]: unknown;
}

/** Decides on facts. The input are the arguments of the change. */
export type Decide<F, I> = (facts: F, input: I) => Ruled;

/** A decision as the write takes it: the JSON text that its deciding statement reads, and its step. */
export function decisionOf({ by = [], chargedBy = by, takesAway = false, ...said }: Ruled): ThreadDecision {
  const oldest = by.reduce<number | null>((least, { roleId }) => Math.min(least ?? roleId, roleId), null);
  const [first] = chargedBy.toSorted((a, b) => b.isRoot - a.isRoot || a.roleId - b.roleId);
  const charged = first && { roleId: first.roleId, isRoot: first.isRoot, branch: first.branch };
  const step = said.ruling === "ok" ? said.step ?? "none" : "none";
  return {
    text: JSON.stringify({ via: oldest, takesAway, ...said, charged }),
    step,
  };
}

/** Returns the decision as a thread makes it. */
export function deciderOf<F extends Authorization<Membership>, I>(decide: Decide<F, I>): Decider {
  return (facts: string, input: SqlArgs) => {
    const read = JSON.parse(facts) as F;
    if (read.caller === null) return { text: null, step: "none" };
    return decisionOf(decide(read, withNumbers(input) as I));
  };
}

/** Statements have integers as bigints. */
function withNumbers(args: SqlArgs): SqlArgs {
  const numbers: Record<string, SqlValue> = {};
  for (const name in args) {
    const value = args[name] as SqlValue;
    numbers[name] = typeof value === "bigint" ? Number(value) : value;
  }
  return numbers;
}

/** What an undo knows besides the facts of the inverse change. */
export interface UndoFacts {
  /** The caller reads the change that is undone. */
  readonly isRead: boolean;
  /** Something has changed since what that change left. */
  readonly hasChanged: boolean;
}

interface Undoing<F, I> {
  /**
   * Something has changed that also a caller reads who may not make the inverse. Who reads a change of a relation reads
   * its deletion, too.
   */
  readonly isGone?: (facts: F & UndoFacts, input: I) => boolean;
  /** The inverse would replace what is there. */
  readonly isOverwritten?: (facts: F) => boolean;
}

/**
 * Returns the decision about undoing a change: that of the inverse, with further refusals around it. Only a user undoes,
 * who reads the row of what is undone, and nothing has changed since.
 */
export function undoing<F, I, J extends I & { readonly actorId: number }>(
  decide: Decide<F, I>,
  { isGone = () => false, isOverwritten = () => false }: Undoing<F, J>,
): Decide<F & UndoFacts, J> {
  return (facts, input) => {
    const ruled = decide(facts, input);
    if (input.actorId < 0 || !facts.isRead) return { ...ruled, ruling: "denied", by: [] };
    if (isGone(facts, input)) return { ...ruled, ruling: "changed_since", by: [] };
    if (ruled.ruling === "denied") return ruled;
    const hasChanged = isOverwritten(facts) || facts.hasChanged;
    return hasChanged ? { ...ruled, ruling: "changed_since", by: [] } : ruled;
  };
}
