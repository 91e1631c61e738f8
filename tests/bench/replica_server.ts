import { type ServerProcess, startServer } from "./bench_process.ts";
import type { BenchService } from "./bench_service.ts";

const COPY_LIMIT_MS = 60_000;
const POLL_MS = 50;
const PATH = "/v1/rights/check";

/** A check of one role, as the path and body of a load. */
export function checkOf(roleId: number | undefined): { path: string; body: string } {
  return { path: PATH, body: JSON.stringify({ checks: [{ roleId, right: "viewManagement" }] }) };
}

/**
 * Starts the service with a replica of its database server, and waits until it reads from that. Disposal removes
 * the replica. Throws if the service has none after a minute.
 */
export async function startWithReplica(
  { env, accessToken }: Pick<BenchService, "env" | "accessToken">,
  port: number,
): Promise<ServerProcess> {
  await using stack = new AsyncDisposableStack();
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_bench_replica_" });
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const replica = { ...env, REPLICA_PATH: `${directory}/replica` };
  const server = stack.use(await startServer({ script: "main.ts", env: replica, port }));
  await waitForCopy(port, accessToken);
  const owned = stack.move();
  return { ...server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Only a response from the copy has an age. */
async function waitForCopy(port: number, token: string): Promise<void> {
  const deadline = performance.now() + COPY_LIMIT_MS;
  const { path, body } = checkOf(1);
  while (performance.now() < deadline) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: {
        "Authorization": `Bearer ${token}`,
        "Content-Type": "application/json",
        "Cache-Control": "max-age=2",
      },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`A check got status ${response.status}: ${text}`);
    if (response.headers.has("Age")) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The service reads from no replica after ${COPY_LIMIT_MS} ms`);
}
