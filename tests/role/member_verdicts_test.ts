/** What is decided about members, one row for each rule and refusal, without a database. */
import assert from "node:assert/strict";
import type { Ruled } from "../../src/changes/ruled.ts";
import type { GivingMembership } from "../../src/graph/rules/rules.ts";
import {
  decideUndoOfAddition,
  decideUndoOfMemberChange,
  type RestoreMemberInput,
} from "../../src/role/member/member_deciders.ts";
import {
  decideProvision,
  decidePutMember,
  type ProvisionFacts,
  type PutMemberFacts,
  type PutMemberInput,
  type Subject,
} from "../../src/role/member/put_member.ts";
import {
  decideRemoveByAdministrator,
  decideRemoveMember,
  type RemoveMemberFacts,
} from "../../src/role/member/remove_member.ts";
import { ALL_RIGHTS, maskOf } from "../../src/graph/rights.ts";

const ROLE = maskOf("roleManagement");
const USER = maskOf("userManagement");
const VIEW = maskOf("viewManagement");
const ABOVE = { role: { self: null, path: ALL_RIGHTS } };
const CALLER = 7;
const KEY = -4;

/** A membership of a root above the role that may do everything. */
function membership(change: Partial<GivingMembership<"role">> = {}): GivingMembership<"role"> {
  return {
    id: 1,
    roleId: 1,
    isMaker: 0,
    rights: ALL_RIGHTS,
    needs: 0,
    isRoot: 1,
    branch: "1:7",
    endsAt: null,
    to: ABOVE,
    ...change,
  };
}

/** The only membership of the caller. */
function by(change: Partial<GivingMembership<"role">>): Pick<PutMemberFacts, "memberships"> {
  return { memberships: [membership(change)] };
}

/** The same by where it is, seen from the role. */
function reaching(role: GivingMembership<"role">["to"]["role"]) {
  return by({ to: { role } });
}

/** A user who is a member already. */
function memberWith(change: Partial<NonNullable<Subject["member"]>> = {}): Pick<PutMemberFacts, "subject"> {
  const member = { id: 30, rights: ROLE | VIEW, endsAt: null, ...change };
  return { subject: { id: 9, member, endedId: null } };
}

const KEEPER = { ...memberWith(), keepsAlone: true };
const PUT: PutMemberFacts = {
  caller: { meets: 0 },
  memberships: [membership()],
  hasMaker: false,
  subject: null,
  isReserved: false,
  keepsAlone: false,
  isListed: false,
};
const ASKED: PutMemberInput = { actorId: CALLER, rights: ALL_RIGHTS, setsEnd: 0, endsAt: null };
const ENDING = by({ endsAt: 500 });
const VIEWING = by({ rights: USER | VIEW });

type Row<F, I> = readonly [sentence: string, facts: Partial<F>, input: Partial<I>, Ruled["ruling"]];

const PUTS: readonly Row<PutMemberFacts, PutMemberInput>[] = [
  ["a member above adds a person who has no account", {}, {}, "ok"],
  ["a stranger adds no member", { memberships: [] }, {}, "denied"],
  ["a dormant membership does not count", by({ needs: 1 }), {}, "denied"],
  ["viewManagement above does not add members", reaching({ self: null, path: VIEW }), {}, "denied"],
  [
    "roleManagement on the role itself does not add members",
    reaching({ self: ROLE, path: null }),
    { rights: 0 },
    "denied",
  ],
  ["userManagement on the role itself does", reaching({ self: USER, path: null }), {}, "ok"],
  ["a key does not add by the rule of users", {}, { actorId: KEY }, "denied"],
  ["a narrow membership gives what it has", VIEWING, { rights: VIEW }, "ok"],
  ["a narrow membership gives no more", VIEWING, {}, "denied"],
  ["without rights, a new member gets those of the giver", VIEWING, { rights: null }, "ok"],
  ["a membership that ends gives until then", ENDING, { setsEnd: 1, endsAt: 500 }, "ok"],
  ["a membership that ends gives no longer", ENDING, { setsEnd: 1, endsAt: 501 }, "denied"],
  ["a membership that ends gives not for ever", ENDING, { setsEnd: 1, endsAt: null }, "denied"],
  ["no new account takes an address that is reserved", { isReserved: true }, {}, "denied"],
  [
    "an account that exists takes it",
    { isReserved: true, subject: { id: 9, member: null, endedId: null } },
    {},
    "ok",
  ],
  ["nothing changes", memberWith(), { rights: ROLE | VIEW }, "noop"],
  ["a member is narrowed", memberWith(), { rights: VIEW }, "ok"],
  ["narrowing takes no rights of the giver", { ...memberWith(), ...VIEWING }, { rights: VIEW }, "ok"],
  ["widening does", { ...memberWith(), ...VIEWING }, {}, "denied"],
  ["an end is set by who ends later", { ...memberWith(), ...ENDING }, {
    rights: null,
    setsEnd: 1,
    endsAt: 900,
  }, "ok"],
  ["an end is prolonged only within the giver's", { ...memberWith({ endsAt: 400 }), ...ENDING }, {
    rights: null,
    setsEnd: 1,
    endsAt: 501,
  }, "denied"],
  ["the last keeper of a root keeps roleManagement", KEEPER, { rights: VIEW }, "root_without_manager"],
  ["the last keeper of a root has no end", KEEPER, {
    rights: null,
    setsEnd: 1,
    endsAt: 900,
  }, "root_without_manager"],
  ["no other user narrows the last keeper", KEEPER, { rights: ROLE }, "denied"],
  [
    "the last keeper narrows themselves",
    {
      keepsAlone: true,
      subject: { id: CALLER, member: { id: 30, rights: ALL_RIGHTS, endsAt: null }, endedId: null },
    },
    { rights: ROLE },
    "ok",
  ],
];

const OF_KEY: ProvisionFacts = { ...PUT, provisions: true, hasMaker: true, caller: { meets: null } };
const maker = membership({ id: 2, isMaker: 1 });
const BOTH = { memberships: [membership(), maker] };
const PROVISIONS: readonly Row<ProvisionFacts, PutMemberInput>[] = [
  ["a key that provisions adds what it and its maker may give", BOTH, {}, "ok"],
  ["another key does not", { ...BOTH, provisions: false }, {}, "denied"],
  ["a key of a maker who left adds no member", {}, {}, "denied"],
  ["a key of an administrator has no maker", { hasMaker: false }, {}, "ok"],
  ["a maker's membership is none of the key", { memberships: [maker] }, {}, "denied"],
  [
    "a maker's membership counts while it is dormant",
    { memberships: [membership(), { ...maker, needs: 2 }] },
    {},
    "ok",
  ],
  [
    "a key gives no more than its maker has",
    { memberships: [membership(), { ...maker, rights: USER | VIEW }] },
    {},
    "denied",
  ],
];

const MEMBER = { id: 30, userId: 9, rights: ALL_RIGHTS, endsAt: null, keepsAlone: false };
const REMOVE: RemoveMemberFacts = {
  caller: { meets: 0 },
  memberships: [membership()],
  hasMaker: false,
  member: MEMBER,
};
const REMOVED = { actorId: CALLER, roleId: 3 };
const LEAVING = { member: { ...MEMBER, userId: CALLER } };
const REMOVALS: readonly Row<RemoveMemberFacts, typeof REMOVED>[] = [
  ["a member above removes", {}, {}, "ok"],
  ["a stranger does not", { memberships: [] }, {}, "denied"],
  ["there is no such membership", { member: null }, {}, "denied"],
  ["members leave, also while they are dormant", { ...LEAVING, ...by({ needs: 2 }) }, {}, "ok"],
  ["the last keeper of a root stays", { member: { ...MEMBER, keepsAlone: true } }, {}, "root_without_member"],
  [
    "the last keeper of a root does not leave",
    { member: { ...LEAVING.member, keepsAlone: true } },
    {},
    "root_without_member",
  ],
  [
    "only who may remove learns of that",
    { memberships: [], member: { ...MEMBER, keepsAlone: true } },
    {},
    "denied",
  ],
  ["a key whose maker left removes no member", { hasMaker: true }, { actorId: KEY }, "denied"],
  ["a key removes with its maker's right", { ...BOTH, hasMaker: true }, { actorId: KEY }, "ok"],
];

const RESTORED: RestoreMemberInput = { ...ASKED, now: 100, subjectId: 9, livingId: null };
const GONE = { subject: { id: 9, member: null, endedId: null }, isRead: true, hasChanged: false };

function restore(facts: Partial<PutMemberFacts>, input: Partial<RestoreMemberInput> = {}): Ruled {
  return decideUndoOfMemberChange({ ...PUT, ...GONE, ...facts }, { ...RESTORED, ...input });
}

function undoAddition(hasChanged: boolean): Ruled {
  return decideUndoOfAddition({ ...REMOVE, memberships: [], isRead: true, hasChanged }, REMOVED);
}

const OTHER = { subject: { id: 8, member: null, endedId: null } };
const UNDOES: readonly (readonly [sentence: string, ruled: Ruled, ruling: Ruled["ruling"]])[] = [
  ["a removal is undone", restore({}), "ok"],
  ["a key undoes nothing", restore({}, { actorId: KEY }), "denied"],
  ["the person has another address by now", restore({ subject: null }), "changed_since"],
  ["another person has the address by now", restore(OTHER), "changed_since"],
  ["the person has another membership by now", restore(memberWith()), "changed_since"],
  ["a membership that has ended stays ended", restore({}, { setsEnd: 1, endsAt: 100 }), "changed_since"],
  ["who reads an addition reads what has changed since", undoAddition(true), "changed_since"],
  ["an addition is undone by who may remove", undoAddition(false), "denied"],
  [
    "an administrator removes without a membership",
    decideRemoveByAdministrator({ ...REMOVE, memberships: [] }),
    "ok",
  ],
  [
    "an administrator keeps the last keeper, too",
    decideRemoveByAdministrator({ ...REMOVE, member: { ...MEMBER, keepsAlone: true } }),
    "root_without_member",
  ],
];

Deno.test("members are added, changed and removed by the rules of the table", () => {
  const found = [
    ...PUTS.map(([sentence, facts, input, ruling]) =>
      [sentence, decidePutMember({ ...PUT, ...facts }, { ...ASKED, ...input }).ruling, ruling] as const
    ),
    ...PROVISIONS.map(([sentence, facts, input, ruling]) =>
      [
        sentence,
        decideProvision({ ...OF_KEY, ...facts }, { ...ASKED, actorId: KEY, ...input }).ruling,
        ruling,
      ] as const
    ),
    ...REMOVALS.map(([sentence, facts, input, ruling]) =>
      [
        sentence,
        decideRemoveMember({ ...REMOVE, ...facts }, { ...REMOVED, ...input }).ruling,
        ruling,
      ] as const
    ),
    ...UNDOES.map(([sentence, { ruling }, expected]) => [sentence, ruling, expected] as const),
  ];
  assert.deepEqual(found.filter(([, ruling, expected]) => ruling !== expected), []);
});

Deno.test("a new member gets what the most powerful membership gives: the latest end, then most rights", () => {
  const memberships = [
    membership({ id: 1, roleId: 1, rights: ALL_RIGHTS, endsAt: 500 }),
    membership({ id: 3, roleId: 5, rights: USER | VIEW }),
    membership({ id: 2, roleId: 4, rights: USER | ROLE }),
  ];
  const { newRights, details } = decidePutMember({ ...PUT, memberships }, { ...ASKED, rights: null });
  assert.equal(newRights, USER | ROLE);
  assert.deepEqual(details, { oldUntil: null, until: null, listed: 0 });
  const key = decideProvision(
    { ...OF_KEY, memberships: [membership({ endsAt: 900 }), { ...maker, rights: USER | VIEW, endsAt: 500 }] },
    { ...ASKED, actorId: KEY, rights: null },
  );
  assert.deepEqual([key["newRights"], key["details"]], [USER | VIEW, {
    oldUntil: null,
    until: 500,
    listed: 0,
  }]);
});

Deno.test("the first end of a membership is free, later ones and every widening are not", () => {
  const ended = { rights: null, setsEnd: 1, endsAt: 900 } as const;
  const takesAway = (facts: Partial<PutMemberFacts>, input: Partial<PutMemberInput>): unknown =>
    decidePutMember({ ...PUT, ...facts }, { ...ASKED, ...input }).takesAway;
  assert.equal(takesAway(memberWith(), ended), true);
  assert.equal(takesAway(memberWith({ endsAt: 950 }), ended), false);
  assert.equal(takesAway(memberWith(), { rights: VIEW }), true);
  assert.equal(takesAway(memberWith(), {}), false);
});
