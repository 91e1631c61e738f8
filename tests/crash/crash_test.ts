/**
 * A service or database that is killed at random moments under a load of writes starts again by itself, and its database
 * matches the clients' journals: everything acknowledged is there, and nothing is half done.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { DATABASE_LABELS, type DatabaseKind, DATABASES } from "../helpers/databases.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { startHelper } from "../helpers/processes.ts";
import {
  productionEnv,
  type ServiceProcess,
  spawnService,
  startService,
} from "../helpers/service_process.ts";
import type { DatabaseOrder } from "./database_process.ts";
import type { Inspection } from "./facts.ts";
import { JournaledClient, ownerOf, type Tally } from "./journal.ts";
import { TasksBeside } from "./tasks_beside.ts";
import { type LastingSqld, startLastingSqld, waitForAnswer } from "../helpers/lasting_sqld.ts";

const ORDERED_ROUNDS = Deno.env.get("ROLEGRID_CRASH_ROUNDS");
/** The part of the usual rounds that a short run makes. */
const SHORT_PART = 1 / 5;
const CLIENTS = 6;
const MIN_LOAD_MS = 60;
const MAX_LOAD_MS = 1000;
/** A start is killed within this time, which is about as long as a start takes. */
const MAX_START_MS = 600;
/** After this many rounds the service is killed once more while it starts. */
const ROUNDS_PER_KILLED_START = 4;
const MAX_OUTAGE_MS = 500;
/** Up to this many rounds follow if by chance the load ended too early to mean anything. */
const MORE_ROUNDS = 5;

interface Scene {
  readonly env: Readonly<Record<string, string>>;
  /** Kills, and returns the service that runs afterwards. */
  readonly crash: (service: ServiceProcess, round: number) => Promise<ServiceProcess>;
  /** Tasks that use the database beside the service, from the first round to the last. */
  readonly beside?: TasksBeside;
}

function roundsFrom(standard: number): number {
  if (ORDERED_ROUNDS !== undefined) return Number(ORDERED_ROUNDS);
  return IS_LONG ? standard : Math.ceil(standard * SHORT_PART);
}

function between(min: number, max: number): number {
  return min + Math.random() * (max - min);
}

/** Kills the service with SIGKILL, in some rounds a second time while it starts, and starts it again. */
function killService(env: Scene["env"]): Scene["crash"] {
  return async (service, round) => {
    await kill(service);
    if (round % ROUNDS_PER_KILLED_START === 0) {
      const starting = spawnService(env);
      await delay(between(0, MAX_START_MS));
      await kill(starting);
    }
    return await startService(env);
  };
}

async function kill(service: ServiceProcess): Promise<void> {
  service.signal("SIGKILL");
  await service.ended();
}

/** Inspects the database, passes on the result, and prepares the database for the next round. */
async function inspectDatabase(
  order: DatabaseOrder,
  take: (inspection: Inspection) => Promise<void> | void,
): Promise<void> {
  const helper = startHelper("../crash/database_process.ts", [JSON.stringify(order)]);
  const inspection = JSON.parse(await helper.nextLine()) as Inspection;
  assert.deepEqual(inspection.integrity, ["ok"]);
  assert.equal(inspection.closureFaults, 0, "closure and relations differ");
  assert.deepEqual(inspection.brokenSequences, [], "an id was lost or given out twice");
  assert.deepEqual(inspection.facts.filter(({ key }) => ownerOf(key) === undefined), []);
  await take(inspection);
  await helper.finish();
}

/** Returns the outcomes and the number of rounds. A few more than requested are run if these meant nothing. */
async function runRounds(rounds: number, { env, crash, beside }: Scene): Promise<[Tally, number]> {
  const tally: Tally = { acknowledged: new Map(), refused: 0, unansweredDone: 0, unansweredNotDone: 0 };
  const clients = Array.from({ length: CLIENTS }, (_, i) => new JournaledClient(i, tally));
  const newcomers = clients.map(({ person }) => person);
  const codeOf = (round: number): string => String(100_000 + round);
  await inspectDatabase({ env, newcomers, code: codeOf(0) }, ({ facts }) => {
    for (const client of clients) client.begin(facts);
  });
  let service = await startService(env);
  const tasksEnd = new AbortController();
  const tasks = beside?.run(tasksEnd.signal);
  tasks?.catch(() => undefined);
  let round = 0;
  try {
    for (const client of clients) await client.logIn(service.url);
    while (round < rounds || (round < rounds + MORE_ROUNDS && !isMeant(tally))) {
      round++;
      const { url } = service;
      const stop = new AbortController();
      const load = Promise.all(clients.map((client) => client.run(url, stop.signal)));
      // Prevents an unhandled rejection. A client that finds a fault still fails the test where the load is awaited.
      load.catch(() => undefined);
      await Promise.race([load, delay(between(MIN_LOAD_MS, MAX_LOAD_MS))]);
      service = await crash(service, round);
      stop.abort();
      await load;
      await inspectDatabase({ env, code: codeOf(round) }, async ({ facts, imports }) => {
        beside?.settle(imports);
        for (const client of clients) client.settle(facts);
        await Promise.all(clients.map((client) => client.resume(url)));
      });
      for (const client of clients) client.expectCode(codeOf(round));
    }
    service.signal("SIGTERM");
    assert.equal((await service.ended()).code, 0);
    tasksEnd.abort();
    await tasks;
  } finally {
    tasksEnd.abort();
    await service[Symbol.asyncDispose]();
  }
  return [tally, round];
}

/** The load was meaningful: writes of many kinds were made, and some were under way when a crash came. */
function isMeant({ acknowledged, unansweredDone, unansweredNotDone }: Tally): boolean {
  return acknowledged.size >= 8 && unansweredDone + unansweredNotDone > 0;
}

async function assertMeant(tally: Tally, rounds: number): Promise<void> {
  const { acknowledged, refused, unansweredDone, unansweredNotDone } = tally;
  const total = [...acknowledged.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(
    isMeant(tally),
    `kinds of changes: ${[...acknowledged.keys()]}; ${unansweredDone + unansweredNotDone} met`,
  );
  assert.ok(refused < total / 4, `${refused} changes were refused, ${total} done`);
  if (ORDERED_ROUNDS === undefined) return;
  const kinds = [...acknowledged].map(([kind, count]) => `${kind} ${count}`).join(", ");
  const line =
    `${rounds} rounds: ${total} changes acknowledged (${kinds}), ${refused} refused; without an answer ` +
    `${unansweredDone} done and ${unansweredNotDone} not done\n`;
  await Deno.stdout.write(new TextEncoder().encode(line));
}

function crashTest(
  kind: DatabaseKind,
  name: string,
  standardRounds: number,
  open: () => Promise<Scene & AsyncDisposable>,
): void {
  if (!DATABASES.includes(kind)) return;
  Deno.test({
    name: `${name} (${DATABASE_LABELS[kind]})`,
    // The runtime closes connections to killed services at an arbitrary time.
    sanitizeResources: false,
    sanitizeOps: false,
    async fn(): Promise<void> {
      await using scene = await open();
      const rounds = roundsFrom(standardRounds);
      await assertMeant(...await runRounds(rounds, scene));
      if (ORDERED_ROUNDS !== undefined && scene.beside !== undefined) {
        await Deno.stdout.write(
          new TextEncoder().encode(`tasks beside: ${JSON.stringify(scene.beside.tally)}\n`),
        );
      }
    },
  });
}

crashTest(
  "file",
  "a service killed at random moments loses nothing and leaves nothing half done",
  4,
  openFileScene,
);

crashTest(
  "file",
  "a service and tasks beside it on its file, all killed at random moments, lose nothing",
  3,
  async () => {
    const scene = await openFileScene();
    return { ...scene, beside: new TasksBeside(scene.env, scene.directory) };
  },
);

crashTest(
  "remote",
  "a service killed at random moments loses nothing and leaves nothing half done",
  2,
  async () => {
    const scene = await openServerScene();
    return { ...scene, crash: killService(scene.env) };
  },
);

crashTest(
  "remote",
  "a database server killed at random moments loses nothing, and the service goes on",
  2,
  async () => {
    const { server, ...scene } = await openServerScene();
    return {
      ...scene,
      crash: async (service) => {
        await server.kill();
        await delay(between(0, MAX_OUTAGE_MS));
        await server.start();
        await waitForAnswer(`${service.url}/readyz`);
        return service;
      },
    };
  },
);

async function openFileScene(): Promise<Scene & AsyncDisposable & { readonly directory: string }> {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_crash_" });
  const env = await productionEnv(`file:${directory}/crash.db`);
  return {
    directory,
    env,
    crash: killService(env),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

interface ServerScene extends AsyncDisposable {
  readonly server: LastingSqld;
  readonly env: Readonly<Record<string, string>>;
}

async function openServerScene(): Promise<ServerScene> {
  const server = await startLastingSqld();
  return {
    server,
    env: await productionEnv(server.url),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
