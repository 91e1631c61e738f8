/**
 * Ending a person's access ends what a model finds that walks from each thing up to its giver, and the caller could have
 * ended each thing alone.
 */
import assert from "node:assert/strict";
import { restoreByAdministrator } from "../../src/undo/undo_service.ts";
import { query } from "../helpers/http.ts";
import { decide } from "../model/oracle.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import { rootsWithoutMember } from "../model/oracle_members.ts";
import {
  ALL_RIGHTS,
  ascending,
  EMPTY_WORLD,
  hasRoleManagement,
  isAbove,
  isLive,
  isMember,
  mayKeepMembers,
  type ModelMember,
  someMembership,
  type World,
} from "../model/oracle_rights.ts";
import { assertSameGraph, forgetCounts, type GraphRun } from "../model/oracle_run.ts";
import { perform } from "../model/oracle_driver.ts";
import { assertMet, forRandomScenarios, startTally } from "./random_runs.ts";

/** A membership, or that of a key, at some time: who gave it, and through which role. */
interface Given {
  readonly id: number;
  readonly roleId: number;
  readonly userId: number;
  readonly givenBy: number | null;
  readonly via: number | null;
}

/** What the test has seen of the past of a run. */
interface Past {
  /** Every membership that there ever was. */
  readonly given: Map<number, Given>;
  /** The parents that deleted roles were deleted from. */
  readonly deletedFrom: Map<number, number>;
  /** The memberships of people that were deleted with their roles. */
  readonly trash: ModelMember[];
  /** The world after the last step. */
  last: World;
}

function readGiven(run: GraphRun): Promise<Given[]> {
  return query<Given>(
    run.target,
    "SELECT id, role_id AS roleId, user_id AS userId, given_by AS givenBy, given_via AS via FROM member",
  );
}

/** The parent of the relation whose deletion deleted a role; undefined if an account's did. */
async function readDeletedFrom(run: GraphRun, roleId: number): Promise<number | undefined> {
  const [deletion] = await query<{ parentId: number }>(
    run.target,
    `SELECT parent_id AS parentId FROM change_log WHERE kind = 'manages.delete' AND decision = 'ok'
      AND EXISTS (SELECT 1 FROM json_each(gone_role_ids) WHERE value = :roleId)`,
    { roleId },
  );
  return deletion?.parentId;
}

async function observe(run: GraphRun, past: Past): Promise<void> {
  for (const row of await readGiven(run)) past.given.set(row.id, row);
  const { world } = run;
  const lost = [...past.last.roles.keys()].filter((id) => !world.roles.has(id));
  for (const roleId of lost) {
    const parentId = await readDeletedFrom(run, roleId);
    if (parentId === undefined) continue;
    past.deletedFrom.set(roleId, parentId);
    const members = [...past.last.members.values()];
    past.trash.push(...members.filter((member) => member.roleId === roleId && member.userId > 0));
  }
  past.last = world;
}

interface Asked {
  readonly callerId: number;
  readonly personId: number;
  readonly under: number;
  readonly granted: boolean;
  readonly byEmail: boolean;
}

interface Expected {
  readonly memberIds: number[];
  readonly trashedIds: number[];
  readonly passwordRoleIds: number[];
  readonly relationIds: number[];
  readonly left: number;
  /** Whether something ends that the person gave through others. */
  readonly isFollowed: boolean;
  /** The state afterwards. */
  readonly world: World;
}

/** What ends by the rules; a status if the caller may end nothing, or a root would be left alone. */
async function expect(run: GraphRun, past: Past, asked: Asked): Promise<Expected | number> {
  const { world } = run;
  const { callerId, personId, under, granted, byEmail } = asked;
  if (callerId < 0 || !mayKeepMembers(world, callerId, under)) return 403;
  /** The role that stands for one that may be deleted. */
  const placeOf = (id: number): number => {
    const parentId = past.deletedFrom.get(id);
    return parentId === undefined || world.roles.has(id) ? id : placeOf(parentId);
  };
  const isInScope = (id: number): boolean => {
    const place = placeOf(id);
    return world.roles.has(place) && (place === under || isAbove(world, under, place));
  };
  const sees = (via: number | null): boolean =>
    !byEmail || (via !== null && isMember(world, callerId, placeOf(via)));
  /** The membership by which a principal acted through a role when something got this id. */
  const actingBy = (by: number, via: number | null, id: number): Given | undefined =>
    [...past.given.values()].filter((own) => own.userId === by && own.roleId === via && own.id < id)
      .sort((a, b) => b.id - a.id)[0];
  const isOfPerson = (by: number | null, via: number | null): boolean =>
    by === personId && personId !== callerId && sees(via);
  const isFollowed = ({ id, roleId, givenBy, via }: Given): boolean => {
    if (!granted || givenBy === null || !isInScope(roleId)) return false;
    if (isOfPerson(givenBy, via)) return true;
    return isGivenByFollowed(givenBy, via, id);
  };
  const isGivenByFollowed = (by: number, via: number | null, id: number): boolean => {
    const acting = actingBy(by, via, id);
    return acting !== undefined && by !== callerId && isFollowed(acting);
  };

  const found = [...world.members.values()].filter((member) => {
    if (!isLive(world, member) || !isInScope(member.roleId) || member.userId === callerId) return false;
    const given = past.given.get(member.id);
    assert.ok(given);
    const isOwn = member.userId === personId;
    const isMade = member.userId < 0 && isOfPerson(given.givenBy, given.via);
    return isOwn || isMade || isFollowed(given);
  });
  const members = found.filter(({ roleId }) => mayKeepMembers(world, callerId, roleId));
  const trashed = past.trash.filter((member) => {
    const given = past.given.get(member.id);
    return given !== undefined && isFollowed(given) && member.userId !== callerId && isLive(world, member) &&
      world.users.has(member.userId) && mayKeepMembers(world, callerId, placeOf(member.roleId));
  });
  const managesRole = (id: number): boolean =>
    someMembership(world, callerId, (own) => hasRoleManagement(world, own, id));
  const set = await query<{ roleId: number; setBy: number; via: number | null }>(
    run.target,
    `SELECT id AS roleId, password_set_by AS setBy, password_set_via AS via FROM role
     WHERE password_set_by IS NOT NULL`,
  );
  const passwords = set.filter(({ roleId, setBy, via }) =>
    isInScope(roleId) && managesRole(roleId) && setBy !== callerId &&
    (isOfPerson(setBy, via) || isGivenByFollowed(setBy, via, Infinity))
  );
  const keyIds = new Set(found.filter(({ userId }) => userId < 0).map(({ userId }) => userId));
  const put = await query<
    { id: number; parentId: number; childId: number; givenBy: number; via: number | null }
  >(
    run.target,
    `SELECT id, parent_id AS parentId, child_id AS childId, given_by AS givenBy, given_via AS via
     FROM manages WHERE given_by IS NOT NULL`,
  );
  const relations = put.filter(({ id, parentId, childId, givenBy, via }) =>
    (isInScope(parentId) || isInScope(childId)) && (managesRole(parentId) || managesRole(childId)) &&
    (isOfPerson(givenBy, via) || keyIds.has(givenBy) || isGivenByFollowed(givenBy, via, id))
  );
  const after = without(world, members, passwords.map(({ roleId }) => roleId));
  if (rootsWithoutMember(after).some((id) => !rootsWithoutMember(world).includes(id))) return 409;
  return {
    memberIds: ascending(members.map(({ id }) => id)),
    trashedIds: ascending(trashed.map(({ id }) => id)),
    passwordRoleIds: ascending(passwords.map(({ roleId }) => roleId)),
    relationIds: ascending(relations.map(({ id }) => id)),
    left:
      [...world.roles.keys()].filter((id) =>
        isInScope(id) && mayKeepMembers(world, callerId, id) && isMember(after, personId, id)
      ).length,
    isFollowed: members.some(({ id }) => {
      const { givenBy = null, via = null } = past.given.get(id) ?? {};
      return givenBy !== null && givenBy !== personId && isGivenByFollowed(givenBy, via, id);
    }),
    world: after,
  };
}

function without(world: World, members: readonly ModelMember[], passwordRoleIds: readonly number[]): World {
  const kept = new Map(world.members);
  const keys = new Map(world.keys);
  const roles = new Map(world.roles);
  for (const { id } of members) {
    kept.delete(id);
    keys.delete(id);
  }
  for (const id of passwordRoleIds) {
    const role = roles.get(id);
    if (role !== undefined) roles.set(id, { ...role, password: null });
  }
  return { ...world, members: kept, keys, roles };
}

interface Answered {
  readonly ended: readonly {
    readonly kind: string;
    readonly id?: number;
    readonly roleId: number;
    readonly inTrash?: true;
  }[];
  readonly relations: readonly { readonly id: number }[];
  readonly left: { readonly roles: number };
}

const { tally, note } = startTally();

/** Asks the service, compares the response with the model, and returns what was expected. */
async function compare(
  run: GraphRun,
  past: Past,
  asked: Asked,
  query: "" | "?dryRun=true",
): Promise<Expected | number> {
  const expected = await expect(run, past, asked);
  const { callerId, personId, under, granted, byEmail } = asked;
  const email = run.world.users.get(personId);
  const body = { ...(byEmail ? { userEmail: email } : { userId: personId }), under, granted };
  const answer = await call(run.target, "POST", `/v1/access/end${query}`, {
    token: tokenOf(run, callerId),
    body,
  });
  const what = `user ${callerId} ends ${JSON.stringify(asked)}: ${JSON.stringify(answer)}`;
  run.trace.push(what);
  if (typeof expected === "number") {
    assert.equal(answer.status, expected, what);
    note(String(expected));
    return expected;
  }
  assert.equal(answer.status, 200, what);
  const { ended, relations, left } = answer.body as Answered;
  const idsOf = (sort: "living" | "trashed" | "password") =>
    ended.filter(({ kind, inTrash = false }) =>
      sort === (kind === "rolePassword" ? "password" : inTrash ? "trashed" : "living")
    ).map(({ id, roleId }) => id ?? roleId);
  assert.deepEqual(idsOf("living"), expected.memberIds, what);
  assert.deepEqual(idsOf("trashed"), expected.trashedIds, what);
  assert.deepEqual(idsOf("password"), expected.passwordRoleIds, what);
  assert.deepEqual(relations.map(({ id }) => id), expected.relationIds, what);
  assert.deepEqual(left, { roles: expected.left }, what);
  for (const { kind } of ended) note(`${kind}${granted ? " granted" : ""}${byEmail ? " by address" : ""}`);
  if (expected.trashedIds.length > 0) note("in the trash");
  if (expected.isFollowed) note("followed");
  if (expected.left > 0) note("left");
  if (expected.relationIds.length > 0) note("relations");
  return expected;
}

/** The caller could end each thing alone. */
function assertEach(world: World, callerId: number, { memberIds, passwordRoleIds }: Expected): void {
  const given = { nodeId: 0, relationId: 0 };
  for (const id of memberIds) {
    const member = world.members.get(id);
    assert.ok(member);
    const { roleId } = member;
    const alone = member.userId < 0
      ? { kind: "deleteKey" as const, userId: callerId, roleId, keyId: id }
      : { kind: "removeMember" as const, userId: callerId, roleId, memberId: id };
    assert.notEqual(decide(world, alone, given).status, 403);
  }
  for (const roleId of passwordRoleIds) {
    const remove = { kind: "setPassword" as const, userId: callerId, roleId, password: null };
    assert.equal(decide(world, remove, given).status, 200);
  }
}

/**
 * Deletions are rare in random histories: of some roles, lets one person in, who lets in another one, and deletes the
 * role.
 */
async function deleteSome(run: GraphRun, past: Past): Promise<void> {
  const [first = 0, ...others] = ascending(run.world.users.keys());
  for (const { id: relationId, parentId, childId: roleId } of [...run.world.relations.values()].slice(-3)) {
    if (!run.world.relations.has(relationId)) continue;
    const [giverId = first, subjectId = first] = [others[roleId % 2], others[(roleId + 1) % 2]];
    const given = { kind: "addMember", roleId, rights: ALL_RIGHTS } as const;
    await perform(run, { ...given, userId: first, subjectId: giverId });
    await perform(run, { ...given, userId: giverId, subjectId });
    await observe(run, past);
    await perform(run, { kind: "deleteRelation", userId: first, parentId, relationId, dryRun: false });
    await observe(run, past);
  }
}

/** Nothing that ended returns when an administrator, who may make everything, restores all that was ever deleted. */
async function assertStayEnded(
  run: GraphRun,
  ended: readonly number[],
): Promise<void> {
  const { database, clock } = run.target;
  const deletions = await query<{ rev: number }>(
    run.target,
    "SELECT rev FROM change_log WHERE kind = 'manages.delete' AND decision = 'ok' ORDER BY rev DESC",
  );
  for (const { rev } of deletions) await restoreByAdministrator({ database, clock: clock.now }, rev);
  const members = await readGiven(run);
  assert.deepEqual(members.filter(({ id }) => ended.includes(id)), [], "what has ended returns");
}

/** With fewer sequences, chance may leave out a case. */
const RUNS_THAT_MEET_ALL = 50;
/** Chains that lead through people who were let in are rarer. */
const RUNS_THAT_FOLLOW = 200;
/** About how many questions each history asks. */
const ASKED = 60;

forRandomScenarios(
  "ending access ends what the person has, made and gave, and nothing that the caller could not end alone",
  () => {
    const past: Past = { given: new Map(), deletedFrom: new Map(), trash: [], last: EMPTY_WORLD };
    return {
      afterEach: (run) => observe(run, past),
      atEnd: async (run) => {
        await deleteSome(run, past);
        const people = [...run.world.users.keys()];
        const all = people.flatMap((callerId) =>
          people.flatMap((personId) =>
            [...run.world.roles.keys()].flatMap((under) =>
              [true, false].flatMap((granted) =>
                [true, false].map((byEmail): Asked => ({ callerId, personId, under, granted, byEmail }))
              )
            )
          )
        );
        const few = all.filter((_, i) => i % Math.ceil(all.length / ASKED) === 0);
        let most: { asked: Asked; size: number } | undefined;
        for (const [i, asked] of few.entries()) {
          if (i % 20 === 0) await forgetCounts(run);
          const expected = await compare(run, past, asked, "?dryRun=true");
          if (typeof expected === "number") continue;
          assertEach(run.world, asked.callerId, expected);
          const size = expected.memberIds.length + expected.passwordRoleIds.length +
            10 * expected.trashedIds.length;
          if (most === undefined || size > most.size) most = { asked, size };
        }
        if (most === undefined) return;
        const expected = await compare(run, past, most.asked, "");
        if (typeof expected === "number") return;
        run.world = expected.world;
        await assertSameGraph(run);
        await assertStayEnded(run, [...expected.memberIds, ...expected.trashedIds]);
      },
    };
  },
  {
    atEnd: (sequences) => {
      assertMet(tally, sequences, [
        "403",
        "409",
        "left",
        "relations",
        "membership",
        "key",
        "rolePassword",
        "membership granted",
        "key granted by address",
        "in the trash",
      ], RUNS_THAT_MEET_ALL);
      assertMet(tally, sequences, ["followed"], RUNS_THAT_FOLLOW);
    },
  },
);
