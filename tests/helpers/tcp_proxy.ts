export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Sets which connections are cut from now on. */
  setPlan(plan: CutPlan | undefined): void;
  /** Number of connections that have been cut so far. */
  cutCount(): number;
}

/**
 * When a connection is cut: `before` data of the client reaches the server, as soon as it is `sent`, or once the
 * server has responded, with none (`after`) or half (`midway`) of the response passed on.
 */
export type Cut = "before" | "sent" | "after" | "midway";

/** Called for each chunk that a client sends, which is a request or a part of one; undefined lets it pass. */
export type CutPlan = () => Cut | undefined;

export interface TcpProxyOptions {
  /** Where the connections lead, on this machine. */
  readonly targetPort: number;
  /** Latency in each direction, in milliseconds, without a limit on bandwidth. 0 by default. */
  readonly delayMs?: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** What is passed on of the bytes that arrived, and whether the connection is cut then. */
interface Passed {
  readonly bytes: Bytes;
  readonly thenCut: boolean;
}

/** One direction of a connection. */
interface Way {
  readonly from: Deno.Conn;
  readonly to: Deno.Conn;
  readonly delayMs: number;
  pass(bytes: Bytes): Passed;
  cut(): void;
}

const NOTHING = new Uint8Array();

/**
 * Forwards connections to a port of this machine with a delay, like a distant server, and cuts them as planned; at
 * first none.
 */
export function startTcpProxy({ targetPort, delayMs = 0 }: TcpProxyOptions): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let plan: CutPlan | undefined;
  let cuts = 0;

  async function join(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: targetPort });
    const both = [client, server];
    for (const connection of both) open.add(connection);
    let onAnswer: Cut | undefined;
    const cut = (): void => {
      if (close(both)) cuts++;
    };
    function passRequest(bytes: Bytes): Passed {
      const planned = plan?.();
      if (planned === "before") return { bytes: NOTHING, thenCut: true };
      if (planned === "sent") return { bytes, thenCut: true };
      onAnswer ??= planned;
      return { bytes, thenCut: false };
    }
    function passAnswer(bytes: Bytes): Passed {
      if (onAnswer === undefined) return { bytes, thenCut: false };
      return { bytes: onAnswer === "midway" ? bytes.slice(0, bytes.length / 2) : NOTHING, thenCut: true };
    }
    await Promise.allSettled([
      carry({ from: client, to: server, delayMs, pass: passRequest, cut }),
      carry({ from: server, to: client, delayMs, pass: passAnswer, cut }),
    ]);
    close(both);
  }

  /** Returns whether any of them was open. */
  function close(connections: Iterable<Deno.Conn>): boolean {
    let wasOpen = false;
    for (const connection of connections) {
      if (!open.delete(connection)) continue;
      connection.close();
      wasOpen = true;
    }
    return wasOpen;
  }

  const accepting = (async () => {
    for await (const client of listener) void join(client);
  })();
  return {
    port: listener.addr.port,
    setPlan(next): void {
      plan = next;
    },
    cutCount: () => cuts,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      close([...open]);
      await accepting;
    },
  };
}

/** Forwards bytes one way until the sender ends. Each chunk is delayed separately, so the delays do not add up. */
async function carry({ from, to, delayMs, pass, cut }: Way): Promise<void> {
  let arrived: Promise<void> = Promise.resolve();
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const count = await from.read(buffer);
    if (count === null) break;
    const { bytes, thenCut } = pass(buffer.slice(0, count));
    const dueAt = performance.now() + delayMs;
    arrived = arrived.then(() => deliver(to, bytes, dueAt));
    // Awaited below; until then a rejection must not count as unhandled.
    arrived.catch(() => undefined);
    if (thenCut) {
      await arrived;
      return cut();
    }
  }
  await arrived;
  await to.closeWrite();
}

async function deliver(to: Deno.Conn, bytes: Bytes, dueAt: number): Promise<void> {
  const waitMs = dueAt - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
}
