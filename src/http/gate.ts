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
  /** Turns new requests away. Resolves when every request that may still be sending its body is handled. */
  close(): Promise<void>;
}

/**
 * Creates the gate of a server that shuts down without failing requests under way. In Deno 2.9
 * `Deno.HttpServer.shutdown()` alone would fail them: a body that has not arrived by then cannot be read any
 * more (denoland/deno#36809).
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
