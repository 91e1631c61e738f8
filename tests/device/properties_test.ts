/** Properties and nodeIds of devices: kept exactly, refused with a reason, unique and fixed. */
import assert from "node:assert/strict";
import { parseJson } from "../../src/core/json.ts";
import { type CreatedDevice, createDevice, type Device, rootMember } from "./device_people.ts";
import type { Person } from "../helpers/person.ts";
import {
  type Answer,
  assertError,
  dumpState,
  execute,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
  testApp,
} from "../helpers/http.ts";
import { NODE_ID_FIXED, NODE_ID_TAKEN } from "../model/oracle_devices.ts";

const LIMIT = 16 * 1024;

/** Sends a JSON text of properties as it is. */
function sendProperties(admin: Person, method: string, path: string, text: string): Promise<Answer> {
  const headers = { "Content-Type": "application/json" };
  return admin.ask(method, `/v1/device${path}`, undefined, { rawBody: `{"properties":${text}}`, headers });
}

/** A JSON text of lists nested to this depth. */
function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** Properties whose JSON has exactly this many bytes, mostly characters of three bytes. */
function sized(bytes: number): string {
  const room = bytes - '{"nodeId":"sized","text":""}'.length;
  return `{"nodeId":"sized","text":"${"€".repeat(Math.floor(room / 3))}${"x".repeat(room % 3)}"}`;
}

testApp("responses return properties exactly as given", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const texts = [
    '{"z":1,"nodeId":"order","a":[true,null,{"deep":-0.5e-7}]}',
    '{"nodeId":"names","__proto__":{"polluted":true},"constructor":"c","prototype":{},"toString":1,"":0}',
    '{"nodeId":"texts","text":"\\u0000 \\ud800 \\" \\\\ é 😀","key \\udc00":1}',
    `{"nodeId":"depth","inner":${nested(7)}}`,
    sized(LIMIT),
    `{"nodeId":"${"😀".repeat(128)}"}`,
    '{"nodeId":"\' OR 1=1 --"}',
    // V8 would read the name in the second as that in the first.
    String.raw`{"nodeId":"backslash","room\\":1}`,
    String.raw`{"nodeId":"line break","room\n":1}`,
  ];
  for (const text of texts) {
    const made = await sendProperties(admin, "POST", `?roleId=${rootId}`, text);
    assert.equal(made.status, 200, `${text.slice(0, 80)}: ${made.text}`);
    const expected = `"properties":${JSON.stringify(parseJson(text))},`;
    assert.ok(made.text.includes(expected), made.text);
    const { device } = made.body as CreatedDevice;
    const listed = await admin.ask("POST", "/v1/device/query", { filter: { id: [device.id] } });
    assert.ok(listed.text.includes(expected), listed.text);
    const again = await sendProperties(admin, "PUT", `/${device.id}`, text);
    assert.ok(again.text.includes(expected), again.text);
  }
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

testApp("properties that are malformed, nested too deeply or too long are refused", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { device } = await createDevice(admin, rootId, "meter");
  const bad = [
    "{}",
    "[]",
    "null",
    '"text"',
    '{"nodeId":""}',
    '{"nodeId":1}',
    '{"nodeId":null}',
    '{"nodeId":"a\\u0000"}',
    '{"nodeId":"a\\nb"}',
    '{"nodeId":"a\\u0085b"}',
    '{"nodeId":"a\\ud800"}',
    '{"nodeId":"\\udc00a"}',
    `{"nodeId":"${"x".repeat(129)}"}`,
    '{"__proto__":{"nodeId":"inherited"}}',
    '{"nodeId":"a","huge":1e400}',
    `{"nodeId":"a","inner":${nested(8)}}`,
    `{"nodeId":"a","inner":${nested(100_000)}}`,
    sized(LIMIT + 1),
  ];
  const before = await dumpState(target);
  // An update may leave the nodeId out.
  const partial = new Set(["{}", '{"__proto__":{"nodeId":"inherited"}}']);
  for (const text of bad) {
    for (const [method, path] of [["POST", `?roleId=${rootId}`], ["PUT", `/${device.id}`]] as const) {
      if (method === "PUT" && partial.has(text)) continue;
      const answer = await sendProperties(admin, method, path, text);
      assertError(answer, 400, MALFORMED, `${method} ${text.slice(0, 80)}`);
    }
  }
  assert.equal(await dumpState(target), before);
});

testApp("a number that would lose digits is refused, and named with what to do", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { device } = await createDevice(admin, rootId, "meter");
  const before = await dumpState(target);
  const headers = { "Content-Type": "application/json", "X-Error-Details": "true" };
  const namedIn = async (method: string, path: string, rawBody: string): Promise<string[]> => {
    const { status, body } = await admin.ask(method, `/v1/device${path}`, undefined, { rawBody, headers });
    const { details = [] } = body as { details?: { path: string; message: string }[] };
    assert.equal(status, 400, rawBody);
    assert.ok(
      details.every(({ message }) => message.endsWith(": write it as a text")),
      JSON.stringify(details),
    );
    return details.map(({ path }) => path);
  };
  const lost = [
    ['"ean":541448820012345678', "ean"],
    ['"ean": -9007199254740993', "ean"],
    ['"ean"\n:\t123456789012345678901234567890', "ean"],
    ['"a":"[1,2:","b":[{"c":1},[0,{"d\\u0022":9007199254740993}]]', 'b.1.1.d"'],
    ['"ean":541448820012345678.0', "ean"],
    ['"ean":-541448820012345678E0', "ean"],
    ['"ean":5414488200123456780e-1', "ean"],
    ['"ean":541448820012345.678e3', "ean"],
    ['"ean":0.541448820012345678e+18', "ean"],
    ['"ean":9007199254740993.000', "ean"],
    ['"huge":1e400', "huge"],
    ['"a":[{"huge":-123.5E+309}]', "a.0.huge"],
    [`"huge":1${"0".repeat(400)}`, "huge"],
  ] as const;
  for (const [text, path] of lost) {
    const properties = `{"properties":{"nodeId":"n",${text}}}`;
    const list = `[{"properties":{"nodeId":"m"}},${properties}]`;
    const expected = [`body.properties.${path}`];
    assert.deepEqual(await namedIn("POST", `?roleId=${rootId}`, properties), expected);
    assert.deepEqual(await namedIn("POST", `?roleId=${rootId}`, list), [`body.1.properties.${path}`]);
    for (const mode of ["legacy", "replace"]) {
      const update = `{"properties":{${text}}}`;
      assert.deepEqual(await namedIn("PUT", `/${device.id}?mode=${mode}`, update), expected);
    }
  }
  assert.equal(await dumpState(target), before);
  // These are kept: a double holds them, or they say by themselves that they are not exact.
  const kept = '"a":9007199254740992,"b":1e21,"c":100000000000000000000,"d":0.1234567890123456789,' +
    '"e":"541448820012345678","h":9007199254740992.0,"i":1.2345678901234567e30,"j":12345678901234567.125e-9,' +
    '"k":3.6028797018963968e16,"l":[54144882001234560e1,1.50e+300,0.9007199254740991e16],"f":"x: 541448820012345678","g":1e-400';
  const answer = await sendProperties(admin, "POST", `?roleId=${rootId}`, `{"nodeId":"kept",${kept}}`);
  assert.equal(answer.status, 200, answer.text);
});

testApp("an update keeps the nodeId, and advances lastUpdate only if a property changes", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { device } = await createDevice(admin, rootId, 'a "meter"');
  assert.deepEqual(device, {
    id: device.id,
    properties: { nodeId: 'a "meter"' },
    lastUpdate: "2026-01-01T00:00:00.000Z",
    userRights: { propertyEditabilities: {}, monitorManagement: true },
  });
  const update = async (properties: unknown): Promise<Device> => {
    target.clock.advance(60);
    return (await admin.put<{ device: Device }>(`/v1/device/${device.id}`, { properties })).device;
  };
  const named = await update({ name: "Meter", nodeType: 2 });
  assert.deepEqual(named.properties, { nodeId: 'a "meter"', name: "Meter", nodeType: 2 });
  assert.equal(named.lastUpdate, "2026-01-01T00:01:00.000Z");
  assert.deepEqual(await update({ name: "Meter", nodeType: 2 }), named);
  assert.deepEqual(await update(named.properties), named);
  assert.deepEqual(await update({}), named);
  const path = `/v1/device/${device.id}`;
  const { device: bare } = await admin.put<{ device: Device }>(`${path}?mode=replace`, { properties: {} });
  assert.deepEqual(bare.properties, { nodeId: 'a "meter"' });
  assert.equal(bare.lastUpdate, "2026-01-01T00:04:00.000Z");
  // A returned device can be sent back as it is.
  const properties = { nodeId: 'a "meter"', name: "Back" };
  const echoed = await admin.put<{ device: Device }>(path, { ...bare, properties });
  assert.deepEqual(echoed.device.properties, properties);
  const fixed = await admin.ask("PUT", `/v1/device/${device.id}`, { properties: { nodeId: "other" } });
  assertError(fixed, 409, NODE_ID_FIXED);
});

forEachApp("a nodeId is taken while a device has it or its points remain", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const create = (): ReturnType<typeof admin.ask> =>
    admin.ask("POST", `/v1/device?roleId=${rootId}`, { properties: { nodeId: "meter" } });
  const { device, monitors } = (await create()).body as CreatedDevice;
  assertError(await create(), 409, NODE_ID_TAKEN);
  await admin.delete(`/v1/role/${rootId}/monitors/${monitors.id}?permanent=true`);
  const again = (await create()).body as CreatedDevice;
  assert.ok(again.device.id > device.id, "an id is never given out again");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM gone_device"), 0);
  await execute(target, "UPDATE device SET has_points = 1");
  await admin.delete(`/v1/role/${rootId}/monitors/${again.monitors.id}?permanent=true`);
  const sql = "SELECT device_id AS id, node_id AS nodeId, gone_at AS at FROM gone_device";
  const gone = { id: again.device.id, nodeId: "meter", at: target.clock.now() };
  assert.deepEqual(await query(target, sql), [gone]);
  assertError(await create(), 409, NODE_ID_TAKEN);
  await execute(target, "DELETE FROM gone_device");
  assert.equal((await create()).status, 200);
});
