import { openService, type ServiceInput } from "./serve.ts";
import { listenForStop } from "./shutdown.ts";

/** What an isolate shares with the others, and with whatever started them. */
export interface Surroundings {
  /** How many isolates of this process serve. */
  readonly isolates: number;
  /** Resolves when the service is to end. */
  readonly told: Promise<void>;
  /** Says that here nothing is left that the end of the listeners would harm. When all have said so, SIGTERM follows. */
  agreeToClose(): void;
}

/**
 * Starts the service in one of the isolates that `deno serve --parallel` runs, each with a listener, a database
 * connection and a queue of its own. Answers what that command wants a module to export.
 *
 * At SIGTERM the runtime itself closes the listeners, at once, and bodies that have not arrived by then can no longer
 * be read. So the end begins before, by `told`.
 */
export async function openIsolate(
  input: ServiceInput,
  { isolates, told, agreeToClose }: Surroundings,
): Promise<Deno.ServeDefaultExport> {
  const service = await openService(input);
  const requests = createTally();
  const stop = listenForStop();
  let isStopping = false;

  async function shutdown(): Promise<void> {
    agreeToClose();
    await stop.received;
    await requests.settled();
  }

  async function serveUntilTold(): Promise<void> {
    await Promise.race([stop.received, told]);
    isStopping = true;
    const isDrained = await service.stop({ shutdown });
    stop.release();
    // Ends all isolates. They end by themselves where every connection could be closed.
    if (!isDrained) Deno.exit();
  }

  // Whatever goes wrong there nobody handles, which is to end the process as one that failed.
  serveUntilTold();
  return {
    fetch(request, info): Response | Promise<Response> {
      requests.add(info.completed);
      return service.handle(request, info as Deno.ServeHandlerInfo<Deno.NetAddr>);
    },
    // The runtime calls this in one of the isolates only.
    onListen(address): void {
      if (isStopping) return;
      service.startJobs();
      const { hostname, port } = address as Deno.NetAddr;
      input.log.info("listening", { hostname, port, publicUrl: input.config.publicUrl, isolates });
    },
  };
}

/** Counts what is under way. */
interface Tally {
  /** Counts a request until its answer was taken, or its client is gone. */
  add(completed: Promise<void>): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

function createTally(): Tally {
  let underWay = 0;
  let onNone: (() => void) | undefined;
  const leave = (): void => {
    underWay--;
    if (underWay === 0) onNone?.();
  };
  return {
    add(completed): void {
      underWay++;
      completed.then(leave, leave);
    },
    async settled(): Promise<void> {
      if (underWay > 0) await new Promise<void>((resolve) => onNone = resolve);
    },
  };
}
