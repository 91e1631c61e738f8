/** In a browser, the page that sets a password sends it once, explains every refusal, and hides its token. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { RESET_PAGE_TEXTS, type ResetPageTexts } from "../../../src/accounts/password/reset_page_texts.ts";
import { linkPageCsp } from "../../../src/http/link_page/link_page.ts";
import { renderResetPage } from "../../../src/accounts/password/reset_page.ts";
import { checkLooks } from "../../console/open_console.ts";
import { restAtEnd, useChromium } from "../../helpers/chromium.ts";

const TOKEN = "A-b_".repeat(10) + "123";
const PASSWORD = "a heron at dusk";

const { ignore, takePage } = useChromium("the reset page");

interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Headers;
}

/** The local server's response to the PUT; each test sets it. */
interface Harness {
  answer: () => Response | Promise<Response>;
  visits: number;
  readonly received: Received[];
  readonly consoleErrors: string[];
  readonly page: Page;
  readonly url: string;
  readonly language: Language;
  readonly texts: ResetPageTexts;
}

type Language = "en" | "nl" | "fr" | "de";

/** Serves the page like the service, and opens it in a window. */
async function withPage(language: Language, use: (harness: Harness) => Promise<void>): Promise<void> {
  const received: Received[] = [];
  const consoleErrors: string[] = [];
  let harness: Harness | undefined;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname === "/reset-password") return servePage(language);
    const body: unknown = request.headers.has("Content-Type") ? await request.json() : undefined;
    received.push({ method: request.method, path: pathname, body, headers: new Headers(request.headers) });
    if (request.method === "GET" || harness === undefined) return new Response(null, { status: 404 });
    return await harness.answer();
  });
  const page = await takePage();
  try {
    page.on("console", (message) => {
      if (message.type() === "error") consoleErrors.push(message.text());
    });
    page.on("pageerror", (error) => consoleErrors.push(error.message));
    const url = `http://127.0.0.1:${server.addr.port}/reset-password`;
    const texts = RESET_PAGE_TEXTS[language];
    const answer = () => Response.json(null);
    harness = { answer, visits: 0, received, consoleErrors, page, url, language, texts };
    await use(harness);
  } finally {
    await server.shutdown();
  }
}

function servePage(language: string): Response {
  const nonce = crypto.randomUUID();
  return new Response(renderResetPage({ language, issuerName: "Rolegrid", nonce }), {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": linkPageCsp(nonce) },
  });
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ statusCode: status, error: "", message }, { status, headers });
}

/** Loads the page. A query makes it a load where otherwise only the fragment would differ. */
async function open(harness: Harness, fragment = `#token=${TOKEN}`): Promise<void> {
  const { page, url } = harness;
  const query = harness.visits++ === 0 ? "" : `?visit=${harness.visits}`;
  await page.goto(url + query + fragment);
}

async function submit(
  page: Page,
  texts: ResetPageTexts,
  password: string,
  repeated = password,
): Promise<void> {
  await page.getByLabel(texts.newPassword, { exact: true }).fill(password);
  await page.getByLabel(texts.repeatPassword, { exact: true }).fill(repeated);
  await page.getByRole("button", { name: texts.save }).click();
}

async function expectStatus(page: Page, text: string): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor({ timeout: 5000 });
}

/** Registers a test on the page in each of these languages. */
function browserTest(
  name: string,
  body: (harness: Harness) => Promise<void>,
  languages: readonly Language[] = ["en"],
): void {
  const fn = async (): Promise<void> => {
    for (const language of languages) await withPage(language, body);
  };
  Deno.test({ name, ignore, fn });
}

browserTest("opening the link sends nothing and hides the token, also in the history", async (harness) => {
  const { page, received, consoleErrors, url } = harness;
  await page.goto("about:blank");
  await open(harness);
  await page.getByRole("heading", { name: "Choose a password" }).waitFor();
  assert.equal(page.url(), url);
  await page.goBack();
  await page.goForward();
  assert.equal(page.url(), url);
  assert.deepEqual(received, []);
  assert.deepEqual(consoleErrors, []);
});

browserTest("the form sends token and password once, reports success and disappears", async (harness) => {
  const { page, received, consoleErrors, texts } = harness;
  await open(harness, `#token=${TOKEN}&email=eva%40example.com`);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.done);
  assert.equal(received.length, 1);
  assert.equal(received[0]?.method, "PUT");
  assert.equal(received[0]?.path, "/user/password/link");
  assert.deepEqual(received[0]?.body, { token: TOKEN, newPassword: PASSWORD, signIn: true });
  assert.equal(received[0]?.headers.get("Content-Type"), "application/json");
  assert.equal(received[0]?.headers.get("Referer"), null);
  assert.equal(await page.locator("form").isVisible(), false);
  assert.equal(await page.getByLabel(texts.newPassword, { exact: true }).inputValue(), "");
  assert.equal(await page.evaluate("sessionStorage.getItem('rolegrid-address')"), "eva@example.com");
  assert.equal(await page.getByRole("link", { name: texts.signIn }).getAttribute("href"), "/console");
  assert.deepEqual(consoleErrors, []);
}, ["en", "nl", "fr", "de"]);

browserTest("an impossible password is reported before anything is sent", async (harness) => {
  const { page, received, texts } = harness;
  await open(harness);
  const first = page.getByLabel(texts.newPassword, { exact: true });
  const second = page.getByLabel(texts.repeatPassword, { exact: true });
  await submit(page, texts, "🦊".repeat(7));
  await expectStatus(page, texts.faults.PASSWORD_TOO_SHORT);
  assert.equal(await first.getAttribute("aria-invalid"), "true");
  await submit(page, texts, "x".repeat(257));
  await expectStatus(page, texts.faults.PASSWORD_TOO_LONG);
  await submit(page, texts, PASSWORD, `${PASSWORD} `);
  await expectStatus(page, texts.faults.DIFFERENT);
  assert.equal(await first.getAttribute("aria-invalid"), null);
  assert.equal(await second.getAttribute("aria-invalid"), "true");
  assert.equal(await page.evaluate("document.activeElement.id"), await second.getAttribute("id"));
  assert.deepEqual(received, []);
}, ["fr"]);

browserTest("refusals are shown in the page's language, and one may try again", async (harness) => {
  const { page, texts } = harness;
  const refusals = [
    { answer: refuse(400, "PASSWORD_TOO_COMMON"), text: texts.faults.PASSWORD_TOO_COMMON },
    { answer: refuse(400, "PASSWORD_BREACHED"), text: texts.faults.PASSWORD_BREACHED },
    {
      answer: refuse(400, "PASSWORD_EQUALS_NAME"),
      text: texts.faults.PASSWORD_EQUALS_NAME.replace("{issuer}", "Rolegrid"),
    },
    { answer: refuse(400, "PASSWORD_OF_A_LATER_RULE"), text: texts.faults.UNKNOWN },
    {
      answer: refuse(503, "unavailable", { "Retry-After": "3600" }),
      text: texts.faults.BUSY.replace("{wait}", "60 minuten"),
    },
    {
      answer: refuse(429, "TOO_MANY", { "Retry-After": "90" }),
      text: texts.faults.BUSY.replace("{wait}", "2 minuten"),
    },
    { answer: refuse(500, "Internal server error"), text: texts.faults.UNKNOWN },
    { answer: new Response("<h1>Bad gateway</h1>", { status: 502 }), text: texts.faults.UNKNOWN },
  ];
  await open(harness);
  for (const { answer, text } of refusals) {
    harness.answer = () => answer;
    await submit(page, texts, PASSWORD);
    await expectStatus(page, text);
    assert.ok(await page.locator("form").isVisible(), text);
  }
  harness.answer = () => Response.json(null);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.done);
}, ["nl"]);

browserTest("a wait counts down, is announced once, and then disappears", async (harness) => {
  const { page, texts } = harness;
  harness.answer = () => refuse(429, "TOO_MANY", { "Retry-After": "2" });
  await open(harness);
  await submit(page, texts, PASSWORD);
  const status = page.getByRole("status");
  await status.and(page.locator("[aria-live=off]")).getByText(/Try again in \d second/).waitFor();
  assert.equal(await page.evaluate("document.activeElement.id"), "save");
  await status.waitFor({ state: "hidden" });
  harness.answer = () => Response.json(null);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.done);
  assert.equal(await status.getAttribute("aria-live"), null);
});

browserTest("a used link offers a new one without the form, and a malformed one a code", async (harness) => {
  const { page, texts } = harness;
  harness.answer = () => refuse(401, "OTP_INVALID_EXPIRED");
  await open(harness);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.faults.OTP_INVALID_EXPIRED);
  assert.equal(await page.locator("form").isVisible(), false);
  const newLink = page.getByRole("link", { name: texts.newLink });
  assert.equal(await newLink.getAttribute("href"), "/console?forgot");
  harness.answer = () => refuse(400, "Missing or misformatted query parameter or body");
  await open(harness);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.faults.NO_TOKEN);
  assert.ok(await page.getByLabel(texts.address).isVisible());
}, ["de"]);

browserTest("an unreachable service is reported, and the form works when it is back", async (harness) => {
  const { page, texts } = harness;
  await open(harness);
  await page.context().setOffline(true);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.faults.NETWORK);
  await page.context().setOffline(false);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.done);
});

browserTest("a second submit during saving sends nothing", async (harness) => {
  const { page, received, texts } = harness;
  const saved = Promise.withResolvers<Response>();
  harness.answer = () => saved.promise;
  await open(harness);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.saving);
  await page.evaluate("document.getElementById('form').requestSubmit()");
  assert.ok(await page.getByRole("button", { name: texts.save }).isDisabled());
  saved.resolve(Response.json(null));
  await expectStatus(page, texts.done);
  assert.equal(received.length, 1);
});

browserTest("without a token no fields are shown until a link is opened in this tab", async (harness) => {
  const { page, url, received, texts } = harness;
  for (const fragment of ["", "#", "#token=", "#other=1"]) {
    await open(harness, fragment);
    await expectStatus(page, texts.faults.NO_TOKEN);
    assert.equal(await page.getByLabel(texts.newPassword, { exact: true }).isVisible(), false);
  }
  await page.goto(`${url}#token=${TOKEN}`);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.done);
  assert.deepEqual(received.map(({ body }) => body), [{
    token: TOKEN,
    newPassword: PASSWORD,
    signIn: true,
  }]);
});

browserTest("a link that lost its token on the way leads to a password by a mailed code", async (harness) => {
  const { page, received, texts, language } = harness;
  await open(harness, "");
  await expectStatus(page, texts.faults.NO_TOKEN);
  await checkLooks(page, `reset-${language}-no-token`);
  const address = page.getByLabel(texts.address);
  const sendCode = page.getByRole("button", { name: texts.sendCode });
  await sendCode.click();
  await expectStatus(page, texts.faults.NO_ADDRESS);
  assert.deepEqual(received, []);
  await address.fill(" eva@example.com ");
  await sendCode.click();
  await expectStatus(page, texts.codeSent);
  assert.equal(await address.isVisible(), false);
  await checkLooks(page, `reset-${language}-code`);
  assert.equal(await page.evaluate("document.activeElement.id"), "code");
  harness.answer = () => refuse(401, "OTP_INVALID_EXPIRED");
  await page.getByLabel(texts.code).fill("ab3 d5f");
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.faults.CODE_WRONG);
  harness.answer = () => Response.json(null);
  await page.getByRole("button", { name: texts.save }).click();
  await expectStatus(page, texts.done);
  const set = { userEmail: "eva@example.com", otp: "ab3d5f", newPassword: PASSWORD };
  assert.deepEqual(received.map(({ path, body }) => [path, body]), [
    ["/user/password/reset/send", { email: "eva@example.com" }],
    ["/user/password/otp", set],
    ["/user/password/otp", set],
  ]);
  assert.equal(await page.evaluate("sessionStorage.getItem('rolegrid-address')"), "eva@example.com");
}, ["en", "nl", "fr", "de"]);

browserTest("an invitation tells its account, signs in to the console, offers a passkey", async (harness) => {
  const { page, received, texts, language } = harness;
  const of = (text: string): string => text.replaceAll("{email}", "eva@example.com");
  const outcomes = [
    {
      status: 204,
      kind: "signed-in",
      text: of(texts.signedIn),
      links: ["/console", "/console/account/passkey"],
    },
    { status: 412, kind: "other-session", text: of(texts.otherSession), links: ["/console"] },
    { status: 503, kind: "not-kept", text: texts.done, links: ["/console"] },
  ];
  for (const { status, kind, text, links } of outcomes) {
    // The address in the link is not believed.
    await open(harness, `#token=${TOKEN}&email=other%40example.com`);
    await page.evaluate(
      `new BroadcastChannel("rolegrid-session").onmessage = ({ data }) => document.title = data`,
    );
    received.splice(0);
    harness.answer = () =>
      received.length === 1
        ? Response.json({ refreshToken: "a.1.b", userEmail: "eva@example.com" })
        : new Response(null, { status });
    // A tab of the console renews its session.
    await page.evaluate(`new Promise((held) => navigator.locks.request("/console/session", () => {
      held();
      return new Promise((done) => globalThis.release = done);
    }))`);
    const saved = page.waitForResponse((response) => response.url().endsWith("/user/password/link"));
    await submit(page, texts, PASSWORD);
    await saved;
    assert.equal(received.length, 1);
    await page.evaluate("release()");
    await expectStatus(page, text);
    assert.equal(received[1]?.path, "/console/session");
    assert.equal(received[1]?.headers.get("Authorization"), "Bearer a.1.b");
    assert.equal(received[1]?.headers.get("If-None-Match"), "*");
    // Nothing else could end a session that was not kept.
    const ended = received.slice(2).map((request) => [request.path, request.headers.get("Authorization")]);
    assert.deepEqual(ended, status === 503 ? [["/auth/logout", "Bearer a.1.b"]] : []);
    if (status === 204) await page.waitForFunction("document.title === 'in'");
    else assert.notEqual(await page.title(), "in");
    const hrefs = await page.locator("#next a").evaluateAll((list) =>
      list.map((link) => link.getAttribute("href"))
    );
    assert.deepEqual(hrefs, links);
    await checkLooks(page, `reset-${language}-${kind}`);
  }
}, ["en", "nl", "fr", "de"]);

browserTest("the password is shown on demand, and the keyboard alone is enough", async (harness) => {
  const { page, received, texts } = harness;
  await open(harness);
  const first = page.getByLabel(texts.newPassword, { exact: true });
  assert.equal(await first.getAttribute("type"), "password");
  assert.equal(await first.getAttribute("autocomplete"), "new-password");
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  assert.equal(await first.getAttribute("type"), "text");
  await page.keyboard.press("Space");
  assert.equal(await first.getAttribute("type"), "password");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expectStatus(page, texts.done);
  assert.equal(received.length, 1);
});

const IS_STATUS_IN_VIEW = `(() => {
  const { top, bottom } = document.getElementById("status").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
})()`;

browserTest("the page fits a phone and a desktop, and all its states look right", async (harness) => {
  const { page, texts, language } = harness;
  await open(harness);
  await page.getByRole("button", { name: texts.save }).waitFor();
  await checkLooks(page, `reset-${language}-form`);
  for (const [width, height] of [[320, 480], [1280, 800]] as const) {
    await page.setViewportSize({ width, height });
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${width} wide`);
    harness.answer = () => refuse(400, "PASSWORD_TOO_COMMON");
    await submit(page, texts, "password");
    await expectStatus(page, texts.faults.PASSWORD_TOO_COMMON);
    assert.ok(await page.evaluate(IS_STATUS_IN_VIEW), `${width} wide`);
  }
  await checkLooks(page, `reset-${language}-fault`);
  harness.answer = () => Response.json(null);
  await submit(page, texts, PASSWORD);
  await expectStatus(page, texts.done);
  await checkLooks(page, `reset-${language}-done`);
}, ["en", "de"]);

restAtEnd({ ignore });
