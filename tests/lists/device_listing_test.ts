/** Lists of devices: complete and in order in pages, by properties and roles, without what is hidden. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createDevice, type Device, memberOf, rootMember } from "../device/device_people.ts";
import { execute, forEachApp, testApp } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

const PATHS = ["/v1/device/query", "/v1/role/*/monitors/query"] as const;

/** The ids of a listing, read page by page. */
async function idsByPages(person: Person, path: string, body: object): Promise<number[]> {
  const ids: number[] = [];
  let cursor: unknown;
  do {
    const next = cursor === undefined ? body : { ...body, cursor };
    const { nextCursor, ...lists } = await person.post<Record<string, unknown>>(path, next);
    ids.push(...(Object.values(lists)[0] as { id: number }[]).map(({ id }) => id));
    cursor = nextCursor;
  } while (cursor !== null);
  return ids;
}

async function allIds(person: Person, path: string, body?: object): Promise<number[]> {
  const lists = await person.post<Record<string, { id: number }[]>>(path, body);
  return Object.values(lists)[0]?.map(({ id }) => id) ?? [];
}

testApp("superseded operations name their successor", async (target) => {
  const { admin } = await rootMember(target);
  for (const path of ["/v1/device", "/v1/role/*/monitors"]) {
    const { status, headers } = await admin.ask("GET", path);
    assert.equal(status, 200);
    assert.equal(headers.get("Link"), `<${path}/query>; rel="successor-version"`);
  }
});

const FIRST_ID = 1000;
const STEP = 10;

/**
 * Inserts roles below the root, and devices that they monitor in turn. Ids are so far apart that one statement cannot
 * walk them all. Returns the ids of the devices, which are also those of their monitors relations.
 */
async function plantHomes(
  target: TestApp,
  rootId: number,
  { homes, devices }: { homes: number; devices: number },
): Promise<number[]> {
  const numbers = (count: number): string =>
    `WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count - 1})`;
  const roleId = `${FIRST_ID} + n * ${STEP}`;
  const deviceId = `${FIRST_ID} + n * ${STEP} + 1`;
  await execute(target, [
    `INSERT INTO role (id, name, self_rights)
     ${numbers(homes)} SELECT ${roleId}, 'Home ' || n, 0 FROM counted`,
    `INSERT INTO manages (id, parent_id, child_id, rights)
     ${numbers(homes)} SELECT ${roleId}, ${rootId}, ${roleId}, 63 FROM counted`,
    `INSERT INTO role_closure (ancestor_id, descendant_id, rights)
     ${numbers(homes)} SELECT ${rootId}, ${roleId}, 63 FROM counted`,
    `INSERT INTO device (id, node_id, properties, updated_at)
     ${numbers(devices)} SELECT ${deviceId}, 'meter ' || n, '{"nodeId":"meter ' || n || '"}', 0 FROM counted`,
    `INSERT INTO monitors (id, role_id, device_id)
     ${numbers(devices)} SELECT ${deviceId}, ${FIRST_ID} + n % ${homes} * ${STEP}, ${deviceId} FROM counted`,
  ]);
  return Array.from({ length: devices }, (_, n) => FIRST_ID + n * STEP + 1);
}

for (const [what, homes, devices] of [["roles", 5100, 5100], ["devices", 12, 13_000]] as const) {
  forEachApp(`a listing over many ${what} is complete and in order, also in pages`, async (target) => {
    const { admin, rootId } = await rootMember(target);
    const other = await target.bootstrapRoot("other@example.com", "Other root");
    await createDevice(new Person(target, await target.accessToken(other.userId)), other.roleId, "unseen");
    const expected = await plantHomes(target, rootId, { homes, devices });
    const homeIds = [FIRST_ID, FIRST_ID + 7 * STEP];
    const few = await memberOf(target, admin, ...homeIds);
    const ofFew = expected.filter((_, n) => [0, 7].includes(n % homes));
    for (const path of PATHS) {
      assert.deepEqual(await allIds(admin, path), expected, path);
      assert.deepEqual(await idsByPages(admin, path, { limit: 1000 }), expected, path);
      assert.deepEqual(await allIds(few, path), ofFew, path);
    }
    const ofHomes = { filter: { roleId: homeIds }, limit: 700 };
    assert.deepEqual(await idsByPages(admin, "/v1/device/query", ofHomes), ofFew);
    const ofLast = { filter: { nodeId: [`meter ${devices - 1}`] } };
    assert.deepEqual(await allIds(admin, "/v1/device/query", ofLast), expected.slice(-1));
  });
}

for (const [what, homes, devices] of [["few", 12, 2500], ["many", 5100, 5100]] as const) {
  forEachApp(
    `filters by a property and by ${what} roles above find all devices, in pages`,
    async (target) => {
      const { admin, rootId } = await rootMember(target);
      const expected = await plantHomes(target, rootId, { homes, devices });
      const isBattery = (n: number): boolean => n % 1000 === 999;
      await execute(target, [
        `UPDATE device SET properties = json_set(properties, '$.nodeType', 'battery')
       WHERE (id - ${FIRST_ID + 1}) / ${STEP} % 1000 = 999`,
      ]);
      const batteries = expected.filter((_, n) => isBattery(n));
      const property = { nodeType: ["battery", "meter"] };
      for (const filter of [{ property }, { property, ancestorRoleId: [rootId] }]) {
        assert.deepEqual(await allIds(admin, "/v1/device/query", { filter }), batteries);
        assert.deepEqual(await idsByPages(admin, "/v1/device/query", { filter, limit: 1 }), batteries);
      }
      const ancestorRoleId = [rootId];
      assert.deepEqual(await allIds(admin, "/v1/device/query", { filter: { ancestorRoleId } }), expected);
      const ofHome = { filter: { ancestorRoleId: [FIRST_ID], property } };
      const inFirst = expected.filter((_, n) => isBattery(n) && n % homes === 0);
      assert.deepEqual(await allIds(admin, "/v1/device/query", ofHome), inFirst);
      const hash = createHash("sha256").update("1970-01-01T00:00:00.000Z".repeat(batteries.length));
      const body = { filter: { property, ancestorRoleId }, skipHash: hash.digest("base64") };
      assert.equal((await admin.ask("POST", "/v1/device/query", body)).status, 204);
    },
  );
}

testApp("a filter by properties compares texts in full, whatever the name or the value", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const create = async (nodeId: string, properties: object): Promise<number> => {
    const body = { properties: { nodeId, ...properties } };
    return (await admin.post<{ device: Device }>(`/v1/device?roleId=${rootId}`, body)).device.id;
  };
  const odd = "a.b[0] $ 'é' 😀";
  const text = await create("text", { [odd]: 'say "5"', size: "5", list: "[1]" });
  await create("number", { [odd]: null, size: 5, list: [1], flag: true });
  await create("nested", { a: { "b[0] $ 'é' 😀": 'say "5"' }, Size: "5", flag: "true " });
  const find = (property: object): Promise<number[]> =>
    allIds(admin, "/v1/device/query", { filter: { property } });
  assert.deepEqual(await find({ [odd]: ["other", 'say "5"'] }), [text]);
  assert.deepEqual(await find({ size: ["5"] }), [text]);
  assert.deepEqual(await find({ list: ["[1]"] }), [text]);
  assert.deepEqual(await find({ size: ["5"], nodeId: ["text"] }), [text]);
  assert.deepEqual(await find({ size: ["5"], nodeId: ["number"] }), []);
  assert.deepEqual(await find({ flag: ["true", "1"] }), []);
  assert.deepEqual(await find({ size: [] }), []);
  assert.equal((await find({})).length, 3);
  const refused = [{ 'a"': ["x"] }, { "a\\": ["x"] }, { "": ["x"] }, { "\u0000": ["x"] }, { size: [5] }];
  const tooMany = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`p${n}`, ["x"]]));
  const tooLong = { size: Array.from({ length: 101 }, String) };
  for (const property of [...refused, tooMany, tooLong]) {
    const { status } = await admin.ask("POST", "/v1/device/query", { filter: { property } });
    assert.equal(status, 400, JSON.stringify(property));
  }
});

testApp("no device is found through a role that the caller does not see, even a seen one", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [aboveId, besideId] = [await admin.create(rootId, "Above"), await admin.create(rootId, "Beside")];
  const homeId = await admin.create(aboveId, "Home");
  const { device } = await createDevice(admin, homeId, "meter");
  await admin.put(`/v1/role/${besideId}/monitors?deviceId=${device.id}`);
  const person = await memberOf(target, admin, homeId);
  for (const more of [{}, { id: [device.id] }, { nodeId: ["meter"] }]) {
    const asked = (filter: object): Promise<number[]> =>
      allIds(person, "/v1/device/query", { filter: { ...more, ...filter } });
    assert.deepEqual(await asked({}), [device.id]);
    assert.deepEqual(await asked({ roleId: [besideId] }), []);
    assert.deepEqual(await asked({ ancestorRoleId: [aboveId] }), []);
    assert.deepEqual(await asked({ roleId: [homeId], ancestorRoleId: [homeId] }), [device.id]);
  }
  assert.equal((await allIds(person, "/v1/role/*/monitors/query")).length, 1);
  assert.deepEqual(await allIds(person, `/v1/role/${besideId}/monitors/query`), []);
  const ancestorRoleId = Array.from({ length: 33 }, (_, id) => id);
  const { status } = await admin.ask("POST", "/v1/device/query", { filter: { ancestorRoleId } });
  assert.equal(status, 400);
});
