/** Updates of devices: modes, exact values, times of change, preconditions and the limit of size. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type CreatedDevice, createDevice, type Device, rootMember } from "./device_people.ts";
import {
  type Answer,
  assertError,
  DENIED,
  dumpState,
  forEachApp,
  MALFORMED,
  send,
  testApp,
} from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import { SEQUENCES } from "../helpers/read_count.ts";
import { NODE_ID_FIXED } from "../model/oracle_devices.ts";
import type { TestApp } from "../helpers/test_app.ts";

const MODIFIED = "The device was modified after the specified time";
const TOO_LARGE = "The properties of the device would be larger than 16384 bytes";
const LIMIT = 16 * 1024;

type Properties = Readonly<Record<string, unknown>>;

/** A device of the root role, and how its only member updates it with a JSON text. */
async function deviceOf(
  target: TestApp,
  properties: Properties,
): Promise<{ admin: Person; device: Device; put: Put; stored: () => Promise<Device> }> {
  const { admin, rootId } = await rootMember(target);
  const { device } = await admin.post<CreatedDevice>(`/v1/device?roleId=${rootId}`, { properties });
  const put: Put = (text, { query = "", since } = {}) =>
    send(target, "PUT", `/v1/device/${device.id}${query}`, {
      token: admin.accessToken,
      rawBody: `{"properties":${text}}`,
      headers: {
        "Content-Type": "application/json",
        ...(since === undefined ? {} : { "If-Unmodified-Since": since }),
      },
    });
  const stored = async (): Promise<Device> => {
    const filter = { id: [device.id] };
    const { device: [found] } = await admin.post<{ device: Device[] }>("/v1/device/query", { filter });
    assert.ok(found !== undefined);
    return found;
  };
  return { admin, device, put, stored };
}

type Put = (text: string, sent?: { query?: string; since?: string }) => Promise<Answer>;

function deviceIn({ status, body, text }: Answer): Device {
  assert.equal(status, 200, text);
  return (body as { device: Device }).device;
}

testApp("an update keeps the properties it does not name, unless its mode replaces all", async (target) => {
  const given = { nodeId: "meter", name: "Meter", site: { street: 1, no: 2 } };
  const { put, stored } = await deviceOf(target, given);
  for (const query of ["", "?mode=legacy"]) {
    const updated = deviceIn(await put(`{"${query}":1}`, { query }));
    assert.deepEqual(await stored(), updated);
  }
  assert.deepEqual((await stored()).properties, { ...given, "": 1, "?mode=legacy": 1 });
  // It stores null, and replaces an inner object as a whole.
  const { properties } = deviceIn(await put('{"name":null,"site":{"no":null},"list":[null]}'));
  const changed = { name: null, site: { no: null }, list: [null] };
  assert.deepEqual(properties, { ...given, ...changed, "": 1, "?mode=legacy": 1 });
  for (const query of ["?mode=replace", "?mode=strict"]) {
    const replaced = deviceIn(await put(`{"${query}":1}`, { query }));
    assert.deepEqual(replaced.properties, { nodeId: "meter", [query]: 1 });
    assert.deepEqual(await stored(), replaced);
  }
  for (
    const query of ["?mode=merge", "?mode=", "?mode=Legacy", "?mode=legacy&mode=replace", "?validate=true"]
  ) {
    assertError(await put('{"name":"other"}', { query }), 400, MALFORMED, query);
  }
});

testApp("an update keeps other properties exactly as given", async (target) => {
  const texts = [
    '"a\\"b":1',
    '"c\\\\":0.30000000000000004',
    '"d\\u0000":1e+21',
    '"d\\u0000d":1',
    '"d":"\\\\u0000"',
    '"\\u0000":[]',
    '"d\\n":2',
    '"e\\ud800":-5e-8',
    '"__proto__":{"constructor":[1,null,{"x":"\\u0000\\udc00 é 😀"}]}',
    '"":"\\n}"',
    '"$.a":true',
    '"}":"{"',
  ];
  const { put } = await deviceOf(target, { nodeId: 'me"ter\\' });
  deviceIn(await put(`{${texts.join()}}`));
  for (const [i, text] of texts.entries()) {
    // Mentions one of them: the others stay in their order, and it comes last.
    const [key] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? [];
    const { text: answer } = await put(`{${key}:"changed ${i}"}`);
    const others = texts.filter((other) => other !== text);
    const expected = `"properties":{"nodeId":"me\\"ter\\\\",${others.join()},${key}:"changed ${i}"}`;
    assert.ok(answer.includes(expected), `${answer}\n${expected}`);
    deviceIn(await put(`{${texts.join()}}`));
  }
});

testApp("lastUpdate advances with each change, even within a millisecond, and only then", async (target) => {
  const { device, put } = await deviceOf(target, { nodeId: "meter", a: 1, b: { c: [0.1, null] } });
  const moved: [string, boolean][] = [
    ["{}", false],
    ['{"a":1}', false],
    ['{"b":{"c":[0.1,null]},"a":1,"nodeId":"meter"}', false],
    ['{"a":true}', true],
    ['{"a":"1"}', true],
    ['{"a":null}', true],
    ['{"a":null}', false],
    ['{"z":null}', true],
    ['{"b":{"c":[0.1]}}', true],
    ['{"b":{"c":[0.10000000000000002]}}', true],
    ['{"b":0.1}', true],
    ['{"b":0.10000000000000002}', true],
    // SQLite reads the two as the same number.
    ['{"b":672.817531678281}', true],
    ['{"b":672.8175316782811}', true],
    ['{"b":672.8175316782811}', false],
    ['{"b":"\\u0000a"}', true],
    ['{"b":"\\u0000b"}', true],
    ['{"b":"\\ud800"}', true],
    ['{"b":"\\ud801"}', true],
    ['{"b\\u0000":"\\ud801"}', true],
    ['{"b":1}', true],
    ['{"b\\u0000":1}', true],
    ['{"b":1}', false],
  ];
  let time = Date.parse(device.lastUpdate);
  for (const [text, moves] of moved) {
    const next = Date.parse(deviceIn(await put(text)).lastUpdate);
    assert.equal(next > time, moves, text);
    time = next;
  }
});

testApp("an update with If-Unmodified-Since is refused if the device has changed since", async (target) => {
  const { device, put } = await deviceOf(target, { nodeId: "meter" });
  assert.equal(device.lastUpdate, "2026-01-01T00:00:00.000Z");
  const before = "Wed, 31 Dec 2025 23:59:59 GMT";
  const same = "Thu, 01 Jan 2026 00:00:00 GMT";
  const state = await dumpState(target);
  for (const query of ["", "?mode=replace"]) {
    assertError(await put('{"a":1}', { query, since: before }), 412, MODIFIED, query);
    // Also if the update would change nothing, and if it would be refused for its content.
    assertError(await put('{"nodeId":"meter"}', { query, since: before }), 412, MODIFIED, query);
    assertError(await put('{"nodeId":"other"}', { query, since: before }), 412, MODIFIED, query);
  }
  assert.equal(await dumpState(target), state);
  const { lastUpdate } = deviceIn(await put('{"a":2}', { since: same }));
  // Changed within the same second.
  assert.equal(lastUpdate, "2026-01-01T00:00:00.001Z");
  deviceIn(await put('{"a":3}', { since: same }));
  deviceIn(await put('{"a":4}', { since: "2026-01-01T00:00:00.000Z" }));
  assertError(await put('{"a":5}', { since: "2026-01-01T00:59:59+01:00" }), 412, MODIFIED);
  // Text other than one date is ignored, as is a list of dates.
  for (const since of ["", "yesterday", "0", `${before}, ${before}`, "Wed, 31 Feb 2024 23:59:59 GMT"]) {
    deviceIn(await put(`{"a":${JSON.stringify(since)}}`, { since }));
  }
});

testApp("a precondition does not reveal that a device exists", async (target) => {
  const { device } = await deviceOf(target, { nodeId: "meter" });
  const { accessToken: token } = await target.createUser("stranger@example.com");
  for (const id of [device.id, device.id + 1]) {
    const answer = await send(target, "PUT", `/v1/device/${id}`, {
      token,
      body: { properties: {} },
      headers: { "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT" },
    });
    assertError(answer, 403, DENIED);
  }
});

testApp("the limit of size applies to the properties as stored after an update", async (target) => {
  const { put, stored } = await deviceOf(target, { nodeId: "meter", a: "é".repeat(4000) });
  const sized = (bytes: number): string => {
    const frame = `{"nodeId":"meter","a":"","b":""}`.length;
    return `{"b":"${"x".repeat(bytes - frame - 8000)}"}`;
  };
  assertError(await put(sized(LIMIT + 1)), 422, TOO_LARGE);
  assert.equal(Object.keys((await stored()).properties).length, 2);
  deviceIn(await put(sized(LIMIT)));
  assert.equal(Object.keys((await stored()).properties).length, 3);
  assertError(await put('{"c":1}'), 422, TOO_LARGE);
  // Replaced properties do not count, and the nodeId counts even if the update omits it.
  deviceIn(await put('{"a":1,"c":1}'));
  const whole = `{"a":"${"x".repeat(LIMIT - '{"a":""}'.length)}"}`;
  assertError(await put(whole, { query: "?mode=replace" }), 422, TOO_LARGE);
  assertError(await put('{"nodeId":"other"}'), 409, NODE_ID_FIXED);
});

forEachApp("concurrent updates of different properties all take effect", async (target) => {
  const { put, stored } = await deviceOf(target, { nodeId: "meter", kept: true });
  const names = Array.from({ length: 20 }, (_, i) => `property ${i}`);
  const times = await Promise.all(
    names.map(async (name) => deviceIn(await put(JSON.stringify({ [name]: name }))).lastUpdate),
  );
  assert.equal(new Set(times).size, names.length, "each has its own time");
  const expected = { nodeId: "meter", kept: true, ...Object.fromEntries(names.map((name) => [name, name])) };
  assert.deepEqual((await stored()).properties, expected);
});

const KEY = fc.constantFrom("nodeId", "a", "b", "c", "__proto__", 'd"\\', "7", "", "e\ud800\u0000");
const VALUE = fc.oneof(
  fc.constantFrom<unknown>(null, 0, 1, true, "", "1", 0.1, 5e-324, 1e300, {}, [], { a: null }, {
    a: { b: 1 },
  }),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const STEPS = fc.array(
  fc.record({
    mode: fc.constantFrom("", "?mode=legacy", "?mode=replace"),
    given: fc.array(fc.tuple(KEY, VALUE), { maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** What is stored, by name, each value as JSON. Names have no order here. */
type Model = ReadonlyMap<string, string>;

function applyTo(stored: Model, mode: string, given: Model): Model {
  const kept = mode === "?mode=replace" ? [...stored].filter(([name]) => name === "nodeId") : [...stored];
  return new Map([...kept, ...given]);
}

function sorted(model: Model): [string, string][] {
  return [...model].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
}

testApp("random sequences of updates store what their modes say", async (target) => {
  const { admin, rootId } = await rootMember(target);
  let devices = 0;
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const nodeId = `node ${devices++}`;
      const { device } = await createDevice(admin, rootId, nodeId);
      let [model, time]: [Model, string] = [new Map([["nodeId", JSON.stringify(nodeId)]]), device.lastUpdate];
      for (const { mode, given } of steps) {
        const entries = new Map(
          given.map(([name, value]) => [name, JSON.stringify(name === "nodeId" ? nodeId : value)]),
        );
        const rawBody = `{"properties":{${
          [...entries].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()
        }}}`;
        const path = `/v1/device/${device.id}${mode}`;
        const answer = await admin.ask("PUT", path, undefined, {
          rawBody,
          headers: { "Content-Type": "application/json" },
        });
        const { properties, lastUpdate } = deviceIn(answer);
        const next = applyTo(model, mode, entries);
        const got = new Map(Object.entries(properties).map(([name, value]) => [name, JSON.stringify(value)]));
        assert.deepEqual(sorted(got), sorted(next));
        const isEqual = JSON.stringify(sorted(model)) === JSON.stringify(sorted(next));
        if (!isEqual) assert.ok(lastUpdate > time, `${rawBody} is a change`);
        // Replacing may change the order alone.
        if (isEqual && mode !== "?mode=replace") assert.equal(lastUpdate, time, `${rawBody} is none`);
        [model, time] = [next, lastUpdate];
      }
    }),
    { numRuns: Math.ceil(SEQUENCES / 10) },
  );
});
