/** The console without a mouse, and where the focus goes. */
import assert from "node:assert/strict";
import { keysOn } from "./hand.ts";
import { ADA, type Console, PASSWORD, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest(
  "without a mouse, a user signs in, finds a role by its name and moves around it",
  async (opened) => {
    const { page, admin, rootId, url } = opened;
    const countryId = await admin.create(rootId, "Netherlands");
    await admin.create(countryId, "Installer X");
    const hand = keysOn(page);
    await hand.open(url);
    await hand.type(page.getByLabel("Email address"), ADA);
    const password = page.getByLabel("Password");
    await hand.type(password, "not the password");
    const submit = page.getByRole("button", { name: "Sign in", exact: true });
    await hand.press(submit);
    await page.getByText("Address or password is wrong.").waitFor();
    await submit.and(page.locator(":focus")).waitFor();
    await hand.type(password, PASSWORD);
    await page.keyboard.press("Enter");
    await page.locator("#content:focus, .box[aria-current]:focus").waitFor();

    const search = page.getByRole("combobox", { name: "Find anything" }).and(page.locator(":focus"));
    await page.keyboard.press("/");
    await search.waitFor();
    await page.keyboard.type("nobody");
    await page.getByRole("status").getByText("Nothing that you may see").waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await search.waitFor();
    await page.keyboard.type("neth");
    await page.getByRole("option", { name: "Role Netherlands" }).waitFor();
    await page.keyboard.press("Enter");
    await focusedLink(opened, /^Netherlands: /);
    await page.keyboard.press("ArrowDown");
    await focusedLink(opened, /^Installer X: /);
    await page.keyboard.press("Shift+Tab");
    await focusedLink(opened, /^Netherlands manages Installer X: /);
    await page.keyboard.press("ArrowUp");
    await focusedLink(opened, /^Netherlands: /);
    await page.keyboard.press("ArrowUp");
    await focusedLink(opened, /^Energy Inc: /);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Energy Inc" }).waitFor();
    await focusedLink(opened, /^Energy Inc: /);
    await hand.press(page.getByRole("link", { name: "Skip the picture" }));
    assert.equal(await page.evaluate("document.activeElement.id"), "panel");
    await hand.press(page.getByRole("link", { name: "Skip to the content" }));
    assert.equal(await page.evaluate("document.activeElement.id"), "content");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Find a role, person").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#content:focus").waitFor();
  },
);

consoleTest(
  "the focus stays near a person, a session or a button that has disappeared from the page",
  async (opened) => {
    const { page, url, rootId, target, admin } = opened;
    for (const name of ["bea", "cem"]) {
      await target.createUser(`${name}@example.com`);
      await admin.put(`/v1/role/${rootId}/member?userEmail=${name}@example.com`, {});
    }
    await signIn(opened);
    await page.goto(`${url}/role/${rootId}?tab=people`);
    const change = page.getByRole("link", { name: "Change the membership of bea@example.com" });
    await change.press("Enter");
    await page.getByRole("link", { name: "Remove this person instead" }).press("Enter");
    await page.getByRole("button", { name: "Remove from the role" }).press("Enter");
    await change.waitFor({ state: "detached" });
    await page.locator(".panel :focus").waitFor();

    for (let i = 0; i < 2; i++) {
      const { status } = await target.app.request("/auth/login", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ username: ADA, password: PASSWORD }),
      });
      assert.equal(status, 200);
    }
    await page.goto(`${url}/account?tab=sessions`);
    const end = page.getByRole("button", { name: "End", exact: true });
    await end.nth(1).waitFor();
    await end.first().press("Enter");
    await page.getByText("The session has ended.").waitFor();
    await page.locator("li:focus").waitFor();
    await page.getByRole("button", { name: "End all others" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "End all others" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "End all others" }).press("Enter");
    await page.getByText("All other sessions have ended.").waitFor();
    await page.locator("section:focus").waitFor();

    await page.goto(`${url}/account/totp`);
    await page.getByRole("button", { name: "Show the picture" }).press("Enter");
    await page.getByRole("img", { name: "QR code" }).waitFor();
    await page.locator("h1:focus").waitFor();
  },
);

consoleTest(
  "the focus stays in a form with a fault, in a date that is changed, and where a link has disappeared",
  async (opened) => {
    const { page, url, rootId, admin } = opened;
    const siteId = await admin.create(rootId, "Site");
    const otherId = await admin.create(rootId, "Other");
    await admin.post(`/v1/device?roleId=${siteId}`, { properties: { nodeId: "heating" } });
    await signIn(opened);
    await page.goto(`${url}/role/${siteId}?tab=keys&key=new`);
    await page.getByRole("button", { name: "Create the key" }).press("Enter");
    const name = page.getByLabel("Name", { exact: true });
    await name.and(page.locator(":focus")).waitFor();
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "New key" }).waitFor();
    await page.locator(".panel :focus").waitFor();

    // The browser's clock is far ahead of the service's.
    const asked = page.waitForResponse((response) => response.url().endsWith("/access/query"));
    await page.goto(`${url}/role/${siteId}?tab=people&list=access&from=2026-01-01`);
    assert.equal((await asked).status(), 200);
    const from = page.getByLabel("From");
    await from.press("Backspace");
    await page.waitForURL((address) => !address.searchParams.has("from"));
    await from.and(page.locator(":focus")).waitFor();

    await page.goto(`${url}/role/${siteId}?tab=devices`);
    const handOver = page.getByRole("link", { name: "Hand over all" });
    await handOver.press("Enter");
    const owner = page.getByRole("combobox", { name: "Who takes over" });
    await owner.fill(String(otherId));
    await page.getByRole("option", { name: "Other" }).waitFor();
    await owner.press("Enter");
    await page.getByRole("button", { name: "Hand over", exact: true, disabled: false }).press("Enter");
    await handOver.waitFor({ state: "detached" });
    await page.locator(".panel .list-actions:focus").waitFor();
  },
);

consoleTest("the menu of the account closes when the focus leaves it, or by Escape", async (opened) => {
  const { page, url } = opened;
  await signIn(opened);
  await page.goto(`${url}/people`);
  await page.getByRole("link", { name: ADA }).first().waitFor();
  const menu = page.getByLabel("Your account");
  const signOut = page.getByRole("button", { name: "Sign out" });
  await menu.press("Enter");
  await page.getByRole("link", { name: "My account" }).press("Escape");
  await signOut.waitFor({ state: "hidden" });
  await menu.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  // It waits behind a dialog that gives the focus back.
  await page.getByRole("link", { name: "My account" }).press("/");
  await page.getByRole("combobox", { name: "Find anything" }).press("Escape");
  await page.getByRole("link", { name: "My account" }).and(page.locator(":focus")).waitFor();
  await signOut.press("Tab");
  await signOut.waitFor({ state: "hidden" });
});

consoleTest(
  "screen readers are told what a search in a list finds, but not what was there",
  async (opened) => {
    const { page, url } = opened;
    await signIn(opened);
    await page.goto(`${url}/people`);
    await page.getByRole("link", { name: ADA }).first().waitFor();
    assert.equal(await page.locator("main").getByRole("status").count(), 0);
    const search = page.getByLabel("Find among the members");
    const said = page.locator("main").getByRole("status");
    await search.fill("ada");
    await said.getByText("1 hit").waitFor({ state: "attached" });
    await search.fill("nobody");
    await said.getByText("No member’s address has this in it.").waitFor();
  },
);

async function focusedLink({ page }: Console, name: RegExp): Promise<void> {
  await page.getByRole("link", { name }).and(page.locator(":focus")).waitFor();
}
