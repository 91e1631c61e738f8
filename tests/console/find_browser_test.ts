/** The search that every page has. */
import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { addChildren } from "./crowd.ts";
import { openSearch, PASSWORD, signIn, signOut, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const EVA = "eva@groningen.example";

consoleTest(
  "one search finds roles, people, devices, pages and actions by any part of their names, and remembers what was opened",
  async (opened) => {
    const { page, admin, rootId, url } = opened;
    const customerId = await admin.create(rootId, "Familie De Vries");
    const siteId = await admin.create(customerId, "Kerkstraat 3, Groningen");
    await addDevice(admin, siteId, "groningen-3-meter");
    await admin.put(`/v1/role/${siteId}/member?userEmail=${EVA}`, {});
    await signIn(opened);
    await page.goto(opened.url);
    await page.getByRole("link", { name: /^Energy Inc: / }).waitFor();
    const option = (name: string) => page.getByRole("option", { name });
    const search = await openSearch(page);
    await search.fill("gron");
    await option("Role Kerkstraat 3, Groningen below \u2068Familie De Vries\u2069").waitFor();
    await option(`Person ${EVA} \u2068Kerkstraat 3, Groningen\u2069`).waitFor();
    await option("Device groningen-3-meter").waitFor();
    await option("Action Invite a person to Kerkstraat 3, Groningen").waitFor();
    assert.deepEqual([...new Set(await page.locator(".palette mark").allInnerTexts())], ["Gron", "gron"]);
    await page.getByRole("status").getByText("5 hits").waitFor({ state: "attached" });

    // By keys alone: up from the first leads to the last.
    await search.press("ArrowDown");
    assert.equal(
      await page.locator("[aria-selected=true]").innerText(),
      `Person\n${EVA}\n\u2068Kerkstraat 3, Groningen\u2069`,
    );
    await search.press("End");
    await page.locator("[aria-selected=true]").getByText("New role below").waitFor();
    await search.press("Home");
    await search.press("Enter");
    await page.getByRole("heading", { name: "Kerkstraat 3, Groningen" }).waitFor();
    assert.equal(page.url(), `${url}/role/${siteId}`);

    await (await openSearch(page)).fill("invite vries");
    await option("Action Invite a person to Familie De Vries").waitFor();
    assert.deepEqual(await page.locator(".palette li").allInnerTexts(), [
      "Action\nInvite a person to Familie De Vries",
      "Action\nInvite several people to Familie De Vries",
    ]);
    // All of the words, of which another action has the first, too.
    await search.fill("invite several people to vries");
    await option("Action Invite a person to Familie De Vries").waitFor({ state: "detached" });
    await option("Action Invite several people to Familie De Vries").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Familie De Vries" }).first().waitFor();
    assert.equal(page.url(), `${url}/role/${customerId}?do=members`);

    await (await openSearch(page)).fill("passk");
    await option("Page Add a passkey").click();
    await page.getByRole("heading", { name: "Add a passkey" }).waitFor();
    await openSearch(page);
    await option("Recent Familie De Vries").waitFor();
    const kept = await page.evaluate("JSON.stringify({ ...localStorage })") as string;
    assert.ok(!kept.includes("Vries"), "ids alone are kept");
    await option("Recent Kerkstraat 3, Groningen").click();
    await page.getByRole("heading", { name: "Kerkstraat 3, Groningen" }).waitFor();
    await (await openSearch(page)).fill("sign ou");
    await option("Action Sign out").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.evaluate("JSON.stringify({ ...localStorage })"), "{}");
  },
);

consoleTest("a search says what it does not show, and loads more of it on request", async (opened) => {
  const { page, target, admin, rootId, expectFaults } = opened;
  await addChildren(target, rootId, 40);
  const { userId } = await target.createUser(EVA);
  await target.setPassword(userId, PASSWORD);
  const others = [await admin.create(rootId, "North"), await admin.create(rootId, "South")];
  await admin.put(`/v1/role/${others[0]}/member?userEmail=${EVA}`, { rights: rights("viewManagement") });
  await admin.put(`/v1/role/${others[1]}/member?userEmail=${EVA}`, { rights: ALL });
  await signIn(opened);
  await page.goto(opened.url);
  await page.getByRole("link", { name: /^Energy Inc: / }).waitFor();
  const search = await openSearch(page);
  await search.fill("ustomer");
  await page.getByRole("option", { name: "Role Customer" }).nth(4).waitFor();
  for (let i = 0; i < 5; i++) await search.press("ArrowDown");
  await search.press("Enter");
  await page.getByRole("option", { name: "Role Customer" }).nth(24).waitFor();
  await page.locator("[aria-selected=true]").getByText("Customer").waitFor();
  await search.fill("cu");
  await page.getByText("From three characters on").waitFor();
  await page.route(/\/v1\/search/, (route) => route.fulfill({ status: 503 }), { times: 1 });
  await search.fill("customer 4");
  await page.getByRole("paragraph").getByText("The service is busy").waitFor();
  expectFaults(/status of 503/);
  assert.equal(await search.inputValue(), "customer 4");
  await page.keyboard.press("Escape");
  await signOut(page);

  await signIn(opened, EVA);
  await page.goto(opened.url);
  await page.getByRole("heading", { name: "2 roles of yours" }).waitFor();
  await openSearch(page);
  await page.getByRole("option", { name: "Your role North" }).waitFor();
  await page.getByRole("option", { name: "Your role South" }).click();
  await page.getByRole("heading", { name: "South" }).waitFor();
  // What may not be done is not offered.
  await (await openSearch(page)).fill("north");
  await page.getByRole("option", { name: "Role North" }).waitFor();
  assert.equal(await page.locator(".palette li").count(), 1);
});
