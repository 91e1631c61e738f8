import { SECOND_MS } from "../core/clock.ts";
import { describeError, type Log } from "../core/log.ts";

/** A recurring job. Concurrent runs, here or in another instance, must do no harm. */
export interface Job {
  /** Letters, digits, spaces and hyphens, as `Deno.cron` requires. */
  readonly name: string;
  /** Schedule for `Deno.cron` (UTC). */
  readonly cron: string;
  /** Without `Deno.cron`: seconds between the end of one run and the start of the next. */
  readonly everySeconds: number;
  run(): Promise<unknown>;
}

/** The used part of `Deno.cron`, which some versions of the runtime lack. */
export type Cron = (
  name: string,
  schedule: string,
  options: { signal: AbortSignal },
  handler: () => Promise<void>,
) => Promise<void>;

export interface Schedule {
  /** Starts no more jobs. Running ones continue. */
  stop(): void;
}

/**
 * Runs the jobs with `cron` if available, otherwise with timers. A job's errors are logged, and the schedule
 * continues.
 */
export function startSchedule(
  jobs: readonly Job[],
  log: Log,
  cron: Cron | undefined = (Deno as { cron?: Cron }).cron,
): Schedule {
  const stopping = new AbortController();
  for (const job of jobs) {
    if (cron === undefined) repeat(job, log, stopping.signal);
    else {
      cron(job.name, job.cron, { signal: stopping.signal }, () => runJob(job, log))
        .catch((error) => log.error("schedule.failed", { job: job.name, ...describeError(error) }));
    }
  }
  return { stop: () => stopping.abort() };
}

function repeat(job: Job, log: Log, signal: AbortSignal): void {
  const timer = setTimeout(async () => {
    await runJob(job, log);
    if (!signal.aborted) repeat(job, log, signal);
  }, job.everySeconds * SECOND_MS);
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

async function runJob(job: Job, log: Log): Promise<void> {
  try {
    await job.run();
  } catch (error) {
    log.error("schedule.job_failed", { job: job.name, ...describeError(error) });
  }
}
