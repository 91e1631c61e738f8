import { SECOND_MS } from "../core/clock.ts";
import type { AppError } from "../core/errors.ts";
import { type Log, nameCause } from "../core/log.ts";

/** Maximum number of causes in a line. */
const MAX_KINDS = 10;

/** The log of 503s. */
export interface OutageLog {
  note(error: AppError, requestId: string): void;
}

/**
 * Logs the first 503 at once, with its request's id. Those of each following second share one line, with their number
 * and causes: in an outage or a flood, a line each would cost more than the refusals.
 */
export function createOutageLog(log: Log): OutageLog {
  let isCounting = false;
  let counts = new Map<string, number>();

  function countForASecond(): void {
    isCounting = true;
    // Unlike other timers, it does not keep the process, or a test, from ending.
    AbortSignal.timeout(SECOND_MS).addEventListener("abort", logCounts);
  }

  function logCounts(): void {
    isCounting = false;
    if (counts.size === 0) return;
    const count = counts.values().reduce((sum, each) => sum + each, 0);
    const causes = Array.from(counts, ([kind, each]) => `${kind}: ${each}`).join("; ");
    log.error("request.failed", { code: "UNAVAILABLE", count, causes });
    counts = new Map();
    countForASecond();
  }

  return {
    note(error, requestId): void {
      const kind = nameCause(error);
      if (isCounting) {
        const key = counts.has(kind) || counts.size < MAX_KINDS ? kind : "others";
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return;
      }
      log.error("request.failed", { requestId, code: "UNAVAILABLE", count: 1, causes: `${kind}: 1` });
      countForASecond();
    },
  };
}
