import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  chromium,
  errors,
  type Locator,
  type Page,
} from "playwright-core";

/** The shell draws no windows, and takes five sixths of the processor time. */
const PATHS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const PATH = PATHS.find((path) => existsSync(path)) ?? "";
const ARGUMENTS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  // No page reaches another host.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

export interface Chromium {
  /** Whether Chromium is missing, so that its tests are skipped. */
  readonly ignore: boolean;
  /**
   * The tab, which is like a new one except for its history. The tests of a file share it, and those of a worker share
   * the window, because a new one starts processes of its own, which takes longer than most tests.
   */
  takePage(): Promise<Page>;
}

const VIEWPORT = { width: 1280, height: 900 };

/** The browser and the window of all files of this worker, and the tab of the one whose tests run. */
let browser: Promise<Browser> | undefined;
let shared: BrowserContext | undefined;
let opened: { readonly owner: Chromium; readonly page: Page } | undefined;

/** Chromium for the tests of a file, from the first that takes its tab. `what` names what is skipped without it. */
export function useChromium(what: string): Chromium {
  const ignore = PATH === "";
  // deno-lint-ignore no-console -- a skipped test says why
  if (ignore) console.log(`Skipped: ${what} in a browser, because none of ${PATHS.join(", ")} is installed`);
  const owner: Chromium = {
    ignore,
    async takePage(): Promise<Page> {
      const page = await pageOf(owner);
      const context = page.context();
      page.removeAllListeners();
      await page.unrouteAll();
      await context.setOffline(false);
      await context.clearPermissions();
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize(VIEWPORT);
      for (const other of context.pages()) if (other !== page) await other.close();
      return page;
    },
  };
  Deno.test.afterAll(closeBrowser);
  return owner;
}

/** Playwright looks half a second after the last request whether others have followed. */
const REST_MS = 600;

/** Registers the last test of a file. Without it, timers of Playwright would end in a test of the next file. */
export function restAtEnd({ ignore }: Pick<Chromium, "ignore">): void {
  Deno.test({
    name: "the browser comes to rest before the tests of other files",
    ignore,
    sanitizeOps: false,
    fn: () => delay(REST_MS),
  });
}

async function pageOf(owner: Chromium): Promise<Page> {
  if (opened?.owner === owner) return opened.page;
  browser ??= chromium.launch({ executablePath: PATH, args: ARGUMENTS });
  if (opened !== undefined && await isSpoilt(opened.page)) {
    await shared?.close();
    shared = undefined;
  }
  // A context of its own, so that a test may open more tabs in its window. What moves would be drawn, and waited for.
  shared ??= await (await browser).newContext({ reducedMotion: "reduce" });
  opened = { owner, page: await shared.newPage() };
  lookOften(opened.page);
  return opened.page;
}

/** The longest wait, as in Playwright. */
const WAIT_MS = 30_000;
/** With a longer limit, Playwright soon looks only twice a second whether what is waited for is there. */
const LOOK_MS = 2400;
let looksOften = false;

/** Makes `waitFor` of all locators look ten times a second until its time is over. */
function lookOften(page: Page): void {
  if (looksOften) return;
  looksOften = true;
  const locators = Object.getPrototypeOf(page.locator("*")) as Locator;
  const { waitFor } = locators;
  locators.waitFor = async function (this: Locator, options = {}): Promise<void> {
    const { timeout = WAIT_MS } = options;
    const end = performance.now() + timeout;
    for (;;) {
      // No time at all would be no limit.
      const left = Math.max(1, end - performance.now());
      try {
        return await waitFor.call(this, { ...options, timeout: Math.min(LOOK_MS, left) });
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        if (left > LOOK_MS) continue;
        error.message = error.message.replace(/Timeout [\d.]+ms/, `Timeout ${timeout}ms`) +
          await describePage(this.page());
        throw error;
      }
    }
  };
}

/** Returns what a page shows instead of what a test waits for: a failure on another machine may not come back. */
async function describePage(page: Page): Promise<string> {
  const shown = await page.evaluate<string>(`[
    "at " + location.href,
    "with the focus on " + document.activeElement?.outerHTML.slice(0, 200),
    ...Array.from(document.querySelectorAll("dialog, [role=status], [role=alert]"), (each) => each.outerHTML.slice(0, 1000)),
  ].join("\\n")`).catch((error) => `not known, ${error}`);
  return `\nThe page is ${shown}`;
}

/** Whether a test installed a clock, which is that of all tabs of the window from then on, or the tab has crashed. */
async function isSpoilt(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>("!String(setTimeout).includes('[native code]')").catch(() => true);
}

async function closeBrowser(): Promise<void> {
  const started = browser;
  [browser, shared, opened] = [undefined, undefined, undefined];
  await (await started)?.close();
}
