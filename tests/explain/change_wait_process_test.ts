/** Waits for changes end at another service's change, when clients leave, and at a shutdown. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import { openTwoServices } from "../flows/concurrency_services.ts";
import { forEachKind } from "../helpers/databases.ts";
import { logInFully } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import { productionEnv, startService } from "../helpers/service_process.ts";
import { openHashingApp } from "../helpers/test_app.ts";
import { type ChangePage, kindsOf, LOG, readLog } from "./log_scene.ts";

/** Long enough for a request to have reached the service and to wait there. */
const ARRIVED_MS = 500;
/** Of the 25 seconds that the requests would wait. */
const SOON_MS = 10_000;

forEachKind("a wait at one service responds to a change made at another", async (kind) => {
  await using target = await openTwoServices(kind);
  const { admin, rootId } = await bootstrap(target);
  const [reader, writer] = target.services.map((service) => new Person(service, admin.accessToken));
  assert.ok(reader && writer);
  let { nextRevision: after } = await readLog(reader);
  const beganAt = performance.now();
  for (let i = 0; i < 3; i++) {
    const waiting = readLog(reader, { after, wait: 25 });
    await delay(ARRIVED_MS);
    await writer.create(rootId, `Role ${i}`);
    const page: ChangePage = await waiting;
    assert.deepEqual(kindsOf(page), ["role.create"]);
    after = page.nextRevision;
  }
  assert.ok(performance.now() - beganAt < 3 * SOON_MS);
});

Deno.test("clients that leave release their waits, and a shutdown ends all other waits at once", async () => {
  await using target = await openHashingApp("file", {}, { onDisk: true });
  const { userId } = await target.bootstrapRoot(ADMIN, "Root");
  await target.setPassword(userId, ADMIN_PASSWORD);
  await using service = await startService(await productionEnv(target.url));
  const at = { request: (path: string, init?: RequestInit) => fetch(service.url + path, init) };
  const { accessToken } = await logInFully(at, ADMIN, ADMIN_PASSWORD);
  const { nextRevision: after } = await readLog(new Person(at, accessToken));
  const wait = (signal?: AbortSignal): Promise<Response> =>
    fetch(service.url + LOG, {
      method: "POST",
      headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ after, wait: 25 }),
      ...(signal && { signal }),
    });
  for (let i = 0; i < 3; i++) {
    // Two of these crowds have no room at once.
    const leaving = Array.from({ length: 200 }, () => wait(AbortSignal.timeout(4 * ARRIVED_MS)));
    for (const one of leaving) await assert.rejects(one, { name: "TimeoutError" });
    await delay(ARRIVED_MS);
  }
  const waiting = [1, 2, 3, 4].map(() => wait());
  await delay(ARRIVED_MS);
  const stoppedAt = performance.now();
  service.signal("SIGTERM");
  for (const response of await Promise.all(waiting)) {
    assert.deepEqual([response.status, await response.json()], [200, { change: [], nextRevision: after }]);
  }
  const { code, stdout, stderr } = await service.ended();
  assert.deepEqual([code, stderr], [0, ""]);
  assert.doesNotMatch(stdout, /forced|cut_off|stopping\.failed/);
  assert.ok(performance.now() - stoppedAt < SOON_MS);
});
