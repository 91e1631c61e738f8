/** Many 503s become one log line a second with counts by cause, and only a stranger's is delayed. */
import assert from "node:assert/strict";
import { AppError, LoggableError, makeRefusal } from "../../src/core/errors.ts";
import { createLog } from "../../src/core/log.ts";
import { countToPrincipal } from "../../src/core/request_scope.ts";
import { createFramedApp } from "../../src/http/frame.ts";
import { createOutageLog, type OutageLog } from "../../src/http/outage_log.ts";
import { ServerError } from "../../src/db/sql_errors.ts";

type Line = Record<string, unknown>;

function openLog(): { outages: OutageLog; lines: () => Line[] } {
  const texts: string[] = [];
  const outages = createOutageLog(createLog("info", (line) => texts.push(line)));
  return {
    outages,
    lines: () => texts.map((text) => JSON.parse(text)).map(({ time: _, ...rest }) => rest),
  };
}

/** Waits until the second of a line has passed. */
async function untilLogged(lines: () => Line[], count: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (lines().length < count && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const HEAD = { level: "error", event: "request.failed" };

Deno.test("503s: the first is logged at once, and the rest of the second in one line with counts by cause", async () => {
  const { outages, lines } = openLog();
  const locked = new ServerError("database is locked, says SELECT secret", "SQLITE_BUSY");
  outages.note(makeRefusal("Too many wait"), "first");
  const first = { ...HEAD, requestId: "first", code: "UNAVAILABLE", count: 1, causes: "Too many wait: 1" };
  assert.deepEqual(lines(), [first]);
  for (let i = 0; i < 1000; i++) outages.note(makeRefusal("Too many wait"), `request ${i}`);
  outages.note(new AppError("UNAVAILABLE", { cause: locked }), "locked");
  const waited = new LoggableError("It waited", { cause: locked });
  outages.note(new AppError("UNAVAILABLE", { cause: waited }), "late");
  await untilLogged(lines, 2);
  const causes = "Too many wait: 1000; ServerError SQLITE_BUSY: 1; It waited (ServerError SQLITE_BUSY): 1";
  assert.deepEqual(lines(), [first, { ...HEAD, code: "UNAVAILABLE", count: 1002, causes }]);
});

Deno.test("503s: a line names ten causes and counts the others", async () => {
  const { outages, lines } = openLog();
  for (let i = 0; i < 100; i++) outages.note(makeRefusal(`Reason ${i}`), "request");
  await untilLogged(lines, 2);
  const { count, causes } = lines()[1] as { count: number; causes: string };
  assert.equal(count, 99);
  assert.equal(causes.split("; ").length, 11);
  assert.ok(causes.endsWith("others: 89"), causes);
});

Deno.test("503s: a stranger's is delayed, a user's is sent at once", async () => {
  const log = createLog("silent", () => undefined);
  const app = createFramedApp({ log, trustedProxies: () => false, refusalMs: 500 });
  app.get("/:who", (c) => {
    if (c.req.param("who") === "user") countToPrincipal(1);
    throw makeRefusal("Too many wait");
  });
  const order: string[] = [];
  await Promise.all(["stranger", "user"].map(async (who) => {
    assert.equal((await app.request(`/${who}`)).status, 503);
    order.push(who);
  }));
  assert.deepEqual(order, ["user", "stranger"]);
});
