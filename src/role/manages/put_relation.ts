import type { Ruled } from "../../changes/ruled.ts";
import { type Authorization, authorize, awake, holds, mayGive } from "../../graph/rules/rules.ts";
import type { RightsMask } from "../../graph/rights.ts";
import {
  type Connecting,
  connects,
  hidden,
  isLeftUnmanaged,
  type Kept,
  type Relation,
  ROLE_MANAGEMENT,
  stepOf,
} from "./relation_rules.ts";

export interface PutFacts extends Authorization<Connecting> {
  readonly relation: Relation | null;
  readonly closesCycle: boolean;
  readonly kept: Kept | null;
}

export interface PutInput {
  readonly parentId: number;
  readonly childId: number;
  readonly rights: number;
}

/**
 * Decides about creating the relation of two roles, or changing its rights. Narrowing by the pair takes the rights that
 * making it takes. By its id, less is enough (`update_relation.ts`).
 */
export function decidePut(facts: PutFacts, input: PutInput): Ruled {
  const added = addedTo(facts, input);
  const by = authorize(facts, (each) => connects(each, added), facts.relation === null || added !== 0);
  return by.length === 0 ? denied(facts, input) : judge(facts, input, by);
}

/** The same by an administrator's task. */
export function decidePutByAdministrator(facts: PutFacts, input: PutInput): Ruled {
  return judge(facts, input, []);
}

export interface PutByPasswordFacts extends PutFacts {
  /** The compared password is still the child's, and carries the rights. */
  readonly carries: boolean;
}

/**
 * The same with the child's password, which replaces the right on the child. The relation is noted as made by password
 * only if that was needed.
 */
export function decidePutByPassword(facts: PutByPasswordFacts, input: PutInput): Ruled {
  const added = addedTo(facts, input);
  const by = awake(facts).filter((each) =>
    holds(each, "roleManagement", each.to.parent) && mayGive(each, added)
  );
  if (by.length === 0 || !facts.carries) return denied(facts, input);
  const isNeeded = authorize(facts, (each) => connects(each, input.rights)).length === 0;
  return { ...judge(facts, input, by), byPassword: isNeeded ? 1 : 0 };
}

/** Returns the rights that the change adds to those of the relation. */
function addedTo({ relation }: PutFacts, { rights }: PutInput): RightsMask {
  return rights & ~(relation?.rights ?? 0);
}

/** Returns what the log says of the pair. */
function pairOf({ relation }: PutFacts, { parentId, childId }: PutInput) {
  return { parentId, childId, relationId: relation?.id ?? null, oldRights: relation?.rights ?? null };
}

function denied(facts: PutFacts, input: PutInput): Ruled {
  return hidden(facts, { ruling: "denied", ...pairOf(facts, input) });
}

/** Decides for who may join the roles. */
function judge(facts: PutFacts, input: PutInput, by: readonly Connecting[]): Ruled {
  const { relation } = facts;
  const { rights } = input;
  const said = pairOf(facts, input);
  const former = relation?.rights ?? 0;
  if (facts.closesCycle) return { ruling: "cycle", ...said };
  if (relation?.rights === rights) return { ruling: "noop", by, ...said };
  if ((former & ~rights & ROLE_MANAGEMENT) !== 0 && isLeftUnmanaged(facts.kept)) {
    return { ruling: "unmanaged", ...said };
  }
  const takesAway = relation !== null && addedTo(facts, input) === 0;
  return { ruling: "ok", step: stepOf(former, rights), by, takesAway, ...said };
}
