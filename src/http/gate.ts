/** What can become of a request. */
export interface Ways {
  readonly handle: () => Response | Promise<Response>;
  /** Answers without reading the body. */
  readonly turnAway: () => Response | Promise<Response>;
}

/** Where requests come in, until it is closed. */
export interface Gate {
  /** Has a request handled or, once the gate is closed, turned away. */
  enter(request: Request, ways: Ways): Response | Promise<Response>;
  /** Lets nobody in any more, and resolves when every request that may still be sending its body is handled. */
  close(): Promise<void>;
}

/**
 * Makes the gate of a server that is to end without failing requests under way. `Deno.HttpServer.shutdown()` alone
 * would, in Deno 2.9: a body that has not arrived by then can no longer be read (denoland/deno#36809).
 */
export function createGate(): Gate {
  let withBody = 0;
  let isClosed = false;
  let onEmpty: (() => void) | undefined;

  function leave(): void {
    withBody--;
    if (withBody === 0) onEmpty?.();
  }

  async function handleBody(handle: () => Response | Promise<Response>): Promise<Response> {
    withBody++;
    try {
      return await handle();
    } finally {
      leave();
    }
  }

  return {
    enter(request, { handle, turnAway }) {
      if (isClosed) return turnAway();
      const hasNoBody = request.method === "GET" || request.method === "HEAD";
      return hasNoBody ? handle() : handleBody(handle);
    },
    close(): Promise<void> {
      isClosed = true;
      if (withBody === 0) return Promise.resolve();
      return new Promise((resolve) => onEmpty = resolve);
    },
  };
}
