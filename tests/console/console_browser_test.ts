/** Signing in and out, sessions that end, the search, and a service or a file that is missing. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { openSession } from "../helpers/test_app.ts";
import {
  ADA,
  checkLooks,
  endSessions,
  NO_CONNECTION,
  openSearch,
  PASSWORD,
  signIn,
  signInByForm,
  signOut,
  useConsole,
} from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest(
  "a user signs in, stays signed in after a reload and in another tab, and signs out",
  async (opened) => {
    const { page, url } = opened;
    await page.goto(url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signInByForm(opened);
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(url);
    await tab.getByRole("link", { name: "Energy Inc" }).waitFor();
    await signOut(page);
    await tab.getByRole("heading", { name: "Sign in" }).waitFor();
    await tab.close();
    assert.deepEqual(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })"), "{}");
  },
);

consoleTest(
  "a session that ends elsewhere asks for the password, and the page keeps what was on it",
  async (opened) => {
    const { page, target } = opened;
    await signIn(opened);
    await page.goto(opened.url);
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    const search = await openSearch(page);
    await search.fill("ener");
    await page.getByRole("option", { name: "Role Energy Inc" }).waitFor();
    await endSessions(target);
    // What asks next shows the sign-in page, and a field that is being filled would be hidden by it.
    await search.press("g");
    await page.getByText("Your session has ended").waitFor();
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    assert.equal(await search.inputValue(), "energ");
  },
);

consoleTest(
  "a user who signs in over another one sees nothing of theirs, and sends nothing of theirs",
  async (opened) => {
    const { page, target, url, rootId } = opened;
    await signIn(opened);
    await page.goto(`${url}/role/${rootId}?tab=people`);
    await page.getByRole("link", { name: "Energy Inc" }).first().waitFor();
    // What opening it loads would notice the other session.
    const search = await openSearch(page);
    await page.waitForLoadState("networkidle");
    const { userId } = await target.createUser("bob@example.com");
    const { refreshToken } = await openSession(target.deps, userId);
    const sentByBob: string[] = [];
    page.on("request", (request) => {
      const [, payload = ""] = request.headers()["authorization"]?.split(".") ?? [];
      if (payload === "" || request.url() === `${url}/session`) return;
      if (JSON.parse(atob(payload)).sub === String(userId)) sentByBob.push(request.postData() ?? "");
    });
    await page.evaluate(async (token) => {
      await fetch("/console/session", { method: "PUT", headers: { Authorization: `Bearer ${token}` } });
    }, refreshToken);
    await search.fill("ener");
    await page.waitForURL(url);
    await page.getByLabel("Your account").click();
    await page.getByText("bob@example.com").first().waitFor();
    assert.deepEqual(sentByBob.filter((body) => body.includes("ener")), []);
    assert.equal(await page.getByRole("dialog").count(), 0);
  },
);

consoleTest(
  "a view that is refused because its session ended appears after the next sign-in",
  async (opened) => {
    const { page, target } = opened;
    await signIn(opened);
    await page.goto(opened.url);
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    await page.waitForLoadState("networkidle");
    await endSessions(target);
    // Also if a request of the page has met the end of the session by then, and hidden the link.
    await page.getByRole("link", { name: "Devices", includeHidden: true }).first().dispatchEvent("click");
    await page.getByText("Your session has ended").waitFor();
    assert.equal(await page.title(), "Sign in · Rolegrid");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("No device is monitored by your roles").waitFor();
    assert.equal(await page.title(), "Devices · Rolegrid");
    const hasFocus = "document.getElementById('content').contains(document.activeElement)";
    assert.equal(await page.evaluate(hasFocus), true);
  },
);

consoleTest(
  "Enter searches for the latest text, even if the list still shows results for an earlier one",
  async (opened) => {
    const { page, admin, rootId } = opened;
    await admin.create(rootId, "North");
    await admin.create(rootId, "South");
    await signIn(opened);
    await page.goto(opened.url);
    const search = await openSearch(page);
    await search.fill("nor");
    await page.getByRole("option", { name: "Role North" }).waitFor();
    await search.fill("sou");
    await search.press("Enter");
    await page.getByRole("heading", { name: "South" }).waitFor();
  },
);

consoleTest("hostile names are shown as text", async (opened) => {
  const { page, admin, rootId } = opened;
  const names = [
    "<img src=x onerror=alert(1)>",
    "\u202eesrever",
    "🦉".repeat(256),
    '"><script>alert(1)</script>',
  ];
  for (const name of names) await admin.create(rootId, name);
  await signIn(opened);
  await page.goto(opened.url);
  for (const name of names) await page.getByRole("link", { name: `${name}: ` }).first().waitFor();
  assert.equal(await page.locator("main img, main script").count(), 0);
  await (await openSearch(page)).fill("<img");
  await page.getByRole("option", { name: "Role <img src=x onerror=alert(1)>" }).click();
  await page.getByRole("heading", { name: "<img src=x onerror=alert(1)>" }).waitFor();
});

consoleTest("a page without a service says so, and continues as soon as there is one", async (opened) => {
  const { page, url, expectFaults } = opened;
  await signIn(opened);
  await page.goto(opened.url);
  await page.getByRole("link", { name: "Energy Inc" }).waitFor();
  const session = `${url}/session`;
  await page.route(session, (route) => route.abort());
  await page.reload();
  await page.getByText("The service cannot be reached.").waitFor();
  await page.unroute(session);
  await page.getByRole("link", { name: "Energy Inc" }).waitFor();
  expectFaults(NO_CONNECTION);
});

consoleTest(
  "a sign-out without a response is reported, and a second attempt signs the user out",
  async (opened) => {
    const { page, url } = opened;
    await page.addInitScript(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout(ms / 20);
    });
    await signIn(opened);
    await page.goto(opened.url);
    const session = `${url}/session`;
    await page.getByLabel("Your account").waitFor();
    // It never responds.
    await page.route(session, () => {});
    await page.getByLabel("Your account").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("The service cannot be reached.").waitFor();
    await page.unroute(session);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);

consoleTest("a page that the browser restores checks whether its session has ended", async (opened) => {
  const { page, target } = opened;
  await signIn(opened);
  await page.goto(opened.url);
  await page.getByRole("link", { name: "Energy Inc" }).waitFor();
  await endSessions(target);
  // Going back to it. A browser that a test drives keeps no page.
  await page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
  await page.getByText("Your session has ended").waitFor();
  // Also over a view that comes later.
  await page.getByRole("link", { name: "Devices", includeHidden: true }).first().dispatchEvent("click");
  await page.getByRole("heading", { name: "Devices", includeHidden: true }).waitFor({ state: "attached" });
  assert.equal(await page.title(), "Sign in · Rolegrid");
});

consoleTest("a view whose file is missing says so, and can be loaded again", async (opened) => {
  const { page, expectFaults } = opened;
  await page.route(/\/console\/assets\/layout-/, (route) => route.abort());
  await signIn(opened);
  await page.goto(opened.url);
  await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
  assert.equal(await page.title(), "This page cannot be shown · Rolegrid");
  await checkLooks(page, "failure");
  await page.unroute(/\/console\/assets\/layout-/);
  await page.getByRole("button", { name: "Load again" }).click();
  await page.getByRole("link", { name: "Energy Inc" }).waitFor();
  expectFaults(NO_CONNECTION);
  expectFaults(/Failed to fetch dynamically imported module/);
});

consoleTest(
  "what opens on a click before its file is there says that it loads, and takes the focus",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    const siteId = await admin.create(rootId, "Site");
    const arrive = Promise.withResolvers<void>();
    await page.route(/\/console\/assets\/forms-/, async (route) => {
      await arrive.promise;
      await route.continue();
    });
    await signIn(opened);
    await page.goto(`${url}/role/${siteId}`);
    await page.getByRole("link", { name: "Change name and rights" }).press("Enter");
    await page.locator("#panel").getByText("Loading").last().waitFor();
    await page.keyboard.press("/");
    arrive.resolve();
    await page.getByRole("combobox", { name: "Find anything" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByRole("link", { name: "Change name and rights" }).and(page.locator(":focus")).waitFor();
  },
);

consoleTest(
  "a form, a view or a page that arrives late leaves the focus where the user has put it meanwhile",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    await admin.post(`/v1/device?roleId=${rootId}`, { properties: { nodeId: "meter-1" } });
    const hold = async (late: string): Promise<() => void> => {
      const arrive = Promise.withResolvers<void>();
      await page.route(late, async (route) => {
        await arrive.promise;
        await route.fallback();
      });
      return arrive.resolve;
    };
    const search = page.getByRole("button", { name: "Find anything" });
    const opensLate = async (opener: string, arrive: () => void, title: string | RegExp): Promise<void> => {
      await page.getByRole("link", { name: opener, exact: true }).first().press("Enter");
      await page.getByText("Loading").first().waitFor();
      await search.focus();
      arrive();
      await page.getByRole("heading", { name: title }).first().waitFor();
      await search.and(page.locator(":focus")).waitFor();
    };
    const [form, view] = [await hold("**/assets/forms-*"), await hold("**/assets/pages-*")];
    await signIn(opened);
    await page.goto(`${url}/role/${rootId}?tab=devices`);
    await opensLate("Add a device", form, "A new device of Energy Inc");
    await opensLate("Home", view, "Energy Inc");
    await page.getByRole("link", { name: "Devices", exact: true }).press("Enter");
    await page.getByRole("link", { name: "meter-1" }).waitFor();
    await opensLate("meter-1", await hold("**/v1/device/query"), "meter-1");
  },
);

consoleTest("a form whose file is missing says so", async (opened) => {
  const { page, url, admin, rootId, expectFaults } = opened;
  const siteId = await admin.create(rootId, "Site");
  await page.route(/\/console\/assets\/forms-/, (route) => route.abort());
  await signIn(opened);
  await page.goto(`${url}/role/${siteId}`);
  await page.getByRole("link", { name: "Change name and rights" }).press("Enter");
  await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
  await page.unroute(/\/console\/assets\/forms-/);
  await page.getByRole("button", { name: "Load again" }).press("Enter");
  await page.getByRole("button", { name: "Save the changes" }).waitFor();
  expectFaults(NO_CONNECTION);
  expectFaults(/Failed to fetch dynamically imported module/);
});

consoleTest("a dialog whose file is missing leaves the page as it is, and opens later", async (opened) => {
  const { page, url, admin, rootId, expectFaults } = opened;
  await admin.create(rootId, "Site");
  await page.route(/\/console\/assets\/forms-/, (route) => route.abort());
  await signIn(opened);
  await page.goto(`${url}/changes`);
  const undo = page.getByRole("link", { name: /^Undo/ }).first();
  const search = page.getByRole("button", { name: "Find anything" });
  const notice = page.getByRole("status").filter({ hasText: "The connection may be lost" });
  // The view takes the focus when it arrives.
  await page.getByRole("heading", { name: "Changes" }).and(page.locator(":focus")).waitFor();
  await undo.waitFor();
  for (const opener of [search, undo]) {
    await opener.press("Enter");
    await notice.waitFor();
    assert.equal(await page.getByRole("main").count(), 1);
    await opener.and(page.locator(":focus")).waitFor();
    await notice.getByRole("button", { name: "Close" }).click();
    await opener.focus();
  }
  await page.unroute(/\/console\/assets\/forms-/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Undo this change?" }).waitFor();
  expectFaults(NO_CONNECTION);
  expectFaults(/Failed to fetch dynamically imported module/);
});

for (
  const [address, name, title] of [
    ["http://grid.test", "insecure", "This page needs https"],
    ["https://grid.test", "elsewhere", "Sign in at another address"],
  ] as const
) {
  consoleTest(`at ${address}, the page says where to sign in, and sends nothing in vain`, async (opened) => {
    const { page, target, expectFaults } = opened;
    const sent: string[] = [];
    await page.route(`${address}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (!pathname.startsWith("/console/assets/")) sent.push(`${route.request().method()} ${pathname}`);
      const { status, headers, body } = await readWhole(await target.request(pathname));
      await route.fulfill({ status, headers, body });
    });
    await page.goto(`${address}/console/home`);
    await page.getByRole("heading", { name: title }).waitFor();
    assert.equal(await page.getByLabel("Password").count(), 0);
    await checkLooks(page, `sign-in-${name}`);
    assert.deepEqual(sent, ["GET /console/home"]);
    expectFaults(new RegExp(`^asked for ${address}/`));
  });
}

/** Browsers complain of other headers where there is no encryption. */
async function readWhole(
  response: Response,
): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const names = ["Content-Type", "Content-Security-Policy"];
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name) ?? ""]));
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}
