/** What is decided about relations, one row for each rule and refusal, without a database. */
import assert from "node:assert/strict";
import type { Ruled } from "../../src/changes/ruled.ts";
import { decideMove, type MoveFacts } from "../../src/role/manages/move_relation.ts";
import { decidePut, type PutFacts } from "../../src/role/manages/put_relation.ts";
import {
  decideUndoOfDeletion,
  decideUndoOfMove,
  decideUndoOfUpdate,
} from "../../src/role/manages/relation_deciders.ts";
import type { Connecting } from "../../src/role/manages/relation_rules.ts";
import { decideUpdate, type UpdateFacts } from "../../src/role/manages/update_relation.ts";
import { ALL_RIGHTS, maskOf } from "../../src/graph/rights.ts";

const ROLE = maskOf("roleManagement");
const VIEW = maskOf("viewManagement");
const WITHOUT_ROLE = ALL_RIGHTS & ~ROLE;
const NOWHERE = { self: null, path: null };
/** Above a role, with all rights. */
const ABOVE = { self: null, path: ALL_RIGHTS };
/** In the role itself, with all rights. */
const INSIDE = { self: ALL_RIGHTS, path: null };

/** A membership of a root above both roles that may do everything. */
function membership(change: Partial<Connecting> = {}): Connecting {
  return {
    roleId: 1,
    isMaker: 0,
    rights: ALL_RIGHTS,
    needs: 0,
    isRoot: 1,
    branch: "1:7",
    to: { parent: ABOVE, child: ABOVE },
    ...change,
  };
}

/** The only membership of the caller. */
function by(change: Partial<Connecting>): Pick<PutFacts, "memberships"> {
  return { memberships: [membership(change)] };
}

/** The same by where it is, seen from the parent and the child. */
function reaching(parent: Connecting["to"]["parent"], child: Connecting["to"]["child"]) {
  return by({ to: { parent, child } });
}

const PUT: PutFacts = {
  caller: { meets: 0 },
  memberships: [membership()],
  hasMaker: false,
  relation: null,
  closesCycle: false,
  kept: { isRoot: 0, isManaged: true, isEntered: true },
};
const ASKED = { parentId: 2, childId: 3, rights: ALL_RIGHTS };
const BY_PASSWORD = { id: 9, childId: 3, rights: ROLE | VIEW, byPassword: 1 };
const UPDATE: UpdateFacts = {
  caller: { meets: 0 },
  memberships: [membership()],
  hasMaker: false,
  relation: { ...BY_PASSWORD, byPassword: 0 },
  kept: { isRoot: 0, isManaged: true, isEntered: true },
};
const MOVE: MoveFacts = { ...PUT, replaced: { id: 8, parentId: 4, rights: VIEW } };
const MOVED = { ...ASKED, replaces: 8 };
const RELATION = { id: 9, rights: ALL_RIGHTS };
const ALONE = { isRoot: 0, isManaged: false, isEntered: true } as const;

type Row<F, I> = readonly [sentence: string, facts: Partial<F>, input: Partial<I>, Ruled["ruling"]];

const PUTS: readonly Row<PutFacts, typeof ASKED>[] = [
  ["a member above both roles may join them", {}, {}, "ok"],
  ["the caller is no member", { memberships: [] }, {}, "denied"],
  ["a member of the child alone has no right from above", reaching(ABOVE, INSIDE), {}, "denied"],
  ["a member of the parent manages it directly", reaching(INSIDE, ABOVE), {}, "ok"],
  [
    "two memberships that each manage one role are not enough",
    {
      memberships: [
        membership({ to: { parent: ABOVE, child: NOWHERE } }),
        membership({ roleId: 5, to: { parent: NOWHERE, child: ABOVE } }),
      ],
    },
    {},
    "denied",
  ],
  [
    "the path to the child lacks roleManagement",
    reaching(ABOVE, { self: null, path: WITHOUT_ROLE }),
    {},
    "denied",
  ],
  ["a narrow membership gives what it has", by({ rights: ROLE | VIEW }), { rights: VIEW }, "ok"],
  ["a narrow membership gives no more", by({ rights: ROLE | VIEW }), {}, "denied"],
  [
    "it keeps what the relation already has",
    { ...by({ rights: ROLE }), relation: RELATION },
    { rights: WITHOUT_ROLE | ROLE },
    "noop",
  ],
  ["a dormant membership does not count", by({ needs: 1 }), {}, "denied"],
  ["a session that meets the demand is awake", { ...by({ needs: 1 }), caller: { meets: 1 } }, {}, "ok"],
  ["a key meets no demand", { ...by({ needs: 1 }), caller: { meets: null } }, {}, "denied"],
  ["a key's maker could not give it now", { hasMaker: true }, {}, "denied"],
  [
    "a key's maker could give it, too",
    { hasMaker: true, memberships: [membership(), membership({ isMaker: 1 })] },
    {},
    "ok",
  ],
  ["a maker's membership is none of the key", { hasMaker: true, ...by({ isMaker: 1 }) }, {}, "denied"],
  [
    "a key whose maker left may take rights away",
    { hasMaker: true, relation: RELATION },
    { rights: ROLE },
    "ok",
  ],
  ["the child is above the parent", { closesCycle: true }, {}, "cycle"],
  ["a cycle is told only to who may join both", { closesCycle: true, memberships: [] }, {}, "denied"],
  ["the relation has these rights", { relation: RELATION }, {}, "noop"],
  [
    "the child would lose its last manager",
    { relation: RELATION, kept: ALONE },
    { rights: VIEW },
    "unmanaged",
  ],
  ["a root needs no manager", { relation: RELATION, kept: { ...ALONE, isRoot: 1 } }, { rights: VIEW }, "ok"],
  ["a new relation takes no manager away", { kept: ALONE }, { rights: VIEW }, "ok"],
];

const UPDATES: readonly Row<UpdateFacts, typeof ASKED>[] = [
  ["a member above both roles may widen", {}, {}, "ok"],
  ["there is no such relation", { relation: null }, {}, "denied"],
  ["who manages only the parent may not widen", reaching(ABOVE, NOWHERE), {}, "denied"],
  ["who manages only the parent may narrow", reaching(ABOVE, NOWHERE), { rights: ROLE }, "ok"],
  ["who manages the child from above may narrow", reaching(NOWHERE, ABOVE), { rights: ROLE }, "ok"],
  ["a member of the child may not narrow", reaching(NOWHERE, INSIDE), { rights: ROLE }, "denied"],
  [
    "a member of the child may narrow what was made by its password",
    { ...reaching(NOWHERE, INSIDE), relation: BY_PASSWORD },
    { rights: ROLE },
    "ok",
  ],
  [
    "a member of the child may not if it would not stay",
    {
      ...reaching(NOWHERE, INSIDE),
      relation: BY_PASSWORD,
      kept: { isRoot: 0, isManaged: false, isEntered: false },
    },
    { rights: ROLE },
    "denied",
  ],
  [
    "the key of a maker who left may not narrow what was made by password",
    { hasMaker: true, ...reaching(NOWHERE, INSIDE), relation: BY_PASSWORD },
    { rights: ROLE },
    "denied",
  ],
  ["nothing changes", {}, { rights: ROLE | VIEW }, "noop"],
  ["the child would lose its last manager", { kept: ALONE }, { rights: VIEW }, "unmanaged"],
];

const MOVES: readonly Row<MoveFacts, typeof MOVED>[] = [
  ["a member above both roles may move the child", {}, {}, "ok"],
  ["who may not join them may not move", { memberships: [] }, {}, "denied"],
  ["there is nothing to replace", { replaced: null }, {}, "denied"],
  ["a repeated move has nothing left to replace", { replaced: null, relation: RELATION }, {}, "noop"],
  ["what it replaces is what it made", { replaced: null, relation: { ...RELATION, id: 8 } }, {}, "denied"],
  ["the child is above the parent", { closesCycle: true }, {}, "cycle"],
  ["the child would lose its last manager", { kept: ALONE }, { rights: VIEW }, "unmanaged"],
];

const UNDONE = { isRead: true, hasChanged: false };

function undoDeletion(facts: Partial<PutFacts & typeof UNDONE>, actorId = 7): Ruled {
  return decideUndoOfDeletion({ ...PUT, ...UNDONE, ...facts }, { ...ASKED, actorId });
}

const UNDOES: readonly (readonly [sentence: string, ruled: Ruled, ruling: Ruled["ruling"]])[] = [
  ["a deletion is undone", undoDeletion({}), "ok"],
  ["a key undoes nothing", undoDeletion({}, -7), "denied"],
  ["who does not read a change does not undo it", undoDeletion({ isRead: false }), "denied"],
  ["the relation was made again", undoDeletion({ relation: RELATION }), "changed_since"],
  [
    "only who may make the inverse learns of a change since",
    undoDeletion({ memberships: [], hasChanged: true }),
    "denied",
  ],
  [
    "who reads the change of a relation reads that it is gone",
    decideUndoOfUpdate({ ...UPDATE, ...UNDONE, relation: null }, { ...ASKED, actorId: 7 }),
    "changed_since",
  ],
  [
    "something has changed since",
    decideUndoOfMove({ ...MOVE, ...UNDONE, hasChanged: true }, { ...MOVED, actorId: 7 }),
    "changed_since",
  ],
];

Deno.test("a relation is put, updated and moved by the rules of the table", () => {
  const found = [
    ...PUTS.map(([sentence, facts, input, ruling]) =>
      [sentence, decidePut({ ...PUT, ...facts }, { ...ASKED, ...input }).ruling, ruling] as const
    ),
    ...UPDATES.map(([sentence, facts, input, ruling]) =>
      [sentence, decideUpdate({ ...UPDATE, ...facts }, { ...ASKED, ...input }).ruling, ruling] as const
    ),
    ...MOVES.map(([sentence, facts, input, ruling]) =>
      [sentence, decideMove({ ...MOVE, ...facts }, { ...MOVED, ...input }).ruling, ruling] as const
    ),
    ...UNDOES.map(([sentence, { ruling }, expected]) => [sentence, ruling, expected] as const),
  ];
  assert.deepEqual(found.filter(([, ruling, expected]) => ruling !== expected), []);
});

Deno.test("a denial names no relation to who does not see its parent", () => {
  const facts = { ...PUT, relation: RELATION, ...reaching(NOWHERE, ABOVE) };
  const { relationId, oldRights } = decidePut(facts, ASKED);
  assert.deepEqual([relationId, oldRights], [null, null]);
  const named = decideUpdate(
    { ...UPDATE, ...by({ rights: 0, to: { parent: NOWHERE, child: ABOVE } }) },
    ASKED,
  );
  assert.deepEqual([named["childId"], named["relationId"], named["oldRights"]], [null, null, null]);
  const seen = decidePut({ ...facts, ...by({ rights: 0 }) }, ASKED);
  assert.deepEqual([seen["relationId"], seen["oldRights"]], [9, ALL_RIGHTS]);
});

Deno.test("narrowing by a member who only manages the child is charged to no membership", () => {
  const memberships = [membership({ to: { parent: NOWHERE, child: ABOVE } })];
  const { by, chargedBy, takesAway } = decideUpdate({ ...UPDATE, memberships }, { ...ASKED, rights: ROLE });
  assert.deepEqual([by, chargedBy, takesAway], [memberships, [], true]);
});
