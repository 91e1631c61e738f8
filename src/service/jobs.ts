import { finishLeaving } from "../accounts/own/leave_service.ts";
import { describeError, type Log } from "../core/log.ts";
import type { Courier } from "../mail/courier.ts";
import { purge, type PurgeDeps } from "../purge/purge_service.ts";
import { tellEnds } from "../role/member/end_notice_service.ts";
import type { Job } from "./schedule.ts";
import { forgetDeletedDevices } from "../telemetry/retention_service.ts";

export interface JobDeps extends PurgeDeps {
  readonly log: Log;
}

export interface JobOptions {
  /** Delivers mails, if that is configured. */
  readonly courier: Courier | undefined;
  /** Stops running jobs. */
  readonly signal: AbortSignal;
}

/** Lists the background jobs. Concurrent runs in other instances do no harm. */
export function listJobs(deps: JobDeps, { courier, signal }: JobOptions): Job[] {
  const jobs: Job[] = [{
    name: "purge",
    cron: "17 * * * *",
    everySeconds: 3600,
    run: async () => {
      for (const { what, rows, error } of await purge(deps, signal)) {
        if (rows !== undefined && rows > 0) deps.log.info("purged", { what, rows });
        if (error !== undefined) deps.log.error("purge.unfinished", { what, ...describeError(error) });
      }
    },
  }];
  jobs.push({
    name: "notices of ends",
    cron: "23 * * * *",
    everySeconds: 3600,
    run: () => tellEnds(deps, signal),
  });
  // Frequent, because the nodeId of a deleted device stays taken until then.
  jobs.push({
    name: "deleted devices",
    cron: "* * * * *",
    everySeconds: 60,
    run: () => forgetDeletedDevices(deps, signal),
  });
  // Those that a crash has interrupted.
  jobs.push({
    name: "deleted accounts",
    cron: "* * * * *",
    everySeconds: 60,
    run: () => finishLeaving(deps, signal),
  });
  const { telemetryStore } = deps;
  if (telemetryStore.carry !== undefined) {
    jobs.push({
      name: "points",
      cron: "* * * * *",
      everySeconds: 60,
      run: () => telemetryStore.carry?.(signal) ?? Promise.resolve(),
    });
  }
  if (courier !== undefined) {
    jobs.push({ name: "mail", cron: "* * * * *", everySeconds: 60, run: () => courier.run() });
  }
  return jobs;
}
