/** Points are written in each format, under the rights of the moment, or refused with their lines. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { ApiDocument } from "../contract/api_document.ts";
import { type Answer, assertError, DENIED, forEachApp, MALFORMED, testApp } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import {
  addDevice,
  collect,
  minute,
  powerOf,
  valuesOf,
  WRITE,
  writeLines,
} from "../every_operation/telemetry_requests.ts";
import { bootstrapMeter, countRows } from "./telemetry_scene.ts";

forEachApp("points are taken as JSON and as lines, and the last of equal times counts", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const series = { measurement: "energy", tags: { nodeId: "meter" } };
  const json = await admin.ask("POST", WRITE, [
    { ...series, time: minute(0), fields: { power: 1.5, on: true, mode: "eco" } },
    { ...series, time: "2026-01-01T01:01:00+01:00", fields: { power: 2 } },
  ]);
  assert.deepEqual([json.status, json.text], [204, ""]);
  const lines = await writeLines(admin, [
    "# a comment",
    `energy,nodeId=meter power=7i ${minute(1)}`,
    "",
    `energy,nodeId=meter power=8 ${minute(2)}`,
    `energy,nodeId=meter mode="a \\"quoted\\" text" ${minute(2)}`,
  ]);
  assert.equal(lines.status, 204, lines.text);
  const [result] = await collect(admin, [powerOf("meter", { select: ["power", "on", "mode"] })]);
  assert.deepEqual(valuesOf(result), [
    ["2026-01-01T00:00:00Z", 1.5, true, "eco"],
    ["2026-01-01T00:01:00Z", 7, null, null],
    ["2026-01-01T00:02:00Z", 8, null, 'a "quoted" text'],
  ]);
  // A point without a time gets the current time.
  const timeless = { measurement: "m", tags: { nodeId: "meter" }, fields: { f: 1 } };
  assert.equal((await admin.ask("POST", WRITE, [timeless])).status, 204);
  const from = { measurement: "m", database: "plant" };
  const [now] = await collect(admin, [powerOf("meter", { select: ["f"], from })]);
  assert.equal(Date.parse(String(valuesOf(now)[0]?.[0])), target.clock.now());
});

forEachApp("a body may be compressed, and its limit counts the uncompressed size", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const pack = async (text: string): Promise<Answer> => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    return await admin.ask("POST", `${WRITE}&precision=ms`, undefined, {
      rawBody: await new Response(stream).blob(),
      headers: { "Content-Type": "text/plain", "Content-Encoding": "gzip" },
    });
  };
  assert.equal((await pack(`energy,nodeId=meter power=3 ${minute(0)}`)).status, 204);
  assert.equal(await countRows(target, "point"), 1);
  assert.equal((await pack(`energy,nodeId=meter power=3 ${minute(0)} `.repeat(400_000))).status, 413);
  const packed = gzipSync(`energy,nodeId=meter power=3 ${minute(0)}`);
  const broken = "Expected complete and valid gzip";
  const faults: [body: Uint8Array<ArrayBuffer>, encoding: string, message: string][] = [
    [new TextEncoder().encode("not gzip"), "gzip", broken],
    [new Uint8Array(packed.subarray(0, -9)), "gzip", broken],
    [new Uint8Array([...packed.subarray(0, -8), 0, 0, 0, 0, 0, 0, 0, 0]), "gzip", broken],
    [new Uint8Array(gzipSync(new Uint8Array([0xff]))), "gzip", "Expected text in UTF-8"],
    [new Uint8Array([0x61, 0xc3]), "identity", "Expected text in UTF-8"],
  ];
  for (const [rawBody, encoding, message] of faults) {
    const headers = { "Content-Type": "text/plain", "Content-Encoding": encoding };
    const answer = await admin.ask("POST", WRITE, undefined, { rawBody, headers });
    assert.equal(answer.status, 400, message);
    assert.deepEqual((answer.body as { details: unknown }).details, [{ path: "body", message }]);
  }
});

testApp("a body without a Content-Type is line protocol", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const write = (text: string): Promise<Answer> =>
    admin.ask("POST", `${WRITE}&precision=ms`, undefined, { rawBody: new TextEncoder().encode(text) });
  assert.equal((await write(`energy,nodeId=meter power=3 ${minute(0)}`)).status, 204);
  const [result] = await collect(admin, [powerOf("meter")]);
  assert.deepEqual(valuesOf(result), [["2026-01-01T00:00:00Z", 3]]);
  const json = await write("[]");
  assert.equal(json.status, 400);
  assert.match(json.text, /"path":"body\.line 1"/);
});

testApp("a write names its database in the same three ways as a query", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const write = (search: string): Promise<Answer> =>
    admin.ask("POST", `/v1/telemetry?${search}`, undefined, {
      rawBody: new TextEncoder().encode("energy,nodeId=meter power=1 0"),
    });
  const places: [search: string, from: Record<string, unknown>][] = [
    ["db=a", { database: "a" }],
    ["db=b/c&rp=d", { database: "b/c", retentionPolicy: "d" }],
    ["org=o&bucket=e", { namespace: { version: "2", organization: "other", bucket: "e" } }],
    ["bucket=f%2Fg/h&org=o", { database: "f/g", retentionPolicy: "h" }],
    ["namespace=i/j", { namespace: { version: "IOx", value: "i/j" } }],
    ["u=somebody&db=k", { database: "k" }],
  ];
  for (const [search, from] of places) {
    const read = powerOf("meter", { from: { measurement: "energy", ...from } });
    assert.deepEqual(await collect(admin, [read]), [{ statement_id: 0 }], search);
    assert.equal((await write(search)).status, 204, search);
    assert.equal(valuesOf((await collect(admin, [read]))[0]).length, 1, search);
  }
});

testApp("a write that names no database, or several, gets a 400 that lists three ways", async (target) => {
  const { admin } = await bootstrap(target);
  const details = [{
    path: "query",
    message: "Expected db with or without rp, or org and bucket, or namespace: one of the three",
  }];
  const none = ["", "rp=r", "org=o", "bucket=b", "bucket=b&rp=r", "u=somebody"];
  const withDb = ["db=d&namespace=n", "db=d&org=o&bucket=b", "db=d&org=o", "db=d&bucket=b"];
  const withOrg = ["org=o&bucket=b&rp=r", "org=o&bucket=b&namespace=n"];
  const withNamespace = ["namespace=n&rp=r", "namespace=n&org=o", "namespace=n&bucket=b"];
  for (const search of [...none, ...withDb, ...withOrg, ...withNamespace]) {
    const answer = await admin.ask("POST", `/v1/telemetry?${search}`, []);
    assert.equal(answer.status, 400, search);
    assert.deepEqual((answer.body as { details: unknown }).details, details, search);
  }
});

forEachApp("a malformed point is named by its line alone, and refuses the request", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const good = `energy,nodeId=meter power=1 ${minute(0)}`;
  const meter = "energy,nodeId=meter";
  for (const bad of ["secret garbage", `${meter} power=NaN 1`, "energy power=1 1", `${meter} power= 1`]) {
    const answer = await writeLines(admin, [good, "# fine", bad, good]);
    assert.equal(answer.status, 400, bad);
    const { message, details } = answer.body as { message: string; details: { path: string }[] };
    assert.equal(message, MALFORMED);
    assert.equal(details[0]?.path, "body.line 3", bad);
    assert.doesNotMatch(answer.text, /garbage|NaN/);
  }
  const point = { measurement: "energy", time: minute(0), tags: { nodeId: "meter" }, fields: { power: 1 } };
  for (
    const bad of [{ ...point, time: "yesterday" }, { ...point, fields: {} }, { ...point, tags: {} }, 7]
  ) {
    const answer = await admin.ask("POST", WRITE, [point, bad]);
    assert.equal(answer.status, 400);
    assert.equal((answer.body as { details: { path: string }[] }).details[0]?.path, "body.1");
  }
  assert.equal((await writeLines(admin, good, "&precision=h")).status, 400);
  assert.equal((await admin.ask("POST", "/v1/telemetry", [point])).status, 400, "the database is required");
  assert.equal(await countRows(target, "point"), 0);
});

forEachApp("one device that the caller may not write refuses the whole request", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const above = rights("roleManagement");
  const site = await admin.create(rootId, "Site", above, rights("deviceManagement"));
  const reader = await admin.create(rootId, "Reader", above, rights());
  await addDevice(admin, site, "own");
  await addDevice(admin, reader, "other");
  const line = (nodeId: string): string => `energy,nodeId=${nodeId} power=1 ${minute(0)}`;
  const owner = await invite(target, admin, site, "owner@x.example");
  const onlooker = await invite(target, admin, reader, "reader@x.example");
  // deviceManagement on the role itself, no rights, and roleManagement from above.
  assert.equal((await writeLines(owner, line("own"))).status, 204);
  assertError(await writeLines(onlooker, line("other")), 403, DENIED); // They manage no device.
  assert.equal((await writeLines(admin, [line("own"), line("other")])).status, 204);
  assert.equal(await countRows(target, "point"), 2);
  for (const foreign of ["other", "nobody's"]) {
    const lines = [`energy,nodeId=own power=1 ${minute(1)}`, line(foreign)];
    assertDenied(await writeLines(owner, lines), foreign);
  }
  assert.equal(await countRows(target, "point"), 2);
});

forEachApp("a field keeps the kind of its first value", async (target) => {
  const { admin } = await bootstrapMeter(target);
  assert.equal((await writeLines(admin, `energy,nodeId=meter power=1 ${minute(0)}`)).status, 204);
  const answer = await writeLines(admin, [
    `energy,nodeId=meter other=1 ${minute(1)}`,
    `energy,nodeId=meter power="text" ${minute(1)}`,
  ]);
  assert.equal(answer.status, 422);
  assert.match(answer.text, /Line 2 /);
  assert.equal(await countRows(target, "point"), 1);
});

forEachApp("another content type or encoding gets a 415 that the document lists", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const { paths } = await admin.get<ApiDocument>("/openapi.json");
  const told = paths["/v1/telemetry"]?.["post"]?.responses["415"]?.description ?? "";
  const brotli = { "Content-Type": "text/plain", "Content-Encoding": "br" };
  for (const headers of [{ "Content-Type": "text/html" }, brotli]) {
    const answer = await admin.ask("POST", WRITE, undefined, { rawBody: "x", headers });
    const { message } = answer.body as { message: string };
    assert.equal(answer.status, 415);
    assert.ok(told.includes(`\`${message}\``), message);
  }
});

forEachApp("a write for a role reaches only devices monitored by it or by roles below it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const left = await admin.create(rootId, "left");
  const right = await admin.create(rootId, "right");
  const below = await admin.create(left, "below");
  await addDevice(admin, left, "left");
  await addDevice(admin, right, "right");
  await addDevice(admin, below, "below");
  const write = (roleId: number | string, ...nodeIds: string[]): Promise<Answer> =>
    writeLines(admin, nodeIds.map((nodeId) => `energy,nodeId=${nodeId} power=1`), `&roleId=${roleId}`);
  const written: [number, ...string[]][] = [
    [rootId, "left", "right", "below"],
    [left, "left", "below"],
    [below, "below"],
    [right, "right"],
  ];
  for (const [roleId, ...nodeIds] of written) assert.equal((await write(roleId, ...nodeIds)).status, 204);
  const before = await countRows(target, "point");
  const refused: [number, ...string[]][] = [
    [left, "left", "right"],
    [below, "left"],
    [right, "below"],
    [999_999, "left"],
  ];
  for (const [roleId, ...nodeIds] of refused) {
    assertDenied(await write(roleId, ...nodeIds), nodeIds.at(-1) ?? "");
  }
  assert.equal(await countRows(target, "point"), before);
  assert.equal((await write("", "left")).status, 400);

  // A role of others says nothing about the devices that it monitors, even if the caller may write them.
  const eva = await invite(target, admin, below, "eva@x.example");
  const asEva = (roleId: number): Promise<Answer> =>
    writeLines(eva, "energy,nodeId=below power=1", `&roleId=${roleId}`);
  assert.equal((await asEva(below)).status, 204);
  assertDenied(await asEva(left), "below");
});

/** Asserts that the write was refused, and that the last line it names is one of this nodeId. */
function assertDenied({ status, body }: Answer, nodeId: string): void {
  const { message, details } = body as { message: string; details: { nodeId: string }[] };
  assert.deepEqual([status, message, details.at(-1)?.nodeId], [403, DENIED, nodeId]);
}

/** A person with an account, without memberships. */
async function addPerson(target: TestApp, email: string): Promise<Person> {
  return new Person(target, (await target.createUser(email)).accessToken);
}

forEachApp("a remembered write is refused once the membership behind it has ended", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ben = await addPerson(target, "ben@x.example");
  for (const name of ["left", "right"]) {
    const roleId = await admin.create(rootId, name);
    await addDevice(admin, roleId, name);
    const until = name === "right" ? { until: new Date(target.clock.now() + 60_000).toISOString() } : {};
    await admin.put(`/v1/role/${roleId}/member?userEmail=ben@x.example`, until);
  }
  const write = (nodeId: string): Promise<Answer> => writeLines(ben, `energy,nodeId=${nodeId} power=1 1`);
  for (const nodeId of ["left", "right", "left", "right"]) assert.equal((await write(nodeId)).status, 204);
  target.clock.advance(61);
  assert.equal((await write("left")).status, 204);
  assertDenied(await write("right"), "right");
});

forEachApp("a remembered write for a role is refused once the caller cannot see it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ben = await addPerson(target, "ben@x.example");
  const region = await admin.create(rootId, "region");
  const mechanics = await admin.create(rootId, "mechanics");
  const site = await admin.create(mechanics, "site");
  await admin.put(`/v1/role/${region}/manages?childRoleId=${site}`, rights("viewManagement"));
  await addDevice(admin, site, "meter");
  const until = new Date(target.clock.now() + 60_000).toISOString();
  await admin.put(`/v1/role/${mechanics}/member?userEmail=ben@x.example`, {});
  await admin.put(`/v1/role/${region}/member?userEmail=ben@x.example`, { until });
  const write = (more: string): Promise<Answer> =>
    writeLines(ben, "energy,nodeId=meter power=1 1", `&roleId=${more}`);
  for (let i = 0; i < 3; i++) assert.equal((await write(`${region}`)).status, 204);
  target.clock.advance(61);
  assertDenied(await write(`${region}`), "meter");
  assert.equal((await write(`${site}`)).status, 204);
});

forEachApp("a remembered period is found anew once a point lies beyond it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ben = await addPerson(target, "ben@x.example");
  const guest = await admin.create(rootId, "guest");
  await admin.put(`/v1/role/${guest}/member?userEmail=ben@x.example`, {});
  const deviceId = await addDevice(admin, rootId, "meter");
  const give = (minutes: number): Promise<unknown> =>
    admin.put(`/v1/role/${guest}/monitors?deviceId=${deviceId}`, {
      until: new Date(target.clock.now() + minutes * 60_000).toISOString(),
    });
  const write = (): Promise<Answer> => writeLines(ben, `energy,nodeId=meter power=1 ${target.clock.now()}`);
  await give(1);
  for (let i = 0; i < 2; i++) assert.equal((await write()).status, 204);
  await give(2);
  target.clock.advance(61);
  assert.equal((await write()).status, 204);
});
