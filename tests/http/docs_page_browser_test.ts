/** The documentation page works in a browser, is signed in as the console is, and loads nothing from another host. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ApiDocument, operationsOf } from "../contract/api_document.ts";
import { succeed } from "../helpers/http.ts";
import { serveLocally } from "../helpers/raw_http.ts";
import { openQuickApp, type TestApp } from "../helpers/test_app.ts";
import { restAtEnd, useChromium } from "../helpers/chromium.ts";
import { builtConsole } from "../console/built_console.ts";
import { ADA, PASSWORD, signInByForm, signOut } from "../console/open_console.ts";

/** A folder for screenshots, to be viewed by people. */
const SCREENSHOTS = Deno.env.get("DOCS_PAGE_SCREENSHOTS");

const { ignore, takePage } = useChromium("the documentation page");

interface Harness {
  readonly target: TestApp;
  readonly page: Page;
  readonly origin: string;
}

/**
 * Serves the app on a port and opens its documentation, of all operations or of those of one path. Asserts that the page
 * requests nothing from other hosts, which the browser does not reach, and has no errors, of its policy or others.
 */
async function withDocs(use: (harness: Harness) => Promise<void>, only?: string): Promise<void> {
  await using server = serveLocally({ fetch: (...request) => target.app.fetch(...request) });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await using target = await openQuickApp({ publicUrl: origin });
  const page = await takePage();
  const elsewhere: string[] = [];
  const faults: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) elsewhere.push(request.url());
  });
  if (only !== undefined) {
    await page.route("**/openapi.json", async (route) => {
      const { paths, ...rest } = await (await route.fetch()).json();
      await route.fulfill({ json: { ...rest, paths: { [only]: paths[only] } } });
    });
  }
  await page.goto(`${origin}/docs`);
  await use({ target, page, origin });
  assert.deepEqual({ elsewhere, faults }, { elsewhere: [], faults: [] });
}

function browserTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

browserTest("the page lists every operation, opens one, and loads nothing from another host", async () => {
  await withDocs(async ({ target, page }) => {
    await page.getByRole("heading", { name: "Rolegrid" }).waitFor();
    await page.locator(".opblock").first().waitFor();
    const described = operationsOf(await succeed<ApiDocument>(target, "GET", "/openapi.json"));
    assert.equal(await page.locator(".opblock").count(), described.length);
    assert.equal(await page.title(), "Rolegrid API");
    assert.equal(await page.evaluate("scrollY"), 0);
    await takeScreenshot(page, "operations");
    const block = page.locator("#operations-Roles-createRole");
    await block.locator(".opblock-summary-control").click();
    await block.getByText("Needs direct or indirect roleManagement on the parent").waitFor();
    const text = await block.innerText();
    assert.match(text, /"name": "Storage"/);
    assert.match(text, /403/);
    assert.match(text, /User does not have sufficient rights/);
    assert.match(text, /x-limits\s+"rows: .*closure; turns: caller/);
    await takeScreenshot(page, "operation");
  });
});

browserTest(
  "a bearer token entered in the page goes with the request and is gone after a reload",
  async () => {
    await withDocs(async ({ target, page }) => {
      const { userId } = await target.bootstrapRoot("ada@example.com", "Energy Inc");
      const token = await target.accessToken(userId);
      await page.locator(".auth-wrapper .authorize").click();
      const dialog = page.locator(".modal-ux", { hasText: "accessBearerAuth" });
      const form = dialog.locator(".auth-container", { hasText: "accessBearerAuth" });
      await form.locator("input").fill(token);
      await form.getByRole("button", { name: "Apply credentials" }).click();
      await takeScreenshot(page, "authorization");
      await dialog.getByRole("button", { name: "Close" }).last().click();
      const block = page.locator("#operations-Account-getAccount");
      await block.locator(".opblock-summary-control").click();
      await block.getByRole("button", { name: "Try it out" }).click();
      await block.getByRole("button", { name: "Execute" }).click();
      const answer = block.locator(".live-responses-table");
      await answer.getByText('"ada@example.com"').waitFor();
      await takeScreenshot(page, "answer");
      assert.equal(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })"), "{}");
      await page.reload();
      await page.locator(".auth-wrapper .authorize.unlocked").waitFor();
    }, "/user");
  },
);

browserTest("the page is signed in while the console is in the same browser", async () => {
  await withDocs(async ({ target, page, origin }) => {
    await page.locator(".auth-wrapper .authorize.unlocked").waitFor();
    await builtConsole();
    const { userId } = await target.bootstrapRoot(ADA, "Energy Inc");
    await target.setPassword(userId, PASSWORD);
    const console = await page.context().newPage();
    await signInByForm({ page: console, url: `${origin}/console` });
    await page.locator(".auth-wrapper .authorize.locked").waitFor();
    const block = page.locator("#operations-Account-getAccount");
    await block.locator(".opblock-summary-control").click();
    await block.getByRole("button", { name: "Try it out" }).click();
    await block.getByRole("button", { name: "Execute" }).click();
    await block.locator(".live-responses-table").getByText(`"${ADA}"`).waitFor();
    await takeScreenshot(page, "signed-in");
    await page.reload();
    await page.locator(".auth-wrapper .authorize.locked").waitFor();
    await signOut(console);
    await page.locator(".auth-wrapper .authorize.unlocked").waitFor();
  }, "/user");
});

async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/docs-${name}.png` });
}

restAtEnd({ ignore });
