/** In a browser, the page that undoes a change of address does so on its button, once. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { UNDO_PAGE_TEXTS } from "../../../src/accounts/address/undo_page_texts.ts";
import { checkLooks } from "../../console/open_console.ts";
import { query, send } from "../../helpers/http.ts";
import { lastCode, lastLinkToken } from "../../helpers/mails.ts";
import { signIn } from "../../helpers/security_scene.ts";
import { openTestApp, type TestApp } from "../../helpers/test_app.ts";
import { restAtEnd, useChromium } from "../../helpers/chromium.ts";

const OLD = "ada@example.com";
const PASSWORD = "a password that is right";

const { ignore, takePage } = useChromium("the undo page");

interface Harness {
  readonly target: TestApp;
  readonly page: Page;
  readonly url: string;
  readonly errors: string[];
  /** All requests but GETs, as `method path`. */
  readonly changes: string[];
}

/** Serves the app, and opens it in a window. */
async function withApp(use: (harness: Harness) => Promise<void>): Promise<void> {
  await using target = await openTestApp("file");
  const changes: string[] = [];
  const errors: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request, info) => {
    const { pathname } = new URL(request.url);
    if (request.method !== "GET") changes.push(`${request.method} ${pathname}`);
    return target.app.fetch(request, { remoteAddr: info.remoteAddr });
  });
  const page = await takePage();
  try {
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    page.on("pageerror", (error) => errors.push(error.message));
    const url = `http://127.0.0.1:${server.addr.port}/undo-email-transfer`;
    await use({ target, page, url, errors, changes });
  } finally {
    await server.shutdown();
  }
}

/** Transfers an account to another address. Returns the token of the link that undoes it. */
async function makeUndoToken(target: TestApp): Promise<string> {
  const { accessToken: token } = await signIn(target, OLD, PASSWORD);
  await send(target, "POST", "/user/email/initiate", { token, body: { email: "ada@example.org" } });
  const otp = await lastCode(target, "email_transfer_otp");
  await send(target, "PUT", "/user/email", { token, body: { otp } });
  return await lastLinkToken(target, "email_transferred_old");
}

async function expectStatus(page: Page, text: string): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

function browserTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

browserTest("opening the link changes nothing, and its button undoes the transfer once", async () => {
  const texts = UNDO_PAGE_TEXTS.nl;
  await withApp(async ({ target, page, url, errors, changes }) => {
    const token = await makeUndoToken(target);
    await page.goto(`${url}?language=nl#token=${token}`);
    const button = page.getByRole("button", { name: texts.save });
    await button.waitFor();
    assert.equal(page.url(), `${url}?language=nl`, "the token left the address bar");
    assert.deepEqual(changes, []);
    await button.click();
    await expectStatus(page, texts.done);
    assert.deepEqual(changes, ["POST /user/email/undo"]);
    assert.deepEqual(await query(target, "SELECT email FROM user_account"), [{ email: OLD }]);
    assert.equal(await button.isVisible(), false);
    const reset = page.getByRole("link", { name: texts.resetPassword });
    assert.equal(await reset.getAttribute("href"), "/console?forgot");
    assert.deepEqual(errors, []);
    await page.goto(`${url}?language=nl&visit=2#token=${token}`);
    await button.click();
    await expectStatus(page, texts.faults.OTP_INVALID_EXPIRED);
    assert.equal(await button.isVisible(), false);
  });
});

browserTest("the page says what is wrong without a token and with a malformed one", async () => {
  const texts = UNDO_PAGE_TEXTS.fr;
  await withApp(async ({ page, url, changes }) => {
    for (const [visit, fragment] of ["", "#token="].entries()) {
      await page.goto(`${url}?language=fr&visit=${visit}${fragment}`);
      await expectStatus(page, texts.faults.NO_TOKEN);
      assert.equal(await page.locator("form").isVisible(), false);
    }
    await page.goto(`${url}?language=fr#token=${"x".repeat(200)}`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expectStatus(page, texts.faults.NO_TOKEN);
    assert.equal(changes.length, 1);
  });
});

browserTest("the page fits a phone and a desktop, and looks right before and after the undo", async () => {
  await withApp(async ({ target, page, url }) => {
    const token = await makeUndoToken(target);
    for (const language of ["en", "nl", "fr", "de"] as const) {
      await page.setViewportSize({ width: 320, height: 480 });
      await page.goto(`${url}?language=${language}#token=${token}`);
      await page.getByRole("button", { name: UNDO_PAGE_TEXTS[language].save }).waitFor();
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), language);
      await page.setViewportSize({ width: 1280, height: 800 });
      await checkLooks(page, `undo-${language}`);
    }
    await page.getByRole("button").click();
    await expectStatus(page, UNDO_PAGE_TEXTS.de.done);
    await checkLooks(page, "undo-done");
  });
});

restAtEnd({ ignore });
