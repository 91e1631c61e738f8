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

/** The browser of all files of this worker, and the window of the one whose tests run. */
let browser: Promise<Browser> | undefined;
let opened: { readonly owner: Chromium; readonly page: Page } | undefined;

/** Chromium for the tests of a file, from the first that takes its window. `what` names what is skipped without it. */
export function useChromium(what: string): Chromium {
  const ignore = !existsSync(PATH);
  // deno-lint-ignore no-console -- a skipped test says why
  if (ignore) console.log(`Skipped: ${what} in a browser, because ${PATH} is not installed`);
  const owner: Chromium = {
    ignore,
    async takePage(): Promise<Page> {
      const page = await pageOf(owner);
      page.removeAllListeners();
      await page.unrouteAll();
      await page.context().setOffline(false);
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize(VIEWPORT);
      return page;
    },
  };
  Deno.test.afterAll(closeBrowser);
  return owner;
}

async function pageOf(owner: Chromium): Promise<Page> {
  if (opened?.owner === owner) return opened.page;
  await opened?.page.context().close();
  browser ??= chromium.launch({ executablePath: PATH, args: ARGUMENTS.split(" ") });
  // A context of its own, so that a test may open more windows in it.
  const page = await (await (await browser).newContext()).newPage();
  opened = { owner, page };
  return page;
}

async function closeBrowser(): Promise<void> {
  const started = browser;
  [browser, opened] = [undefined, undefined];
  await (await started)?.close();
}
