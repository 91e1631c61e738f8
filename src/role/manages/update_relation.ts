import type { Ruled } from "../../changes/ruled.ts";
import { type Authorization, authorize, holds } from "../../graph/rules/rules.ts";
import {
  type Connecting,
  connects,
  hiddenChild,
  isLeftUnmanaged,
  type Kept,
  type NamedRelation,
  ROLE_MANAGEMENT,
  stepOf,
  takingAway,
} from "./relation_rules.ts";

export interface UpdateFacts extends Authorization<Connecting> {
  readonly relation: NamedRelation | null;
  readonly kept: Kept | null;
}

export interface UpdateInput {
  readonly parentId: number;
  readonly rights: number;
}

/** Decides about the rights of a relation that a caller names by its id and its parent. */
export function decideUpdate(facts: UpdateFacts, { parentId, rights }: UpdateInput): Ruled {
  const { relation } = facts;
  if (relation === null) {
    return { ruling: "denied", parentId, childId: null, relationId: null, oldRights: null };
  }
  const { id, childId, rights: former } = relation;
  const added = rights & ~former;
  const by = added !== 0
    ? authorize(facts, (each) => connects(each, added))
    : takingAway(facts, relation.byPassword);
  const said = { parentId, childId, relationId: id, oldRights: former };
  if (by.length === 0) return hiddenChild(facts, { ruling: "denied", ...said });
  // A member who only manages the child can take rights away, which is free.
  const chargedBy = added !== 0 ? by : by.filter((each) => holds(each, "roleManagement", each.to.parent));
  if (former === rights) return { ruling: "noop", by, chargedBy, ...said };
  if ((former & ~rights & ROLE_MANAGEMENT) !== 0 && isLeftUnmanaged(facts.kept)) {
    return { ruling: "unmanaged", ...said };
  }
  return { ruling: "ok", step: stepOf(former, rights), by, chargedBy, takesAway: added === 0, ...said };
}
