/** A list of devices in one request does what its single creations would, as a whole or not at all. */
import assert from "node:assert/strict";
import { DEFAULT_STORE_LIMITS } from "../../src/changes/store_limits.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { type Answer, forEachApp, query, queryNumber, type Sent, testApp } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { ifEffect } from "../changes/effect_scene.ts";
import { type CreatedDevice, memberOf, NONE } from "./device_people.ts";

type Properties = Readonly<Record<string, unknown>>;

const METERS: readonly Properties[] = [
  { nodeId: "meter 1", name: "A meter", values: [1, null, { deep: "\u0000" }] },
  { nodeId: "Zähler \u{1F600}", "10": 1, a: 2 },
  { nodeId: "'\"\\", __proto__: undefined, text: '\u0000"quoted"' },
];

function create(
  person: Person,
  roleId: number,
  list: readonly Properties[],
  sent: Sent = {},
): Promise<Answer> {
  const body = list.map((properties) => ({ properties }));
  return person.ask("POST", `/v1/device?roleId=${roleId}`, body, sent);
}

/** All that is stored of devices, and what a reader of the log sees. Ids of operations are random. */
async function stored(target: TestApp, reader: Person) {
  const { change } = await reader.post<{ change: Record<string, unknown>[] }>("/v1/change/query", {
    after: 0,
  });
  return {
    devices: await query(target, "SELECT * FROM device ORDER BY id"),
    monitors: await query(target, "SELECT * FROM monitors ORDER BY id"),
    rows: await query(
      target,
      `SELECT rev, at, actor_id, via_role_id, kind, decision, step, role_id, relation_id, device_id, cost, details,
        attempts, merge_key, counted_to, counted_for FROM change_log ORDER BY rev`,
    ),
    // A sum of times is rounded otherwise than its parts.
    usage: await query(
      target,
      "SELECT root_id, branch, roles, devices, round(free_at) AS free_at FROM root_usage ORDER BY root_id, branch",
    ),
    sequences: await query(target, "SELECT * FROM id_sequence ORDER BY name"),
    change,
  };
}

forEachApp("a list of devices leaves what single creations would, in its order", async (target, kind) => {
  const make = async (app: TestApp, send: (person: Person, roleId: number) => Promise<CreatedDevice[]>) => {
    const { admin, rootId } = await bootstrap(app);
    const home = await admin.create(rootId, "Home");
    const installer = await memberOf(app, admin, home);
    const created = await send(installer, home);
    return { created, stored: await stored(app, admin) };
  };
  await using other = await openTestApp(kind);
  const listed = await make(target, async (person, roleId) => {
    const answer = await create(person, roleId, METERS);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as CreatedDevice[];
  });
  const single = await make(other, async (person, roleId) => {
    const created: CreatedDevice[] = [];
    for (const properties of METERS) {
      created.push(await person.post(`/v1/device?roleId=${roleId}`, { properties }));
    }
    return created;
  });
  // Addresses of the members are random.
  const plain = (made: typeof listed) =>
    JSON.parse(JSON.stringify(made).replaceAll(/user[0-9a-f-]{36}@/g, "user@"));
  assert.deepEqual(plain(listed), plain(single));
});

testApp("one fault refuses the whole list, and names the device by its index", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const outsider = new Person(target, (await target.createUser("outsider@example.com")).accessToken);
  const headers = { "X-Error-Details": "true" };
  const detailsOf = async (list: readonly Properties[], status: number) => {
    const answer = await create(admin, rootId, list, { headers });
    assert.equal(answer.status, status, answer.text);
    return (answer.body as { details: { path: string }[] }).details.map(({ path }) => path);
  };
  assert.equal((await create(admin, rootId, [{ nodeId: "taken 1" }, { nodeId: "taken 2" }])).status, 200);
  const before = await queryNumber(target, "SELECT max(last_id) FROM id_sequence");
  const meters = (count: number) => Array.from({ length: count }, (_, i) => ({ nodeId: `meter ${i}` }));

  assert.deepEqual(await detailsOf([...meters(2), { nodeId: "" }], 400), ["body.2.properties.nodeId"]);
  assert.deepEqual(await detailsOf([...meters(3), { nodeId: "meter 1" }], 400), ["body.3.properties.nodeId"]);
  assert.deepEqual(await detailsOf([], 400), ["body"]);
  assert.deepEqual(await detailsOf(meters(1001), 400), ["body"]);
  assert.equal((await detailsOf(Array.from({ length: 1000 }, () => ({ nodeId: "one" })), 400)).length, 20);
  const many = [...meters(2), { nodeId: "taken 2" }, { nodeId: "meter 2" }, { nodeId: "taken 1" }];
  const taken = ["body.2.properties.nodeId", "body.4.properties.nodeId"];
  assert.deepEqual(await detailsOf(many, 409), taken);
  // Those who may not create devices do not learn which nodeIds are taken.
  assert.deepEqual(
    (await create(outsider, rootId, many)).text,
    (await create(outsider, rootId, meters(1))).text,
  );
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 2);
  assert.equal(await queryNumber(target, "SELECT max(last_id) FROM id_sequence"), before);
  assert.equal(target.logLines.filter((line) => line.includes("device.node_id_taken")).length, 1);
});

forEachApp("a list can be repeated under its key, and made as its preview showed it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const headers = { "Idempotency-Key": "mine" };
  const first = await create(admin, rootId, METERS, { headers });
  target.clock.advance(60);
  assert.equal((await create(admin, rootId, METERS, { headers })).text, first.text);
  assert.equal((await create(admin, rootId, METERS.slice(1), { headers })).status, 422);

  const body = [{ properties: { nodeId: "a" } }, { properties: { nodeId: "b" } }];
  const dry = await admin.ask("POST", `/v1/device?roleId=${rootId}&dryRun=true`, body);
  const shown = dry.body as (CreatedDevice & { effect: { tag: string } })[];
  assert.deepEqual(
    shown.map(({ device, monitors }) => [device.id, monitors.id, device.properties["nodeId"]]),
    [
      [null, null, "a"],
      [null, null, "b"],
    ],
  );
  assert.equal(new Set(shown.map(({ effect }) => JSON.stringify(effect))).size, 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), METERS.length);
  // The tag is that of this list alone.
  const tagged = ifEffect(shown[0]!.effect.tag);
  assert.equal((await create(admin, rootId, [{ nodeId: "a" }], tagged)).status, 409);
  const made = await admin.ask("POST", `/v1/device?roleId=${rootId}`, body, tagged);
  assert.equal(made.status, 200, made.text);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), METERS.length + 2);
});

testApp("a list counts to the quota as a whole, of which a member below has an eighth", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const home = await admin.create(rootId, "Home", ALL, ALL);
  const installer = await memberOf(target, admin, home);
  const list = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ nodeId: `${prefix}${i}` }));
  assert.equal((await create(installer, home, list("a", 6))).status, 409);
  assert.equal((await create(installer, home, list("a", 3))).status, 200);
  assert.equal((await create(installer, home, list("b", 3))).status, 409);
  assert.equal((await create(installer, home, list("b", 2))).status, 200);
  assert.equal((await create(admin, rootId, list("c", 36))).status, 409);
  assert.equal((await create(admin, rootId, list("c", 35))).status, 200);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 40);
}, (kind) => openTestApp(kind, { storeLimits: { ...DEFAULT_STORE_LIMITS, devices: 40 } }));

testApp("a key creates lists of devices only for the roles that it reaches", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await admin.create(rootId, "Site", ALL, NONE);
  const elsewhere = await admin.create(rootId, "Elsewhere");
  const { secret } = await admin.post<{ secret: string }>(`/v1/role/${rootId}/key`, { name: "Loader" });
  const program = new Person(target, secret);
  assert.equal((await create(program, site, METERS)).status, 200);
  const { secret: below } = await admin.post<{ secret: string }>(`/v1/role/${site}/key`, { name: "Site" });
  assert.equal((await create(new Person(target, below), elsewhere, [{ nodeId: "x" }])).status, 403);
});
