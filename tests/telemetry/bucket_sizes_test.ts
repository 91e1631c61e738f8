/** All keys of a role share one bucket, whose size follows from the devices of the role. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { DEFAULT_BUCKET } from "../../src/telemetry/bucket/bucket.ts";
import { COUNT_DEVICES } from "../../src/telemetry/bucket/size_queries.ts";
import { addDevice, COLLECT, powerOf, writeLines } from "../every_operation/telemetry_requests.ts";
import { type Answer, assertError, execute, forEachApp, query, UNVERIFIED } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { makeProgram } from "../key/key_scene.ts";
import { bootstrapMeter } from "./telemetry_scene.ts";

const { capacity } = DEFAULT_BUCKET;
const LEAST = capacity / 10;
/** What each device adds. */
const OF_DEVICE = 201;
const FIVE_MINUTES = 300;

const LINE = "energy,nodeId=meter power=1 1";

/** A call with this many queries, which costs 1000, and 100 for each. */
function collect(person: Person, queries: number): Promise<Answer> {
  return person.ask("POST", COLLECT, Array<unknown>(queries).fill(powerOf("unknown")));
}

function headerOf({ headers }: Answer, name: string): number {
  return Number(headers.get(`X-RateLimit-${name}`));
}

async function capacityOf(person: Person): Promise<number> {
  const answer = await collect(person, 1);
  return headerOf(answer, "Used") + headerOf(answer, "Remaining");
}

/** Adds this many devices that the role monitors, at once and without a request. */
async function addMany(target: TestApp, roleId: number, count: number, firstId = 1_000_000): Promise<void> {
  await execute(
    target,
    `WITH RECURSIVE n(id) AS (SELECT :firstId UNION ALL SELECT id + 1 FROM n WHERE id < :firstId + :count - 1)
     INSERT INTO monitors (id, role_id, device_id) SELECT id, :roleId, id FROM n WHERE true`,
    { roleId, count, firstId },
  );
}

/** Another instance of the service, and the number of times that it has counted devices. */
function countingInstance(target: TestApp): Pick<TestApp, "request"> & { counts(): number } {
  let counts = 0;
  const { database } = target;
  const app = createApp({
    ...target.deps,
    database: {
      ...database,
      read: (statement) => {
        if (statement.sql === COUNT_DEVICES.sql) counts++;
        return database.read(statement);
      },
    },
  });
  return { request: requestsTo(app), counts: () => counts };
}

forEachApp("all keys of a role share a bucket, and no other key and no user", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [siteId, otherId] = [await admin.create(rootId, "Site"), await admin.create(rootId, "Other site")];
  await addDevice(admin, siteId, "meter");
  const { program: one } = await makeProgram(target, admin, siteId);
  const { program: two } = await makeProgram(target, admin, siteId, { name: "Two" });
  const { program: other } = await makeProgram(target, admin, otherId);
  const { program: above } = await makeProgram(target, admin, rootId);
  const used = async (person: Person) => headerOf(await collect(person, 10), "Used");
  assert.equal(await used(one), 2000);
  assert.equal(await used(two), 4000);
  assert.equal(headerOf(await writeLines(two, LINE), "Used"), 4100);
  assert.equal(headerOf(await writeLines(one, LINE), "Used"), 4200);
  assert.equal(await used(other), 2000);
  assert.equal(await used(above), 2000);
  assert.equal(await used(admin), 2000);
  const sql = "SELECT user_id AS id FROM rate_bucket ORDER BY user_id";
  const owners = await query<{ id: number }>(target, sql);
  assert.deepEqual(owners.map(({ id }) => id), [-otherId, -siteId, -rootId, 1]);
});

forEachApp("a household's key has to wait while the platform's key and its user go on", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const homeId = await admin.create(rootId, "Household");
  await addDevice(admin, homeId, "meter");
  await addMany(target, rootId, 3000);
  const { program: household } = await makeProgram(target, admin, homeId);
  const { program: platform } = await makeProgram(target, admin, rootId);

  assert.equal((await collect(household, 1000)).status, 200, "the largest call fits");
  const full = await collect(household, 1000);
  assert.equal(full.status, 429, full.text);
  // 101,000 do not fit on top of 101,000 in 201,201: 799 have to drain, at 3353 a second.
  assert.equal(full.headers.get("Retry-After"), "1");
  assert.equal((await collect(household, 992)).status, 200);
  assert.equal(headerOf(await writeLines(household, ""), "Remaining"), 1);
  const refused = await writeLines(household, LINE);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("Retry-After"), "1");
  for (const writer of [platform, admin]) {
    for (let i = 0; i < 3; i++) assert.equal((await collect(writer, 1000)).status, 200);
    assert.equal((await writeLines(writer, LINE)).status, 204);
  }
  target.clock.advance(DEFAULT_BUCKET.drainSeconds);
  assert.equal(headerOf(await writeLines(household, LINE), "Used"), 100);
});

forEachApp("the bucket of keys grows with the devices of their role and below in minutes", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const upperId = await admin.create(rootId, "Region");
  const siteId = await admin.create(upperId, "Site");
  const { program } = await makeProgram(target, admin, upperId);
  const { program: below } = await makeProgram(target, admin, siteId);
  assert.equal(await capacityOf(program), LEAST);
  assert.equal(await capacityOf(admin), capacity);

  await addDevice(admin, upperId, "one");
  const deviceId = await addDevice(admin, siteId, "two");
  // Twice the same device is one.
  await admin.put(`/v1/role/${upperId}/monitors?deviceId=${deviceId}`);
  await addDevice(admin, rootId, "above");
  assert.equal(await capacityOf(below), LEAST + OF_DEVICE);
  target.clock.advance(FIVE_MINUTES - 1);
  assert.equal(await capacityOf(program), LEAST, "as remembered");
  target.clock.advance(1);
  assert.equal(await capacityOf(program), LEAST + 2 * OF_DEVICE);

  // Relations that are over, or yet to begin, do not count.
  const closed = `INSERT INTO monitors (id, role_id, device_id, valid_from, valid_until)
  VALUES (900001, ${siteId}, 900001, 1, 2), (900002, ${siteId}, 900002, 9e14, NULL)`;
  await execute(target, closed);
  await addMany(target, siteId, 8998);
  target.clock.advance(FIVE_MINUTES);
  assert.equal(await capacityOf(program), capacity);
  assert.equal(await capacityOf(below), capacity - OF_DEVICE);
  await addMany(target, siteId, 12_000, 2_000_000);
  target.clock.advance(FIVE_MINUTES);
  assert.equal(await capacityOf(program), capacity, "no more than is configured");
});

forEachApp("devices are counted once in five minutes, for keys alone", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  const instance = countingInstance(target);
  const { secret } = await makeProgram(target, admin, rootId);
  const program = new Person(instance, secret);
  const user = new Person(instance, admin.accessToken);
  await Promise.all(Array.from({ length: 8 }, () => collect(program, 1)));
  await writeLines(program, LINE);
  await collect(user, 1);
  assert.equal(instance.counts(), 1);
  target.clock.advance(FIVE_MINUTES);
  await writeLines(program, LINE);
  await collect(program, 1);
  assert.equal(instance.counts(), 2);
});

forEachApp("a key that has ended is refused, and counts no devices", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  const { key, program } = await makeProgram(target, admin, rootId);
  const { program: live } = await makeProgram(target, admin, rootId, { name: "Live" });
  // Ended behind the memory of who pays for the key, so that only its statements can tell.
  assert.equal((await program.ask("POST", "/v1/role/query", {})).status, 200);
  await execute(target, `UPDATE member SET ends_at = 1 WHERE id = ${key.id}`);
  for (const answer of [await collect(program, 1), await writeLines(program, LINE)]) {
    assertError(answer, 401, UNVERIFIED);
    assert.equal(answer.headers.get("X-RateLimit-Cost"), null);
  }
  assert.deepEqual(await query(target, "SELECT * FROM rate_bucket"), []);
  // Once remembered, as well.
  assert.equal((await writeLines(live, LINE)).status, 204);
  await execute(target, "UPDATE member SET ends_at = 1 WHERE user_id < 0");
  assertError(await writeLines(live, LINE), 401, UNVERIFIED);
});
