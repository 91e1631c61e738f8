import assert from "node:assert/strict";
import fc from "fast-check";
import { type Scenario, scenario } from "../model/graph_operations.ts";
import { testKind } from "../helpers/databases.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { playScenario, type Tally, type Watch } from "../model/oracle_driver.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import { membershipsOf, principalsOf } from "../model/oracle_rights.ts";
import type { GraphRun } from "../model/oracle_run.ts";

/** Properties of random histories. `ROLEGRID_SEQUENCES` is their number, and `ROLEGRID_SEED` chooses others. */

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
/** The share of the sequences that each kind runs. A server gives the same answers, and takes several times as long. */
const SHARES = [["file", 0.05], ["remote", 0.002]] as const;

/** Registers a test for each kind of database that plays random scenarios, one after the other in the same service. */
export function forRandomScenarios(
  name: string,
  watch: (target: TestApp) => Watch,
  { atEnd, scenarios = scenario, tally = new Map() }: {
    atEnd?: (sequences: number) => void;
    scenarios?: fc.Arbitrary<Scenario>;
    tally?: Tally;
  } = {},
): void {
  for (const [kind, share] of SHARES) {
    const sequences = Math.ceil(SEQUENCES * share);
    testKind(kind, `${name}, in ${sequences} histories, seed ${SEED}`, async () => {
      await using target = await openTestApp(kind);
      const holds = fc.asyncProperty(scenarios, async (played) => {
        await playScenario(target, played, tally, watch(target));
      });
      await fc.assert(holds, { numRuns: sequences, seed: SEED });
      atEnd?.(sequences);
    });
  }
}

/** A tally of what occurred, and a function that adds to it. */
export function startTally(): { readonly tally: Tally; readonly note: (what: string) => void } {
  const tally: Tally = new Map();
  return { tally, note: (what) => void tally.set(what, (tally.get(what) ?? 0) + 1) };
}

/** Asserts that all of these occurred, unless so few sequences were played that chance may leave out one. */
export function assertMet(tally: Tally, sequences: number, verdicts: readonly string[], enough = 10): void {
  if (sequences < enough) return;
  assert.deepEqual(verdicts.filter((verdict) => !tally.has(verdict)), [], "the histories never led there");
}

/** The users and keys that can still ask. */
export function askersOf({ world }: GraphRun): number[] {
  return principalsOf(world).filter((id) => id > 0 || membershipsOf(world, id).length > 0);
}

/** Asks something that is answered, whatever the caller may see. */
export async function ask(run: GraphRun, userId: number, path: string, body: unknown): Promise<unknown> {
  const answer = await call(run.target, "POST", path, { token: tokenOf(run, userId), body });
  const what = `${path} ${JSON.stringify(body)} for ${userId}: ${JSON.stringify(answer.body)}`;
  assert.equal(answer.status, 200, what);
  return answer.body;
}
