import { SECOND_MS } from "../core/clock.ts";
import { describeError, type Log } from "../core/log.ts";

/** Something to do now and then. Running it twice at once, here or in another service, must do no harm. */
export interface Job {
  /** Letters, digits, spaces and hyphens, as `Deno.cron` wants it. */
  readonly name: string;
  /** For platforms with a schedule of their own (UTC). */
  readonly cron: string;
  /** For all others: between the end of one run and the beginning of the next. */
  readonly everySeconds: number;
  run(): Promise<unknown>;
}

/** The part of `Deno.cron` that is used. Not every version of the runtime has it. */
export type Cron = (
  name: string,
  schedule: string,
  options: { signal: AbortSignal },
  handler: () => Promise<void>,
) => Promise<void>;

export interface Schedule {
  /** Begins no job any more. What is running goes on. */
  stop(): void;
}

/** Runs the jobs by `cron` where there is one, by timers elsewhere. What a job throws is logged, and ends nothing. */
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
