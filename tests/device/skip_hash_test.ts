/** A client that sends the hash of the devices that it has gets them only after a change. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createApp } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { createDevice, type Device, memberOf, rootMember } from "./device_people.ts";
import { type Answer, assertError, execute, MALFORMED, testApp, UNVERIFIED } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";

/** The hash of the devices in a response, as a client computes it from what it received. */
function hashOf({ status, text }: Answer): string {
  assert.equal(status, 200, text);
  const { device } = JSON.parse(text) as { device: Device[] };
  const texts = device.toSorted((a, b) => a.id - b.id).map(({ lastUpdate }) => lastUpdate);
  return createHash("sha256").update(texts.join("")).digest("base64");
}

/** Asks for devices by both operations, which must return the same. */
async function ask(person: Person, filter: Filter, skipHash?: string): Promise<Answer> {
  const query = new URLSearchParams(skipHash === undefined ? {} : { skipHash });
  for (const [name, values] of Object.entries(filter)) query.set(name, String(values));
  const [collected, queried] = await Promise.all([
    person.ask("GET", `/v1/device?${query}`),
    person.ask("POST", "/v1/device/query", { filter, ...skipHash === undefined ? {} : { skipHash } }),
  ]);
  assert.deepEqual([collected.status, collected.text], [queried.status, queried.text]);
  return queried;
}

type Filter = Readonly<Record<string, readonly (number | string)[] | boolean>>;

function assertUnchanged(answer: Answer, context: string): void {
  assert.deepEqual([answer.status, answer.text], [204, ""], context);
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
  assert.equal(answer.headers.has("Content-Type"), false);
  assert.match(answer.headers.get("X-Rolegrid-Revision") ?? "", /^[0-9]+$/);
}

testApp("a client that sends the hash of all devices gets them only after a change", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const roleId = await admin.create(rootId, "Home");
  const ids: number[] = [];
  for (const [i, role] of [rootId, roleId, roleId].entries()) {
    target.clock.advance(1.5);
    ids.push((await createDevice(admin, role, `meter ${i}`)).device.id);
  }
  const [first = 0, second = 0] = ids;
  const filters: Filter[] = [
    {},
    { id: [second, first] },
    { nodeId: ["meter 1", "nothing"] },
    { roleId: [roleId] },
    { roleId: [rootId], nodeId: ["meter 0"] },
    { nodeType: ["nothing"], isActive: false },
    { id: [] },
  ];
  const hashes = new Map<Filter, string>();
  for (const filter of filters) {
    const hash = hashOf(await ask(admin, filter));
    assertUnchanged(await ask(admin, filter, hash), JSON.stringify(filter));
    for (
      const other of ["", "x", hash.slice(0, -1), `${hash} `, hash.replace("=", "%3D"), hash.toLowerCase()]
    ) {
      assert.equal(hashOf(await ask(admin, filter, other)), hash, other);
    }
    hashes.set(filter, hash);
  }
  assert.equal(hashOf(await ask(admin, { id: [] })), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");

  // The clock has not moved: the change shows all the same.
  await admin.put(`/v1/device/${second}`, { properties: { name: "changed" } });
  for (const [filter, hash] of hashes) {
    const concerned = JSON.stringify(filter) !== '{"id":[]}' && filter["nodeId"]?.toString() !== "meter 0";
    const answer = await ask(admin, filter, hash);
    assert.equal(answer.status, concerned ? 200 : 204, JSON.stringify(filter));
    if (concerned) assertUnchanged(await ask(admin, filter, hashOf(answer)), JSON.stringify(filter));
  }

  // Rights decide which devices match.
  const member = await memberOf(target, admin, roleId);
  const hash = hashOf(await ask(member, {}));
  assert.equal(hash, hashOf(await ask(admin, { roleId: [roleId] })));
  assertUnchanged(await ask(member, {}, hash), "a member of one role");
  const added = await createDevice(admin, roleId, "meter 3");
  assert.equal((await ask(member, {}, hash)).status, 200);
  await admin.delete(`/v1/role/${roleId}/monitors/${added.monitors.id}`);
  assertUnchanged(await ask(member, {}, hash), "after the new device went");
});

testApp("a hash is refused together with paging, and reveals nothing to an ended session", async (target) => {
  const { admin } = await rootMember(target);
  const skipHash = hashOf(await ask(admin, {}));
  for (const paging of [{ limit: 10 }, { cursor: "0" }, { limit: 10, cursor: "0" }]) {
    assertError(await admin.ask("POST", "/v1/device/query", { skipHash, ...paging }), 400, MALFORMED);
    const query = new URLSearchParams({ skipHash, ...paging } as Record<string, string>);
    assertError(await admin.ask("GET", `/v1/device?${query}`), 400, MALFORMED);
    query.delete("skipHash");
    assertError(await admin.ask("POST", `/v1/device/query?${query}`, { skipHash }), 400, MALFORMED);
  }
  const headers = { "X-Error-Details": "true" };
  for (
    const [source, { body }] of [
      ["query", await admin.ask("GET", "/v1/device?skipHash=x&limit=1", undefined, { headers })],
      ["body", await admin.ask("POST", "/v1/device/query", { skipHash: "x", limit: 1 }, { headers })],
    ] as const
  ) {
    assert.deepEqual((body as { details: { path: string }[] }).details.map(({ path }) => path), [
      `${source}.skipHash`,
    ]);
  }
  for (const wrong of [null, 1, [skipHash]]) {
    assertError(await admin.ask("POST", "/v1/device/query", { skipHash: wrong }), 400, MALFORMED);
  }
  await execute(target, "UPDATE session SET ended_at = 1");
  for (const hash of [skipHash, "x"]) {
    assertError(await admin.ask("POST", "/v1/device/query", { skipHash: hash }), 401, UNVERIFIED);
  }
  assertError(await admin.ask("GET", "/v1/company"), 401, UNVERIFIED);
});

testApp("reading devices for a hash stops when the client disconnects", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const ids = JSON.stringify(Array.from({ length: DEVICES }, (_, i) => 1000 + i));
  await execute(target, PLANT, { ids, roleId: rootId, step: STEP });
  const client = new AbortController();
  let pages = 0;
  const database: Database = {
    ...target.database,
    read(statement) {
      if (statement.sql.includes("strftime") && ++pages === 2) client.abort();
      return target.database.read(statement);
    },
  };
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${admin.accessToken}` };
  const body = JSON.stringify({ skipHash: createHash("sha256").update("other").digest("base64") });
  const init = { method: "POST", headers, body, signal: client.signal };
  const response = await createApp({ ...target.deps, database }).request("/v1/device/query", init);
  await response.body?.cancel();
  assert.equal(pages, 2);
});

const DEVICES = 12_000;
/** Milliseconds between the times of devices: they spread over all times of day and all years that have four digits. */
const STEP = 7_919_000_113;
const PLANT = [
  `INSERT INTO device (id, node_id, properties, updated_at)
    SELECT value, 'node ' || value, '{"nodeId":"node ' || value || '"}', value * :step % 253402300800000
    FROM json_each(:ids)`,
  "INSERT INTO monitors (id, role_id, device_id) SELECT value, :roleId, value FROM json_each(:ids)",
];

testApp("the hash covers more devices than one statement reads, with or without a filter", async (target) => {
  const { admin, rootId } = await rootMember(target);
  // More than one statement reads.
  const ids = Array.from({ length: DEVICES }, (_, i) => 1000 + i * 3);
  await execute(target, PLANT, { ids: JSON.stringify(ids), roleId: rootId, step: STEP });
  for (const filter of [{}, { roleId: [rootId] }]) {
    const all = await admin.ask("POST", "/v1/device/query", { filter });
    const skipHash = hashOf(all);
    assert.equal((JSON.parse(all.text) as { device: Device[] }).device.length, DEVICES);
    assertUnchanged(
      await admin.ask("POST", "/v1/device/query", { filter, skipHash }),
      JSON.stringify(filter),
    );
    // The last device counts as the first one does.
    const last = ids.at(-1);
    await admin.put(`/v1/device/${last}`, { properties: { change: JSON.stringify(filter) } });
    const changed = await admin.ask("POST", "/v1/device/query", { filter, skipHash });
    assert.notEqual(hashOf(changed), skipHash);
  }
});
