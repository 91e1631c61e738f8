import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PATH = "/usr/bin/chromium";
const ARGUMENTS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

export interface Chromium {
  /** Whether Chromium is missing, so that its tests are skipped. */
  readonly ignore: boolean;
  /** Only within tests. */
  getBrowser(): Browser;
}

/**
 * Opens Chromium before the tests of a file and closes it after them. `what` names the tests that are skipped without
 * it.
 */
export function useChromium(what: string): Chromium {
  const ignore = !existsSync(PATH);
  // deno-lint-ignore no-console -- a skipped test says why
  if (ignore) console.log(`Skipped: ${what} in a browser, because ${PATH} is not installed`);
  let browser: Browser | undefined;
  Deno.test.beforeAll(async () => {
    if (!ignore) browser = await chromium.launch({ executablePath: PATH, args: ARGUMENTS.split(" ") });
  });
  Deno.test.afterAll(async () => {
    await browser?.close();
  });
  return {
    ignore,
    getBrowser(): Browser {
      assert.ok(browser !== undefined, "The browser was not started");
      return browser;
    },
  };
}
