/** Devices: plots, periods, filters, hand-over, forms, and measurements that cannot be read. */
import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import type { StoreQuery, TelemetryStore } from "../../src/telemetry/store.ts";
import { hasInfluxd, sharedInfluxd } from "../helpers/influxd.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { invite } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { openInfluxStore } from "../telemetry/influx_scene.ts";
import { checkLooks, type Console, NO_CONNECTION, openSearch, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const QUERY = "/v1/telemetry/query";
const SERIES = { database: "plant", retentionPolicy: "rp_one_m", measurement: "energy" };

/** Creates a device, and returns its id. */
async function addDevice(
  { admin }: Console,
  roleId: number,
  properties: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { device } = await admin.post<{ device: { id: number } }>(`/v1/device?roleId=${roleId}`, {
    properties,
  });
  return device.id;
}

/**
 * Creates a meter that measured its power each minute of the last day, except for an hour, that of a pump, and its
 * state.
 */
async function addMeter(opened: Console): Promise<number> {
  const fields = ["power_W", "pump", "state"];
  const id = await addDevice(opened, opened.rootId, {
    nodeId: "meter-1",
    name: "House meter",
    nodeType: "meter",
    nodeInfluxSeries: [{ ...SERIES, fields, names: { pump: "=Heat pump" }, units: { pump: "W" } }],
  });
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const times = Array.from({ length: 1440 }, (_, i) => now - i * MINUTE_MS);
  await write(
    opened,
    times.filter((_, i) => i < 600 || i > 660).map((time, i) => ({
      ...SERIES,
      time,
      fields: {
        power_W: 400 + 300 * Math.sin(time / DAY_MS * 2 * Math.PI) + 60 * (i % 5),
        pump: 90,
        state: "on",
      },
    })),
  );
  return id;
}

/** Writes points of the meter by the page's service. */
async function write(
  { admin, url }: Console,
  points: readonly { measurement: string; time: number; fields: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  const { database, retentionPolicy } = SERIES;
  const response = await fetch(
    new URL(`/v1/telemetry?db=${database}&rp=${retentionPolicy}`, url),
    {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${admin.accessToken}` },
      body: JSON.stringify(points.map(({ measurement, time, fields }) => ({
        measurement,
        time,
        fields,
        tags: { nodeId: "meter-1" },
      }))),
    },
  );
  assert.equal(response.status, 204, await response.text());
}

/** The queries of each call to the store from now on. By default, the store is that of the service. */
function recordReads(
  { target: { deps } }: Console,
  store: TelemetryStore = deps.telemetryStore,
): (readonly StoreQuery[])[] {
  const reads: (readonly StoreQuery[])[] = [];
  const recording: TelemetryStore = {
    ...store,
    read(queries, budget) {
      reads.push(queries);
      return store.read(queries, budget);
    },
  };
  Object.assign(deps, { telemetryStore: recording });
  return reads;
}

/** The windows of the latest call that asked for any, in seconds. */
function latestWindows(reads: readonly (readonly StoreQuery[])[]): number[] | undefined {
  return reads.findLast(([query]) => query?.window !== undefined)?.flatMap(({ window }) =>
    window === undefined ? [] : [Number(window) / 1e9]
  );
}

/** Drags over a part of the first plot, from and to fractions of its width. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await page.locator(".plot .u-over").first().boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, y, { steps: 4 });
  await page.mouse.up();
}

const STORES = [
  {
    label: "libSQL",
    ignore: false,
    open: ({ target }: Console) => Promise.resolve(target.deps.telemetryStore),
  },
  {
    label: "InfluxDB",
    // In a short run, one store is enough: what differs is shown without a browser.
    ignore: !IS_LONG || !hasInfluxd(),
    open: async ({ target }: Console): Promise<TelemetryStore> => {
      const { host } = await sharedInfluxd();
      return openInfluxStore(target, { host });
    },
  },
];

for (const { label, ignore, open } of STORES) {
  consoleTest(
    `a device's day is drawn, and a shorter period has finer windows (${label})`,
    async (opened) => {
      const { page, url } = opened;
      const reads = recordReads(opened, await open(opened));
      const id = await addMeter(opened);
      await signIn(opened);
      await page.goto(opened.url);
      await page.getByRole("banner").getByRole("link", { name: "Devices" }).click();
      await page.getByRole("link", { name: "House meter" }).click();
      await page.getByRole("heading", { name: "House meter" }).waitFor();
      const both =
        /power_W\u2069 and .=Heat pump., .*: Latest 90 W .* · Lowest 90 W · Mean 90 W · Highest 90 W/;
      await page.getByRole("img", { name: both }).waitFor();
      await page.getByText("These values are not numbers").waitFor();
      await page.getByText(/^Latest value, of .*: on$/).waitFor();
      await page.getByRole("img", { name: "role management, user management" }).first().waitFor();
      await page.getByText("Each point stands for 5 minutes:").waitFor();
      // All fields in one request, with their latest values.
      assert.deepEqual(latestWindows(reads), [300, 300, 300]);
      assert.equal(reads.length, 1);

      await drag(page, 0.4, 0.6);
      await page.getByText("Each point stands for 1 minute:").waitFor();
      assert.deepEqual(latestWindows(reads), [60, 60, 60]);
      await page.getByRole("button", { name: "Back to now" }).waitFor();
      await page.getByRole("button", { name: "Closer" }).press("Enter");
      await page.getByText("Each point stands for 30 seconds:").waitFor();
      assert.deepEqual(latestWindows(reads), [30, 30, 30]);
      await page.goBack();
      await page.goBack();
      await page.getByRole("link", { name: "Day" }).and(page.locator("[aria-current]")).waitFor();

      await page.getByRole("link", { name: "Month" }).click();
      await page.getByText("Each point stands for 2 hours:").waitFor();
      assert.deepEqual(latestWindows(reads), [7200, 7200, 7200]);
      await page.reload();
      await page.getByText("Show as table").click();
      const rows = page.getByRole("region", { name: /^Values of \u2068power_W/ }).getByRole("row");
      // The heads, and a day in windows of two hours, which it rarely begins with.
      await rows.nth(13).waitFor();
      assert.ok([14, 15].includes(await rows.count()));
      await page.getByRole("button", { name: "Earlier" }).click();
      await page.getByText("Nothing was measured in this time.").first().waitFor();
      await page.getByRole("button", { name: "Show that time" }).first().click();
      await page.getByRole("img", { name: /power_W/ }).waitFor();
      assert.ok(page.url().startsWith(`${url}/devices/${id}?`));
    },
    { ignore },
  );
}

consoleTest("lines of one unit are hidden by key, saved, and drawn each on its own", async (opened) => {
  const { page, url } = opened;
  const id = await addMeter(opened);
  await signIn(opened);
  await page.goto(`${url}/devices/${id}?span=week`);
  const power = page.getByRole("checkbox", { name: "power_W" });
  await power.waitFor();
  const table = await save(page, "Save as CSV");
  assert.match(table, /^time,series,unit,min,mean,max,count\r\n/);
  assert.match(
    table,
    /\n\d{4}-\d\d-\d\dT\d\d:\d\d:00[+-]\d\d:\d\d,power_W,W,[0-9.]+,[0-9.]+,[0-9.]+,\d+\r\n/,
  );
  assert.match(table, /,'=Heat pump,W,90,90,90,\d+\r\n$/);
  assert.match(await save(page, "Save as PNG"), /PNG/);

  await power.press("Space");
  await page.getByRole("img", { name: /^\u2068=Heat pump\u2069, .*: Latest 90 W/ }).waitFor();
  assert.doesNotMatch(await save(page, "Save as CSV"), /power_W/);
  await page.getByRole("checkbox", { name: "=Heat pump" }).press("Space");
  await page.getByText("No line is chosen.").waitFor();
  await power.press("Space");
  await page.getByRole("img", { name: /^\u2068power_W\u2069, / }).waitFor();

  await page.getByRole("link", { name: "Each on its own" }).press("Enter");
  await page.getByRole("heading", { name: "=Heat pump" }).waitFor();
  await page.locator(".u-over").nth(1).waitFor();
});

/** Saves what the page offers, and returns its text. */
async function save(page: Page, name: string): Promise<string> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name }).first().click();
  return await Deno.readTextFile(await (await saved).path());
}

consoleTest(
  "a year and chosen days are in the address, and hours are read where points are gone",
  async (opened) => {
    const { page, url } = opened;
    const id = await addMeter(opened);
    await signIn(opened);
    await page.goto(`${url}/devices/${id}`);
    const reads = recordReads(opened);
    await page.getByRole("link", { name: "Year" }).click();
    await page.getByText("Each point stands for 1 day:").waitFor();
    assert.deepEqual(latestWindows(reads), [86_400, 86_400, 86_400]);
    await page.getByText("Choose days").press("Enter");
    await page.getByLabel("First day").fill("2026-02-03");
    await page.getByLabel("Last day").fill("2026-02-01");
    await page.getByLabel("Last day").press("Enter");
    await page.getByText("The last day is before the first.").waitFor();
    await page.getByLabel("Last day").fill("2026-02-04");
    await page.getByLabel("Last day").press("Enter");
    await page.getByText(/^Feb 3 – 4/).waitFor();
    await page.getByText("Nothing was measured in this time.").first().waitFor();
    assert.deepEqual(latestWindows(reads), [3600, 3600, 3600]);
    await page.getByRole("button", { name: "Later" }).click();
    await page.getByText(/^Feb 5 – 6/).waitFor();
    assert.ok(page.url().endsWith(`/devices/${id}?span=year&from=2026-02-05&to=2026-02-06`), page.url());
  },
);

consoleTest("devices are found by node ID, by number and by role", async (opened) => {
  const { page, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site Groningen");
  for (let i = 1; i <= 30; i++) await addDevice(opened, rootId, { nodeId: `sensor-${i}` });
  const pumpId = await addDevice(opened, siteId, { nodeId: "pump-1", name: "Heat pump", nodeType: "pump" });
  await admin.put(`/v1/role/${rootId}/monitors?deviceId=${pumpId}`, {});
  await signIn(opened);
  await page.goto(`${url}/devices`);
  await page.getByRole("link", { name: "sensor-25" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Heat pump" }).count(), 0);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("link", { name: "Heat pump" }).waitFor();

  await page.getByRole("combobox", { name: "Monitored by the role" }).fill("site");
  await page.getByRole("option", { name: "Site Groningen" }).click();
  await page.getByText("Also monitored by").waitFor();
  assert.equal(await page.locator(".device-list .row-title").count(), 1);
  await page.reload();
  await page.getByText("Also monitored by").waitFor();
  assert.equal(
    await page.getByRole("combobox", { name: "Monitored by the role" }).inputValue(),
    "Site Groningen",
  );
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Node ID, name or number").fill("sensor-7");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("link", { name: "sensor-25" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "sensor-7" }).waitFor();
  await page.getByLabel("Node ID, name or number").fill(String(pumpId));
  await page.getByLabel("Node ID, name or number").press("Enter");
  await page.getByRole("link", { name: "Heat pump" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "sensor-7" }).waitFor();
  await page.getByLabel("Node ID, name or number").fill("nothing");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("No device that you may see matches.").waitFor();
  await page.getByLabel("Node ID, name or number").fill("EAT PU");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("link", { name: "Heat pump" }).waitFor();
});

consoleTest("devices below a role are found by type and by any property", async (opened) => {
  const { page, admin, rootId, url } = opened;
  const regionId = await admin.create(rootId, "Region");
  const siteId = await admin.create(regionId, "Site Groningen");
  for (const [i, nodeType] of ["meter", "battery", "battery"].entries()) {
    await addDevice(opened, siteId, { nodeId: `device-${i}`, nodeType, maker: i === 2 ? "ACME" : "Other" });
  }
  await signIn(opened);
  await page.goto(`${url}/role/${regionId}?tab=devices`);
  await page.getByText("None here, 3 devices below.").waitFor();
  await page.getByRole("link", { name: "Show them" }).press("Enter");
  await page.getByRole("link", { name: "device-2" }).waitFor();
  assert.equal(await page.getByRole("listitem").getByRole("link", { name: "Site Groningen" }).count(), 3);
  await page.getByRole("link", { name: "battery", exact: true }).press("Enter");
  await page.getByRole("link", { name: "device-0" }).waitFor({ state: "detached" });
  await checkLooks(page, "role-devices");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), `devices-${regionId}-below.csv`);
  const [header, ...lines] = (await Deno.readTextFile(await saved.path())).trim().split("\r\n");
  assert.match(
    header ?? "",
    /^deviceId,nodeId,externalId,roleIds,roleNames,lastUpdate,(nodeType,maker|maker,nodeType)$/,
  );
  assert.deepEqual(lines.map((line) => line.split(",").slice(1, 5)), [
    ["device-1", "", String(siteId), "Site Groningen"],
    ["device-2", "", String(siteId), "Site Groningen"],
  ]);
  await page.getByRole("link", { name: "Of this role" }).click();
  await page.getByText("None here, 2 devices below.").waitFor();

  await page.goto(`${url}/devices?role=${regionId}&below=1&type=battery`);
  await page.getByRole("link", { name: "device-1" }).waitFor();
  await page.getByText("Property").press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("maker");
  await page.getByLabel("Its text").fill("ACME");
  await page.getByLabel("Its text").press("Enter");
  await page.getByRole("link", { name: "device-1" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "device-2" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill('a"b');
  await page.getByText('Without " and').waitFor();
});

interface Relation {
  readonly roleId: number;
  readonly from?: string;
  readonly until?: string;
}

async function relationsOf({ admin }: Console, deviceId: number): Promise<readonly Relation[]> {
  const body = { filter: { deviceId: [deviceId] } };
  return (await admin.post<{ monitors: Relation[] }>("/v1/role/*/monitors/query", body)).monitors;
}

consoleTest("a house is sold: one device in three clicks, and the others together", async (opened) => {
  const { page, target, admin, rootId, url } = opened;
  const installerId = await admin.create(rootId, "Installer");
  const soldId = await admin.create(installerId, "De Vries");
  const buyerId = await admin.create(installerId, "Bakker");
  const gridId = await admin.create(rootId, "Grid");
  const [meterId, inverterId, batteryId, sharedId] = await Promise.all(
    ["meter", "inverter", "battery", "shared"].map((nodeId) => addDevice(opened, soldId, { nodeId })),
  ) as [number, number, number, number];
  await admin.put(`/v1/role/${gridId}/monitors?deviceId=${sharedId}`, {});
  await invite(target, admin, installerId, "ivo@example.com");
  await signIn(opened, "ivo@example.com", "the first password of ivo@example.com");

  await page.goto(`${url}/devices/${meterId}`);
  const takesOver = page.getByRole("combobox", { name: "Who takes over" });
  const submit = page.getByRole("button", { name: "Hand over", exact: true });
  await page.getByRole("link", { name: "Hand over" }).click();
  await takesOver.fill("Bak");
  await page.getByRole("option", { name: "Bakker" }).click();
  await page.getByText("De Vries keeps reading what was measured until now, and nothing later.").waitFor();
  await page.getByText("Bakker reads what is measured from now on.").waitFor();
  await page.getByRole("link", { name: "Who has access to Bakker" }).waitFor();
  await checkLooks(page, "hand-over");
  await submit.click();
  await page.getByText(/^Handed over to .Bakker.\.$/).waitFor();
  await page.getByRole("link", { name: "Undo", exact: true }).waitFor();
  await page.getByRole("link", { name: "Bakker", exact: true }).waitFor();
  const [before, after] = await relationsOf(opened, meterId);
  assert.deepEqual([before?.roleId, after?.roleId], [soldId, buyerId]);
  assert.equal(before?.until, after?.from);

  // The others by key, from the day after; one of them also belongs to a role that the installer does not manage.
  await page.goto(`${url}/role/${soldId}?tab=devices`);
  await page.getByRole("link", { name: "Hand over all" }).press("Enter");
  await page.getByRole("heading", { name: "Hand over 3 devices" }).waitFor();
  await takesOver.fill("bakker");
  await takesOver.press("Enter");
  await page.getByText("These stay where they are:").waitFor();
  await page.getByText("Another role has it, too, and you may not take it from there.").waitFor();
  await page.getByRole("button", { name: "Start of tomorrow" }).press("Enter");
  await page.getByText("These stay where they are:").waitFor({ state: "detached" });
  await page.getByText(/Bakker reads what is measured from .* on\./).waitFor();
  await submit.press("Enter");
  await page.getByText(/^Handed over to .Bakker.\.$/).waitFor();
  for (const id of [inverterId, batteryId]) {
    const [sold, bought] = await relationsOf(opened, id);
    assert.deepEqual([sold?.roleId, bought?.roleId], [soldId, buyerId]);
    assert.ok(Date.parse(sold?.until ?? "") > Date.now());
    assert.equal(sold?.until, bought?.from);
  }
});

consoleTest(
  "a seller reads on what was measured in their time, and after a return both times",
  async (opened) => {
    const { page, target, admin, rootId, url } = opened;
    const id = await addMeter(opened);
    const sale = target.clock.now();
    const minutes = Array.from({ length: 60 }, (_, i) => sale - (i + 1) * MINUTE_MS);
    await write(opened, minutes.map((time, i) => ({ ...SERIES, time, fields: { power_W: 400 + i } })));
    const [soldId, buyerId] = [await admin.create(rootId, "De Vries"), await admin.create(rootId, "Bakker")];
    await admin.put(`/v1/role/${soldId}/monitors?deviceId=${id}`, {});
    await invite(target, admin, soldId, "vera@example.com");
    const handOver = (toRoleId: number) =>
      admin.post(`/v1/device/transfer?toRoleId=${toRoleId}`, { deviceId: [id] });
    await handOver(buyerId);
    target.clock.advance(1);
    await signIn(opened, "vera@example.com", "the first password of vera@example.com");
    await page.goto(`${url}/home`);
    await page.getByRole("heading", { name: "Former devices" }).waitFor();
    await (await openSearch(page)).fill("meter-1");
    await page.getByRole("option", { name: "Device meter-1" }).click();
    await page.getByText(/^Yours to read until /).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "meter-1" }).click();
    await page.getByText(/^Yours to read until /).waitFor();
    await page.locator(".plot canvas").first().waitFor();
    await checkLooks(page, "former-device");
    assert.equal(await page.getByText("House meter").count(), 0);

    await handOver(soldId);
    await page.goto(`${url}/devices/${id}?from=2025-12-31&to=2026-01-01`);
    await page.getByRole("heading", { name: "House meter" }).waitFor();
    await page.getByText(/^A dashed line marks where the time that you may read begins or ends: .+; .+\.$/)
      .waitFor();
  },
);

consoleTest(
  "the devices of a house go to a role made in the form, as one change that one undo takes back",
  async (opened) => {
    const { page, target, admin, rootId, url } = opened;
    const installerId = await admin.create(rootId, "Installer");
    const soldId = await admin.create(installerId, "De Vries");
    const gridId = await admin.create(rootId, "Grid");
    const ids = await Promise.all(
      ["meter", "inverter", "shared"].map((nodeId) => addDevice(opened, soldId, { nodeId })),
    );
    await admin.put(`/v1/role/${gridId}/monitors?deviceId=${ids[2]}`, {});
    await invite(target, admin, installerId, "ivo@example.com");
    await invite(target, admin, soldId, "vera@example.com");
    target.clock.advance(10);
    await signIn(opened, "ivo@example.com", "the first password of ivo@example.com");

    await page.goto(`${url}/role/${soldId}?tab=devices`);
    await page.getByRole("link", { name: "Hand over all" }).press("Enter");
    await page.getByText("The new owner has no role yet").press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("Bakker");
    const below = page.getByRole("combobox", { name: "Managed by" });
    await below.fill("install");
    await page.getByRole("option", { name: "Installer" }).click();
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Bakker reads what is measured from now on.").waitFor();
    await page.getByText("These stay where they are:").waitFor();
    await page.getByText(/^Will read less of devices: .De Vries. \(up to 1 person\)\.$/).waitFor();
    await page.getByText(/^Will read more of devices: .Bakker.\.$/).waitFor();
    await checkLooks(page, "hand-over-new-role");
    await page.getByRole("button", { name: "Hand over", exact: true }).press("Enter");
    await page.getByText(/^Handed over to .Bakker.\.$/).waitFor();
    const holdersOf = async (id: number): Promise<number[]> =>
      (await relationsOf(opened, id)).filter(({ until }) => until === undefined).map(({ roleId }) => roleId);
    const sold = await Promise.all(ids.map(holdersOf));
    assert.deepEqual(sold[2], [soldId, gridId]);
    assert.ok(sold[0]?.length === 1 && sold[0][0] !== soldId);
    assert.deepEqual(sold[1], sold[0]);

    await page.getByRole("link", { name: "Undo", exact: true }).waitFor();

    // The log has one row of it, with what the seller's role lost as its part.
    await page.goto(`${url}/changes`);
    const row = page.locator(".change-rows > li").filter({ hasText: "What belongs to it" });
    await row.getByText("What belongs to it").press("Enter");
    await row.locator(".change-rows").getByRole("link", { name: "De Vries" }).waitFor();
    await checkLooks(page, "changes-parts");
    target.clock.advance(10);
    await row.getByRole("link", { name: /^Undo/ }).first().press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^Will read more of devices: .De Vries. \(up to 1 person\)\.$/).waitFor();
    await dialog.getByText(/^Will read less of devices: .Bakker.\.$/).waitFor();
    await dialog.getByRole("button", { name: "Undo the change" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await Promise.all(ids.map(holdersOf)), [[soldId], [soldId], [soldId, gridId]]);
  },
);

consoleTest("a device is added, changed, read by another role for a while, and detached", async (opened) => {
  const { page, target, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site");
  const guestId = await admin.create(rootId, "Guest");
  await signIn(opened);
  await page.goto(`${url}/role/${siteId}?tab=devices`);
  await page.getByRole("link", { name: "Add a device" }).press("Enter");
  await page.getByLabel("Node ID").fill("pump-1");
  await page.getByRole("group", { name: "name" }).getByLabel("Value").fill("Heat pump");
  await page.getByRole("button", { name: "Add the device" }).press("Enter");
  await page.getByText(/^.Heat pump. was added\.$/).waitFor();
  await page.getByRole("link", { name: "Heat pump" }).click();

  const properties = async (): Promise<Record<string, unknown>> => {
    const body = { filter: { nodeId: ["pump-1"] } };
    const { device } = await admin.post<{ device: { id: number; properties: Record<string, unknown> }[] }>(
      "/v1/device/query",
      body,
    );
    return device[0]?.properties ?? {};
  };
  await page.getByRole("heading", { name: "Heat pump" }).waitFor();
  const id = Number(page.url().split("/").at(-1));
  await admin.put(`/v1/device/${id}`, { properties: { size: 5, list: [1], old: "x" } });
  await page.reload();
  await page.getByRole("link", { name: "Change properties" }).press("Enter");
  await page.getByLabel("size", { exact: true }).fill("five");
  await page.getByText("This is not a number.").waitFor();
  await page.getByLabel("size", { exact: true }).fill("6.5");
  await page.getByRole("button", { name: "Another property" }).press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("isOn");
  await page.getByLabel("Kind").selectOption("Yes or no");
  // Meanwhile, another user changes it.
  target.clock.advance(2);
  const theirs = { nodeId: "pump-1", maker: "ACME", name: "Heat pump", size: 5, list: [1], old: "x" };
  await admin.put(`/v1/device/${id}?mode=replace`, { properties: theirs });
  const save = page.getByRole("button", { name: "Save the properties" });
  const size = page.getByLabel("size", { exact: true });
  await size.press("Enter");
  await page.getByText("Another user changed the device meanwhile.").waitFor();
  assert.equal(await page.getByLabel("maker", { exact: true }).inputValue(), "ACME");
  // A property added before it takes neither its focus nor its text.
  await size.and(page.locator(":focus")).waitFor();
  assert.equal(await size.inputValue(), "6.5");
  await save.press("Enter");
  await page.getByText("The properties were changed.").waitFor();
  const kept = { nodeId: "pump-1", name: "Heat pump", size: 6.5, list: [1], maker: "ACME", isOn: true };
  assert.deepEqual(await properties(), { ...kept, old: "x" });
  // The form begins with what the page shows.
  await page.getByText("6.5", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Change properties" }).click();
  await page.getByRole("button", { name: /^Remove .old.$/ }).click();
  await save.click();
  await page.getByText("The properties were changed.").waitFor();
  await page.getByRole("heading", { name: /^Properties of/ }).waitFor({ state: "detached" });
  assert.deepEqual(await properties(), kept);

  await page.getByRole("link", { name: "Let another role read it" }).press("Enter");
  const role = page.getByRole("combobox", { name: "Role", exact: true });
  await role.fill("guest");
  await role.press("Enter");
  await page.getByText("Guest reads what is measured at any time.").waitFor();
  await page.getByRole("group", { name: "Until" }).getByRole("button", { name: "Start of tomorrow" }).click();
  await page.getByText(/Guest reads what is measured until /).waitFor();
  await page.getByRole("button", { name: "Let it read" }).press("Enter");
  await page.getByText(/^.Guest. reads the device\.$/).waitFor();
  await page.getByRole("link", { name: /^Period of .Guest.$/ }).press("Enter");
  await checkLooks(page, "device-period");
  await page.getByRole("group", { name: "Until" }).getByRole("button", { name: "None" }).click();
  await page.getByRole("button", { name: "Change the period" }).click();
  await page.getByText("The period was changed.").waitFor();
  await page.getByRole("link", { name: /^Period of .Guest.$/ }).click();
  await page.getByRole("link", { name: "Detach it instead" }).click();
  await page.getByText("Guest no longer sees the device").waitFor();
  await page.getByRole("button", { name: "Detach", exact: true }).click();
  await page.getByText("The device was detached.").waitFor();
  assert.deepEqual((await relationsOf(opened, id)).map(({ roleId }) => roleId), [siteId]);
  assert.notEqual(guestId, siteId);
  await page.getByRole("link", { name: /^Period of .Site.$/ }).click();
  await page.getByRole("link", { name: "Detach it instead" }).click();
  await page.getByText("No other role has it: the device is deleted").waitFor();
  await page.getByRole("button", { name: "Delete the device" }).press("Enter");
  await page.getByText("The device was deleted.").waitFor();
  await page.getByText("This role monitors no devices.").waitFor();
  assert.ok(page.url().startsWith(`${url}/devices?role=${siteId}`));
});

consoleTest("hostile properties are shown as text", async (opened) => {
  const { page, rootId, url } = opened;
  const img = "<img src=x onerror=alert(1)>";
  const id = await addDevice(opened, rootId, {
    nodeId: `\u202e${img}`,
    name: "🦉".repeat(256),
    nodeType: '"><script>alert(1)</script>',
    [img]: { deep: [{ deeper: img }, []], yes: true, nothing: null, size: 1.23456789 },
    long: "W".repeat(8000),
    nodeInfluxSeries: [
      null,
      { database: 5 },
      { database: "d", measurement: "m", fields: "f" },
      { database: img, measurement: `m"; DROP`, fields: [img], tags: { nodeId: "somebody else's" } },
    ],
  });
  await signIn(opened);
  await page.goto(`${url}/devices`);
  await page.getByText(`\u202e${img}`).waitFor();
  await checkLooks(page, "devices-hostile");
  const reads = recordReads(opened);
  await page.goto(`${url}/devices/${id}`);
  await page.getByText("Nothing has been measured yet, or it is no longer kept.").waitFor();
  // A device cannot show what another one measured.
  assert.deepEqual(reads[0]?.[0]?.tags, new Map([["nodeId", `\u202e${img}`]]));
  await page.getByText("3 entries of nodeInfluxSeries cannot be shown").waitFor();
  await page.getByText("1.23456789").waitFor();
  await page.getByText("8,000 characters").waitFor();
  await checkLooks(page, "device-hostile");
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
  assert.equal(await page.locator("main img, main script").count(), 0);
});

consoleTest("a member who may only read is told so, as is one who may no longer read", async (opened) => {
  const { page, target, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site", ALL, rights("viewManagement"));
  const meterId = await addMeter(opened);
  await admin.put(`/v1/role/${siteId}/monitors?deviceId=${meterId}`, {});
  const otherId = await addDevice(opened, rootId, { nodeId: "other" });
  await invite(target, admin, siteId, "bo@example.com");
  await signIn(opened, "bo@example.com", "the first password of bo@example.com");
  await page.goto(`${url}/devices/${otherId}`);
  await page.getByRole("heading", { name: "There is no such device" }).waitFor();
  await page.getByRole("link", { name: "All devices" }).click();
  await page.getByRole("link", { name: "House meter" }).click();
  await page.getByText("To change it, you need device management on a role that monitors it").waitFor();
  await page.getByRole("img", { name: /power_W/ }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Energy Inc" }).count(), 0);
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(
    `/v1/role/${siteId}/monitors/query`,
  );
  await admin.delete(`/v1/role/${siteId}/monitors/${monitors[0]?.id}`);
  await page.getByRole("button", { name: "Closer" }).click();
  await page.getByText("You may not read these measurements").first().waitFor();
});

consoleTest("measurements that cannot be read are requested again until they can", async (opened) => {
  const { page, url, expectFaults } = opened;
  const id = await addMeter(opened);
  await signIn(opened);
  await page.goto(opened.url);
  const json = { message: "refused" };
  let refusal: Parameters<Route["fulfill"]>[0] = { status: 503, json };
  await page.route(`**${QUERY}`, (route) => route.fulfill(refusal));
  await page.goto(`${url}/devices/${id}`);
  await page.getByText(
    "The measurements cannot be read at the moment. The page tries again by itself.",
  )
    .waitFor();
  await checkLooks(page, "device-away");
  refusal = { status: 429, headers: { "Retry-After": "2" }, json };
  await page.locator(".fault", { hasText: /They are read again in \d seconds?\./ }).waitFor();
  await page.unroute(`**${QUERY}`);
  await page.getByRole("img", { name: /power_W/ }).waitFor();
  expectFaults(/status of 503/);
  await page.route(`**${QUERY}`, async (route) => {
    const response = await route.fetch();
    const [power, , ...others] = await response.json();
    const pump = { statement_id: 1, error: "SECOND_FACTOR_REQUIRED" };
    await route.fulfill({ response, json: [{ ...power, clipped: true }, pump, ...others] });
  }, { times: 1 });
  await page.getByRole("link", { name: "Month" }).click();
  await page.getByText("You may read a part of this time only").waitFor();
  await page.getByText("This needs a second step that this session has not shown.").waitFor();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Week" }).click();
  await page.getByText("The service cannot be reached.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("The service cannot be reached.").waitFor({ state: "detached" });
  expectFaults(NO_CONNECTION);
});
