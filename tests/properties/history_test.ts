import assert from "node:assert/strict";
import { allChecks } from "../model/oracle_answers.ts";
import { playScenario } from "../model/oracle_driver.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import { membershipsOf, principalsOf, type World } from "../model/oracle_rights.ts";
import { type GraphRun, readRevision } from "../model/oracle_run.ts";
import { forRandomScenarios } from "./random_runs.ts";

/** A revision, and the world that it made, at its time. */
interface Moment {
  readonly revision: number;
  readonly world: World;
}

/** Whoever can still ask. */
function askersOf({ world }: GraphRun): number[] {
  return principalsOf(world).filter((id) => id > 0 || membershipsOf(world, id).length > 0);
}

/** Asks for rights at a moment, and compares the response with what the model said then. */
async function assertPast(
  run: GraphRun,
  userId: number,
  { asOf, world, revision }: Moment & { asOf: number | string },
): Promise<void> {
  const { checks, allowed } = allChecks(world, userId);
  const answer = await call(run.target, "POST", "/v1/rights/check", {
    token: tokenOf(run, userId),
    body: { checks, asOf },
  });
  assert.deepEqual(answer, { status: 200, body: { allowed, revision } }, `${asOf} for ${userId}`);
}

forRandomScenarios("every revision and every time has the rights of then", async (target, scenario) => {
  const moments: Moment[] = [];
  await playScenario(target, scenario, new Map(), {
    afterEach: async (run) => {
      const revision = await readRevision(run);
      if (revision !== moments.at(-1)?.revision) moments.push({ revision, world: run.world });
    },
    atEnd: async (run) => {
      const askers = askersOf(run);
      const askerOf = (n: number): number => askers[n % askers.length] ?? 0;
      for (const [n, moment] of moments.entries()) {
        for (const userId of [askerOf(n), askerOf(n + 1)]) {
          await assertPast(run, userId, { ...moment, asOf: moment.revision });
        }
      }
      const first = moments[0]?.world.now ?? 0;
      for (let now = first, n = 0; now <= run.world.now; now += 500, n++) {
        const last = moments.findLast(({ world }) => world.now <= now);
        if (last === undefined) continue;
        await assertPast(run, askerOf(n), {
          revision: last.revision,
          world: { ...last.world, now },
          asOf: new Date(now).toISOString(),
        });
      }
    },
  });
});
