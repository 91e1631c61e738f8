import { SECOND_MS } from "../core/clock.ts";
import { waitAtMost } from "../core/deadline.ts";
import { describeError } from "../core/log.ts";
import type { Database } from "../db/database.ts";
import { isOutcomeUnknown } from "../db/sql_errors.ts";
import { deliverMails, type DeliveryDeps } from "./delivery.ts";
import { STOP_SECONDS, WAKE_DELAY_SECONDS } from "./lifetimes.ts";

/** Delivers mails in the background of a service. */
export interface Courier {
  /** Schedules a delivery and returns at once. Calls in a row cause one delivery. */
  wake(): void;
  /** Delivers due mails. If a delivery is under way, waits for it and starts another one. Logs errors. */
  run(): Promise<void>;
  /** Starts no more deliveries, and waits briefly for the current one. */
  stop(): Promise<void>;
}

export interface CourierOptions {
  readonly wakeDelayMs?: number;
  readonly stopMs?: number;
}

export function createCourier(deps: DeliveryDeps, options: CourierOptions = {}): Courier {
  const { wakeDelayMs = WAKE_DELAY_SECONDS * SECOND_MS, stopMs = STOP_SECONDS * SECOND_MS } = options;
  const stopping = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let again = false;

  async function deliverAll(): Promise<void> {
    do {
      again = false;
      try {
        await deliverMails(deps, stopping.signal);
      } catch (error) {
        deps.log.error("mail.delivery_failed", describeError(error));
      }
    } while (again && !stopping.signal.aborted);
  }

  function run(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    // Otherwise mails committed after the current run's last claim would wait for the next scheduled run.
    again = running !== undefined;
    running ??= deliverAll().finally(() => running = undefined);
    return running;
  }

  return {
    run,
    wake(): void {
      if (stopping.signal.aborted || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        void run();
      }, wakeDelayMs);
    },
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      if (running !== undefined) await waitAtMost(stopMs, running, () => undefined);
    },
  };
}

/** Wraps the database to call `wake` after each write that may have queued a mail. */
export function wakeOnMail(database: Database, wake: () => void): Database {
  return {
    ...database,
    async write(statements) {
      const mayBringMail = statements.some(({ queuesMail }) => queuesMail);
      try {
        const results = await database.write(statements);
        if (mayBringMail) wake();
        return results;
      } catch (error) {
        // The write may have taken place; a repetition would only read it back.
        if (mayBringMail && isOutcomeUnknown(error)) wake();
        throw error;
      }
    },
  };
}
