import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { openTwoServices, type TwoServices } from "../flows/concurrency_services.ts";
import { testKind } from "../helpers/databases.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";

/** How many times a right is given and taken. ROLEGRID_REPLICA_ROUNDS=10000 for a thorough run. */
const ROUNDS = Number(Deno.env.get("ROLEGRID_REPLICA_ROUNDS") ?? 200);
const RIGHT = "viewManagement";
const MAX_AGE_MS = 1000;

interface Scene {
  /** Gives or takes the user's right at one of the services. */
  setRight(service: number, isAllowed: boolean): Promise<void>;
  /** Whether a service says that the user has the right. */
  hasRight(service: number, headers?: Record<string, string>): Promise<boolean>;
}

/** A user who has a right on a role through a relation, which an administrator changes. */
async function setScene(target: TwoServices): Promise<Scene> {
  const { admin, rootId } = await bootstrap(target);
  const userRoleId = await admin.create(rootId, "Users");
  const roleId = await admin.create(rootId, "Plant");
  const user = await invite(target, admin, userRoleId, "user@example.com");
  const at = ({ accessToken }: Person, service: number): Person =>
    new Person(target.services[service] as Pick<TwoServices, "request">, accessToken);
  return {
    async setRight(service, isAllowed): Promise<void> {
      const path = `/v1/role/${userRoleId}/manages?childRoleId=${roleId}`;
      await at(admin, service).put(path, isAllowed ? ALL : rights("userManagement"));
    },
    async hasRight(service, headers = {}): Promise<boolean> {
      const body = { checks: [{ roleId, right: RIGHT }] };
      const { status, text, body: answer } = await at(user, service).ask("POST", "/v1/rights/check", body, {
        headers,
      });
      assert.equal(status, 200, text);
      return (answer as { allowed: boolean[] }).allowed[0] ?? false;
    },
  };
}

testKind("replica", "a right that one instance gives or takes, the other one knows at once", async () => {
  await using target = await openTwoServices("replica");
  const { setRight, hasRight } = await setScene(target);
  for (let round = 0; round < ROUNDS; round++) {
    const isAllowed = round % 2 === 0;
    const writer = Math.floor(round / 2) % 2;
    await setRight(writer, isAllowed);
    const seen = await Promise.all([0, 1, 0, 1].map((service) => hasRight(service)));
    assert.deepEqual(seen, Array(4).fill(isAllowed), `round ${round}`);
  }
});

testKind("replica", "with max-age, a right that was taken is found only for that long", async () => {
  await using target = await openTwoServices("replica");
  const { setRight, hasRight } = await setScene(target);
  const headers = { "Cache-Control": `max-age=${MAX_AGE_MS / 1000}` };
  let foundAfterwards = 0;
  for (let round = 0; round < 4; round++) {
    await setRight(0, true);
    assert.equal(await hasRight(1), true);
    await setRight(0, false);
    const takenAt = performance.now();
    for (;;) {
      const askedAt = performance.now();
      const isAllowed = await hasRight(1, headers);
      if (!isAllowed) break;
      foundAfterwards++;
      assert.ok(askedAt - takenAt <= MAX_AGE_MS, `found after ${askedAt - takenAt} ms`);
    }
    assert.equal(await hasRight(1), false);
    assert.equal(await hasRight(1, headers), false, "and never comes back");
  }
  assert.ok(foundAfterwards > 0, "reads did not wait");
});
