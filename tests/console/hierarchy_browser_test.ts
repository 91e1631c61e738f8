/** The picture of roles: rights that are lost, other people, many children and parents. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import type { Manages } from "../helpers/person.ts";
import { addChildren } from "./crowd.ts";
import { ADA, checkLooks, type Console, PASSWORD, signIn, standsStill, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const GRACE = "grace@example.com";

consoleTest(
  "the picture shows where a right is lost, follows clicks, keys, back and forward, and links to relations",
  async (opened) => {
    const { page, admin, rootId, url } = opened;
    const { countryId, installerId } = await makeCountry(opened);
    await admin.create(installerId, "Site", ALL);
    await signIn(opened);
    await page.goto(opened.url);
    await box(opened, "Energy Inc").and(page.locator("[aria-current]")).waitFor();
    assert.equal(new URL(page.url()).pathname, `${new URL(url).pathname}/role/${rootId}`);
    await box(opened, "Netherlands").click();
    await page.getByRole("heading", { name: "Netherlands" }).waitFor();
    const relation = page.getByRole("link", {
      name:
        "Netherlands manages Installer X: role management, view management. Lost here: user management, device " +
        "management, report management, alarm management",
    });
    await relation.waitFor();
    await page.getByRole("link", {
      name: "Installer X: role management, view management; 1 more child; 1 role below",
    }).waitFor();

    await box(opened, "Netherlands").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Installer X" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Netherlands" }).waitFor();
    await page.goForward();
    await page.getByRole("heading", { name: "Installer X" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Netherlands" }).waitFor();
    await relation.click();
    const { pathname, search } = new URL(page.url());
    const [{ id }] =
      (await admin.post<{ manages: [Manages] }>(`/v1/role/${countryId}/manages/query`)).manages;
    assert.equal(pathname + search, `/console/role/${countryId}?do=relation&relation=${id}`);
  },
);

consoleTest("an administrator sees the rights of another user, from role to role", async (opened) => {
  const { page, admin, url } = opened;
  const { countryId, installerId } = await makeCountry(opened);
  await admin.put(`/v1/role/${countryId}/member?userEmail=${GRACE}`, {
    rights: rights("viewManagement", "alarmManagement"),
  });
  await signIn(opened);
  await page.goto(opened.url);
  await box(opened, "Netherlands").click();
  await page.getByRole("button", { name: "Rights of you" }).click();
  await page.getByText("For others, type the whole address").waitFor();
  await page.getByRole("link", { name: GRACE }).waitFor();
  await page.getByLabel("Email address").fill("grace");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("That is not an email address.").waitFor();
  await page.getByRole("link", { name: GRACE }).click();
  await page.getByText("member of Netherlands").waitFor();
  await page.getByRole("link", { name: "Energy Inc: no access" }).waitFor();
  await page.getByRole("link", { name: "Netherlands: view management, alarm management" }).waitFor();
  await page.getByRole("link", { name: /view management\. Lost here: alarm management$/ }).waitFor();

  await box(opened, "Installer X").click();
  await page.getByRole("heading", { name: "Installer X" }).waitFor();
  assert.equal(page.url(), `${url}/role/${installerId}?person=grace%40example.com`);
  await page.getByRole("link", { name: /^Installer X: view management$/ }).waitFor();
  await page.goto(`${url}/role/${installerId}?person=nobody@example.com`);
  await page.getByText("the address is not known here").waitFor();
  await page.goto(`${url}/role/${installerId}?person=nobody`);
  await page.getByText("“\u2068nobody\u2069” is not an email address").waitFor();
  await page.goto(`${url}/role/${installerId}?person=${GRACE}`);
  await page.getByRole("button", { name: `Rights of ${GRACE}` }).press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: `Rights of ${GRACE}` }).press("Enter");
  await page.getByRole("link", { name: "Show your own rights" }).click();
  await page.getByRole("button", { name: "Rights of you" }).waitFor();
  await page.getByRole("link", { name: /^Installer X: role management, view management/ }).waitFor();
});

consoleTest(
  "a member without user management sees neither others' rights nor roles above their own",
  async (opened) => {
    const { page, admin, rootId, target, url } = opened;
    const { countryId, installerId } = await makeCountry(opened);
    const { userId } = await target.createUser(GRACE);
    await target.setPassword(userId, PASSWORD);
    await signIn(opened, GRACE);
    await page.goto(opened.url);
    await page.getByRole("heading", { name: "You are not a member of any role" }).waitFor();
    await page.getByRole("main").getByText(GRACE).waitFor();
    await admin.put(`/v1/role/${countryId}/member?userEmail=${GRACE}`, { rights: rights("viewManagement") });
    await page.reload();
    await page.getByRole("link", { name: "Netherlands: view management" }).waitFor();
    assert.equal(await box(opened, "Energy Inc").count(), 0, "the picture begins at the roles that they see");
    await page.goto(`${url}/role/${installerId}?person=${ADA}`);
    await page.getByText("You may not see what others may do on these roles").waitFor();
    await page.getByRole("link", { name: "Installer X: not for you to see" }).waitFor();
    await checkLooks(page, "hierarchy-person-denied");
    await page.goto(`${url}/role/${rootId}`);
    await page.getByRole("heading", { name: "There is no such role, or you may not see it" }).waitFor();
    await page.getByRole("link", { name: "To your roles" }).click();
    await page.getByRole("heading", { name: "Netherlands" }).waitFor();
  },
);

consoleTest(
  "10,000 children are added page by page until the picture is full, which links to their list",
  async (opened) => {
    const { page, target, rootId } = opened;
    await addChildren(target, rootId, 10_000);
    await signIn(opened);
    await page.goto(opened.url);
    await page.getByText("24 of 10,000 directly below · 10,000 in all").waitFor();
    await checkLooks(page, "hierarchy-children");
    for (const shown of [48, 72, 96, 120, 144]) {
      await page.getByRole("button", { name: `+ ${(10_024 - shown).toLocaleString("en")}` }).click();
      await page.getByText(`${shown} of 10,000 directly below`).waitFor();
      await standsStill(page);
    }
    await box(opened, "Customer 144").waitFor();
    await page.getByRole("button", { name: "Fit" }).click();
    await page.getByRole("button", { name: "100%" }).click();
    await page.getByRole("link", { name: "+ 9,856 See all in a list" }).click();
    await page.getByRole("complementary").getByText("Customer 50").waitFor();
  },
);

consoleTest("children that were added stay when the picture is loaded again", async (opened) => {
  const { page, target, admin, rootId, url } = opened;
  const countryId = await admin.create(rootId, "Netherlands");
  await addChildren(target, countryId, 30);
  await signIn(opened);
  await page.goto(`${url}/role/${countryId}`);
  await page.getByRole("button", { name: "+ 6" }).click();
  // Upwards is a parent, not the row above.
  await box(opened, "Customer 30").focus();
  await page.keyboard.press("ArrowUp");
  await box(opened, "Netherlands").and(page.locator(":focus")).waitFor();
  await admin.put(`/v1/role/${countryId}`, { name: "The Netherlands", selfRights: ALL });
  await comeBack(page);
  await page.getByRole("heading", { name: "The Netherlands" }).waitFor();
  await box(opened, "Customer 30").waitFor();
  assert.equal(await page.getByRole("button", { name: "+ 6" }).count(), 0);
});

consoleTest("levels far above are counted, and drawn on request", async (opened) => {
  const { page, admin, rootId, url } = opened;
  let roleId = rootId;
  for (let level = 1; level <= 7; level++) roleId = await admin.create(roleId, `Level ${level}`);
  await signIn(opened);
  await page.goto(`${url}/role/${roleId}`);
  await box(opened, "Level 3").waitFor();
  assert.equal(await box(opened, "Level 2").count(), 0);
  await checkLooks(page, "hierarchy-levels");
  await page.getByRole("button", { name: "+ 3 roles above" }).click();
  await box(opened, "Energy Inc").waitFor();
  await box(opened, "Level 1").waitFor();
});

consoleTest("a role that disappears while it is shown leaves a way back", async (opened) => {
  const { page, admin } = opened;
  const { countryId } = await makeCountry(opened);
  await signIn(opened);
  await page.goto(opened.url);
  await box(opened, "Netherlands").click();
  await box(opened, "Installer X").waitFor();
  const { manages: [relation] } = await admin.post<{ manages: [Manages] }>(
    `/v1/role/*/manages/query`,
    { filter: { childRoleId: [countryId] } },
  );
  await admin.delete(`/v1/role/${relation.parentRoleId}/manages/${relation.id}`);
  await comeBack(page);
  await page.getByRole("heading", { name: /^You no longer see .*Netherlands/ }).waitFor();
  await page.getByRole("link", { name: /^To .*Energy Inc/ }).click();
  await page.getByRole("heading", { name: "Energy Inc" }).waitFor();
});

consoleTest(
  "a role with several parents has a line from each, and equal names are distinguished",
  async (opened) => {
    const { page, admin, rootId, url } = opened;
    const parentIds = [await admin.create(rootId, "Twin"), await admin.create(rootId, "Twin")];
    const childId = await admin.create(parentIds[0] ?? 0, "Child");
    await admin.put(`/v1/role/${parentIds[1]}/manages?childRoleId=${childId}`, rights("viewManagement"));
    await signIn(opened);
    await page.goto(`${url}/role/${childId}`);
    await page.getByRole("link", { name: `Twin, Role ${parentIds[1]}: ` }).getByText(String(parentIds[1]))
      .waitFor();
    assert.equal(await page.getByRole("link", { name: "Twin manages Child" }).count(), 2);
    assert.equal(await page.getByRole("link", { name: "Energy Inc manages Twin" }).count(), 2);
  },
);

/** A country with an installer, whose relation carries two rights. */
async function makeCountry({ admin, rootId }: Console): Promise<{ countryId: number; installerId: number }> {
  const countryId = await admin.create(rootId, "Netherlands");
  const carried = rights("roleManagement", "viewManagement");
  return { countryId, installerId: await admin.create(countryId, "Installer X", carried) };
}

/** The box of a role in the picture. */
function box({ page }: Console, name: string) {
  return page.getByRole("link", { name: new RegExp(`^${name}: `) });
}

consoleTest("a picture appears before the panel beside it, after two requests", async (opened) => {
  const { page, rootId } = opened;
  await makeCountry(opened);
  const drawn = Promise.withResolvers<void>();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(v1|user)/.test(pathname)) asked.push(pathname);
  });
  await page.route(/\/console\/assets\/(details|role)-/, async (route) => {
    await drawn.promise;
    await route.continue();
  });
  await signIn(opened);
  await page.goto(opened.url);
  await box(opened, "Energy Inc").waitFor();
  await box(opened, "Netherlands").waitFor();
  // The account is asked for again if the texts arrive after it.
  assert.deepEqual([...new Set(asked)], ["/user", `/v1/role/${rootId}/neighbourhood/query`]);
  drawn.resolve();
  await page.getByRole("heading", { name: "Energy Inc" }).waitFor();
  await box(opened, "Netherlands").click();
  await page.getByRole("heading", { name: "Netherlands" }).waitFor();
  await page.getByRole("complementary").getByRole("link", { name: "Change name and rights" }).waitFor();
  const explained = asked.filter((path) => path === "/v1/rights/explain");
  assert.equal(explained.length, 1, "only of a role that one is a direct member of it is a question");

  // By keyboard, from the box.
  await box(opened, "Netherlands").press("m");
  await page.locator(".box-sheet a").first().waitFor();
  await page.keyboard.press("Tab");
  await page.locator(".box-sheet a:focus", { hasText: "New role" }).waitFor();
  await checkLooks(page, "hierarchy-menu");
  await page.keyboard.press("Escape");
  await page.locator(".box-menu:focus").waitFor();
  await page.getByRole("button", { name: "Actions for" }).click();
  const menu = page.locator(".box-sheet");
  await menu.getByRole("link", { name: "Why" }).waitFor();
  await page.getByRole("button", { name: "Fit" }).focus();
  await menu.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Actions for" }).click();
  await menu.getByRole("link", { name: "Why" }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await menu.waitFor({ state: "hidden" });
  await page.getByText("The picture", { exact: true }).click();
  await page.getByRole("button", { name: "Actions for" }).click();
  await menu.getByRole("link", { name: "Delete this role" }).waitFor();
  await menu.getByRole("link", { name: "Change name and rights" }).click();
  await menu.waitFor({ state: "hidden" });
  await page.getByLabel("Name").fill("Belgium");
  await box(opened, "Belgium").waitFor();
  await page.keyboard.press("Escape");
  await box(opened, "Netherlands").waitFor();
});

/** As when a user comes back to the tab, again and again: the page listens only once its picture is painted. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate("void setInterval(() => document.dispatchEvent(new Event('visibilitychange')), 200)");
}
