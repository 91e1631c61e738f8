import { progress } from "../../scripts/lib/progress.ts";
import type { DatabaseKind } from "../../tests/helpers/databases.ts";
import type { Attack } from "../stall/attack.ts";
import { largeSceneOf } from "../../tests/helpers/large_scene.ts";
import { type AttackerAnswers, type Attackers, runAttackers } from "./attackers.ts";
import { runStep, type StepResult } from "./load_step.ts";
import { judgeMemory, type MemorySample, type MemoryVerdict } from "./memory.ts";
import { MIX } from "./mix.ts";
import { openScene } from "./scene.ts";
import { type LoadedService, startLoadedService } from "./service.ts";
import { VirtualClient } from "./virtual_client.ts";

export interface LoadOptions {
  readonly kind: DatabaseKind;
  readonly levels: number;
  /** Connections of each step; the long run uses those of the last one. */
  readonly connections: readonly number[];
  readonly secondsOfStep: number;
  /** Length of the long run after the steps; 0: none. */
  readonly long: { readonly requests: number } | { readonly seconds: number };
  /** What runs beside the long run. */
  readonly attacks?: readonly Attack[];
  readonly onStep?: (step: LoadStep) => void;
  readonly onSample?: (sample: MemorySample, done: number) => void;
}

export interface LoadStep extends StepResult {
  /** Resident memory right after the step, in MiB. */
  readonly residentMiB: number;
}

export interface LongRun extends StepResult {
  /** The attackers' responses by attack and status. */
  readonly attackers: AttackerAnswers;
  readonly samples: readonly MemorySample[];
  readonly memory: MemoryVerdict;
}

export interface LoadReport {
  readonly roles: number;
  /** Resident memory before the first request, in MiB. */
  readonly residentMiB: number;
  readonly steps: readonly LoadStep[];
  readonly longRun?: LongRun;
  readonly exitCode: number;
}

/** Memory samples of a long run: at its start, and after each of this many equal parts. */
const SAMPLES = 60;
/** Half of the member changes are invitations. An account should send fewer than 45 a day; the limit is 50. */
const INVITED_BY_ACCOUNT = 30;
const FEWEST_PEOPLE = 4;
const LOGINS_AT_ONCE = 4;
const BYTES_A_MEBIBYTE = 2 ** 20;
/** A service that handles more requests per second would need more accounts. */
const MOST_REQUESTS_PER_SECOND = 2000;

/** Starts the service on a new database, puts it under load step by step, and stops it. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { kind, levels, connections } = options;
  const most = Math.max(...connections);
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(
    await openScene({
      kind,
      levels,
      clients: most,
      peopleOfClient: peopleOfClient(options),
    }),
  );
  const { attacks = [] } = options;
  const attacked = attacks.length === 0 ? undefined : await largeSceneOf(scene.service);
  const { env } = scene.service;
  const service = await startLoadedService(env);
  let isStopped = false;
  try {
    const residentMiB = service.residentMiB();
    const clients = scene.places.map((place) => new VirtualClient(place));
    await signIn(service.url, clients);
    const steps = await runSteps(service, clients, options);
    const sampled = { ...service, databasePath: databasePathOf(env) };
    const longClients = clients.slice(0, connections.at(-1));
    const attack = (): Attackers | undefined =>
      attacked && runAttackers({ scene: attacked, attacks, url: service.url });
    const longRun = Object.values(options.long).some((length) => length > 0)
      ? { longRun: await runLong({ service: sampled, attack }, longClients, options) }
      : {};
    isStopped = true;
    return { roles: scene.roles, residentMiB, steps, ...longRun, exitCode: await service.stop() };
  } finally {
    if (!isStopped) await service.stop();
  }
}

/** The first logins, a few at a time: hashing is slow, and the service rejects many concurrent logins. */
async function signIn(url: string, clients: readonly VirtualClient[]): Promise<void> {
  const waiting = clients.values();
  const lane = async (): Promise<void> => {
    for (const client of waiting) {
      while (!client.isSignedIn) await exchangeOnce(url, client);
    }
  };
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, lane));
}

async function exchangeOnce(url: string, client: VirtualClient): Promise<void> {
  const { path, accept, kind, ...init } = client.next();
  const response = await fetch(url + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`The first ${kind} got status ${response.status}: ${text}`);
  accept?.(text);
}

/** Accounts per client, so that none reaches its limit of invitations. */
function peopleOfClient({ connections, secondsOfStep, long }: LoadOptions): number {
  const people = (requests: number, clients: number): number =>
    (requests * MIX["member change"]) / 1000 / 2 / clients / INVITED_BY_ACCOUNT;
  const ofSteps = MOST_REQUESTS_PER_SECOND * connections.length * secondsOfStep;
  const forSteps = people(ofSteps, Math.min(...connections));
  const ofLongRun = "requests" in long ? long.requests : long.seconds * MOST_REQUESTS_PER_SECOND;
  const forLongRun = people(ofLongRun, connections.at(-1) ?? 1);
  return Math.max(FEWEST_PEOPLE, Math.ceil(forSteps + forLongRun));
}

async function runSteps(
  service: LoadedService,
  clients: readonly VirtualClient[],
  { connections, secondsOfStep, onStep }: LoadOptions,
): Promise<LoadStep[]> {
  const steps: LoadStep[] = [];
  for (const count of connections) {
    const length = { seconds: secondsOfStep };
    const result = await runStep({ url: service.url, clients: clients.slice(0, count), length });
    const step = { ...result, residentMiB: service.residentMiB() };
    steps.push(step);
    onStep?.(step);
  }
  return steps;
}

interface Sampled extends LoadedService {
  readonly databasePath: string | undefined;
}

/** The path of the database, if that is a file. */
function databasePathOf(env: Readonly<Record<string, string>>): string | undefined {
  const url = env["TURSO_DATABASE_URL"] ?? "";
  return url.startsWith("file:") ? url.slice("file:".length) : undefined;
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size / BYTES_A_MEBIBYTE;
  } catch (error) {
    // A log that has been merged into the file.
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

async function runLong(
  { service, attack }: { service: Sampled; attack: () => Attackers | undefined },
  clients: readonly VirtualClient[],
  { long, onSample }: LoadOptions,
): Promise<LongRun> {
  const length = "seconds" in long ? long : { requests: Math.max(clients.length, SAMPLES, long.requests) };
  const samples: MemorySample[] = [];
  const bar = progress(SAMPLES);
  const startedAt = performance.now();
  let answered = 0;
  const share = (): number =>
    "seconds" in length
      ? (performance.now() - startedAt) / 1000 / length.seconds
      : answered / length.requests;
  const sample = (): void => {
    const path = service.databasePath;
    const taken = {
      requests: answered,
      mebibytes: service.residentMiB(),
      descriptors: service.descriptors(),
      ...(path !== undefined && { files: { database: sizeOf(path), log: sizeOf(`${path}-wal`) } }),
    };
    samples.push(taken);
    onSample?.(taken, share());
  };
  sample();
  const attackers = attack();
  try {
    const result = await runStep({
      url: service.url,
      clients,
      length,
      onAnswer(): void {
        answered++;
        if (Math.floor(share() * SAMPLES) < samples.length) return;
        bar.advance();
        sample();
      },
    });
    return { ...result, samples, memory: judgeMemory(samples), attackers: attackers?.answers ?? {} };
  } finally {
    bar.finish();
    await attackers?.end();
  }
}
