import fc from "fast-check";
import { type Scenario, scenario } from "../model/graph_operations.ts";
import { testKind } from "../helpers/databases.ts";
import { readCount } from "../helpers/read_count.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";

/** Properties of random histories. `ROLEGRID_SEQUENCES` is their number, and `ROLEGRID_SEED` chooses others. */

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const SEQUENCES = readCount("ROLEGRID_SEQUENCES", 200);
/** The share of the sequences that each kind runs. A server gives the same answers, and takes several times as long. */
const SHARES = [["file", 0.05], ["remote", 0.002]] as const;

/** Registers a test for each kind of database that plays random scenarios, one after the other in the same service. */
export function forRandomScenarios(
  name: string,
  body: (target: TestApp, scenario: Scenario) => Promise<void>,
  { atEnd, scenarios = scenario }: {
    atEnd?: (sequences: number) => void;
    scenarios?: fc.Arbitrary<Scenario>;
  } = {},
): void {
  for (const [kind, share] of SHARES) {
    const sequences = Math.ceil(SEQUENCES * share);
    testKind(kind, `${name}, in ${sequences} histories, seed ${SEED}`, async () => {
      await using target = await openTestApp(kind);
      const holds = fc.asyncProperty(scenarios, (played) => body(target, played));
      await fc.assert(holds, { numRuns: sequences, seed: SEED });
      atEnd?.(sequences);
    });
  }
}
