/** Requests begin in turns of users, strangers and networks, and a crowd of one blocks no other. */
import assert from "node:assert/strict";
import type { MiddlewareHandler } from "hono";
import { chainOfStranger } from "../../src/core/chain.ts";
import { createLog } from "../../src/core/log.ts";
import { countToPrincipal } from "../../src/core/request_scope.ts";
import type { Database } from "../../src/db/database.ts";
import type { AppEnv } from "../../src/http/env.ts";
import { createFramedApp } from "../../src/http/frame.ts";
import { createChains } from "../../src/graph/rules/chains.ts";
import { asTokenGuard } from "../../src/http/guard_order.ts";
import { createRequestTurns } from "../../src/http/request_turns.ts";

const CROWD = 200;

/** An app that notes in which order it begins requests, by what their header `X-Name` says. */
function createDesk(): {
  begun: string[];
  ask(name: string, from: string, token?: string, port?: number): Promise<number>;
} {
  const begun: string[] = [];
  const handler = asTokenGuard<MiddlewareHandler<AppEnv>>("access", (c) => {
    begun.push(c.req.header("X-Name") ?? "");
    if (c.req.header("Authorization")?.endsWith("known")) countToPrincipal(5, c.req.header("Authorization"));
    return Promise.resolve(c.text(""));
  });
  const database = { read: () => Promise.resolve([{ chain: "1:5" }]) } as unknown as Database;
  const chains = createChains({ database, clock: () => 0 });
  const log = createLog("silent", () => undefined);
  const app = createFramedApp({ log, trustedProxies: () => false, chains }).get("/", handler);
  const turns = createRequestTurns({
    chainOf: ({ peer, headers }) =>
      chains.ofCredential(headers.get("Authorization") ?? "") ?? chainOfStranger([peer]),
    refusalMs: 1,
  });
  return {
    begun,
    async ask(name, from, token, port) {
      const Authorization = token && /^(Token|Basic) /.test(token) ? token : `Bearer ${token}`;
      const headers = new Headers({ "X-Name": name, ...(token && { Authorization }) });
      const response = await turns.take({ headers, peer: from, port }, {
        handle: () => app.request("/", { headers }, { remoteAddr: { hostname: from } }),
        turnAway: () => new Response(null, { status: 503 }),
      });
      return response.status;
    },
  };
}

function crowdOf(desk: ReturnType<typeof createDesk>, token?: string): Promise<number>[] {
  return Array.from({ length: CROWD }, (_, i) => desk.ask("crowd", `198.51.100.${i}`, token));
}

Deno.test("an identified user does not wait for a crowd of strangers", async () => {
  for (const token of ["known", "Token known"]) {
    const desk = createDesk();
    await desk.ask("user", "192.0.2.1", token);
    desk.begun.length = 0;
    await Promise.all([...crowdOf(desk, "forged"), desk.ask("user", "192.0.2.1", token)]);
    assert.equal(desk.begun.length, CROWD + 1);
    assert.ok(desk.begun.indexOf("user") < CROWD / 3, `${desk.begun.indexOf("user")} came first`);
  }
});

Deno.test("a stranger does not wait for all requests of another network", async () => {
  const desk = createDesk();
  const crowd = Array.from({ length: CROWD }, () => desk.ask("crowd", "198.51.100.1"));
  await Promise.all([...crowd, desk.ask("stranger", "192.0.2.1")]);
  assert.ok(desk.begun.indexOf("stranger") < CROWD / 3, `${desk.begun.indexOf("stranger")} came first`);
});

Deno.test("strangers get turns even while users keep sending requests", async () => {
  const desk = createDesk();
  await desk.ask("user", "192.0.2.1", "known");
  desk.begun.length = 0;
  const users = Array.from({ length: CROWD }, () => desk.ask("user", "192.0.2.1", "known"));
  await Promise.all([...users, desk.ask("stranger", "192.0.2.2")]);
  assert.ok(desk.begun.indexOf("stranger") < CROWD / 3, `${desk.begun.indexOf("stranger")} came first`);
});

Deno.test("a token with extra white space, of great length or with a user's name is not remembered as a user's", async () => {
  for (const token of [" known", "\tknown", `${"x".repeat(2000)}known`, "Token name1:known", "Basic known"]) {
    const desk = createDesk();
    await desk.ask("user", "192.0.2.1", token);
    desk.begun.length = 0;
    const crowd = Array.from({ length: CROWD }, () => desk.ask("crowd", "198.51.100.1"));
    await Promise.all([...crowd, desk.ask("user", "198.51.100.1", token)]);
    assert.equal(desk.begun.indexOf("user"), CROWD, "as a stranger of the crowd's network");
  }
});

Deno.test("a request is refused at once while 10,000 others wait", async () => {
  const desk = createDesk();
  const crowd = Array.from({ length: 10_100 }, () => desk.ask("crowd", "198.51.100.1"));
  const statuses = Map.groupBy(await Promise.all(crowd), (status) => status);
  assert.equal(statuses.get(503)?.length, 10_100 - 10_000 - 32);
});

Deno.test("a network with 10,000 waiting requests does not block another network", async () => {
  const desk = createDesk();
  const crowd = Array.from({ length: 10_100 }, () => desk.ask("crowd", "198.51.100.1"));
  assert.equal(await desk.ask("stranger", "192.0.2.1"), 200);
  assert.ok(desk.begun.indexOf("stranger") < CROWD, `${desk.begun.indexOf("stranger")} came first`);
  await Promise.all(crowd);
});

Deno.test("a connection has at most 32 requests under way, and the next one gets a 503", async () => {
  const desk = createDesk();
  const crowd = Array.from({ length: 40 }, () => desk.ask("crowd", "198.51.100.1", undefined, 4711));
  const other = desk.ask("other", "198.51.100.1", undefined, 4712);
  assert.deepEqual((await Promise.all(crowd)).filter((status) => status === 503).length, 8);
  assert.equal(await other, 200);
  assert.equal(await desk.ask("again", "198.51.100.1", undefined, 4711), 200);
});
