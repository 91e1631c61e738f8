/** To any requests in any order, the service responds as its OpenAPI document says. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { WatchTime } from "../../src/explain/log/change_watch.ts";
import { type ApiDocument, operationsOf } from "./api_document.ts";
import { succeed } from "../helpers/http.ts";
import { IS_LONG, readCount } from "../helpers/read_count.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { Contract } from "./contract.ts";
import { playSequence, type Tally } from "./sequence.ts";
import { anySequence } from "./flows.ts";
import { USER_KINDS, type UserKind } from "./world.ts";
import { type DatabaseKind, DATABASES, testKind } from "../helpers/databases.ts";

/** The number of requests per kind of user and kind of database. */
const RUNS = readCount("ROLEGRID_CONTRACT_RUNS", IS_LONG ? 250 : 100);
/** On a server a request takes five times as long and gets the same response, so it gets a fifth of them. */
const REQUESTS = { file: RUNS, remote: Math.ceil(RUNS / 5) } as const;
const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const MAX_SEQUENCE = 40;
/** Average number of requests in a sequence. */
const MEAN_SEQUENCE = 25;

/** With fewer requests, an operation may never succeed by chance. */
const REQUESTS_THAT_MEET_ALL = 5000;

async function openApp(kind: DatabaseKind): Promise<TestApp> {
  const isServing = (): Promise<boolean> => Promise.resolve(true);
  const readinessParts = { database: isServing, schema: isServing };
  const changeWatchOptions = { time: HURRIED, lookEveryMs: 1 };
  return await openTestApp(kind, { maxClosureChange: 5, readinessParts, changeWatchOptions });
}

/** A thousand times faster, so that requests that wait for a change are soon over. */
const HURRIED: WatchTime = {
  now: () => performance.now() * 1000,
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

interface Fuzzing {
  readonly kind: UserKind;
  readonly tally: Tally;
  readonly requests: number;
}

async function fuzz(target: TestApp, { kind, tally, requests }: Fuzzing): Promise<void> {
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const contract = new Contract(document);
  const sequence = anySequence(document, { open: kind === "nobody", maxLength: MAX_SEQUENCE });
  const keeps = fc.asyncProperty(sequence, (steps) => playSequence(target, steps, { contract, kind, tally }));
  const outcome = await fc.check(keeps, { numRuns: Math.ceil(requests / MEAN_SEQUENCE), seed: SEED });
  if (outcome.failed) {
    // The requests as sent say more than the generated values.
    const error = outcome.errorInstance;
    const shown = error instanceof Error ? error.message : String(error);
    throw new Error(`seed ${outcome.seed}, path ${outcome.counterexamplePath}: ${shown}`, { cause: error });
  }
}

/** Statuses that the sequences must reach. Otherwise the test proves little. */
const STATUSES = ["200", "204", "400", "401", "403", "404", "409", "413", "415", "422", "429"];

/** Asserts that every operation succeeded for some caller, and that every kind of refusal occurred. */
function assertReached(document: ApiDocument, tally: Tally): void {
  const missed = operationsOf(document).filter(({ method, path }) =>
    !tally.has(`${method} ${path} 200`) && !tally.has(`${method} ${path} 204`)
  );
  assert.deepEqual(missed.map(({ route }) => route), [], "these operations never succeeded");
  const met = new Set([...tally.keys()].map((entry) => entry.split(" ").at(-1)));
  assert.deepEqual(STATUSES.filter((status) => !met.has(status)), [], "these statuses were never met");
}

for (const database of DATABASES) {
  const requests = REQUESTS[database];
  const tally: Tally = new Map();
  for (const kind of USER_KINDS) {
    const name = `every response to ${kind === "nobody" ? "a stranger" : `the ${kind}`} is as documented`;
    testKind(database, `${name}, over some ${requests} requests, seed ${SEED}`, async () => {
      await using target = await openApp(database);
      await fuzz(target, { kind, tally, requests });
    });
  }

  testKind(database, "these requests reach every operation and every kind of refusal", async () => {
    await using target = await openApp("file");
    assertReached(await succeed<ApiDocument>(target, "GET", "/openapi.json"), tally);
  }, { ignore: requests < REQUESTS_THAT_MEET_ALL });
}
