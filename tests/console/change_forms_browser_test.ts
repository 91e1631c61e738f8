/** What all forms of changes share: the notice with its undo, changes meanwhile, what a form survives, and its keys. */
import assert from "node:assert/strict";
import { buildHierarchy, relationTo, SANNE } from "./change_scene.ts";
import {
  ADA,
  changeMeanwhile,
  endSessions,
  isApplied,
  PASSWORD,
  signIn,
  useConsole,
} from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest(
  "a right that was taken away is given back from the notice, by keyboard, on any tab",
  async (opened) => {
    const { page, url, admin } = opened;
    const { customerId } = await buildHierarchy(opened);
    await signIn(opened);
    await page.goto(`${url}/role/${customerId}?tab=people`);
    await page.getByRole("link", { name: /^Installer X manages Customer/ }).press("Enter");
    await page.getByRole("checkbox", { name: "device management" }).press("Space");
    const take = page.getByRole("button", { name: "Take device management away", disabled: false });
    await take.press("Enter");
    const notice = page.getByRole("status").filter({ hasText: "The relation was changed." });
    const undo = notice.getByRole("link", { name: "Undo" });
    await undo.waitFor();
    await page.locator(".tabs").getByRole("link", { name: "Devices" }).press("Enter");
    await page.getByRole("link", { name: "Add a device" }).waitFor();
    await page.keyboard.press("Control+z");
    const dialog = page.getByRole("dialog", { name: "Undo this change?" });
    await dialog.getByText("1 person gains device management, on 2 roles.").waitFor();
    // What was shown is done by the next key.
    await dialog.locator("button:focus", { hasText: "Undo the change" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await undo.press("Enter");
    await dialog.getByText("1 person gains device management, on 2 roles.").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("The change was undone.").waitFor();
    assert.deepEqual(await admin.holds(customerId, "deviceManagement"), [true]);
    const close = page.getByRole("button", { name: "Close" });
    await close.press("Enter");
    await close.waitFor({ state: "detached" });
    await page.locator("#content:focus").waitFor();
  },
);

consoleTest(
  "on a phone, a notice covers no control, and ends by Escape or on another page",
  async (opened) => {
    const { page, url } = opened;
    const { customerId } = await buildHierarchy(opened);
    await signIn(opened);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${url}/role/${customerId}`);
    const notice = page.getByRole("status").filter({ hasText: "The role was changed." });
    const rename = async (name: string): Promise<void> => {
      await page.getByRole("link", { name: "Change name and rights" }).press("Enter");
      await page.getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Save the changes", disabled: false }).press("Enter");
      await notice.getByRole("link", { name: "Undo" }).waitFor();
      await page.getByRole("heading", { name, exact: true }).waitFor();
      await page.getByRole("link", { name: "Change name and rights" }).and(page.locator(":focus")).waitFor();
    };
    await rename("Escaped");
    await page.waitForFunction(`![...document.querySelectorAll("a, button, summary")].some((control) => {
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest(".notice");
      return over && !over.contains(control);
    })`);
    await page.keyboard.press("Escape");
    await notice.waitFor({ state: "detached" });
    await rename("Left");
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await notice.waitFor({ state: "detached" });
  },
);

consoleTest("a change by another user meanwhile is shown before anything is done", async (opened) => {
  const { page, url, admin } = opened;
  const { installerId, customerId } = await buildHierarchy(opened);
  await signIn(opened);
  const relation = await relationTo(opened, customerId);
  await page.goto(`${url}/role/${customerId}?do=relation&relation=${relation.id}&rights=roleManagement`);
  await page.getByText("1 person loses view and device management").waitFor();
  await changeMeanwhile(
    page,
    isApplied,
    () => admin.put(`/v1/role/${installerId}/member?userEmail=${SANNE}`),
  );
  const take = page.getByRole("button", { name: "Take view and device management away" });
  await take.click();
  await page.getByText("Meanwhile, another person changed something, and nothing was done.").waitFor();
  await page.getByText("2 people lose view and device management").waitFor();
  assert.deepEqual(await relationTo(opened, customerId), relation);
  await take.click();
  await page.getByText("The relation was changed.").waitFor();
  assert.deepEqual(await admin.holds(customerId, "roleManagement", "viewManagement"), [true, false]);
});

consoleTest("a form survives a wait, a lost connection and the end of the session", async (opened) => {
  const { page, url, target, expectFaults } = opened;
  const { customerId } = await buildHierarchy(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${customerId}?do=edit`);
  const name = page.getByLabel("Name");
  const preview = (address: URL): boolean => address.searchParams.get("dryRun") === "true";
  const tooMany = {
    statusCode: 429,
    error: "Too Many Requests",
    message: "TOO_MANY_INVITATIONS",
    retryAfter: 2,
  };
  await page.route(preview, (route) => route.fulfill({ status: 429, json: tooMany }));
  await name.fill("Client");
  await page.locator(".fault", { hasText: /The next one is possible in \d seconds?\./ }).waitFor();
  await page.unroute(preview);
  await page.getByText("No one gains or loses a right.").waitFor();

  await page.context().setOffline(true);
  const save = page.getByRole("button", { name: "Save the changes" });
  await save.click();
  await page.getByText("The service cannot be reached.").waitFor();
  await page.context().setOffline(false);
  assert.equal(await name.inputValue(), "Client");

  const busy = { statusCode: 503, error: "Service Unavailable", message: "UNAVAILABLE" };
  await page.route("**/v1/role/*", (route) => route.fulfill({ status: 503, json: busy }), { times: 1 });
  await save.click();
  await page.getByText("The service was busy").waitFor();

  await endSessions(target);
  await save.click();
  await page.getByText("Your session has ended").waitFor();
  await page.getByLabel("Email address", { exact: true }).fill(ADA);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Your session had ended, so nothing was done.").waitFor();
  assert.equal(await name.inputValue(), "Client");
  await save.click();
  await page.getByRole("heading", { name: "Client", exact: true }).waitFor();
  expectFaults(/ERR_INTERNET_DISCONNECTED|status of 503/);
});

consoleTest("Escape and going back close a form, and the focus returns", async (opened) => {
  const { page, url } = opened;
  const { customerId } = await buildHierarchy(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${customerId}?tab=people`);
  const link = page.getByRole("link", { name: "Invite a person" });
  await link.press("Enter");
  const heading = page.getByRole("heading", { name: "Invite a person to Customer" });
  await heading.waitFor();
  await page.locator("h2:focus", { hasText: "Invite a person to Customer" }).waitFor();
  await page.keyboard.press("Escape");
  await link.waitFor();
  await page.locator("a:focus", { hasText: "Invite a person" }).waitFor();
  await link.press("Enter");
  await heading.waitFor();
  await page.goBack();
  await link.waitFor();
});
