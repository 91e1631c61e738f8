/** The two ways to respond to a request. */
export interface Ways {
  readonly handle: () => Response | Promise<Response>;
  /** Responds without reading the body. */
  readonly turnAway: () => Response | Promise<Response>;
}

/** Every request passes through the gate, until it is closed. */
export interface Gate {
  /** Handles a request or, once the gate is closed, turns it away. */
  enter(request: Request, ways: Ways): Response | Promise<Response>;
  /** Turns new requests away. Resolves once all requests with a body under way are handled. */
  close(): Promise<void>;
}

/**
 * Creates the gate of a server, which lets it shut down without failing requests under way.
 * `Deno.HttpServer.shutdown()` alone would fail them in Deno 2.9: it makes bodies that are still arriving unreadable
 * (denoland/deno#36809).
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
