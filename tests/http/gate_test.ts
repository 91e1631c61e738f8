/** A request during shutdown gets a 503 with the usual headers and a line in the log. */
import assert from "node:assert/strict";
import { createApp, createClosedApp } from "../../src/app.ts";
import { createGate } from "../../src/http/gate.ts";
import { assertError, readResponse } from "../helpers/http.ts";
import { UNAVAILABLE } from "../every_operation/random_faults.ts";
import { openQuickApp } from "../helpers/test_app.ts";

const ORIGIN = "https://app.example.com";

Deno.test("a request during shutdown gets a 503 with the usual headers and a line in the log", async () => {
  await using target = await openQuickApp({ corsOrigins: [ORIGIN] });
  const [app, closedApp] = [createApp(target.deps), createClosedApp(target.deps)];
  const gate = createGate();
  const ask = async (): Promise<Response> => {
    const request = new Request("http://localhost/auth/login?secret=1", {
      method: "POST",
      headers: { Origin: ORIGIN, "Content-Type": "application/json" },
      body: "{}",
    });
    return await gate.enter(request, {
      handle: () => app.fetch(request, {}),
      turnAway: () => closedApp.fetch(request, {}),
    });
  };
  const usual = await readResponse(await ask());
  assert.equal(usual.status, 400);
  await gate.close();
  const turned = await readResponse(await ask());
  assertError(turned, 503, UNAVAILABLE);
  assert.equal(turned.headers.get("Connection"), "close");
  for (const [name, value] of usual.headers) {
    if (name !== "x-request-id") assert.equal(turned.headers.get(name), value, name);
  }
  const line = JSON.parse(target.logLines.at(-1) ?? "{}");
  assert.deepEqual(
    [line.event, line.status, line.requestId],
    ["request", 503, turned.headers.get("X-Request-Id")],
  );
  assert.doesNotMatch(target.logLines.join(), /secret/);
});
