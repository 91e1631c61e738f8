/** An explanation shows the best of all ways to a right, and its fix is the least that gives the right. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { decide, type Operation } from "../model/oracle.ts";
import { seesAsManager } from "../model/oracle_access.ts";
import { rightNames, UNKNOWN_ID, wireRights } from "../model/oracle_answers.ts";
import {
  allWidenings,
  choicesOf,
  lossesOf,
  type Way,
  waysTo,
  widened,
  type Widening,
} from "../model/oracle_explain.ts";
import {
  ALL_RIGHTS,
  isMember,
  type ModelRelation,
  principalsOf,
  RIGHT_BITS,
  userRights,
  type World,
} from "../model/oracle_rights.ts";
import { type GraphRun, readDrawnRevision } from "../model/oracle_run.ts";
import { ask, askersOf, assertMet, forRandomScenarios, startTally } from "./random_runs.ts";

const HIDDEN = { hidden: true };
const MAX_WAYS = 10;

interface ShownWay {
  readonly memberOf: unknown;
  readonly relations: readonly unknown[];
  readonly lostAt?: readonly unknown[];
  readonly lostAtMember?: true;
  readonly lostAtRole?: true;
}

interface Explanation {
  readonly allowed: boolean;
  readonly revision: number;
  readonly ways: readonly ShownWay[];
  readonly blocked: readonly ShownWay[];
  readonly fix: readonly Record<string, unknown>[];
  readonly truncated: boolean;
}

/** A question: whether a user or key has a right on a role, and why. */
interface Question {
  readonly askerId: number;
  readonly userId: number;
  readonly roleId: number;
  readonly right: number;
}

async function explain(run: GraphRun, { askerId, userId, roleId, right }: Question): Promise<Explanation> {
  const subject = userId > 0 ? { userEmail: run.world.users.get(userId) } : { keyId: -userId };
  const asked = { roleId, right: rightNames(right)[0], ...(askerId === userId ? {} : subject) };
  return await ask(run, askerId, "/v1/rights/explain", asked) as Explanation;
}

const { tally, note } = startTally();

/** Compares an explanation with all ways there are, and its fix with everything that could be widened. */
async function assertExplained(run: GraphRun, question: Question): Promise<void> {
  const { world } = run;
  const { askerId, userId, roleId, right } = question;
  const explanation = await explain(run, question);
  const what = `${JSON.stringify(question)}: ${JSON.stringify(explanation)}`;
  const revision = await readDrawnRevision(run);
  if (askerId !== userId && !seesAsManager(world, askerId, roleId)) {
    const nothing = { allowed: false, revision, ways: [], blocked: [], fix: [], truncated: false };
    return assert.deepEqual(explanation, nothing, what);
  }
  const isAllowed = (userRights(world, userId, roleId) & right) !== 0;
  assert.deepEqual(
    [explanation.allowed, explanation.revision, explanation.truncated],
    [isAllowed, revision, false],
    what,
  );
  const all = waysTo(world, userId, roleId);
  const isOpen = (way: Way): boolean => lossesOf(world, way, right).length === 0;
  assertWays(world, question, explanation.ways, all.filter(isOpen), what);
  assertWays(world, question, explanation.blocked, all.filter((way) => !isOpen(way)), what);
  assertFix(world, question, explanation.fix, what);
  if (isAllowed) note("allowed");
  if (JSON.stringify(explanation).includes("hidden")) note("hidden");
  if (explanation.blocked.length > 0) note("blocked");
  if (explanation.fix.length > 1) note("several to widen");
}

/** The ways that are shown are different ones of these, and none of the others has fewer losses, or is shorter. */
function assertWays(
  world: World,
  question: Question,
  shown: readonly ShownWay[],
  ways: readonly Way[],
  what: string,
): void {
  const { askerId, right } = question;
  const sizeOf = (way: Way): number[] => [lossesOf(world, way, right).length, way.relations.length];
  const sizes = ways.map(sizeOf).sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
  const left = new Set(ways);
  const found = shown.map((each) => {
    const way = [...left].find((other) => isDeepStrictEqual(each, wireWay(world, askerId, other, right)));
    assert.ok(way !== undefined, `there is no such way: ${JSON.stringify(each)} in ${what}`);
    left.delete(way);
    return sizeOf(way);
  });
  assert.deepEqual(found, sizes.slice(0, MAX_WAYS), what);
}

/** A way as the asker sees it. */
function wireWay(world: World, askerId: number, way: Way, right: number): ShownWay {
  const { member, relations } = way;
  const losses = lossesOf(world, way, right);
  const isSeen = (relation: ModelRelation): boolean => isMember(world, askerId, relation.parentId);
  const isLost = ({ id }: ModelRelation): boolean => losses.includes(`managesId ${id}`);
  const nameOf = (id: number): string => world.roles.get(id)?.name ?? "";
  return {
    memberOf: !isMember(world, askerId, member.roleId) ? HIDDEN : {
      roleId: member.roleId,
      name: nameOf(member.roleId),
      ...(member.endsAt === null ? {} : { until: new Date(member.endsAt).toISOString() }),
      ...(member.rights === ALL_RIGHTS ? {} : { rights: wireRights(member.rights) }),
    },
    relations: relations.map((relation) =>
      !isSeen(relation) ? HIDDEN : {
        managesId: relation.id,
        parentRoleId: relation.parentId,
        childRoleId: relation.childId,
        name: nameOf(relation.childId),
        rights: rightNames(relation.rights),
      }
    ),
    ...(losses.length === 0 ? {} : {
      lostAt: relations.filter(isLost).map((relation) => isSeen(relation) ? relation.id : HIDDEN),
      ...(losses.includes(`memberId ${member.id}`) ? { lostAtMember: true } : {}),
      ...(relations.length === 0 && losses.includes(`roleId ${member.roleId}`) ? { lostAtRole: true } : {}),
    }),
  };
}

/** Widening exactly the fix gives the right, and nothing smaller does. */
function assertFix(
  world: World,
  { askerId, userId, roleId, right }: Question,
  fix: readonly Record<string, unknown>[],
  what: string,
): void {
  const isAllowedIn = (other: World): boolean => (userRights(other, userId, roleId) & right) !== 0;
  if (isAllowedIn(world)) return assert.deepEqual(fix, [], what);
  const least = Math.min(...waysTo(world, userId, roleId).map((way) => lossesOf(world, way, right).length));
  assert.equal(fix.length, least === Infinity ? 0 : least, what);
  const items = fix.flatMap((item) => "hidden" in item ? [] : [item]);
  const named = items.map((item): Widening => {
    const key = (["managesId", "roleId", "memberId"] as const).find((name) => name in item) ?? "managesId";
    assert.deepEqual(Object.keys(item).sort(), [key, "mayYou", "right"].sort(), what);
    assert.equal(item["right"], rightNames(right)[0], what);
    return `${key} ${Number(item[key])}`;
  });
  for (const [i, widening] of named.entries()) {
    assert.equal(items[i]?.["mayYou"], mayWiden(world, askerId, widening, right), `${widening} of ${what}`);
  }
  const isSeen = (widening: Widening): boolean => seesWidening(world, askerId, widening);
  assert.ok(named.every(isSeen), what);
  if (fix.length === 0) return;
  // What is hidden is some choice of things that the asker does not see.
  const unseen = allWidenings(world, userId, right).filter((widening) => !isSeen(widening));
  const rest = [...choicesOf(unseen, fix.length - named.length)];
  assert.ok(rest.some((more) => isAllowedIn(widened(world, [...named, ...more], right))), what);
  const candidates = allWidenings(world, userId, right);
  for (let size = 0; size < Math.min(fix.length, MAX_BRUTE_FORCE); size++) {
    for (const choice of choicesOf(candidates, size)) {
      assert.ok(!isAllowedIn(widened(world, choice, right)), `${choice.join()} is less than ${what}`);
    }
  }
}

/** Choices of more things than these are many. */
const MAX_BRUTE_FORCE = 2;

function seesWidening(world: World, askerId: number, widening: Widening): boolean {
  const [kind, text] = widening.split(" ");
  const id = Number(text);
  if (kind === "managesId") return isMember(world, askerId, world.relations.get(id)?.parentId ?? 0);
  if (kind === "roleId") return isMember(world, askerId, id);
  const member = world.members.get(id);
  return member !== undefined && (member.userId === askerId || seesAsManager(world, askerId, member.roleId));
}

/** Whether a request of the asker that adds just this right would be refused for want of rights. */
function mayWiden(world: World, askerId: number, widening: Widening, right: number): boolean {
  const [kind, text] = widening.split(" ");
  const id = Number(text);
  const [relation, role, member] = [world.relations.get(id), world.roles.get(id), world.members.get(id)];
  const may = (operation: Operation): boolean =>
    decide(world, operation, { nodeId: 0, relationId: 0 }).status === 200;
  const by = { userId: askerId };
  if (kind === "managesId" && relation) {
    const { parentId, rights } = relation;
    return may({ kind: "putRelationById", ...by, parentId, relationId: id, rights: rights | right });
  }
  if (kind === "roleId" && role) {
    return may({
      kind: "updateRole",
      ...by,
      roleId: id,
      name: role.name,
      selfRights: role.selfRights | right,
    });
  }
  assert.ok(member);
  const { roleId, userId: subjectId, rights } = member;
  // No request widens what a key may do.
  return subjectId > 0 && may({ kind: "addMember", ...by, roleId, subjectId, rights: rights | right });
}

forRandomScenarios(
  "an explanation agrees with the check and with the best of all ways",
  () => ({
    atEnd: async (run) => {
      const { world } = run;
      const principals = principalsOf(world);
      const askers = askersOf(run);
      let n = 0;
      for (const roleId of [...world.roles.keys(), UNKNOWN_ID]) {
        for (const userId of principals) {
          const right = RIGHT_BITS[n % RIGHT_BITS.length] ?? 1;
          const managers = askers.filter((id) => id !== userId && seesAsManager(world, id, roleId));
          n++;
          const askerIds = [userId, askers[n % askers.length], managers[n % managers.length]];
          for (const askerId of new Set(askerIds)) {
            if (askerId !== undefined && askers.includes(askerId)) {
              await assertExplained(run, { askerId, userId, roleId, right });
            }
          }
        }
      }
    },
  }),
  {
    atEnd: (sequences) => assertMet(tally, sequences, ["allowed", "hidden", "blocked", "several to widen"]),
  },
);
