/** An explanation shows its ways, hides what the viewer may not see, and says what to widen. */
import assert from "node:assert/strict";
import { type Answer, findLoss, rolesOf, showAnswer, type View } from "../../src/explain/why/explanation.ts";
import type { Way } from "../../src/explain/why/ways.ts";
import type { LineageRelation } from "../../src/graph/history/lineage.ts";
import { toRights } from "../../src/graph/rights.ts";

const HIDDEN = { hidden: true };
const VIEW: View = {
  names: new Map([[1, "Root"], [2, "Hall"], [3, "Site"]]),
  seesMember: true,
  mayWiden: { relations: new Set([11]), role: false, member: true },
};
const UPPER: LineageRelation = [10, 1, 2, 63];
const LOWER: LineageRelation = [11, 2, 3, 5];

function wayOf(relations: LineageRelation[], lost: Partial<Way> = {}): Way {
  return {
    membership: { id: 7, roleId: 1, rights: 63, endsAt: null },
    relations,
    lostAt: [],
    isLostAtMember: false,
    isLostAtRole: false,
    ...lost,
  };
}

function answerOf(ways: Partial<Answer["ways"]>, more: Partial<Answer> = {}): Answer {
  const answer = { roleId: 3, right: "alarmManagement", allowed: false, revision: 9, isCut: false } as const;
  return { ...answer, ...more, ways: { open: [], blocked: [], ...ways } };
}

Deno.test("an explanation shows memberships, relations, losses and what to widen", () => {
  const lost = wayOf([UPPER, LOWER], { lostAt: [LOWER], isLostAtMember: true });
  const limited = { id: 8, roleId: 3, rights: 4, endsAt: Date.UTC(2026, 2, 1) };
  const own = wayOf([], { membership: limited, isLostAtMember: true, isLostAtRole: true });
  const memberOf = { roleId: 1, name: "Root" };
  const upper = {
    managesId: 10,
    parentRoleId: 1,
    childRoleId: 2,
    name: "Hall",
    rights: Object.keys(toRights(63)),
  };
  const lower = {
    managesId: 11,
    parentRoleId: 2,
    childRoleId: 3,
    name: "Site",
    rights: ["roleManagement", "viewManagement"],
  };
  assert.deepEqual(showAnswer(answerOf({ blocked: [lost, own] }), VIEW), {
    allowed: false,
    revision: 9,
    ways: [],
    blocked: [
      { memberOf, relations: [upper, lower], lostAt: [11], lostAtMember: true },
      {
        memberOf: { roleId: 3, name: "Site", until: "2026-03-01T00:00:00.000Z", rights: toRights(4) },
        relations: [],
        lostAt: [],
        lostAtMember: true,
        lostAtRole: true,
      },
    ],
    fix: [
      { managesId: 11, right: "alarmManagement", mayYou: true },
      { memberId: 7, right: "alarmManagement", mayYou: true },
    ],
    truncated: false,
  });
  assert.deepEqual(showAnswer(answerOf({ blocked: [own] }), VIEW).fix, [
    { roleId: 3, right: "alarmManagement", mayYou: false },
    { memberId: 8, right: "alarmManagement", mayYou: true },
  ]);
  const allowed = showAnswer(answerOf({ open: [wayOf([UPPER])], blocked: [lost] }, { allowed: true }), VIEW);
  assert.deepEqual([allowed.ways, allowed.fix, allowed.truncated], [
    [{ memberOf, relations: [upper] }],
    [],
    false,
  ]);
});

Deno.test("hidden parts are shown as hidden in their place", () => {
  const blind: View = { ...VIEW, names: new Map([[2, "Hall"], [3, "Site"]]), seesMember: false };
  const lost = wayOf([UPPER, LOWER], { lostAt: [UPPER, LOWER], isLostAtMember: true });
  const { blocked: [way], fix } = showAnswer(answerOf({ blocked: [lost] }), blind);
  assert.deepEqual(way?.memberOf, HIDDEN);
  assert.deepEqual(way?.relations.map((relation) => "hidden" in relation), [true, false]);
  assert.deepEqual(way?.lostAt, [HIDDEN, 11]);
  assert.deepEqual(fix, [HIDDEN, { managesId: 11, right: "alarmManagement", mayYou: true }, HIDDEN]);
  // A relation of the past may lead from a role that is seen to one that is not.
  const above: View = { ...VIEW, names: new Map([[1, "Root"], [2, "Hall"]]) };
  const shown = showAnswer(answerOf({ blocked: [wayOf([UPPER, LOWER], { isLostAtRole: true })] }), above);
  assert.deepEqual(shown.blocked[0]?.relations[1], HIDDEN);
  assert.deepEqual(shown.fix, [HIDDEN]);
});

Deno.test("an incomplete explanation, or one with more than 1,000 items to widen, proposes no fix", () => {
  const lost = wayOf([LOWER], { lostAt: [LOWER] });
  const cut = showAnswer(answerOf({ blocked: [lost] }, { isCut: true }), VIEW);
  assert.deepEqual([cut.fix, cut.truncated], [[], true]);
  const losing = (count: number): Answer =>
    answerOf({ blocked: [wayOf([], { lostAt: Array(count).fill(LOWER) })] });
  assert.equal(showAnswer(losing(1000), VIEW).fix.length, 1000);
  assert.equal(showAnswer(losing(1000), VIEW).truncated, false);
  const long = showAnswer(losing(1001), VIEW);
  assert.deepEqual([long.fix, long.truncated], [[], true]);
  const none = showAnswer(answerOf({}), VIEW);
  assert.deepEqual([none.fix, none.truncated], [[], false], "nothing connects");
  const allowedCut = showAnswer(answerOf({}, { allowed: true, isCut: true }), VIEW);
  assert.deepEqual([allowedCut.allowed, allowedCut.truncated], [true, true]);
});

Deno.test("the roles of an answer are listed once, and the fix follows the first blocked way", () => {
  const lost = wayOf([UPPER, LOWER], { lostAt: [LOWER] });
  const other = wayOf([[12, 4, 3, 0]], { membership: { id: 9, roleId: 4, rights: 63, endsAt: null } });
  const answer = answerOf({ open: [wayOf([UPPER])], blocked: [lost, other] });
  assert.deepEqual(rolesOf(answer), [1, 2, 3, 4]);
  assert.equal(findLoss(answer), lost);
  assert.equal(findLoss({ ...answer, allowed: true }), undefined);
});
