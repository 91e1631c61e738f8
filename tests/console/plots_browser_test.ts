/** Plots of devices: spans, lines, files, and measurements that cannot be read. */
import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import type { StoreQuery, TelemetryStore } from "../../src/telemetry/store.ts";
import { hasInfluxd, sharedInfluxd } from "../helpers/influxd.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { openInfluxStore } from "../telemetry/influx_scene.ts";
import { addMeter, recordReads } from "./device_scene.ts";
import { checkLooks, type Console, NO_CONNECTION, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const QUERY = "/v1/telemetry/query";

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
