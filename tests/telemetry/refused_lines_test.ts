/** What a sender is told of lines that cannot be written, and what becomes of the others. */
import assert from "node:assert/strict";
import { type Answer, forEachApp, testApp } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import {
  addDevice,
  collect,
  minute,
  powerOf,
  valuesOf,
  WRITE,
  writeLines,
} from "../every_operation/telemetry_requests.ts";
import { makeProgram } from "../key/key_scene.ts";
import { bootstrapMeter, countRows } from "./telemetry_scene.ts";

interface Refusal {
  readonly message: string;
  readonly dropped?: number;
  readonly details: readonly { path: string; line: number; nodeId?: string; message: string }[];
}

const NO_DEVICE = "Expected the nodeId of a device that exists and that you may write";

function line(nodeId: string, power: number | string = 1, at = 0): string {
  return `energy,nodeId=${nodeId} power=${power} ${minute(at)}`;
}

/** The same points as JSON. */
function jsonOf(nodeIds: readonly string[]): unknown[] {
  return nodeIds.map((nodeId) => (
    { measurement: "energy", time: minute(0), tags: { nodeId }, fields: { power: 1 } }
  ));
}

function writePartly(person: Person, lines: readonly string[]): Promise<Answer> {
  return writeLines(person, lines, "&precision=ms&partial=true");
}

/** `[line, nodeId, message]` of the lines that a response names. */
function named({ body }: Answer): unknown[] {
  return (body as Refusal).details.map((detail) => [detail.line, detail.nodeId, detail.message]);
}

async function powers(person: Person, nodeId: string): Promise<unknown[]> {
  const [result] = await collect(person, [powerOf(nodeId)]);
  return result?.series === undefined ? [] : valuesOf(result).map(([, power]) => power);
}

forEachApp("a refusal names lines alike for unknown, deleted and foreign devices", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await admin.create(rootId, "Site");
  const owner = await invite(target, admin, site, "owner@x.example");
  for (let i = 0; i < 18; i++) await addDevice(owner, site, `w${i}`);
  await addDevice(admin, rootId, "foreign");
  await addDevice(owner, site, "deleted");
  const { monitors } = await owner.post<{ monitors: { id: number; deviceId: number }[] }>(
    `/v1/role/${site}/monitors/query`,
  );
  await owner.delete(`/v1/role/${site}/monitors/${monitors.at(-1)?.id}`);
  const good = Array.from({ length: 18 }, (_, i) => `w${i}`);
  const nodeIds = [...good, "unknown", "deleted", "foreign"];
  const expected = [[19, "unknown"], [20, "deleted"], [21, "foreign"]].map((one) => [...one, NO_DEVICE]);

  const refused = await writeLines(owner, nodeIds.map((nodeId) => line(nodeId)));
  assert.equal(refused.status, 403);
  assert.equal((refused.body as Refusal).message, "User does not have sufficient rights");
  assert.deepEqual(named(refused), expected);
  const asJson = await owner.ask("POST", WRITE, jsonOf(nodeIds));
  assert.equal(asJson.status, 403);
  assert.deepEqual(named(asJson), expected);
  assert.equal((asJson.body as Refusal).details[0]?.path, "body.18");
  assert.equal(await countRows(target, "point"), 0);

  // A named line says no more than the line alone.
  for (const nodeId of ["unknown", "deleted", "foreign"]) {
    assert.deepEqual(named(await writeLines(owner, line(nodeId))), [[1, nodeId, NO_DEVICE]]);
  }
  const many = await writeLines(owner, Array.from({ length: 50 }, (_, i) => line(`none-${i}`)));
  assert.deepEqual(named(many).length, 20);

  // Left out, they cost what the others do.
  const partial = await writePartly(owner, nodeIds.map((nodeId) => line(nodeId)));
  assert.equal(partial.status, 400);
  const { message, dropped } = partial.body as Refusal;
  assert.match(message, /^partial write: Line 19 .*"unknown".*"deleted".*"foreign".* dropped=3$/);
  assert.equal(dropped, 3);
  assert.deepEqual(named(partial), expected);
  assert.equal(await countRows(target, "point"), 18);
  const costOf = (answer: Answer): string | null => answer.headers.get("X-RateLimit-Cost");
  assert.equal(costOf(partial), costOf(refused));
});

forEachApp("a partial write stores what could be written alone, and names the others", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await admin.create(rootId, "Site");
  const owner = await invite(target, admin, site, "owner@x.example");
  await addDevice(owner, site, "meter");
  assert.equal((await writeLines(owner, `energy,nodeId=meter power=1,note="a" ${minute(0)}`)).status, 204);
  const lines = [
    line("meter", '"text"', 1), // Another type than stored: it does not decide for those after it.
    line("meter", 2, 2),
    "# a comment",
    "garbage",
    line("nobody"),
    `energy,nodeId=meter power=3,note=5 ${minute(3)}`,
    `energy,nodeId=meter note="b\nc" x`,
    `energy,nodeId=meter new=1 ${minute(4)}`,
    `energy,nodeId=meter new="text" ${minute(5)}`,
    line("meter", "NaN", 6),
    `energy,nodeId=meter power=7,total=9223372036854775808u ${minute(7)}`,
    line("meter", 8, 8),
    'energy,nodeId=meter note="never closed',
  ];
  const answer = await writePartly(owner, lines);
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(named(answer), [
    [1, "meter", "The field already has the type number"],
    [4, undefined, "Expected fields after the measurement and tags"],
    [5, "nobody", NO_DEVICE],
    [6, "meter", "The field already has the type string"],
    [7, undefined, "Expected the timestamp to be an integer"],
    [10, "meter", "Expected the field to have the type of an earlier point (number)"],
    [11, undefined, "Expected the value of a field to be a number, boolean or quoted string"],
    [
      12,
      undefined,
      "Expected an unsigned integer from 0 to 9223372036854775807 (2^63-1): write other numbers as floats",
    ],
    [14, undefined, "Expected a closing quote"],
  ]);
  assert.deepEqual(await powers(owner, "meter"), [1, 2, 8]);

  const point = (time: unknown, fields: object): unknown => (
    { measurement: "energy", time, tags: { nodeId: "meter" }, fields }
  );
  const elements = [
    point(minute(9), { power: 9 }),
    point("yesterday", { power: 1 }),
    { ...point(1, {}) as object, tags: { nodeId: "meter", deep: { a: {} } } },
    7,
    ...jsonOf(["nobody"]),
    point(minute(10), { power: 10 }),
  ];
  const asJson = await owner.ask("POST", `${WRITE}&partial=true`, elements);
  assert.equal(asJson.status, 400, asJson.text);
  assert.deepEqual((asJson.body as Refusal).details.map(({ path }) => path), [
    "body.1",
    "body.2",
    "body.3",
    "body.4",
  ]);
  assert.deepEqual(await powers(owner, "meter"), [1, 2, 8, 9, 10]);

  assert.equal((await writePartly(owner, [line("meter", 11, 11)])).status, 204);
  const none = await writePartly(owner, ["x", line("nobody")]);
  assert.deepEqual([none.status, (none.body as Refusal).dropped], [400, 2]);
  // What is wrong with the whole is no matter of lines.
  const whole = await owner.ask("POST", `${WRITE}&partial=true`, { not: "a list" });
  assert.deepEqual((whole.body as Refusal).details, [{ path: "body", message: "Expected a list of points" }]);
  const long = await writeLines(owner, "x\n".repeat(100_001), "&partial=true");
  assert.match(long.text, /"body\.line 100001".*Expected at most 100000 values/);
});

testApp("no line of a text in a malformed line is stored as a point", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const text = `hello\n${line("meter", 666)}\nbye`;
  for (
    const bad of [
      `syslog,host=a message="${text}"`,
      `log,nodeId=meter temp=NaN,message="${text}"`,
      `log,nodeId=meter message="${"x".repeat(5000)}\\"${text}"`,
      `log,nodeId=meter message="${text}`,
    ]
  ) {
    const partial = await writePartly(admin, [line("meter", 1), bad]);
    assert.deepEqual(named(partial).map((one) => (one as unknown[])[0]), [2], bad);
    assert.deepEqual(await powers(admin, "meter"), [1], bad);
  }
});

testApp("a refused request says which line would give a device too many series", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  for (const nodeId of ["full", "other"]) await addDevice(admin, rootId, nodeId);
  const fields = (from: number): string => Array.from({ length: 200 }, (_, i) => `f${from + i}=1`).join();
  const full = Array.from({ length: 50 }, (_, i) => `m,nodeId=full ${fields(200 * i)} ${minute(0)}`);
  assert.equal((await writeLines(admin, full)).status, 204);
  const lines = [line("other"), line("full"), `m,nodeId=full f0=2 ${minute(1)}`];
  const message = "A device can have at most 10000 series (combinations of tag set and field)";
  const refused = await writeLines(admin, lines);
  assert.equal(refused.status, 422);
  assert.deepEqual(named(refused), [[2, "full", message]]);
  const partial = await writePartly(admin, lines);
  assert.deepEqual([partial.status, named(partial)], [400, [[2, "full", message]]]);
  assert.deepEqual(await powers(admin, "other"), [1]);
});

forEachApp("points of an earlier period take a key of a role above both owners", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const platform = await admin.create(rootId, "Platform");
  const [old, young] = [await admin.create(platform, "Old"), await admin.create(platform, "Young")];
  const deviceId = await addDevice(admin, old, "meter");
  const day = (n: number): number => target.clock.now() + n * 86_400_000;
  const sold = day(0);
  await admin.post(`/v1/device/${deviceId}/transfer?toRoleId=${young}`);
  target.clock.advance(60);
  const { program: seller } = await makeProgram(target, admin, old);
  const { program: buyer } = await makeProgram(target, admin, young);
  const { program: both } = await makeProgram(target, admin, platform);
  // A member of both sides has no role by which they manage both.
  const { accessToken } = await target.createUser("both@x.example");
  for (const role of [old, young]) await admin.put(`/v1/role/${role}/member?userEmail=both@x.example`);
  const member = new Person(target, accessToken);
  const at = (ms: number): string => `energy,nodeId=meter power=${ms === sold ? 2 : 1} ${ms}`;
  const lines = [at(sold), at(day(-2)), `energy,nodeId=meter power=3 ${sold + 1000}`];
  const iso = (ms: number): string => new Date(ms).toISOString().replace(".000", "");
  const [time, begin] = [iso(day(-2)), iso(sold)];
  const outside =
    `The time, ${time}, is outside the period in which you may write for the device (from ${begin}): ` +
    "a caller who manages the roles of both periods, as of a role above them, may write it";

  assert.equal((await writeLines(seller, lines)).status, 403);
  for (const one of [buyer, member]) {
    const refused = await writeLines(one, lines);
    assert.equal(refused.status, 422);
    assert.match((refused.body as Refusal).message, /^Line 2 .*, nodeId "meter": The time/);
    assert.deepEqual(named(refused), [[2, "meter", outside]]);
  }
  const partial = await writePartly(buyer, lines);
  assert.deepEqual([partial.status, named(partial)], [400, [[2, "meter", outside]]]);
  assert.deepEqual(await powers(buyer, "meter"), [2, 3]);

  for (const one of [both, admin]) assert.equal((await writeLines(one, lines)).status, 204);
  assert.equal((await writeLines(both, at(day(-3)))).status, 204);
  assert.deepEqual(await powers(seller, "meter"), [1, 1]);
  assert.deepEqual(await powers(buyer, "meter"), [2, 3]);
  // For a role below which the device is now, and for the former one.
  assert.equal((await writeLines(both, lines, `&precision=ms&roleId=${young}`)).status, 204);
  assert.equal((await writeLines(both, lines, `&precision=ms&roleId=${old}`)).status, 403);
});
