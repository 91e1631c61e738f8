/** An HTTP proxy in front of a server, which holds requests as planned. */
export interface HoldingProxy extends AsyncDisposable {
  readonly url: string;
  /** Which requests are held from now on: they reach the server once they are let go. */
  hold(which: ((request: Request) => boolean) | undefined): void;
  /** How many requests are being held. */
  heldCount(): number;
  /** Lets go of all that are held. */
  letGo(): void;
}

/** Whether the driver sends the request to follow the primary. The service's own question has no such header. */
export function isSync(request: Request): boolean {
  return request.headers.has("x-libsql-client-version");
}

export function startHoldingProxy(target: string): HoldingProxy {
  let plan: ((request: Request) => boolean) | undefined;
  const held: (() => void)[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (plan?.(request)) await new Promise<void>((resolve) => held.push(resolve));
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    const body = request.method === "GET" ? null : await request.arrayBuffer();
    return await fetch(`${target}${pathname}${search}`, { method: request.method, headers, body });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    hold(which): void {
      plan = which;
    },
    heldCount: () => held.length,
    letGo(): void {
      for (const go of held.splice(0)) go();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      plan = undefined;
      for (const go of held.splice(0)) go();
      await server.shutdown();
    },
  };
}
