/** The log of changes: it follows, waits, filters, and undoes a row. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page, Request } from "playwright-core";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { invite, type Manages } from "../helpers/person.ts";
import { importAll } from "../moving_in/platform.ts";
import { ADA, changeMeanwhile, checkLooks, isApplied, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const NARROW = rights("roleManagement", "viewManagement");

consoleTest(
  "a new change appears at the top of the log with its rights, and refusals are marked",
  async (opened) => {
    const { target, page, url, admin, rootId } = opened;
    const siteId = await admin.create(rootId, "Site", ALL);
    const eva = await invite(target, admin, siteId, "eva@example.com");
    await signIn(opened);
    await page.goto(`${url}/changes`);
    const log = page.getByRole("list", { name: "Changes" });
    const changes = log.getByRole("listitem");
    await changes.filter({ hasText: "ada@example.com added eva@example.com to Site" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();

    const { manages: [relation] } = await admin.post<{ manages: [Manages] }>(
      `/v1/role/${rootId}/manages/query`,
      {},
    );
    await admin.put(`/v1/role/${rootId}/manages/${relation.id}`, NARROW);
    const narrowed = changes.first().filter({
      hasText: "ada@example.com changed what Energy Inc may do on Site",
    });
    await narrowed.getByRole("img", { name: "role management, view management", exact: true }).waitFor();

    await admin.put(`/v1/role/${siteId}`, { name: "Site", externalId: "crm-7", selfRights: ALL });
    await changes.first().filter({ hasText: /^ada@example.com changed Site(?!.*Its members)/ }).waitFor();
    await admin.put(`/v1/role/${siteId}`, { name: "Site", selfRights: NARROW });
    await changes.first().filter({ hasText: /^ada@example.com changed Site.*Its members/ }).waitFor();

    assert.equal((await eva.ask("DELETE", `/v1/role/${rootId}/manages/${relation.id}`)).status, 403);
    assert.equal((await eva.ask("PUT", `/v1/role/${siteId}`, { name: "Mine", selfRights: ALL })).status, 403);
    await changes.first().filter({ hasText: "eva@example.com tried to change Site" })
      .getByText("Refused: they may not do that").waitFor();
  },
);

consoleTest(
  "new changes wait behind a button while the log is being read, and while it is paused",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    await admin.create(rootId, "First", ALL);
    await signIn(opened);
    await page.goto(`${url}/changes`);
    const log = page.getByRole("list", { name: "Changes" });
    await log.getByRole("link", { name: "First" }).focus();
    await admin.create(rootId, "Second", ALL);
    const button = page.getByRole("button", { name: "1 new change" });
    await button.waitFor();
    assert.equal(await log.getByText("Second").count(), 0);
    await button.click();
    await log.getByText("Second").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused").waitFor();
    await admin.create(rootId, "Third", ALL);
    await page.getByRole("button", { name: "Resume" }).click();
    await log.getByText("Third").waitFor();
  },
);

consoleTest(
  "the log pauses without a connection, continues with one, and stops when the view is left",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    await signIn(opened);
    await page.goto(`${url}/changes`);
    const log = page.getByRole("list", { name: "Changes" });
    await page.getByText("Live", { exact: true }).waitFor();
    await setOnline(page, false);
    await page.getByText("No connection").waitFor();
    await admin.create(rootId, "Meanwhile");
    await setOnline(page, true);
    await log.getByText("Meanwhile").waitFor();
    const isPoll = (request: Request): boolean => request.url().endsWith("/v1/change/query");
    const waiting = page.waitForRequest(isPoll);
    await admin.create(rootId, "Later");
    await log.getByText("Later").waitFor();
    await waiting;
    const stopped = page.waitForEvent("requestfailed", isPoll);
    await page.getByRole("link", { name: "Hierarchy" }).click();
    await stopped;
  },
);

consoleTest("the address filters the log, and a button shows more of it", async (opened) => {
  const { target, page, url, admin, rootId } = opened;
  const siteId = await admin.create(rootId, "Site", ALL);
  const eva = await invite(target, admin, siteId, "eva@example.com");
  const names = Array.from({ length: 50 }, (_, i) => `Room ${i + 1}`);
  for (const name of names) await eva.create(siteId, name);
  await admin.create(rootId, "Elsewhere", ALL);
  await signIn(opened);
  await page.goto(`${url}/changes`);
  const log = page.getByRole("list", { name: "Changes" });
  await log.getByText("Room 50").waitFor();
  assert.equal(await log.getByText("added eva").count(), 0);
  await page.getByRole("button", { name: "Show more" }).click();
  await log.getByText("added eva").waitFor();
  assert.equal(await log.getByText("Room").count(), 50);

  await page.getByRole("combobox", { name: "Role", exact: true }).fill("sit");
  await page.getByRole("option", { name: /^Site/ }).click();
  await log.getByText("Elsewhere").waitFor({ state: "detached" });
  await page.getByLabel("What").selectOption("Member added");
  await log.getByText("Room").first().waitFor({ state: "detached" });
  assert.equal(await log.getByRole("listitem").count(), 1);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const file = await readFile(await (await saving).path(), "utf8");
  assert.match(file, /^revision,.*\r\n.*,member\.add,ok,.*\r\n$/);
  await page.getByText("Saved as changes.csv, with 1 line.").waitFor();
  await page.getByLabel("Done by").fill("va@exam");
  await page.locator('option[value="eva@example.com"]').first().waitFor({ state: "attached" });
  await page.getByText("This is not a whole address yet").waitFor();
  assert.equal(await page.getByRole("link", { name: "by va@exam" }).count(), 0);
  await page.getByLabel("Done by").fill(ADA);
  await page.getByRole("link", { name: `by ${ADA}` }).waitFor();
  await page.reload();
  await log.getByText("added eva").waitFor();
  await page.goBack();
  await log.getByText("Room 50").waitFor();
  await page.goForward();
  await page.getByRole("link", { name: "Clear all" }).click();
  await log.getByText("Elsewhere").waitFor();
  await page.goto(`${url}/changes?from=2025-12-01&to=2025-12-31`);
  await page.getByText("No change matches the filters.").waitFor();
  await page.goto(`${url}/changes?from=2025-12-31&to=2026-01-02&role=${siteId}&decision=ok`);
  await log.getByText("Room 50").waitFor();
  await page.goto(`${url}/changes?from=zzz&role=abc`);
  await log.getByText("Elsewhere").waitFor();
  assert.equal(
    await page.getByRole("link", { name: "Clear all" }).count(),
    0,
    "what is no filter looks like one",
  );
});

consoleTest("the log says what an import added, and lists show the ids that it brought", async (opened) => {
  const { target, page, url, rootId } = opened;
  await importAll(target.database, {
    roles: `key,name,parents,manages,selfRights,externalId\ns,Site,#${rootId},all,all,crm-7\n`,
    people: "email,externalId\neva@example.com,u-3\n",
    members: "role,person,until\ns,u-3,2031-01-01\n",
  }, { now: target.clock.now() });
  await signIn(opened);
  await page.goto(`${url}/changes`);
  const log = page.getByRole("list", { name: "Changes" });
  const added = log.getByRole("listitem").filter({ hasText: "An import added eva@example.com to Site" });
  await added.getByText("Until Jan 1, 2031").waitFor();
  await log.getByRole("link", { name: "Site" }).first().click();
  await page.getByText("ID in another system").locator("..").getByText("crm-7").waitFor();
  await page.getByRole("link", { name: "People" }).click();
  await page.getByText("ID in another system: u-3").waitFor();
});

consoleTest("names in the log are text, and deleted roles keep theirs", async (opened) => {
  const { page, url, admin, rootId } = opened;
  const names = ["<img src=x onerror=alert(1)>", "\u202eesrever", "🦉".repeat(256)];
  for (const name of names) await admin.create(rootId, name);
  const goneId = await admin.create(rootId, "Gone");
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${rootId}/manages/query`, {
    filter: { childRoleId: [goneId] },
  });
  await admin.delete(`/v1/role/${rootId}/manages/${manages[0]?.id}`);
  await signIn(opened);
  await page.goto(`${url}/changes`);
  const log = page.getByRole("list", { name: "Changes" });
  // It was deleted by that change, not since.
  await log.getByText(/^ada@example.com deleted “Gone”, which was below/).waitFor();
  for (const name of names) await log.getByRole("link", { name }).waitFor();
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false);
});

consoleTest(
  "a row of the log is undone after a preview, which says why if that cannot be done",
  async (opened) => {
    const { target, page, url, admin, rootId } = opened;
    const siteId = await admin.create(rootId, "Site");
    const eva = await invite(target, admin, siteId, "eva@example.com");
    const shedId = await eva.create(siteId, "Shed");
    await admin.post(`/v1/device?roleId=${siteId}`, { properties: { nodeId: "meter-1" } });
    for (const name of ["House", "Home"]) await admin.put(`/v1/role/${siteId}`, { name, selfRights: ALL });
    await admin.post(`/v1/role/${siteId}/key`, { name: "Meter reader" });
    await admin.delete(`/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, siteId)}`);
    await signIn(opened);
    await page.goto(opened.url);
    const row = (text: string) =>
      page.getByRole("list", { name: "Changes" }).getByRole("listitem").filter({ hasText: text }).last();
    const undo = { name: /^Undo revision/ };
    const restore = { name: /^Restore what revision/ };
    const undoChange = page.getByRole("button", { name: "Undo the change" });
    // Once its history is deleted, a restore would be refused.
    await page.route("**/v1/change/query", async (route) => {
      const response = await route.fetch();
      const { change, ...json } = await response.json();
      const old = change.map((each: object) => ({ ...each, at: "2024-01-01T00:00:00.000Z" }));
      await route.fulfill({ response, json: { change: old, ...json } });
    });
    await page.goto(`${url}/changes`);
    await row("ada@example.com deleted “Home”").getByText("that can be done for 400 days").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.goto(`${url}/changes`);
    const refusals = [
      [403, "It takes the same rights as making the opposite change yourself."],
      [422, "An administrator of the service can do it: tell them the revision, 9."],
    ] as const;
    for (const [status, text] of refusals) {
      await page.route("**/undo?*", (route) => route.fulfill({ status, json: {} }), { times: 1 });
      await row("ada@example.com deleted “Home”").getByRole("link", restore).click();
      await page.getByText(text).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await row("ada@example.com deleted “Home”").getByRole("link", restore).click();
    // Eva's membership comes back, since ada could make it now; the key does not.
    await page.getByText("Restored: 2 roles, 1 device, 3 relations, and 1 membership.").waitFor();
    await checkLooks(page, "undo-deletion");
    await page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByText("The change was undone. Restored: 2 roles").waitFor();
    assert.doesNotMatch(page.url(), /undo/);
    await row("ada@example.com restored Home").getByText("An undo of revision").waitFor();
    await row("ada@example.com deleted Home").getByText("Undone in revision").waitFor();
    assert.equal(await row("ada@example.com deleted Home").getByRole("link", restore).count(), 0);
    await page.locator("li:focus", { hasText: "ada@example.com deleted Home" }).waitFor();
    assert.equal(await row("created key “Meter reader”").getByRole("link", undo).count(), 0);
    assert.deepEqual(await admin.roleIds({ filter: { ancestorRoleId: [siteId] } }), [shedId]);
    await checkLooks(page, "undo-done");

    await row("renamed Site to House").getByRole("link", undo).click();
    const dialog = page.getByRole("dialog");
    const another = (change: string) => `there was another one: ada@example.com ${change}`;
    await dialog.getByText(another("restored Home")).waitFor();
    await dialog.getByText("That one cannot be undone. Make the opposite change yourself").waitFor();
    assert.equal(await undoChange.isDisabled(), true);
    await checkLooks(page, "undo-changed-since");
    await page.getByRole("button", { name: "Cancel" }).click();
    await admin.put(`/v1/role/${siteId}`, { name: "Hut", selfRights: ALL });
    await row("renamed House to Home").getByRole("link", undo).click();
    await dialog.getByText(another("renamed Home to Hut")).waitFor();
    await dialog.getByRole("link", { name: /^Undo revision .* first$/ }).click();
    await dialog.getByText("ada@example.com renamed Home to Hut", { exact: true }).waitFor();
    await dialog.getByText("No one gains or loses a right.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();

    const garageId = await admin.create(siteId, "Garage");
    await page.goto(`${url}/changes`);
    await row("created Garage").getByRole("link", undo).click();
    await page.getByText("Garage is deleted: nothing else leads to it.").waitFor();
    await changeMeanwhile(
      page,
      isApplied,
      () => admin.put(`/v1/role/${siteId}/member?userEmail=femke@example.com`),
    );
    await undoChange.click();
    await page.getByText("Meanwhile, another person changed something, and nothing was done.").waitFor();
    assert.deepEqual(await admin.roleIds({ filter: { id: [garageId] } }), [garageId]);
    // What it would do now, which the next click confirms.
    await page.getByRole("dialog").getByRole("listitem").filter({ hasText: "femke@example.com" }).waitFor();
    await undoChange.click();
    await page.getByText("The change was undone.").waitFor();
    assert.deepEqual(await admin.roleIds({ filter: { id: [garageId] } }), []);
  },
);

/** Tells the page that the browser has lost its connection, or has it again. What is under way goes on. */
async function setOnline(page: Page, isOnline: boolean): Promise<void> {
  await page.evaluate((isOnline) => {
    Object.defineProperty(navigator, "onLine", { configurable: true, get: () => isOnline });
    dispatchEvent(new Event(isOnline ? "online" : "offline"));
  }, isOnline);
}

consoleTest(
  "a row of the log leads to the picture before and after it, where no change is offered",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    const siteId = await admin.create(rootId, "Site", ALL);
    const { manages: [relation] } = await admin.post<{ manages: [Manages] }>(
      `/v1/role/${rootId}/manages/query`,
      {},
    );
    await admin.put(`/v1/role/${rootId}/manages/${relation.id}`, NARROW);
    await admin.put(`/v1/role/${siteId}`, { name: "Plant", selfRights: ALL });
    await signIn(opened);
    await page.goto(`${url}/changes`);
    const log = page.getByRole("list", { name: "Changes" });
    const narrowed = log.getByRole("listitem").filter({ hasText: "what Energy" });
    await narrowed.getByRole("link", { name: "See the picture before revision" }).click();
    await page.getByText(/As it was after revision \d+/).waitFor();
    const whole = page.getByRole("img", { name: /^Energy Inc manages Site: role management, user manage/ });
    await whole.waitFor();
    assert.equal(await page.getByRole("link", { name: /manages Site/ }).count(), 0);
    assert.equal(await page.getByRole("button", { name: /^Actions for/ }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "About", exact: true }).count(), 0);
    await page.getByRole("listitem").filter({ hasText: ADA }).waitFor();
    await checkLooks(page, "the picture in the past");
    // The way to another role stays in the past, and so does a moment that cannot be shown.
    await page.getByRole("link", { name: /^Energy Inc: / }).click();
    await page.getByRole("heading", { name: "Energy Inc" }).waitFor();
    await whole.waitFor();
    await page.getByLabel("When").fill("2001-01-01T00:00");
    await page.getByText("The role was not there then, or you may not see it").waitFor();
    await page.getByLabel("When").fill("2101-01-01T00:00");
    await page.getByText("That time has not come yet.").waitFor();
    opened.expectFaults(/status of 400/);
    await page.getByRole("link", { name: "Back to now" }).click();
    await page.getByRole("link", { name: "Energy Inc manages Plant: role management, view management" })
      .waitFor();
    await page.goto(`${url}/changes`);
    await narrowed.getByRole("link", { name: "See the picture after revision" }).click();
    await page.getByRole("img", { name: "Energy Inc manages Site: role management, view management" })
      .waitFor();
  },
);
