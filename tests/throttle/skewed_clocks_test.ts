/** Instances whose clocks differ too much give a client little more together than one alone. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { forEachApp, login, send } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import { EMAIL, PASSWORD } from "../helpers/second_factors.ts";
import { signIn } from "../helpers/security_scene.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { addDevice, COLLECT, powerOf } from "../every_operation/telemetry_requests.ts";

type Instance = Pick<TestApp, "request">;

/** Returns an instance whose clock is ahead by so many seconds. */
function instanceAhead({ deps, clock }: TestApp, seconds: number): Instance {
  return { request: requestsTo(createApp({ ...deps, clock: () => clock.now() + seconds * 1000 })) };
}

/** Asks the instances in turn, thirty times. Returns the number of answers that are not 429. */
async function countChecked(
  instances: readonly Instance[],
  ask: (instance: Instance) => Promise<{ readonly status: number }>,
): Promise<number> {
  let checked = 0;
  for (let i = 0; i < 30; i++) {
    const instance = instances[i % instances.length];
    assert.ok(instance);
    if ((await ask(instance)).status !== 429) checked++;
  }
  return checked;
}

for (const [seconds, most] of [[61, 7], [600, 9]] as const) {
  forEachApp(
    `instances whose clocks differ by ${seconds} seconds count wrong passwords together`,
    async (target) => {
      const { accessToken: token } = await signIn(target, EMAIL, PASSWORD);
      const both = [target, instanceAhead(target, seconds)];
      // One alone checks four. Each ignores the waits of the other that are too long, but counts.
      assert.equal(await countChecked(both, (instance) => login(instance, EMAIL, "wrong")), most);
      const prove = (instance: Instance) =>
        send(instance, "POST", "/user/password/authenticate", { token, body: { password: "wrong" } });
      assert.equal(await countChecked(both, prove), most);
    },
  );
}

forEachApp("a bucket drains once, although the clocks of instances differ by 61 seconds", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const deps = { ...target.deps, telemetryBucket: { capacity: 5000, drainSeconds: 50 } };
  const both = [{ request: requestsTo(createApp(deps)) }, instanceAhead({ ...target, deps }, 61)];
  const token = admin.accessToken;
  const body = [powerOf("meter")];
  // The first call drains by the clock that is ahead; then the bucket holds four.
  assert.equal(
    await countChecked(both, (instance) => send(instance, "POST", COLLECT, { token, body })),
    5,
  );
});
