import assert from "node:assert/strict";
import { ANY_KIND } from "../helpers/databases.ts";
import type { Locator, Page, Request } from "playwright-core";
import { bind } from "../../src/db/statement.ts";
import { useChromium } from "../helpers/chromium.ts";
import { Person } from "../helpers/person.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { builtConsole } from "./built_console.ts";

/** A folder for screenshots, to be viewed by people. */
const SCREENSHOTS = Deno.env.get("CONSOLE_SCREENSHOTS");

export const ADA = "ada@example.com";
export const PASSWORD = "a password that is right";

export interface Console {
  readonly target: TestApp;
  readonly page: Page;
  /** Where the console is: `http://localhost:4711/console`. */
  readonly url: string;
  /** The first member of the root role, who can sign in with `ADA` and `PASSWORD`. */
  readonly admin: Person;
  readonly rootId: number;
  /** Expects that the browser wrote something that matches, which is then no fault: a test took its connection away. */
  expectFaults(pattern: RegExp): void;
}

/** What the browser writes about requests that got no response. */
export const NO_CONNECTION = /Failed to load resource: net::ERR_(FAILED|INTERNET_DISCONNECTED)/;

export interface ConsoleTests {
  /**
   * Registers a test of the console in a browser. It fails if anything is written to the browser's console, if the page
   * breaks its policy, or asks another host for anything.
   */
  readonly consoleTest: (
    name: string,
    body: (opened: Console) => Promise<void>,
    options?: { readonly ignore?: boolean; readonly deps?: Partial<TestApp["deps"]> },
  ) => void;
}

export function useConsole(): ConsoleTests {
  const { ignore, takePage } = useChromium("the console");
  return {
    consoleTest: (name, body, { ignore: isIgnored = false, deps } = {}) =>
      Deno.test({
        name,
        ignore: ignore || isIgnored,
        fn: async () => await withConsole(await takePage(), body, deps),
      }),
  };
}

/** What the browser writes about responses that a page may well have to show: refused, in conflict, too many. */
const REFUSAL = /^Failed to load resource: .* status of (401|403|409|412|422|429) /;

async function withConsole(
  page: Page,
  body: (opened: Console) => Promise<void>,
  deps?: Partial<TestApp["deps"]>,
): Promise<void> {
  await builtConsole();
  const served = serve();
  const { origin } = served;
  const stop = new AbortController();
  const relyingParty = { id: "localhost", name: "Rolegrid", origins: [origin] };
  await using target = await openTestApp(ANY_KIND, {
    publicUrl: origin,
    relyingParty,
    stopping: stop.signal,
    ...deps,
  });
  await forgetAll(page, origin);
  served.app = target.app;
  try {
    const { faults, expectFaults } = watchPage(page, origin);
    const { userId, roleId } = await target.bootstrapRoot(ADA, "Energy Inc");
    await target.setPassword(userId, PASSWORD);
    const admin = new Person(target, await target.accessToken(userId));
    await body({ target, page, url: `${origin}/console`, admin, rootId: roleId, expectFaults });
    assert.deepEqual(faults, []);
  } finally {
    served.app = undefined;
    await page.context().setOffline(false);
    // Another navigation of a test that failed may interrupt this one, but not the next.
    await page.goto(origin).catch(() => page.goto("about:blank"));
    // As a service does that stops: ends the requests that wait for changes.
    stop.abort();
    await Promise.allSettled(served.responses);
  }
}

interface Served {
  readonly origin: string;
  /** The app of the test that runs. Without one, every address is an empty page. */
  app: TestApp["app"] | undefined;
  /** Those that are being made. */
  readonly responses: Set<Promise<Response>>;
}

let kept: Served | undefined;

/**
 * Serves the app of one test after the other. As the address stays the same, the browser keeps the console's files, what
 * it compiled of them, and its process.
 */
function serve(): Served {
  if (kept !== undefined) return kept;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request, { remoteAddr }) => {
      const { app, responses } = served;
      if (app === undefined) return new Response(EMPTY_PAGE, { headers: EMPTY_PAGE_HEADERS });
      const response = Promise.resolve(app.fetch(request, { remoteAddr }));
      responses.add(response);
      return await response.finally(() => responses.delete(response));
    },
  );
  server.unref();
  const served: Served = {
    // Browsers have no passkeys for numbered addresses.
    origin: `http://localhost:${server.addr.port}`,
    app: undefined,
    responses: new Set(),
  };
  return kept = served;
}

const EMPTY_PAGE = `<!doctype html><title>Empty</title><link rel="icon" href="data:,">`;
/** Those of the console for which the browser would otherwise begin another process. */
const EMPTY_PAGE_HEADERS = {
  "Content-Type": "text/html",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
};

/** Deletes what the browser keeps for the pages of an origin, but for files. */
async function forgetAll(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
}

export interface WatchedPage extends Pick<Console, "expectFaults"> {
  readonly faults: readonly string[];
}

/** Collects what goes wrong in a page from now on: what the browser complains of, and requests of other hosts. */
export function watchPage(page: Page, origin: string): WatchedPage {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type()) || REFUSAL.test(message.text())) return;
    faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  // It gets no response (`chromium.ts`). A route would see it, too, but makes the browser keep no file.
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`asked for ${request.url()}`);
  });
  return {
    faults,
    expectFaults(pattern) {
      const others = faults.filter((fault) => !pattern.test(fault));
      assert.notEqual(others.length, faults.length, `nothing matches ${pattern}`);
      faults.splice(0, faults.length, ...others);
    },
  };
}

/**
 * Signs in without a page. A test that is not about signing in saves two of them: the form, and the start page with its
 * picture.
 */
export async function signIn(
  { page, url }: Pick<Console, "page" | "url">,
  email = ADA,
  password = PASSWORD,
): Promise<void> {
  const { origin } = new URL(url);
  const { request } = page.context();
  const login = await request.post(`${origin}/auth/login`, { data: { username: email, password } });
  const headers = { Authorization: `Bearer ${await login.text()}`, Origin: origin };
  const session = await request.put(`${url}/session`, { headers });
  assert.equal(session.status(), 204);
}

/** Signs in as a person would, and waits for the start page. */
export async function signInByForm(
  { page, url }: Pick<Console, "page" | "url">,
  email = ADA,
  password = PASSWORD,
): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation").first().waitFor();
}

/** Signs out, and waits until it is done: the next page would otherwise interrupt it, and begin signed in. */
export async function signOut(page: Page): Promise<void> {
  await page.getByLabel("Your account").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
}

/** Opens the search that every page has, and returns its field. */
export async function openSearch(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Find anything" }).click();
  return page.getByRole("combobox", { name: "Find anything" });
}

/** Confirms one's identity with the password when the console asks for it. */
export async function confirmByPassword(
  { page }: Pick<Console, "page">,
  password = PASSWORD,
): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Password").fill(password);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Ends the sessions of everybody, elsewhere. */
export async function endSessions(target: TestApp): Promise<void> {
  const now = target.clock.now();
  const endAll = defineStatement(
    "UPDATE session SET ended_at = :now, ended_reason = 'test' WHERE ended_at IS NULL",
  );
  await target.database.write([bind(endAll, { now })]);
}

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

/**
 * Fails for what axe finds in a page as a desktop shows it, light and dark; also takes pictures. A short run leaves axe to
 * the views of `looks_browser_test.ts`.
 */
export async function checkLooks(page: Page, name: string): Promise<void> {
  if (!IS_LONG && SCREENSHOTS === undefined) return;
  assert.deepEqual(await findBarriers(page, name, SCREENSHOTS === undefined ? ["desktop"] : undefined), []);
}

/** Returns what axe finds in a page as a desktop and a phone show it, light and dark; also takes pictures. */
export async function findBarriers(
  page: Page,
  name: string,
  sizes: readonly (keyof typeof SIZES)[] = ["desktop", "phone"],
): Promise<string[]> {
  const found: string[] = [];
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(SIZES[size]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const barriers = await runAxe(page, RULES[colorScheme]);
      found.push(...barriers.map((barrier) => `${name}, ${size}, ${colorScheme}: ${barrier}`));
      if (SCREENSHOTS === undefined) continue;
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${colorScheme}-${size}.png` });
    }
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/**
 * Waits until all that moves has arrived. A click waits for that, too, but takes what has yet to begin for still, and gets
 * lost if that goes away under the pointer.
 */
export async function standsStill(page: Page): Promise<void> {
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
}

/**
 * What axe checks in each scheme. All is the same in both but for the colours (`light-dark()` takes nothing else), which
 * only two rules look at.
 */
const RULES = {
  light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
} as const;
let axe: Promise<string> | undefined;

async function runAxe(page: Page, runOnly: typeof RULES[keyof typeof RULES]): Promise<string[]> {
  axe ??= Deno.readTextFile(new URL(import.meta.resolve("axe-core/axe.min.js")));
  // Boxes that still move may cover one another.
  await standsStill(page);
  // By the debugger, which the page's policy does not bind. It stays until the page is left.
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(await axe + CONFIGURE);
  return await page.evaluate(async (runOnly) => {
    // deno-lint-ignore no-explicit-any -- a global of the script above
    const { violations } = await (globalThis as any).axe.run({
      runOnly,
      resultTypes: ["violations"],
      // There are none, and no rule here reads style sheets.
      iframes: false,
      preload: false,
    });
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
      nodes.map(({ html }) => `${id}: ${html}`)
    );
  }, runOnly) as string[];
}

/** Axe takes the letters of ticks in a picture, which are hidden from screen readers, for the name of a link. */
const CONFIGURE = `;
axe.configure({ rules: [{ id: "label-content-name-mismatch", selector: ":not(.box, .mark)" }] });`;

/**
 * Makes a change once the page has sent the next request that matches, before the service gets it, so that the page
 * cannot hear of it first.
 */
export async function changeMeanwhile(
  page: Page,
  isNext: (request: Request) => boolean,
  change: () => Promise<unknown>,
): Promise<void> {
  let isMade = false;
  await page.route("**/v1/**", async (route) => {
    if (!isMade && isNext(route.request())) {
      isMade = true;
      await change();
    }
    await route.fallback();
  });
}

/** Whether the request makes a change that was previewed. */
export function isApplied(request: Request): boolean {
  return request.headers()["if-effect"] !== undefined;
}
