/** The language of the pages, and the clock of the region. */
import assert from "node:assert/strict";
import { DE } from "../../src/console/web/texts/de.ts";
import { EN, type Texts } from "../../src/console/web/texts/en.ts";
import { EN_START } from "../../src/console/web/texts/en_start.ts";
import { FR } from "../../src/console/web/texts/fr.ts";
import { NL } from "../../src/console/web/texts/nl.ts";
import { ADA, type Console, PASSWORD, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const ENGLISH: Texts = { ...EN_START, ...EN };
const OTHERS = { nl: NL, fr: FR, de: DE };

consoleTest("the language that a user chooses applies to all pages and is kept", async (opened) => {
  const { page, admin, rootId, url } = opened;
  await admin.create(rootId, "Northern Installers");
  await page.goto(url);
  await page.getByLabel(ENGLISH.account.language).selectOption("nl");
  await page.getByRole("heading", { name: NL.signIn.title }).waitFor();
  await page.reload();
  await page.getByLabel(NL.account.language).selectOption("en");
  await page.getByRole("heading", { name: ENGLISH.signIn.title }).waitFor();
  await signIn(opened);
  await page.goto(opened.url);
  let current: Texts = ENGLISH;
  for (const [tag, words] of Object.entries(OTHERS)) {
    await page.getByLabel(current.account.menu).click();
    await page.getByLabel(current.account.language).selectOption(tag);
    current = words;
    await page.getByRole("link", { name: words.views.role, exact: true }).click();
    await page.reload();
    await page.getByRole("link", { name: /^Northern Installers/ }).first().waitFor();
    await page.getByRole("heading", { name: words.role.about.rights }).waitFor();
    await assertLanguage(opened, tag);

    await page.getByLabel(words.account.menu).click();
    await page.getByRole("link", { name: words.views.account }).click();
    await page.getByRole("heading", { name: words.accountSecurity.overview.recoveryCodes }).waitFor();
    await assertLanguage(opened, tag);

    await page.getByLabel(words.account.menu).click();
    await page.getByRole("button", { name: words.account.signOut }).click();
    await page.getByRole("heading", { name: words.signIn.title }).waitFor();
    await assertLanguage(opened, tag);
    await page.getByLabel(words.words.email).fill(ADA);
    await page.getByLabel(words.words.password).fill(PASSWORD);
    await page.getByRole("button", { name: words.signIn.submit, exact: true }).click();
    await page.getByRole("navigation").first().waitFor();
  }
});

consoleTest(
  "a language chosen while the page's own is still loading is not undone by its arrival",
  async (opened) => {
    const { page, url } = opened;
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    await page.route("**/console/assets/en-*.js", async (route) => {
      isHeld = true;
      await held.promise;
      await route.continue();
    });
    await page.goto(url);
    await page.getByLabel(ENGLISH.account.language).selectOption("nl");
    await page.getByRole("heading", { name: NL.signIn.title }).waitFor();
    const arrived = page.waitForResponse(/assets\/en-/);
    held.resolve();
    await arrived;
    await page.getByLabel(NL.words.email).fill(ADA);
    await page.getByLabel(NL.words.password).fill(PASSWORD);
    await page.getByRole("button", { name: NL.signIn.submit, exact: true }).click();
    await page.getByRole("heading", { name: NL.role.about.rights }).waitFor();
    assert.ok(isHeld);
  },
);

consoleTest("times have the clock of the browser's region", async (opened) => {
  const { page, url } = opened;
  await signIn(opened);
  await page.goto(`${url}/changes`);
  await page.locator("time", { hasText: /\d:\d\d.[AP]M$/ }).first().waitFor();
  await page.addInitScript("Object.defineProperty(navigator, 'languages', { get: () => ['en-GB'] })");
  await page.reload();
  await page.locator("time", { hasText: /\d \w{3,4} \d{4}, \d\d:\d\d$/ }).first().waitFor();
  assert.equal(await page.locator("time", { hasText: /[AP]M$/ }).count(), 0);
});

async function assertLanguage({ page }: Pick<Console, "page">, tag: string): Promise<void> {
  assert.equal(await page.locator("html").getAttribute("lang"), tag);
}
