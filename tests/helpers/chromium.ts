import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const PATH = "/usr/bin/chromium";
const ARGUMENTS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

export interface Chromium {
  /** Whether Chromium is missing, so that its tests are skipped. */
  readonly ignore: boolean;
  /**
   * The window, which is like a new one except for its history. The tests of a file share it, because a new one starts
   * processes of its own, which takes longer than most tests.
   */
  takePage(): Promise<Page>;
}

const VIEWPORT = { width: 1280, height: 900 };

/**
 * Opens Chromium before the tests of a file and closes it after them. `what` names the tests that are skipped without
 * it.
 */
export function useChromium(what: string): Chromium {
  const ignore = !existsSync(PATH);
  // deno-lint-ignore no-console -- a skipped test says why
  if (ignore) console.log(`Skipped: ${what} in a browser, because ${PATH} is not installed`);
  let browser: Browser | undefined;
  let page: Page | undefined;
  Deno.test.beforeAll(async () => {
    if (ignore) return;
    browser = await chromium.launch({ executablePath: PATH, args: ARGUMENTS.split(" ") });
    // A context of its own, so that a test may open more windows in it.
    page = await (await browser.newContext()).newPage();
  });
  Deno.test.afterAll(async () => {
    await browser?.close();
  });
  return {
    ignore,
    async takePage(): Promise<Page> {
      assert.ok(page !== undefined, "The browser was not started");
      page.removeAllListeners();
      await page.unrouteAll();
      await page.context().setOffline(false);
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize(VIEWPORT);
      return page;
    },
  };
}
