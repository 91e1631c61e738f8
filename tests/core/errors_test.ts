/** An outage has a 503 that says when to retry. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { rootMember } from "../device/device_people.ts";
import { assertError, forEachApp } from "../helpers/http.ts";
import { UNAVAILABLE } from "../every_operation/random_faults.ts";
import { addDevice, COLLECT, powerOf, writeLines } from "../every_operation/telemetry_requests.ts";
import { openTestApp } from "../helpers/test_app.ts";

Deno.test("an UNAVAILABLE error always says when to retry", () => {
  assert.equal(new AppError("UNAVAILABLE").retryAfterSeconds, 1);
  assert.equal(new AppError("UNAVAILABLE", { retryAfterSeconds: 5 }).retryAfterSeconds, 5);
  assert.equal(new AppError("FORBIDDEN").retryAfterSeconds, undefined);
});

forEachApp(
  "telemetry requests get a 503 with Retry-After while the engine is unavailable",
  async (target) => {
    const { admin, rootId } = await rootMember(target);
    await addDevice(admin, rootId, "meter");
    for (
      const answer of [
        await writeLines(admin, "energy,nodeId=meter power=1 1"),
        await admin.ask("POST", COLLECT, [powerOf("meter")]),
      ]
    ) {
      assertError(answer, 503, UNAVAILABLE);
      assert.equal(answer.headers.get("Retry-After"), "1");
    }
  },
  (kind) => {
    const away = () => Promise.reject(new AppError("UNAVAILABLE"));
    const recall = () => ({ recall: () => undefined, keep: () => {} });
    const telemetryStore = {
      recall,
      read: away,
      write: away,
      forget: away,
      deleteBefore: away,
      isReady: away,
    };
    return openTestApp(kind, { telemetryStore });
  },
);
