import type { Ruled } from "../../changes/ruled.ts";
import { authorize } from "../../graph/rules/rules.ts";
import type { PutFacts, PutInput } from "./put_relation.ts";
import { connects, hidden, isLeftUnmanaged, type Relation, ROLE_MANAGEMENT } from "./relation_rules.ts";

export interface MoveFacts extends PutFacts {
  /** A relation from another parent to the child. */
  readonly replaced: Relation & { readonly parentId: number } | null;
}

export interface MoveInput extends PutInput {
  readonly replaces: number;
}

/**
 * Decides about creating or updating a relation, and deleting another one into the same child. A caller who may join the
 * child may also delete the relations that enter it, and knows them. A repeated move, which has nothing left to replace,
 * is a noop.
 */
export function decideMove(facts: MoveFacts, { parentId, childId, rights, replaces }: MoveInput): Ruled {
  const { relation, replaced } = facts;
  const added = rights & ~(relation?.rights ?? 0);
  const by = authorize(facts, (each) => connects(each, added), relation === null || added !== 0);
  const said = {
    parentId,
    childId,
    relationId: relation?.id ?? null,
    oldRights: relation?.rights ?? null,
    replacedId: replaced?.id ?? null,
    replacedParentId: replaced?.parentId ?? null,
    replacedRights: replaced?.rights ?? null,
  };
  if (by.length === 0) return hidden(facts, { ruling: "denied", ...said });
  if (replaced === null) {
    const isRepeated = relation?.rights === rights && relation.id !== replaces;
    return isRepeated ? { ruling: "noop", by, ...said } : { ruling: "denied", ...said };
  }
  if (facts.closesCycle) return { ruling: "cycle", ...said };
  if ((rights & ROLE_MANAGEMENT) === 0 && isLeftUnmanaged(facts.kept)) {
    return { ruling: "unmanaged", ...said };
  }
  return { ruling: "ok", step: "write", by, takesAway: relation !== null && added === 0, ...said };
}
