/** What a double click, a lost session or connection, a captive portal or a slow service does to the pages. */
import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { ALL } from "../every_operation/request_catalogue.ts";
import { openSession } from "../helpers/test_app.ts";
import {
  ADA,
  changeMeanwhile,
  confirmByPassword,
  endSessions,
  openSearch,
  PASSWORD,
  signIn,
  useConsole,
} from "./open_console.ts";

const { consoleTest } = useConsole();

/** What stands between a browser and the network until its user agrees to terms. */
const PORTAL = {
  status: 200,
  contentType: "text/html",
  body: "<!doctype html><p>Accept the terms.</p>",
};

function tooMany(message: string, retryAfter: number): Parameters<Route["fulfill"]>[0] {
  const json = { statusCode: 429, error: "Too Many Requests", message };
  return { status: 429, headers: { "Retry-After": String(retryAfter) }, json };
}

/** What the page asks for from now on that matches, by method and path. */
function recordRequests(page: Page, pattern: RegExp): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pattern.test(pathname)) asked.push(`${request.method()} ${pathname}`);
  });
  return asked;
}

consoleTest(
  "a password does not have to be typed again if keeping its session is refused at first",
  async (opened) => {
    const { page, url } = opened;
    await page.goto(url);
    const isPut = (route: Route): boolean => route.request().method() === "PUT";
    let isRefused = false;
    await page.route(`${url}/session`, (route) => {
      if (isRefused || !isPut(route)) return route.fallback();
      isRefused = true;
      return route.fulfill(tooMany("TOO_MANY_REQUESTS", 1));
    });
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("You can try again now.").waitFor();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
  },
);

consoleTest("holding Enter down sends a form once, and a double click sends one request", async (opened) => {
  const { page, url, target } = opened;
  const guesses = recordRequests(page, /\/auth\/login/);
  await page.goto(url);
  await page.getByLabel("Email address").fill(ADA);
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.down("Enter");
  await page.getByText("Address or password is wrong.").waitFor();
  // Again without having been let go, as a keyboard does.
  for (let i = 0; i < 20; i++) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  assert.deepEqual(guesses, ["POST /auth/login"]);
  await signIn(opened);
  await target.request("/auth/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: ADA, password: PASSWORD }),
  });
  await page.goto(`${url}/account?tab=sessions`);
  const ended = recordRequests(page, /\/user\/session\/./);
  await page.getByRole("button", { name: "End", exact: true }).first().dblclick();
  await page.getByText("The session has ended.").waitFor();
  assert.equal(ended.length, 1);
});

consoleTest("a form shows a change made elsewhere meanwhile before it saves", async (opened) => {
  const { page, url, admin, rootId } = opened;
  const id = await admin.create(rootId, "North");
  await signIn(opened);
  await page.goto(`${url}/role/${id}?do=edit`);
  // Its title is there before the preview.
  const previewed = page.waitForResponse(/dryRun=true/);
  await page.getByRole("checkbox", { name: "alarm management" }).click();
  const save = page.getByRole("button", { name: "Save the changes" });
  await (await previewed).finished();
  // The form looks at the role again before it sends anything.
  await changeMeanwhile(
    page,
    (request) => request.url().endsWith("/v1/role/query"),
    () => admin.put(`/v1/role/${id}`, { name: "South", selfRights: ALL }),
  );
  await save.click();
  await page.getByText("Meanwhile, another person changed something, and nothing was done.").waitFor();
  const name = page.getByLabel("Name");
  await page.getByRole("heading", { name: "Change South" }).waitFor();
  assert.equal(await name.inputValue(), "South");
  await save.click();
  await page.getByRole("heading", { name: "South" }).waitFor();
  assert.deepEqual(await admin.roleIds({ filter: { namePrefix: "South" } }), [id]);
});

consoleTest("a secret disappears with the session, and returns when its owner signs in", async (opened) => {
  const { page, url, target, rootId } = opened;
  await signIn(opened);
  await page.goto(`${url}/role/${rootId}?tab=keys&key=new`);
  await page.getByLabel("Name").fill("meter reader");
  await page.getByRole("button", { name: "Create the key" }).click();
  await confirmByPassword(opened);
  const secret = await page.locator(".secret code").first().innerText();
  assert.match(secret, /^rgk_/);
  await endSessions(target);
  // The page looks whether its role is still the same.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText("Your session has ended").waitFor();
  assert.ok(!(await page.content()).includes(secret));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText(secret, { exact: true }).waitFor();
  // The browser keeps the page aside, and its user goes back to it while the service does not respond.
  await page.route(`${url}/session`, () => {});
  for (const type of ["pagehide", "pageshow"]) {
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("${type}", { persisted: true }))`);
  }
  await page.getByText("Loading…").and(page.locator(":visible")).waitFor();
  assert.ok(!(await page.content()).includes(secret));
  assert.equal(await page.getByRole("navigation").first().isVisible(), false);
});

consoleTest("a captive portal's page does not count as a response", async (opened) => {
  const { page, url } = opened;
  await page.route(`${url}/session`, (route) => route.fulfill(PORTAL), { times: 1 });
  await page.goto(url);
  await page.getByText("The service is busy or being maintained. The page tries again by itself.").waitFor();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

consoleTest(
  "a page of another origin cannot sign users in or out, read a token or frame the console",
  async (opened) => {
    const { page, url, target } = opened;
    await signIn(opened);
    await page.goto(opened.url);
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    const { userId } = await target.createUser("mallory@example.com");
    const { refreshToken } = await openSession(target.deps, userId);
    // Of the same site, because ports do not count: the cookie is sent along.
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () =>
        new Response("<!doctype html><title>Elsewhere</title>", { headers: { "Content-Type": "text/html" } }),
    );
    const tab = await page.context().newPage();
    try {
      await tab.goto(`http://127.0.0.1:${server.addr.port}/`);
      const session = JSON.stringify(`${url}/session`);
      const Authorization = JSON.stringify(`Bearer ${refreshToken}`);
      const read = await tab.evaluate(`Promise.all([
      { method: "POST" },
      { method: "POST", mode: "no-cors" },
      { method: "DELETE" },
      { method: "PUT", headers: { Authorization: ${Authorization} } },
    ].map((options) => fetch(${session}, { ...options, credentials: "include" }).then(
      (response) => "response",
      () => "refused",
    )))`);
      assert.deepEqual(read, ["refused", "refused", "refused", "refused"]);
      const framed = tab.waitForEvent("requestfailed", (request) => request.isNavigationRequest());
      await tab.evaluate(`(() => {
      const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(url)};
      document.body.append(frame);
    })()`);
      assert.equal((await framed).failure()?.errorText, "net::ERR_BLOCKED_BY_RESPONSE");
      const response = tab.waitForResponse(`${url}/session`);
      await tab.evaluate(`(() => {
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", action: ${session} });
      document.body.append(form);
      form.submit();
    })()`);
      assert.equal((await response).status(), 403);
    } finally {
      await tab.close();
      await server.shutdown();
    }
    await page.reload();
    await page.getByLabel("Your account").click();
    await page.getByText(ADA).first().waitFor();
  },
);

// The clock of a window cannot be set free again, so these are the last.
consoleTest(
  "requests to a failing service become rarer, and one is sent at once when the connection returns",
  async (opened) => {
    const { page, url, expectFaults } = opened;
    await page.clock.install();
    await signIn(opened);
    await page.goto(opened.url);
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
    let asked = 0;
    await page.route(/\/user\/2fa$/, (route) => {
      asked++;
      return route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" });
    });
    await page.goto(`${url}/account`);
    await page.getByText("The service is busy or being maintained. The page tries again by itself.")
      .waitFor();
    for (let i = 0; i < 120; i++) {
      await page.clock.runFor(5000);
      await page.evaluate("fetch('/console/assets/icon.svg').then((response) => response.blob())");
    }
    assert.ok(asked >= 10 && asked <= 18, `${asked} times in 10 minutes`);
    await page.unroute(/\/user\/2fa$/);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText("You sign in with your password alone.").waitFor();
    expectFaults(/status of 502/);
  },
);

consoleTest("a wait counts down until the button works again, and keeps what was typed", async (opened) => {
  const { page, url } = opened;
  await page.clock.install();
  await signIn(opened);
  await page.goto(`${url}/account/address`);
  const refused = tooMany("TOO_MANY_TRANSFER_ATTEMPTS", 60);
  await page.route(/\/user\/email\/initiate/, (route) => route.fulfill(refused), { times: 1 });
  const field = page.getByLabel("New email address");
  await field.fill("new@example.com");
  const button = page.getByRole("button", { name: "Send a code" });
  await button.click();
  await page.locator(".fault", { hasText: "The next one can be sent in" }).waitFor();
  await page.clock.runFor(30_000);
  await page.locator(".fault", { hasText: /The next one can be sent in (30|[12]?\d) seconds?\./ })
    .waitFor();
  assert.equal(await button.isEnabled(), false);
  await page.clock.runFor(30_000);
  await page.getByText("You can try again now.").waitFor();
  assert.equal(await field.inputValue(), "new@example.com");
  await button.click();
  await page.getByText("new@example.com").waitFor();

  await page.route(/\/v1\/search/, (route) => route.fulfill(tooMany("TOO_MANY_REQUESTS", 60)), { times: 1 });
  await (await openSearch(page)).fill("ener");
  const wait = page.getByRole("dialog").getByRole("paragraph");
  await wait.getByText("Next one in").waitFor();
  await page.clock.runFor(30_000);
  await wait.getByText(/Next one in (30|[12]?\d) seconds?\./).waitFor();
  await page.clock.runFor(30_000);
  await page.getByRole("option", { name: "Role Energy Inc" }).waitFor();
});

consoleTest("a form without a response says so after a minute, and can be sent again", async (opened) => {
  const { page, url } = opened;
  await page.clock.install();
  await signIn(opened);
  await page.goto(`${url}/account?tab=profile`);
  await page.getByLabel("Language of this page and of emails").selectOption("nl");
  const asked = page.waitForRequest((request) => request.method() === "PUT");
  await page.route(/\/user$/, (route) => route.request().method() === "PUT" ? undefined : route.fallback());
  await page.getByRole("button", { name: "Use this language" }).click();
  await asked;
  await page.clock.runFor(61_000);
  await page.getByText("The service cannot be reached. Check your connection.").waitFor();
  await page.unroute(/\/user$/);
  await page.getByRole("button", { name: "Use this language" }).click();
  await page.getByRole("heading", { name: "Mijn account" }).waitFor();
  await page.evaluate("localStorage.clear()");
});
