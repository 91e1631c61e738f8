/** The two ways to handle a request. */
export interface Ways {
  readonly handle: () => Response | Promise<Response>;
  /** Responds without reading the body. */
  readonly turnAway: () => Response | Promise<Response>;
}

/** Admits requests until it is closed. */
export interface Gate {
  /** Handles a request or, once the gate is closed, turns it away. */
  enter(request: Request, ways: Ways): Response | Promise<Response>;
  /** Admits no more requests, and resolves when every request that may still be sending its body has been handled. */
  close(): Promise<void>;
}

/**
 * Creates the gate of a server that shuts down without failing requests in flight. `Deno.HttpServer.shutdown()` alone
 * fails them in Deno 2.9: a body that has not arrived by then can no longer be read (denoland/deno#36809).
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
