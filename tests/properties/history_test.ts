/** Questions about the past get the responses that the model gave at that moment. */
import assert from "node:assert/strict";
import type { Role } from "../helpers/person.ts";
import type { Neighbourhood } from "../explain/neighbourhood_scene.ts";
import {
  accessOfPrincipal,
  accessToRole,
  accessToRoleWithin,
  personOf,
  seesAsManager,
} from "../model/oracle_access.ts";
import { allChecks } from "../model/oracle_answers.ts";
import {
  ascending,
  byId,
  isMember,
  principalsOf,
  RIGHT_NAMES,
  userRights,
  type World,
} from "../model/oracle_rights.ts";
import { type GraphRun, readRevision } from "../model/oracle_run.ts";
import { ask, askersOf, forRandomScenarios } from "./random_runs.ts";

/** A revision, and the world that it made, at its time. */
interface Moment {
  readonly revision: number;
  readonly world: World;
}

/** A moment, and how a request names it. */
type Asked = Moment & { readonly asOf: number | string };

/** Asks for rights at a moment, and compares the response with what the model said then. */
async function assertPastRights(
  run: GraphRun,
  userId: number,
  { asOf, world, revision }: Asked,
): Promise<void> {
  const { checks, allowed: held } = allChecks(world, userId);
  // What is seen is as of now.
  const allowed = held.map((isHeld, i) => isHeld && isMember(run.world, userId, checks[i]?.roleId ?? 0));
  const answer = await ask(run, userId, "/v1/rights/check", { checks, asOf });
  assert.deepEqual(answer, { allowed, revision }, `${asOf} for ${userId}`);
}

/** Asks, as of now, who had access to a role, which roles a user or key had access to, and why. */
async function assertPastAccess(
  run: GraphRun,
  { askerId, userId, roleId }: { askerId: number; userId: number; roleId: number },
  { asOf, world: then, revision }: Asked,
): Promise<void> {
  const { world: now } = run;
  const what = `${asOf} for ${askerId}, about ${userId} and role ${roleId}`;
  const people = await ask(run, askerId, `/v1/role/${roleId}/access/query`, { asOf });
  assert.deepEqual(
    people,
    { access: accessToRole(now, askerId, roleId, { then }), revision, revisionEnd: revision },
    what,
  );
  const subject = userId > 0 ? { userEmail: now.users.get(userId) } : { keyId: -userId };
  const roles = await ask(run, askerId, "/v1/access/query", { ...subject, asOf });
  const access = accessOfPrincipal(now, askerId, userId, { then });
  assert.deepEqual(
    roles,
    { access, ...personOf(now, userId, access), revision, revisionEnd: revision },
    what,
  );
  const right = RIGHT_NAMES[roleId % RIGHT_NAMES.length] ?? "viewManagement";
  const explained = await ask(run, askerId, "/v1/rights/explain", { ...subject, roleId, right, asOf });
  const maySee = askerId === userId ? isMember(now, askerId, roleId) : seesAsManager(now, askerId, roleId);
  const bit = 1 << RIGHT_NAMES.indexOf(right);
  const { allowed, revision: explainedAt, ways } = explained as {
    allowed: boolean;
    revision: number;
    ways: unknown[];
  };
  const isAllowed = maySee && (userRights(then, userId, roleId) & bit) !== 0;
  assert.deepEqual([allowed, explainedAt, ways.length > 0], [isAllowed, revision, isAllowed], what);
}

function maskOf(rights: Role["userRights"]): number {
  return RIGHT_NAMES.reduce((mask, name, bit) => mask | (rights[name] ? 1 << bit : 0), 0);
}

/** Asks, as of now, what was around a role, with what a person could do there. */
async function assertPastAround(
  run: GraphRun,
  { askerId, userId, roleId }: { askerId: number; userId: number; roleId: number },
  { asOf, world: then, revision }: Asked,
): Promise<void> {
  const { world: now } = run;
  const userEmail = now.users.get(userId);
  const around = await ask(run, askerId, `/v1/role/${roleId}/neighbourhood/query`, {
    asOf,
    limit: 100,
    ...userEmail !== undefined && { userEmail },
  }) as Neighbourhood & { readonly revision: number };
  const isSeen = (id: number): boolean => then.roles.has(id) && isMember(now, askerId, id);
  const relations = [...then.relations.values()];
  const above = new Set(isSeen(roleId) ? [roleId] : []);
  for (const id of above) for (const each of relations) if (each.childId === id) above.add(each.parentId);
  const below = relations.filter(({ parentId }) => parentId === roleId).map(({ childId }) => childId);
  const near = new Set([...above, ...above.size > 0 ? below : []].filter(isSeen));
  const leading = relations.filter((each) => near.has(each.childId) && isSeen(each.parentId));
  const mayAsk = new Set(
    userId === askerId ? near : [...near].filter((id) => seesAsManager(now, askerId, id)),
  );
  const access = userEmail === undefined ? [] : accessOfPrincipal(now, askerId, userId, { then });
  assert.deepEqual(
    {
      revision: around.revision,
      roles: ascending(around.role.map(({ id }) => id)),
      names: around.role.map(({ name }) => name),
      rights: around.role.map((role) => maskOf(role.userRights)),
      manages: around.manages.map(({ id, parentRoleId, childRoleId }) => [id, parentRoleId, childRoleId]),
      access: around.person?.access,
      mayAsk: around.person && ascending(around.person.mayAsk),
    },
    {
      revision,
      roles: ascending(near),
      names: around.role.map(({ id }) => then.roles.get(id)?.name),
      rights: around.role.map(({ id }) => userRights(then, askerId, id)),
      manages: byId(leading).map((each) => [each.id, each.parentId, each.childId]),
      access: userEmail === undefined
        ? undefined
        : access.filter(({ roleId }) => near.has(Number(roleId))).map((each) => ({
          ...each,
          name: then.roles.get(Number(each.roleId))?.name,
        })),
      mayAsk: userEmail === undefined ? undefined : ascending(mayAsk),
    },
    `${asOf} for ${askerId}, about ${userId} around role ${roleId}`,
  );
}

/** The worlds of a period at its beginning, at all revisions in it and whenever a membership ends by itself in it. */
function worldsWithin(moments: readonly Moment[], fromMs: number, toMs: number): World[] {
  const worldAt = (now: number): World[] => {
    const last = moments.findLast(({ world }) => world.now <= now);
    return last === undefined ? [] : [{ ...last.world, now }];
  };
  const made = moments.filter(({ world }) => world.now > fromMs && world.now <= toMs);
  const ends = moments.flatMap(({ world }) => [...world.members.values()].map(({ endsAt }) => endsAt ?? 0));
  const within = [...new Set(ends)].filter((end) => end > fromMs && end <= toMs);
  return [...worldAt(fromMs), ...made.map(({ world }) => world), ...within.flatMap(worldAt)];
}

/** Asks, as of now, who had access to a role at any time of a period: all of them, and those with a right. */
async function assertPastPeriod(
  run: GraphRun,
  { askerId, roleId }: { askerId: number; roleId: number },
  moments: readonly Moment[],
  [fromMs, toMs]: readonly [number, number],
): Promise<void> {
  const { world: now } = run;
  const thens = worldsWithin(moments, fromMs, toMs);
  const during = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const revision = moments.findLast(({ world }) => world.now <= toMs)?.revision;
  const bit = roleId % RIGHT_NAMES.length;
  const emails = [...now.users.values()].slice(0, 2);
  const userIds = [...now.users.keys()].slice(0, 2);
  const asked = [
    [{}, {}],
    [{ right: [RIGHT_NAMES[bit]] }, { rights: 1 << bit }],
    [{ userEmail: emails }, { userIds }],
  ] as const;
  for (const [filter, expected] of asked) {
    const answer = await ask(run, askerId, `/v1/role/${roleId}/access/query`, { during, filter });
    assert.deepEqual(
      answer,
      {
        access: accessToRoleWithin(now, askerId, roleId, { thens, ...expected }),
        revision,
        revisionEnd: revision,
      },
      `${JSON.stringify({ during, filter })} for ${askerId}, about role ${roleId}`,
    );
  }
}

forRandomScenarios(
  "questions about every revision and every time get the responses of that moment",
  () => {
    const moments: Moment[] = [];
    return {
      afterEach: async (run) => {
        const revision = await readRevision(run);
        if (revision !== moments.at(-1)?.revision) moments.push({ revision, world: run.world });
      },
      atEnd: async (run) => {
        const askers = askersOf(run);
        const principals = principalsOf(run.world);
        const assertPast = async (asked: Asked, n: number): Promise<void> => {
          const of = (ids: readonly number[], k: number): number => ids[k % ids.length] ?? 0;
          await assertPastRights(run, of(askers, n), asked);
          // Roles of now and of then: some are deleted, some are not made yet.
          const roleIds = [...new Set([...asked.world.roles.keys(), ...run.world.roles.keys()])];
          const question = { askerId: of(askers, n >> 1), userId: of(principals, n), roleId: of(roleIds, n) };
          await assertPastAccess(run, question, asked);
          await assertPastAround(run, question, asked);
        };
        for (const [n, moment] of moments.entries()) {
          await assertPast({ ...moment, asOf: moment.revision }, n);
        }
        const first = moments[0]?.world.now ?? 0;
        for (let now = first, n = 0; now <= run.world.now; now += 500, n++) {
          const last = moments.findLast(({ world }) => world.now <= now);
          if (last === undefined) continue;
          const asOf = new Date(now).toISOString();
          await assertPast({ revision: last.revision, world: { ...last.world, now }, asOf }, n);
        }
        // Periods of all lengths, between the times of revisions and half a second from them.
        const all = [...new Set(moments.flatMap(({ world }) => [...world.roles.keys()]))];
        for (const [n, { world }] of moments.entries()) {
          const fromMs = world.now + (n % 3 === 0 ? 500 : 0);
          const end = moments[Math.min(n + 1 + (n * 7) % 30, moments.length - 1)]?.world.now ?? 0;
          const toMs = Math.min(end + (n % 2 === 0 ? 500 : 0), run.world.now);
          if (fromMs >= toMs) continue;
          const askerId = askers[n % askers.length] ?? 0;
          // Mostly a role about which they learn something.
          const managed = all.filter((id) => seesAsManager(run.world, askerId, id));
          const roleIds = managed.length === 0 || n % 8 === 0 ? all : managed;
          const roleId = roleIds[(n * 5) % roleIds.length] ?? 0;
          await assertPastPeriod(run, { askerId, roleId }, moments, [fromMs, toMs]);
        }
      },
    };
  },
);
