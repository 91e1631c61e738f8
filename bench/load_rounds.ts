import { processorSecondsOf, putLoad } from "./bench_process.ts";
import type { LoadOrder } from "./http_load.ts";

/** A load whose rounds are run in turn with those of others. */
export interface LoadSide {
  readonly name: string;
  readonly order: LoadOrder;
  /** The process whose time is counted. */
  readonly pid?: number;
}

/** The results of one side's rounds. */
export interface LoadRounds {
  readonly perSecond: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  readonly maxMs: number[];
  /** Processor time per request, in milliseconds; empty if the system does not tell, or there is no process. */
  readonly processorMs: number[];
}

export interface RoundOptions {
  readonly rounds: number;
  readonly note: (text: string) => void;
}

/** Runs the sides in turn, so that other load on the machine affects them alike, after a round to warm up. */
export async function runInTurn(
  sides: readonly LoadSide[],
  { rounds, note }: RoundOptions,
): Promise<LoadRounds[]> {
  const results = sides.map(() => emptyRounds());
  for (let round = 0; round <= rounds; round++) {
    note(`round ${round} of ${rounds}${round === 0 ? ", to warm up" : ""}`);
    for (const [i, side] of sides.entries()) {
      await runRound(side, round === 0 ? emptyRounds() : results[i] as LoadRounds);
    }
  }
  return results;
}

/** Runs one round of a side, and adds its results to `rounds`. */
export async function runRound({ order, pid }: LoadSide, rounds: LoadRounds): Promise<void> {
  const before = pid === undefined ? undefined : processorSecondsOf(pid);
  const report = await putLoad(order);
  const after = pid === undefined ? undefined : processorSecondsOf(pid);
  rounds.perSecond.push(report.requestsPerSecond);
  rounds.p50Ms.push(report.p50Ms);
  rounds.p99Ms.push(report.p99Ms);
  rounds.maxMs.push(report.maxMs);
  if (before === undefined || after === undefined) return;
  rounds.processorMs.push((after - before) * 1000 / report.requests);
}

export function emptyRounds(): LoadRounds {
  return { perSecond: [], p50Ms: [], p99Ms: [], maxMs: [], processorMs: [] };
}
