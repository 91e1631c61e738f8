import type { Ruled } from "../../changes/ruled.ts";
import type { Authorization } from "../../graph/rules/rules.ts";
import { type Connecting, hiddenChild, type Kept, type NamedRelation, takingAway } from "./relation_rules.ts";

export interface DeleteFacts extends Authorization<Connecting> {
  readonly relation: NamedRelation | null;
  readonly kept: Kept | null;
}

/**
 * Decides about deleting a relation. What else goes with it, and whether that may go, later statements of the write find
 * out.
 */
export function decideDelete(facts: DeleteFacts): Ruled {
  const { relation } = facts;
  const by = relation === null ? [] : takingAway(facts, relation.byPassword);
  if (by.length === 0) return hiddenChild(facts, { ruling: "denied", ...relationOf(facts) });
  return { ruling: "ok", step: "delete", by, ...relationOf(facts) };
}

/** The same by an administrator's task. */
export function decideDeleteByAdministrator(facts: DeleteFacts): Ruled {
  if (facts.relation === null) return { ruling: "denied", ...relationOf(facts) };
  return { ruling: "ok", step: "delete", ...relationOf(facts) };
}

function relationOf({ relation }: DeleteFacts) {
  return {
    childId: relation?.childId ?? null,
    relationId: relation?.id ?? null,
    oldRights: relation?.rights ?? null,
  };
}
