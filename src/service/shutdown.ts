import { SECOND_MS } from "../core/clock.ts";
import { waitAtMost } from "../core/deadline.ts";
import { describeError, type Log } from "../core/log.ts";
import type { Gate } from "../http/gate.ts";

/** Platforms that stop an instance give it 5 seconds before they kill it (Deno Deploy: SIGINT, then SIGKILL). */
const HARD_STOP_SECONDS = 4.5;
/** Of these, what requests under way get to be answered; the rest is for letting go of the database. */
const DRAIN_SECONDS = 3;

/** Of these, how long the listener stays open for the sake of bodies that have not arrived yet. */
const BODY_SECONDS = 2;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Waits for the signal to stop. */
export interface StopSignal {
  /** Resolves at the first signal; further ones are ignored, since a terminal sends one to every process it started. */
  readonly received: Promise<void>;
  /** Lets signals end the process again as they do by default. */
  release(): void;
}

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

/** What is to be drained. */
export interface Draining {
  /** What takes requests in, and resolves when all of them are answered. */
  readonly listener: Pick<Deno.HttpServer, "shutdown">;
  /** Through which all its requests come. */
  readonly gate: Gate;
  readonly log: Log;
}

/**
 * Ends the process 4.5 seconds from now, whatever it waits for then, and with the status that it has then: what was answered is committed,
 * what was not its client sends again, and a mail that was not handed over is in the outbox.
 */
export function armHardStop(log: Log): void {
  const timer = setTimeout(() => {
    log.error("stopping.forced", { afterSeconds: HARD_STOP_SECONDS });
    Deno.exit();
  }, HARD_STOP_SECONDS * SECOND_MS);
  // The process may well end before.
  Deno.unrefTimer(timer);
}

/**
 * Turns further requests away and waits until those under way are answered, for 3 seconds at most. Answers whether all
 * were. The runtime has no way to cut off the others once it shuts down: ending the process does.
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
