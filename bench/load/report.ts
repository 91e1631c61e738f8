import { cpus, totalmem } from "node:os";
import { formatTable } from "../../scripts/lib/output.ts";
import type { Failure, StepResult, Times } from "./load_step.ts";
import type { MemorySample } from "./memory.ts";
import { KINDS } from "./mix.ts";
import type { LoadStep, LongRun } from "./run_load.ts";

const MESSAGE_LENGTH = 200;

/** The machine that the figures were measured on. */
export function describeMachine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? "unknown processor";
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} x ${model}, ${gigabytes} GB, Deno ${Deno.version.deno}; the load comes from the same machine`;
}

/** The figures of a step, as text. */
export function formatStep(step: LoadStep): string[] {
  return [...formatResult(step), `  resident memory ${step.residentMiB.toFixed(0)} MiB`];
}

/** A line for a memory sample. */
export function formatSample(sample: MemorySample, done: number): string {
  const { requests, mebibytes, descriptors, files } = sample;
  const sizes = files === undefined
    ? ""
    : `  file ${files.database.toFixed(0)} MiB, log ${files.log.toFixed(0)} MiB`;
  return `  ${(done * 100).toFixed(0).padStart(3)}%  ${requests} requests  ${mebibytes.toFixed(0)} MiB  ` +
    `${descriptors} descriptors${sizes}`;
}

/** The figures and the memory of the long run, as text. */
export function formatLongRun(run: LongRun): string[] {
  const { memory, samples } = run;
  const most = Math.max(...samples.map(({ mebibytes }) => mebibytes));
  return [
    ...formatResult(run),
    `  at most ${most.toFixed(0)} MiB of memory`,
    `  memory over the second half: ${memory.mebibytesPer100kRequests.toFixed(2)} MiB per 100,000 requests`,
    `  middle third ${memory.middle.toFixed(0)} MiB, last third ${memory.last.toFixed(0)} MiB: ` +
    (memory.isFlat ? "flat" : "NOT FLAT, more than 1.1 times"),
    ...Object.entries(run.attackers).map(([name, counts]) => `  ${name}: ${JSON.stringify(counts)}`),
  ];
}

function formatResult(
  { connections, requestsPerSecond, seconds, overall, kinds, failures }: StepResult,
): string[] {
  const rows: string[][] = [["kind", "requests", "p50", "p99"], ["all", ...describe(overall)]];
  for (const kind of KINDS) {
    const times = kinds[kind];
    if (times !== undefined) rows.push([kind, ...describe(times)]);
  }
  const rate = `${requestsPerSecond.toFixed(0)} requests per second over ${seconds.toFixed(1)} s`;
  const count = failures.reduce((sum, failure) => sum + failure.count, 0);
  return [
    "",
    `${connections} connections: ${rate}, ${count === 0 ? "no errors" : `${count} ERRORS`}`,
    ...failures.map(formatFailure),
    ...formatTable(rows).map((line) => `  ${line}`),
  ];
}

function formatFailure({ kind, status, count, first }: Failure): string {
  return `  ${count} x ${kind}, ${status === 0 ? "no response" : `status ${status}`}: ${
    first.slice(0, MESSAGE_LENGTH)
  }`;
}

function describe({ requests, p50Ms, p99Ms }: Times): string[] {
  return [String(requests), `${p50Ms.toFixed(1)} ms`, `${p99Ms.toFixed(1)} ms`];
}
