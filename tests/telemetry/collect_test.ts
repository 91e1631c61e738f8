/** Queries are answered by the rights of the caller, in the form of the request, within limits. */
import assert from "node:assert/strict";
import { assertError, forEachApp, MALFORMED } from "../helpers/http.ts";
import type { Monitors } from "../device/device_people.ts";
import { bootstrap, type Deletion, invite, Person } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  addDevice,
  COLLECT,
  collect,
  minute,
  powerOf,
  type QueryResult,
  valuesOf,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";
import { bootstrapMeter } from "./telemetry_scene.ts";

forEachApp("each query of a call is answered by the caller's rights, direct or indirect", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const installer = await admin.create(rootId, "Installer");
  const customer = await admin.create(installer, "Customer", rights("roleManagement"));
  const site = await admin.create(customer, "Site", ALL, rights());
  const neighbour = await admin.create(rootId, "Neighbour");
  for (const [role, nodeId] of [[site, "meter"], [neighbour, "foreign"], [site, "gone"]] as const) {
    await addDevice(admin, role, nodeId);
    await writeMinutes(admin, nodeId, 2);
  }
  const path = `/v1/role/${site}/monitors`;
  const { monitors } = await admin.post<{ monitors: Monitors[] }>(`${path}/query`);
  const detached = await admin.delete<Deletion>(`${path}/${monitors.at(-1)?.id}`);
  assert.deepEqual(detached.deletedNodeIds, [monitors.at(-1)?.deviceId]);

  const mixed = [
    powerOf("meter"),
    powerOf("foreign"),
    powerOf("gone"),
    powerOf("nobody's"),
    powerOf("meter", { select: [{ field: "power", function: "median" }] }),
    powerOf("meter", { select: ["voltage"] }),
    powerOf("meter", { orderBy: "DESC", limit: 1 }),
  ];
  const readable = [[["2026-01-01T00:00:00Z", 1], ["2026-01-01T00:01:00Z", 2]]];
  const shown = (results: QueryResult[]): unknown[] =>
    results.map(({ series, error }) => error?.split(":")[0] ?? series?.map(({ values }) => values));
  const expected = (meter: unknown): unknown[] => [
    meter,
    "Unauthorized",
    "Unauthorized",
    "Unauthorized",
    "Invalid format",
    meter === "Unauthorized" ? meter : undefined,
    meter === "Unauthorized" ? meter : [[["2026-01-01T00:01:00Z", 2]]],
  ];
  // A direct member without rights, and indirect members through relations that carry few rights or none.
  for (const [i, role] of [site, customer, installer].entries()) {
    const member = await invite(target, admin, role, `member${i}@x.example`);
    assert.deepEqual(shown(await collect(member, mixed)), expected(readable), `member ${i}`);
  }
  const outsider = await invite(target, admin, neighbour, "d@x.example");
  const ofOutsider = await collect(outsider, mixed);
  assert.deepEqual(shown(ofOutsider).slice(0, 4), ["Unauthorized", readable, "Unauthorized", "Unauthorized"]);
  assert.deepEqual(ofOutsider.map((result) => result.statement_id), mixed.map((_, i) => i));
});

forEachApp("a response has the form of its request", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 4);
  const window = {
    select: [{ field: "power", function: "mean" }, { field: "power", function: "count" }],
    where: { tags: { nodeId: "meter" }, time: [{ operator: ">=", value: "2026-01-01T00:01:00Z" }] },
    groupBy: { time: "2m" },
  };
  const one = await admin.post<QueryResult>(COLLECT, powerOf("meter", window));
  assert.deepEqual(one, {
    statement_id: 0,
    series: [{
      name: "energy",
      tags: { nodeId: "meter" },
      columns: ["time", "mean_power", "count_power"],
      values: [["2026-01-01T00:00:00Z", 2, 1], ["2026-01-01T00:02:00Z", 3.5, 2]],
    }],
  });
  assert.deepEqual(await collect(admin, [powerOf("meter", window)]), [one]);
  const bad = await admin.post<QueryResult>(COLLECT, {});
  assert.equal(bad.statement_id, 0);
  assert.match(bad.error ?? "", /^Invalid format: /);
  const hostile = `x"; DROP SERIES FROM /.*/; --`;
  const [harmless, still] = await collect(admin, [
    powerOf(hostile, { from: { measurement: hostile, database: hostile } }),
    powerOf("meter"),
  ]);
  assert.deepEqual(harmless, { statement_id: 0, error: "Unauthorized" });
  assert.equal(valuesOf(still).length, 4);
});

forEachApp("1000 queries are accepted, and a body of any other form or length is refused", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 3);
  const many = Array.from({ length: 1000 }, (_, i) => powerOf(i % 2 === 0 ? "meter" : "stranger's"));
  for (const body of [[], [...many, powerOf("meter")], null, 7, "x"]) {
    assertError(await admin.ask("POST", COLLECT, body), 400, MALFORMED);
  }
  const results = await collect(admin, many);
  assert.equal(results.length, 1000);
  for (const [i, result] of results.entries()) {
    if (i % 2 === 0) assert.equal(valuesOf(result).length, 3);
    else assert.ok(result.error !== undefined);
  }
});

forEachApp("a call returns 100,000 points, and is refused if it would return more", async (target) => {
  const { admin } = await bootstrapMeter(target);
  // Two columns of 25,000 rows: each call below returns 50,000 points per query.
  const line = (i: number) => `energy,nodeId=meter power=${i},volt=230 ${minute(i)}`;
  const lines = Array.from({ length: 25_000 }, (_, i) => line(i));
  assert.equal((await writeLines(admin, lines)).status, 204);
  const both = powerOf("meter", { select: ["power", "volt"] });
  const full = await collect(admin, [both, both]);
  assert.deepEqual(full.map((result) => valuesOf(result).length), [25_000, 25_000]);
  assert.deepEqual(valuesOf(full[1])[24_999], ["2026-01-18T08:39:00Z", 24_999, 230]);
  const refused = await admin.ask("POST", COLLECT, [both, both, powerOf("meter", { limit: 1 })]);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /more than 100000 points/);
  // A few large queries among many small ones: each large one exceeds its share, but the total fits.
  const small = powerOf("meter", { limit: 2 });
  const large = powerOf("meter");
  const uneven = await collect(admin, [...Array<unknown>(500).fill(small), large, large]);
  const lengths = uneven.map((result) => valuesOf(result).length);
  assert.deepEqual(lengths, [...Array<number>(500).fill(2), 25_000, 25_000]);
});

forEachApp("an ended session collects nothing", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const { userId } = await admin.get<{ userId: number }>("/auth/accesstoken/validate");
  const { accessToken, sessionId } = await target.openSession(userId);
  assert.equal((await admin.ask("DELETE", `/user/session/${sessionId}`)).status, 200);
  const ended = new Person(target, accessToken);
  assert.equal((await ended.ask("POST", COLLECT, powerOf("meter"))).status, 401);
});
