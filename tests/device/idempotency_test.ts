/** A creation of a device can be repeated under its key, for a day. */
import assert from "node:assert/strict";
import { type Answer, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";

interface Created {
  readonly device: { readonly id: number; readonly lastUpdate: string };
  readonly monitors: { readonly id: number };
}

function create(person: Person, roleId: number, key: string, nodeId = "meter"): Promise<Answer> {
  const body = { properties: { nodeId, name: "A meter" } };
  return person.ask("POST", `/v1/device?roleId=${roleId}`, body, { headers: { "Idempotency-Key": key } });
}

testApp("a creation repeated under its key gets the first response and creates nothing", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const first = await create(admin, rootId, "mine");
  assert.equal(first.status, 200, first.text);
  const { device } = first.body as Created;
  target.clock.advance(60);
  await admin.put(`/v1/device/${device.id}`, { properties: { name: "Renamed since" } });
  assert.equal((await create(admin, rootId, "mine")).text, first.text);
  assert.equal((await create(admin, rootId, "another key")).status, 409);
  assert.equal((await create(admin, rootId, "mine", "meter 2")).status, 422);
  // The refused request did not use up its key.
  assert.equal((await create(admin, rootId, "another key", "meter 2")).status, 200);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 2);
});

testApp("a key of a device is free again after 24 hours, without a purge", async (target) => {
  const { userId, roleId: rootId } = await target.bootstrapRoot("root@example.com", "Energy Inc");
  assert.equal(
    (await create(new Person(target, await target.accessToken(userId)), rootId, "mine")).status,
    200,
  );
  target.clock.advance(24 * 3600);
  const later = new Person(target, await target.accessToken(userId));
  assert.equal((await create(later, rootId, "mine", "meter 2")).status, 200);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 2);
});
