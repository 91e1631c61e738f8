import { SECOND_MS } from "../../src/core/clock.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { catalogue, methodOf, setScene } from "./request_catalogue.ts";

/** Longer than the part that is read before the database is asked about the session. */
const BYTES = 5000;

/**
 * The last guard that a long body waits for, by operation: "token" if it is not read of a caller whose token is forged,
 * "life" if neither of one whose session is over; "host" if there is no token. Operations without a body are absent.
 */
export async function findGuards(target: TestApp): Promise<ReadonlyMap<string, string>> {
  await target.reset();
  const scene = await setScene(target);
  const dead = await deadTokens(target);
  const guards = new Map<string, string>();
  for (const request of catalogue(scene)) {
    const method = methodOf(request);
    if (method === "GET" || request.body === undefined) continue;
    const isReadWith = async (tokens: readonly (string | undefined)[]): Promise<boolean> => {
      for (const token of tokens) if (await isRead(target, { ...request, method, token })) return true;
      return false;
    };
    if (request.token === "none") guards.set(request.route, "host");
    else if (await isReadWith([undefined, "forged"])) guards.set(request.route, "host");
    else guards.set(request.route, await isReadWith(dead) ? "token" : "life");
  }
  return guards;
}

/** Genuine tokens of a session that does not exist. */
async function deadTokens({ deps, clock }: TestApp): Promise<string[]> {
  const claims = { userId: 1, sessionId: "A".repeat(22), securityVersion: 0 };
  const authenticatedAtMs = clock.now() - SECOND_MS;
  return await Promise.all([
    deps.accessTokens.sign({ ...claims, authenticatedAtMs, assuranceLevel: 1 }),
    deps.sudoTokens.sign(claims),
  ]);
}

/** Whether any part of the body is read. */
async function isRead(
  { app }: TestApp,
  { path, method, token }: { path: string; method: string; token: string | undefined },
): Promise<boolean> {
  let isPulled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller): void {
      isPulled = true;
      controller.enqueue(new Uint8Array(BYTES).fill(32));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(BYTES),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const request = new Request(`http://localhost${path}`, { method, headers, body });
  await (await app.request(request, {}, { remoteAddr: { hostname: "192.0.2.1" } })).body?.cancel();
  return isPulled;
}
