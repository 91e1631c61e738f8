import { SECOND_MS } from "../core/clock.ts";
import { waitAtMost } from "../core/deadline.ts";
import { describeError, type Log } from "../core/log.ts";
import type { Gate } from "../http/gate.ts";

/** Platforms kill a stopping instance after 5 seconds (Deno Deploy: SIGINT, then SIGKILL). */
const HARD_STOP_SECONDS = 4.5;
/** The part of it for running requests; the rest is for closing the database. */
const DRAIN_SECONDS = 3;

/** The part of that during which the listener stays open for bodies under way. */
const BODY_SECONDS = 2;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The signal to stop. */
export interface StopSignal {
  /** Resolves at the first signal. Later ones are ignored: a terminal signals every process of a task. */
  readonly received: Promise<void>;
  /** Restores the default, so that signals end the process again. */
  release(): void;
}

/** Listens for SIGINT and SIGTERM. */
export function listenForStop(): StopSignal {
  const { promise: received, resolve } = Promise.withResolvers<void>();
  const onSignal = (): void => resolve();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
  return {
    received,
    release(): void {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, onSignal);
    },
  };
}

/** The requests to wait for. */
export interface Draining {
  /** The listener, whose `shutdown` resolves when all requests are finished. */
  readonly listener: Pick<Deno.HttpServer, "shutdown">;
  /** The gate through which all requests pass. */
  readonly gate: Gate;
  readonly log: Log;
}

/**
 * Ends the process 4.5 seconds from now, with the exit status set by then. No data is lost: finished requests are
 * committed, clients retry the others, and undelivered mails are in the outbox.
 */
export function armHardStop(log: Log): void {
  const timer = setTimeout(() => {
    log.error("stopping.forced", { afterSeconds: HARD_STOP_SECONDS });
    Deno.exit();
  }, HARD_STOP_SECONDS * SECOND_MS);
  // The timer must not keep the process alive.
  Deno.unrefTimer(timer);
}

/**
 * Refuses further requests and waits up to 3 seconds for running ones. Returns whether all finished. The runtime
 * cannot abort the rest after its shutdown began; ending the process does.
 */
export async function drain({ listener, gate, log }: Draining): Promise<boolean> {
  async function closeAll(): Promise<boolean> {
    await waitAtMost(BODY_SECONDS * SECOND_MS, gate.close(), () => undefined);
    await listener.shutdown();
    return true;
  }

  try {
    const isDrained = await waitAtMost(DRAIN_SECONDS * SECOND_MS, closeAll(), () => false);
    if (!isDrained) log.warn("stopping.requests_cut_off", { afterSeconds: DRAIN_SECONDS });
    return isDrained;
  } catch (error) {
    log.error("stopping.failed", describeError(error));
    return false;
  }
}
