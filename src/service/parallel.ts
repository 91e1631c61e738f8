import { openService, type ServiceInput } from "./serve.ts";
import { listenForStop } from "./shutdown.ts";

/** What an isolate shares with the others, and with the process that started them. */
export interface Surroundings {
  /** Number of isolates that serve in this process. */
  readonly isolates: number;
  /** Resolves when the service is to stop. */
  readonly told: Promise<void>;
  /** Reports that this isolate no longer needs its listener. When all have reported that, SIGTERM follows. */
  agreeToClose(): void;
}

/**
 * Starts the service in one of the isolates that `deno serve --parallel` runs. Each has its own listener, database
 * connection and queue. Returns the default export that the command expects.
 *
 * At SIGTERM the runtime closes the listeners at once, and bodies that have not arrived can no longer be read. So
 * shutdown begins earlier, with `told`.
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
    // Ends all isolates. If every connection could be closed, they end by themselves.
    if (!isDrained) Deno.exit();
  }

  // Not awaited: an error in it is unhandled, and so ends the process as failed.
  serveUntilTold();
  return {
    fetch(request, info): Response | Promise<Response> {
      requests.add(info.completed);
      return service.handle(request, info as Deno.ServeHandlerInfo<Deno.NetAddr>);
    },
    // The runtime calls this in only one of the isolates.
    onListen(address): void {
      if (isStopping) return;
      service.startJobs();
      const { hostname, port } = address as Deno.NetAddr;
      input.log.info("listening", { hostname, port, publicUrl: input.config.publicUrl, isolates });
    },
  };
}

/** Counts running requests. */
interface Tally {
  /** Counts a request until its response is sent or its client has disconnected. */
  add(completed: Promise<void>): void;
  /** Resolves when no request is running. */
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
