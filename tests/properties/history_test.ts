import assert from "node:assert/strict";
import { accessOfPrincipal, accessToRole, seesAsManager } from "../model/oracle_access.ts";
import { allChecks } from "../model/oracle_answers.ts";
import { playScenario } from "../model/oracle_driver.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import {
  isMember,
  membershipsOf,
  principalsOf,
  RIGHT_NAMES,
  userRights,
  type World,
} from "../model/oracle_rights.ts";
import { type GraphRun, readRevision } from "../model/oracle_run.ts";
import { forRandomScenarios } from "./random_runs.ts";

/** A revision, and the world that it made, at its time. */
interface Moment {
  readonly revision: number;
  readonly world: World;
}

/** A moment, and how a request names it. */
type Asked = Moment & { readonly asOf: number | string };

/** The users and keys that can still ask. */
function askersOf({ world }: GraphRun): number[] {
  return principalsOf(world).filter((id) => id > 0 || membershipsOf(world, id).length > 0);
}

async function post(run: GraphRun, userId: number, path: string, body: unknown): Promise<unknown> {
  const answer = await call(run.target, "POST", path, { token: tokenOf(run, userId), body });
  assert.equal(
    answer.status,
    200,
    `${path} ${JSON.stringify(body)} for ${userId}: ${JSON.stringify(answer.body)}`,
  );
  return answer.body;
}

/** Asks for rights at a moment, and compares the response with what the model said then. */
async function assertPastRights(
  run: GraphRun,
  userId: number,
  { asOf, world, revision }: Asked,
): Promise<void> {
  const { checks, allowed: held } = allChecks(world, userId);
  // What is seen is as of now.
  const allowed = held.map((isHeld, i) => isHeld && isMember(run.world, userId, checks[i]?.roleId ?? 0));
  const answer = await post(run, userId, "/v1/rights/check", { checks, asOf });
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
  const people = await post(run, askerId, `/v1/role/${roleId}/access/query`, { asOf });
  assert.deepEqual(
    people,
    { access: accessToRole(now, askerId, roleId, { then }), revision, revisionEnd: revision },
    what,
  );
  const subject = userId > 0 ? { userEmail: now.users.get(userId) } : { keyId: -userId };
  const roles = await post(run, askerId, "/v1/access/query", { ...subject, asOf });
  assert.deepEqual(
    roles,
    { access: accessOfPrincipal(now, askerId, userId, { then }), revision, revisionEnd: revision },
    what,
  );
  const right = RIGHT_NAMES[roleId % RIGHT_NAMES.length] ?? "viewManagement";
  const explained = await post(run, askerId, "/v1/rights/explain", { ...subject, roleId, right, asOf });
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

forRandomScenarios(
  "questions about every revision and every time get the responses of that moment",
  async (target, scenario) => {
    const moments: Moment[] = [];
    await playScenario(target, scenario, new Map(), {
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
      },
    });
  },
);
