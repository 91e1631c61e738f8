import { quantile } from "../statistics.ts";
import { type ServiceProcess, startService } from "../../tests/helpers/service_process.ts";
import type { Attack, Strike } from "./attack.ts";
import { ATTACK_MS, MAX_LEFT_MEBIBYTES, QUIET_MS } from "./bounds.ts";
import { readTicks, shareLeft } from "./machine_share.ts";
import { openLargeScene } from "../../tests/helpers/large_scene.ts";
import { startVictim, type Victim } from "../../tests/helpers/victim.ts";
import type { VictimReport } from "../../tests/helpers/victim_worker.ts";

/** Quiet times below this many milliseconds, or this long in all, are enough to begin. */
const SETTLED_MS = 50;
const MAX_QUIET_MS = 2000;

/** Where the database is: in a file, or on a server. */
export type StallKind = "file" | "server";

/** A summary of the victim's times, in milliseconds. */
export interface Times {
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
}

/** The victim's requests of both kinds. */
export interface VictimTimes {
  readonly reads: Times;
  readonly writes: Times;
}

export interface StallOutcome {
  /** The part of the machine that other programs left during the attack. */
  readonly share: number;
  readonly quiet: VictimTimes;
  readonly attacked: VictimTimes;
  /** The most processor time of the service's event loop during one request of the victim, in milliseconds. */
  readonly loopMs: number;
  /** What the victim got instead of a success. */
  readonly failures: readonly string[];
  /** The number of responses to the attack by status. */
  readonly answers: ReadonlyMap<number, number>;
  /** The most memory that the service had during the attack. */
  readonly mebibytes: number;
}

/** A service in a process of its own, and its victim. */
export interface StallService extends AsyncDisposable {
  /**
   * Prepares the attack. The result measures the victim's times before it, until they are short, and during it, each time
   * it is called. The process is that of the attacks before it, unless they left it
   * large.
   */
  prepare(attack: Attack): Promise<() => Promise<StallOutcome>>;
}

export async function openStallService(kind: StallKind): Promise<StallService> {
  const stack = new AsyncDisposableStack();
  const scene = stack.use(await openLargeScene(kind === "file" ? "file" : "remote"));
  const [root = 0] = await scene.addRoles(1);
  const [roleId = 0] = await scene.addRoles(1, { parentIds: [root] });
  // So that a request may name the network that it comes from.
  const env = { ...scene.service.env, TRUSTED_PROXIES: "127.0.0.1" };
  let running: ServiceProcess | undefined;

  return {
    async prepare(attack) {
      const strike = await attack.prepare(scene);
      return async () => {
        if (running !== undefined && readMebibytes(running.pid, "VmRSS") > MAX_LEFT_MEBIBYTES) {
          await running[Symbol.asyncDispose]();
          running = undefined;
        }
        running ??= await startService(env);
        // A new one each time: access tokens end after ten minutes.
        const { token } = await scene.addPerson([root]);
        using victim = startVictim({ port: running.port, pid: running.pid, token, roleId });
        return await measure({ attack, strike, service: running, victim });
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await running?.[Symbol.asyncDispose]();
      await stack.disposeAsync();
    },
  };
}

interface Measurement {
  readonly attack: Attack;
  readonly strike: Strike;
  readonly service: ServiceProcess;
  readonly victim: Victim;
}

async function measure({ attack, strike, service, victim }: Measurement): Promise<StallOutcome> {
  const quiet = await settle(victim);
  const answers = new Map<number, number>();
  const note = (status: number): void => void answers.set(status, (answers.get(status) ?? 0) + 1);
  forgetPeak(service.pid);
  const { url, port } = service;
  const before = readTicks();
  const attacked = await victim.during(() =>
    strike({ url, port, note, endsAt: performance.now() + (attack.lasts ?? ATTACK_MS) })
  );
  return {
    share: shareLeft(before, readTicks()),
    quiet: summarize(quiet),
    attacked: summarize(attacked),
    loopMs: attacked.loopMs,
    failures: [...new Set([...quiet.failures, ...attacked.failures])],
    answers,
    mebibytes: readMebibytes(service.pid, "VmHWM"),
  };
}

/** The quiet times, once nothing of an earlier attack is left. */
async function settle(victim: Victim): Promise<VictimReport> {
  const deadline = performance.now() + MAX_QUIET_MS;
  for (;;) {
    const report = await victim.during(() => new Promise((resolve) => setTimeout(resolve, QUIET_MS)));
    if (Math.max(...report.reads, ...report.writes) < SETTLED_MS || performance.now() > deadline) {
      return report;
    }
  }
}

function summarize({ reads, writes }: VictimReport): VictimTimes {
  return { reads: summarizeTimes(reads), writes: summarizeTimes(writes) };
}

function summarizeTimes(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    answers: sorted.length,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    slowest: quantile(sorted, 1),
  };
}

/** Linux keeps the most memory that a process had; "5" makes it start over. */
function forgetPeak(pid: number): void {
  Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** Resident memory of a process: now, and the most since `forgetPeak`. */
function readMebibytes(pid: number, name: "VmRSS" | "VmHWM"): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const [, kibibytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return Number(kibibytes) / 1024;
}
