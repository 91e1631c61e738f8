/** The start page of a household on a phone, and of a person with several roles. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { invite } from "../helpers/person.ts";
import { checkLooks, type Console, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SERIES = { database: "plant", retentionPolicy: "rp_one_m", measurement: "energy" };

async function addRole({ admin }: Console, parentId: number, name: string): Promise<number> {
  const body = { role: { name, selfRights: ALL }, manages: ALL };
  return (await admin.post<{ role: { id: number } }>(`/v1/role?parentRoleId=${parentId}`, body)).role.id;
}

/** Creates a device, with the power that it measured in each quarter of an hour of a day that ended `agoMs` ago. */
async function addDevice(opened: Console, roleId: number, nodeId: string, agoMs = 0): Promise<void> {
  const { admin, url } = opened;
  const nodeInfluxSeries = [{ ...SERIES, fields: ["power_W"] }];
  await admin.post(`/v1/device?roleId=${roleId}`, {
    properties: { nodeId, name: `Meter ${nodeId}`, nodeType: "meter", nodeInfluxSeries },
  });
  const last = Math.floor((Date.now() - agoMs) / MINUTE_MS) * MINUTE_MS;
  const points = Array.from({ length: 96 }, (_, i) => ({
    measurement: SERIES.measurement,
    time: last - i * 15 * MINUTE_MS,
    fields: { power_W: i === 0 ? 1234 : 400 + 10 * i },
    tags: { nodeId },
  }));
  const response = await fetch(
    new URL(`/v1/telemetry?db=${SERIES.database}&rp=${SERIES.retentionPolicy}`, url),
    {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${admin.accessToken}` },
      body: JSON.stringify(points),
    },
  );
  assert.equal(response.status, 204, await response.text());
}

/** Returns whether the element is seen without scrolling. */
async function isAboveFold(page: Page, text: string): Promise<boolean> {
  const box = await page.getByText(text).first().boundingBox();
  return box !== null && box.y + box.height <= (page.viewportSize()?.height ?? 0);
}

/** Returns how much of what was shown has moved by itself since the page was opened, as web vitals count it. */
async function shiftOf(page: Page): Promise<number> {
  return await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
      .observe({ type: "layout-shift", buffered: true });
    setTimeout(resolve, 200, 0);
  })`);
}

consoleTest(
  "on a phone, a household finds its devices with their values, and who else sees them, above the fold",
  async (opened) => {
    const { page, target, admin, rootId, url } = opened;
    const house = await addRole(opened, rootId, "Kerkstraat 3");
    for (const nodeId of ["meter-1", "meter-2"]) await addDevice(opened, house, nodeId);
    await invite(target, admin, house, "ruben@example.com");
    const until = new Date(Date.now() + 3 * 24 * HOUR_MS).toISOString();
    await admin.put(`/v1/role/${house}/member?userEmail=eva@example.com`, {
      until,
      rights: rights("viewManagement"),
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await signIn(opened, "ruben@example.com", "the first password of ruben@example.com");
    await page.goto(opened.url);
    await page.getByRole("heading", { name: "Kerkstraat 3", level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/home");
    await page.getByText("1,234 W").nth(1).waitFor();
    await page.getByText("Who else can see this").waitFor();
    for (const text of ["Meter meter-1", "Meter meter-2", "eva@example.com", "ada@example.com"]) {
      assert.ok(await isAboveFold(page, text), text);
    }
    assert.equal(await page.locator(".sparkline path").count(), 2);
    // The letters beside the people are explained.
    await page.locator(".viewers summary").click();
    await page.getByText("Invite and remove people, and see who has access.").waitFor();

    // The role has the same, and the picture one tap away. Nothing scrolls by itself.
    await page.goto(`${url}/home`);
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Hierarchy" }).click();
    await page.getByText("1,234 W").nth(1).waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/role/${house}`);
    for (const text of ["Meter meter-1", "Meter meter-2"]) assert.ok(await isAboveFold(page, text), text);
    await page.getByText("Who else can see this").waitFor();
    assert.equal(await page.locator(".graph").count(), 0);
    for (const [tab, shown] of [["Devices", "Meter meter-1"], ["People", "eva@example.com"]] as const) {
      await page.getByRole("navigation", { name: "Parts of the role" }).getByRole("link", { name: tab })
        .click();
      await page.getByText(shown).first().waitFor();
      assert.equal(await page.evaluate("scrollY"), 0, tab);
      assert.ok(await isAboveFold(page, shown), tab);
    }
    await page.getByText("The picture", { exact: true }).click();
    await page.locator(".graph").getByRole("link", { name: /^Kerkstraat 3/ }).waitFor();

    // The parts of a page arrive one after another, and those that are there do not jump.
    let asked = 0;
    await page.route("**/v1/**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 40 * (++asked % 5)));
      await route.fallback();
    });
    await page.goto(`${url}/role/${house}`);
    await page.getByText("1,234 W").nth(1).waitFor();
    await page.getByText("The picture", { exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.ok(await shiftOf(page) < 0.05, "the page of a role jumps");
    await page.getByRole("link", { name: "Meter meter-1" }).click();
    await page.getByRole("heading", { name: "Meter meter-1" }).waitFor();
    await page.reload();
    await page.locator(".plot canvas").first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.ok(await shiftOf(page) < 0.05, "the page of a device jumps");
  },
);

consoleTest(
  "who has several roles begins with all of them, and sees below which of them data is late",
  async (opened) => {
    const { page, target, admin, rootId } = opened;
    const installer = await addRole(opened, rootId, "Van Dalen Installatie");
    const other = await addRole(opened, rootId, "Zonnedak Gent");
    for (let i = 1; i <= 8; i++) {
      const customer = await addRole(opened, installer, `Customer ${i}`);
      const site = await addRole(opened, customer, `Site ${i}`);
      for (let j = 0; j < (i === 3 ? 6 : i < 3 ? 1 : 0); j++) {
        await addDevice(opened, site, `meter-${i}-${j}`, i === 1 ? 5 * HOUR_MS : 0);
      }
      // Beside a device with fresh data, one that was silent for days, or never measured.
      if (i === 5) await addDevice(opened, site, "silent", 50 * HOUR_MS);
      if (i === 4 || i === 6) {
        const nodeInfluxSeries = [{ ...SERIES, fields: ["power_W"] }];
        await admin.post(`/v1/device?roleId=${site}`, {
          properties: { nodeId: `never-${i}`, nodeInfluxSeries },
        });
      }
      if (i === 5 || i === 6) await addDevice(opened, site, `meter-${i}`);
    }
    await invite(target, admin, installer, "sanne@example.com");
    await admin.put(`/v1/role/${other}/member?userEmail=sanne@example.com`, {});
    await admin.put(`/v1/role/${other}/member?userEmail=tim@example.com`, {});
    await signIn(opened, "sanne@example.com", "the first password of sanne@example.com");
    await page.goto(opened.url);
    await page.getByRole("heading", { name: "2 roles of yours" }).waitFor();
    const roles = page.getByRole("navigation", { name: "2 roles of yours" });
    assert.equal(await roles.getByRole("link").count(), 2);
    const late = page.locator("section").filter({ hasText: "Without data for over an hour" });
    await late.getByRole("link", { name: "Customer 1" }).waitFor();
    assert.match(
      await late.innerText(),
      new RegExp([
        "1 device\\s+No data for 5 hours",
        "Customer 4\\s+1 device\\s+No values yet",
        "Customer 5\\s+2 devices\\s+No data for 2 days",
        "Customer 6\\s+2 devices\\s+No values yet$",
      ].join("\\s+")),
    );
    await page.getByRole("link", { name: "Customer 2" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "Customer 3" }).getByText("6 devices").waitFor();
    await page.getByRole("link", { name: "1 invitation waits" }).click();
    await page.getByRole("link", { name: "tim@example.com", exact: true }).waitFor();
    await page.goBack();
    assert.equal(await page.getByText("expires within").count(), 0);
    await late.getByRole("link", { name: "Customer 1" }).waitFor();
    await checkLooks(page, "home-roles");

    await page.getByLabel("Find a role below").fill("ITE 2");
    await page.getByRole("link", { name: "Site 2" }).waitFor();
    await late.waitFor({ state: "detached" });
    await page.getByLabel("Find a role below").fill("nothing like it");
    await page.getByText("No role below has this in its name.").waitFor();
    await roles.getByRole("link", { name: /Zonnedak Gent/ }).click();
    await page.getByText("There is nothing below this role yet.").waitFor();
  },
);
