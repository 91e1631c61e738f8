import { and, eq, exists, ne, pick, select } from "../../db/builder.ts";
import { changeLog, manages, role, roleClosure } from "../../db/schema/role.ts";
import { int, placeholdersOf, row, rowsOf, type SQL, sql, text, type Value } from "../../db/sql.ts";
import { ADMINISTRATION, authorizationOf } from "../../changes/caller_facts.ts";
import { commandOf, type Undoing, type Undone, undoOf } from "../../changes/command.ts";
import { type Fact, nested, one, onlyIf, whether } from "../../changes/facts.ts";
import { isOneVisible } from "../../graph/rules/guard_queries.ts";
import { PRINCIPAL } from "../../graph/rules/principal_queries.ts";
import { passwordCarries, REFUSE_SETTLED_ATTEMPT } from "../password/role_password_queries.ts";
import { decideDelete, decideDeleteByAdministrator } from "./delete_relation.ts";
import { decideMove } from "./move_relation.ts";
import { decidePut, decidePutByAdministrator, decidePutByPassword } from "./put_relation.ts";
import {
  decideUndoOfDeletion,
  decideUndoOfMaking,
  decideUndoOfMove,
  decideUndoOfUpdate,
} from "./relation_deciders.ts";
import { type Kept, ROLE_MANAGEMENT } from "./relation_rules.ts";
import { decideUpdate } from "./update_relation.ts";

/** The changes of relations as commands: their facts, read from the database. */

const ARGS = { parentId: int, childId: int, rights: int, relationId: int, replaces: int };
const { parentId, childId, rights, relationId, replaces } = placeholdersOf(ARGS);
const { actorId } = placeholdersOf(PRINCIPAL);
const { existing, replaced, named } = rowsOf({ existing: manages, replaced: manages, named: manages });

const OF_BOTH = and(eq(existing.parentId, parentId), eq(existing.childId, childId));
const ID_OF_PAIR = sql`${select({ id: existing.id }).from(existing).where(OF_BOTH)}`;
const IS_NAMED = and(eq(named.id, relationId), eq(named.parentId, parentId));
/** Selects the child of the relation that a caller names by its id and its parent. */
export const CHILD_OF_NAMED = sql`${select({ childId: named.childId }).from(named).where(IS_NAMED)}`;
/** The change leaves the relation without roleManagement. */
const TAKES_ROLE_MANAGEMENT = sql`NOT ${rights} & ${ROLE_MANAGEMENT}`;

/** It does, and the caller sees the child. Not by AND: SQLite evaluates both sides of one. */
const TAKES_FROM_SEEN = sql`iif(${TAKES_ROLE_MANAGEMENT}, ${isOneVisible(childId)}, false)`;

/**
 * What the child keeps without these relations, where it matters. Of a child that the caller does not see, the time would
 * tell how many relations enter it.
 */
function keptWithout(child: Value, without: readonly [Value, ...Value[]], matters: SQL): Fact<Kept | null> {
  const kept = row(role, "kept");
  const entered = (counts: Parameters<typeof isEntered>[2]) =>
    nested(whether(isEntered(child, without, counts)));
  return onlyIf(
    matters,
    one(
      select({
        isRoot: kept.isRoot,
        isManaged: entered((by) => sql`${by.rights} & ${ROLE_MANAGEMENT}`),
        isEntered: entered(() => sql`true`),
      }).from(kept).where(sql`${kept.id} = ${child}`),
    ),
  );
}

function isEntered(child: Value, without: readonly Value[], counts: (by: typeof manages) => SQL): SQL {
  const other = row(manages, "other");
  const others = without.reduce<SQL>((all, id) => sql`${all} AND ${other.id} IS NOT ${id}`, sql``);
  return sql`EXISTS (SELECT 1 FROM ${other} WHERE ${other.childId} = ${child} AND ${counts(other)}${others})`;
}

const path = row(roleClosure, "path");
const OF_PAIR = {
  ...authorizationOf({ parent: parentId, child: childId }),
  relation: one(select(pick(existing, "id", "rights")).from(existing).where(OF_BOTH)),
  /** Joining both would close a cycle, or join a role to itself. */
  closesCycle: whether(sql`${parentId} = ${childId} OR EXISTS (SELECT 1 FROM ${path}
      WHERE ${path.descendantId} = ${parentId} AND ${path.ancestorId} = ${childId})`),
};

export const PUT = commandOf({
  name: "put relation",
  declared: { ...PRINCIPAL, parentId: int, childId: int, rights: int },
  facts: { ...OF_PAIR, kept: keptWithout(childId, [ID_OF_PAIR], TAKES_FROM_SEEN) },
  decide: decidePut,
  target: ({ parentId, childId }: { parentId: number; childId: number }) => `relation ${parentId} ${childId}`,
});

const { parent, below } = rowsOf({ parent: role, below: role });
const BOTH_EXIST = exists(
  select({ id: parent.id }).from(parent).crossJoin(below).where(
    and(eq(parent.id, parentId), eq(below.id, childId)),
  ),
);

export const PUT_AS_ADMINISTRATOR = commandOf({
  name: "put relation by administrator",
  declared: { actorId: int, parentId: int, childId: int, rights: int },
  facts: {
    ...OF_PAIR,
    ...ADMINISTRATION,
    caller: onlyIf(BOTH_EXIST, ADMINISTRATION.caller),
    kept: keptWithout(childId, [ID_OF_PAIR], TAKES_ROLE_MANAGEMENT),
  },
  decide: decidePutByAdministrator,
  target: PUT.target,
});

const proven = row(role, "proven");
const attempt = row(changeLog, "attempt");
const WITH_PASSWORD = { comparedHash: text, attemptId: text };
const { comparedHash, attemptId } = placeholdersOf(WITH_PASSWORD);
const { caller, ...OF_CALLER } = OF_PAIR;

export const PUT_BY_PASSWORD = commandOf({
  name: "put relation by password",
  declared: { ...PUT.declared, ...WITH_PASSWORD },
  facts: {
    ...OF_CALLER,
    // Without an open attempt, nothing is decided.
    caller: onlyIf(
      exists(
        select({ opId: attempt.opId }).from(attempt).where(
          and(eq(attempt.opId, attemptId), eq(attempt.step, "compare")),
        ),
      ),
      caller,
    ),
    kept: PUT.facts.kept,
    carries: whether(
      select({ id: proven.id }).from(proven).where(
        and(eq(proven.id, childId), eq(proven.passwordHash, comparedHash), passwordCarries(proven, rights)),
      ),
    ),
  },
  decide: decidePutByPassword,
  refuseRepeated: REFUSE_SETTLED_ATTEMPT,
  // A wrong password is no matter of levels.
  judged: (facts) => ({ ...facts, carries: true }),
  target: PUT.target,
});

export const MOVE = commandOf({
  name: "move relation",
  declared: { ...PRINCIPAL, parentId: int, childId: int, rights: int, replaces: int },
  facts: {
    ...OF_PAIR,
    kept: keptWithout(childId, [replaces, ID_OF_PAIR], TAKES_FROM_SEEN),
    replaced: one(
      select(pick(replaced, "id", "parentId", "rights")).from(replaced).where(
        and(eq(replaced.id, replaces), eq(replaced.childId, childId), ne(replaced.parentId, parentId)),
      ),
    ),
  },
  decide: decideMove,
  target: ({ childId }: { childId: number }) => `relations into ${childId}`,
});

const NAMED = one(
  select(pick(named, "id", "childId", "rights", "byPassword")).from(named).where(IS_NAMED),
);
/** Of one made by password, whether the child stays matters. */
const BY_PASSWORD = sql`${select({ byPassword: named.byPassword }).from(named).where(IS_NAMED)}`;

/**
 * The caller sees the child, dormant or not, and the condition holds. In this order: to see it takes the same time for
 * each relation. A session that met more may need what the child keeps.
 */
function ofSeenChild(condition: SQL): SQL {
  return sql`iif(${isOneVisible(CHILD_OF_NAMED, actorId)}, ${condition}, false)`;
}

export const DELETE = commandOf({
  name: "delete relation",
  declared: { ...PRINCIPAL, parentId: int, relationId: int },
  facts: {
    ...authorizationOf({ parent: parentId, child: CHILD_OF_NAMED }),
    relation: NAMED,
    kept: keptWithout(CHILD_OF_NAMED, [relationId], ofSeenChild(BY_PASSWORD)),
  },
  decide: decideDelete,
  target: ({ relationId }: { relationId: number }) => `relation ${relationId}`,
});

export const DELETE_AS_ADMINISTRATOR = commandOf({
  name: "delete relation by administrator",
  declared: { actorId: int, parentId: int, relationId: int },
  facts: { ...ADMINISTRATION, relation: NAMED, kept: { json: sql`'null'` } as Fact<null> },
  decide: decideDeleteByAdministrator,
  target: DELETE.target,
});

export const UPDATE = commandOf({
  name: "update relation",
  declared: { ...PRINCIPAL, parentId: int, relationId: int, rights: int },
  facts: {
    ...authorizationOf({ parent: parentId, child: CHILD_OF_NAMED }),
    relation: NAMED,
    kept: keptWithout(
      CHILD_OF_NAMED,
      [relationId],
      ofSeenChild(sql`(${TAKES_ROLE_MANAGEMENT} OR ${BY_PASSWORD})`),
    ),
  },
  decide: decideUpdate,
  target: ({ relationId }: { relationId: number }) => `relation ${relationId}`,
});

export const undoOfDeletion = (undone: Undone): Undoing<typeof PUT["facts"]> =>
  undoOf(PUT, undone, { name: "undo deletion of relation", decide: decideUndoOfDeletion });
export const undoOfMove = (undone: Undone): Undoing<typeof MOVE["facts"]> =>
  undoOf(MOVE, undone, { name: "undo move of relation", decide: decideUndoOfMove });
export const undoOfUpdate = (undone: Undone): Undoing<typeof UPDATE["facts"]> =>
  undoOf(UPDATE, undone, { name: "undo update of relation", decide: decideUndoOfUpdate });
export const undoOfMaking = (undone: Undone): Undoing<typeof DELETE["facts"]> =>
  undoOf(DELETE, undone, { name: "undo making of relation", decide: decideUndoOfMaking });
