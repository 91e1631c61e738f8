/** One's own account: password by mail, address, sessions and keys, log, language, export and leaving. */
import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { bind } from "../../src/db/statement.ts";
import { login, query } from "../helpers/http.ts";
import { lastCode, lastMail, otherCode } from "../helpers/mails.ts";
import { invite } from "../helpers/person.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import {
  ADA,
  checkLooks,
  confirmByPassword,
  type Console,
  openSearch,
  PASSWORD,
  signIn,
  useConsole,
} from "./open_console.ts";

/** Makes the latest sign-in one whose second step never came. */
const STOP_HALFWAY = defineStatement(
  `UPDATE security_event SET result = 'second_factor' WHERE id = (SELECT max(id) FROM security_event WHERE event = 'login')`,
);

const { consoleTest } = useConsole();

const NEW_ADDRESS = "ada@example.org";
const NEW_PASSWORD = "a heron at dusk";

/** Opens a part of the account of the user who has signed in. */
async function openPart({ page, url }: Console, tab: string, heading: string): Promise<void> {
  await page.goto(`${url}/account?tab=${tab}`);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
}

/** Another browser, as it were: without the cookies of the first. */
async function withBrowser(page: Page, use: (other: Page) => Promise<void>): Promise<void> {
  const context = await page.context().browser()?.newContext() as BrowserContext;
  try {
    await use(await context.newPage());
  } finally {
    await context.close();
  }
}

consoleTest(
  "a mailed link sets a new password for a forgotten one, and leads back to the sign-in",
  async (opened) => {
    const { page, url, target } = opened;
    await page.goto(`${url}?forgot`);
    await page.getByLabel("Email address").fill(ADA);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("an email with a link is on its way").waitFor();
    const { params } = await lastMail(target, "password_reset_link");
    await page.goto(params["link"] ?? "");
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel("Repeat the new password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Save password" }).click();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Energy Inc" }).waitFor();
  },
);

consoleTest(
  "a mailed code changes the address, and the link in the mail to the old address restores it",
  async (opened) => {
    const { page, target } = opened;
    await signIn(opened);
    // Longer ago than a change of the address allows without proof.
    target.clock.advance(20 * 60);
    await openPart(opened, "profile", "Email address");
    await page.getByText(`You sign in with ${ADA}`).waitFor();
    await page.getByRole("link", { name: "Change the address" }).click();
    await page.getByRole("heading", { name: "Change your email address" }).waitFor();
    await page.getByLabel("New email address").fill("nobody");
    await page.getByRole("button", { name: "Send a code" }).click();
    await page.getByText("That is not an email address").waitFor();
    await page.getByLabel("New email address").fill(NEW_ADDRESS);
    await page.getByRole("button", { name: "Send a code" }).click();
    await page.getByRole("dialog").getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText(`An email with a code is on its way to ${NEW_ADDRESS}.`).waitFor();
    await page.getByRole("button", { name: "Send another code" }).click();
    await page.getByText("The next one can be sent in").first().waitFor();
    await checkLooks(page, "account-address-code");
    const code = await lastCode(target, "email_transfer_otp");
    await page.getByLabel("Code from the email").fill(otherCode(code));
    await page.getByRole("button", { name: "Change the address" }).click();
    await page.getByText("The code is wrong or has expired.").waitFor();
    await page.getByLabel("Code from the email").fill(` ${code.toLowerCase()} `);
    await page.getByRole("button", { name: "Change the address" }).click();
    await page.getByRole("heading", { name: "Your address is changed" }).waitFor();
    await page.getByText(`From now on you sign in with ${NEW_ADDRESS}.`).waitFor();
    await checkLooks(page, "account-address-moved");
    const { params } = await lastMail(target, "email_transferred_old");
    await withBrowser(page, async (other) => {
      await other.goto(params["link"] ?? "");
      await other.getByRole("button", { name: "Undo the change" }).click();
      await other.getByRole("link", { name: "Reset your password" }).click();
      await other.getByRole("heading", { name: "Choose a new password" }).waitFor();
    });
    await page.getByRole("link", { name: "My account" }).click();
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByText("Your session has ended").waitFor();
    assert.deepEqual(await query(target, "SELECT email FROM user_account"), [{ email: ADA }]);
  },
);

consoleTest(
  "sessions are listed and ended, and a page that lost its session keeps what was typed",
  async (opened) => {
    const { page, url, target } = opened;
    const hostile = "<img src=x onerror=alert(1)>" + "x".repeat(300);
    for (const name of [hostile, "curl/8.5.0"]) {
      assert.equal((await login(target, ADA, PASSWORD, { headers: { "User-Agent": name } })).status, 200);
    }
    await signIn(opened);
    await page.goto(opened.url);
    await withBrowser(page, async (other) => {
      await signIn({ ...opened, page: other });
      await other.goto(opened.url);
      const search = await openSearch(other);
      await search.fill("ener");
      await other.getByRole("option", { name: "Role Energy Inc" }).waitFor();
      await openPart(opened, "sessions", "Where you are signed in");
      const sessions = page.getByRole("main").getByRole("listitem");
      await sessions.filter({ hasText: "this session" }).getByText("Chrome on Linux").waitFor();
      const before = await sessions.count();
      await sessions.filter({ hasText: "curl/8.5.0" }).getByRole("button", { name: "End" }).click();
      await page.getByText("curl/8.5.0").waitFor({ state: "detached" });
      assert.equal(await sessions.count(), before - 1);
      await page.getByRole("button", { name: "End all others" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
      await page.getByText("All other sessions have ended.").waitFor();
      await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" });
      assert.equal(await sessions.count(), 1);
      await search.fill("energ");
      await other.getByText("Your session has ended").waitFor();
      await other.getByLabel("Email address").fill(ADA);
      await other.getByLabel("Password").fill(PASSWORD);
      await other.getByRole("button", { name: "Sign in", exact: true }).click();
      await other.getByRole("link", { name: "Energy Inc" }).waitFor();
      assert.equal(await search.inputValue(), "energ");
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await other.goto(url);
      await other.getByRole("heading", { name: "Sign in" }).waitFor();
    });
  },
);

consoleTest(
  "the keys that a user made are listed, deleted, and ended with the other sessions",
  async (opened) => {
    const { page, admin, target, rootId } = opened;
    assert.equal((await login(target, ADA, PASSWORD)).status, 200);
    const roleId = await admin.create(rootId, "Netherlands");
    for (const name of ["Gateway", "<b>Alarms</b>", "Reports"]) {
      await admin.post(`/v1/role/${roleId}/key`, { name, rights: rights("viewManagement") });
      target.clock.advance(1);
    }
    await signIn(opened);
    await openPart(opened, "sessions", "Keys that you made");
    const keys = page.locator("section", { hasText: "Keys that you made" }).locator("li.person");
    await keys.filter({ hasText: "Reports" }).getByRole("link", { name: "Netherlands" }).waitFor();
    assert.equal(await keys.count(), 3);
    await page.getByRole("button", { name: "Delete the key Reports" }).click();
    await page.getByRole("button", { name: "Delete the key", exact: true }).click();
    await page.getByText("The key is deleted.").waitFor();
    await keys.filter({ hasText: "Reports" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "End all others" }).click();
    const dialog = page.getByRole("dialog", { name: "End all other sessions?" });
    await dialog.getByLabel("Also delete the keys that I made").check();
    await checkLooks(page, "account-sessions-keys-question");
    await dialog.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
    await confirmByPassword(opened);
    await page.getByText("All other sessions have ended, and the keys that you made are deleted.").waitFor();
    await page.getByText("You have made no keys.").waitFor();
    assert.equal((await admin.ask("GET", "/user")).status, 401);
  },
);

consoleTest(
  "the security log lists events in sentences, marks refusals, and shows more page by page",
  async (opened) => {
    const { page, target } = opened;
    for (let i = 0; i < 26; i++) {
      const isRight = i % 12 !== 11;
      assert.equal((await login(target, ADA, isRight ? PASSWORD : "wrong")).status, isRight ? 200 : 401);
    }
    await signIn(opened);
    await openPart(opened, "log", "What happened to your account");
    const events = page.getByRole("main").getByRole("listitem");
    await events.first().getByText("Signed in").waitFor();
    assert.equal(await events.count(), 25);
    await page.getByRole("button", { name: "Show more" }).click();
    const refused = events.filter({ hasText: "refused" });
    await refused.getByText("Tried to sign in").first().waitFor();
    await refused.getByText("What was entered was wrong.").first().waitFor();
    assert.equal(await refused.count(), 2);
    await checkLooks(page, "account-log");
    // A sign-in that the second step did not follow is neither done nor refused.
    await target.database.write([bind(STOP_HALFWAY, {})]);
    await page.reload();
    const halfway = events.filter({ hasText: "The password was right. A second step had to follow." });
    await halfway.getByText("Tried to sign in").waitFor();
    assert.equal(await halfway.getByText("refused").count(), 0);
    assert.equal(await halfway.getByText("Signed in").count(), 0);
  },
);

consoleTest("one choice sets the language of the page and of the mails", async (opened) => {
  const { page, admin } = opened;
  await signIn(opened);
  await admin.put("/user", { language: "nl" });
  await openPart(opened, "profile", "Language");
  await page.getByText("This page is in English, but emails to you are in Dutch.").waitFor();
  await page.getByLabel("Language of this page and of emails").selectOption("fr");
  await page.getByRole("button", { name: "Use this language" }).click();
  await page.locator("html[lang=fr]").waitFor();
  assert.equal((await admin.get<{ language: string }>("/user")).language, "fr");
  await page.evaluate("localStorage.clear()");
});

consoleTest("a user saves their data as a file", async (opened) => {
  const { page } = opened;
  await signIn(opened);
  await openPart(opened, "data", "Take your data with you");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /^account-\d{4}-\d\d-\d\d\.json$/);
  const { account } = JSON.parse(await Deno.readTextFile(await file.path())) as {
    account: { email: string };
  };
  assert.equal(account.email, ADA);
});

consoleTest(
  "a user learns what happens to their roles before they leave, and a root's last member must stay",
  async (opened) => {
    const { page, url, target, admin, rootId } = opened;
    const email = "eva@example.com";
    const country = await admin.create(rootId, "Netherlands");
    await invite(target, admin, country, email);
    await signIn(opened);
    await page.goto(`${url}/account/delete`);
    await page.getByText("you cannot leave").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Energy Inc" }).waitFor();
    // As after an import of roles without members.
    const emptyRoot = defineStatement("DELETE FROM member WHERE role_id = :rootId");
    await target.database.write([bind(emptyRoot, { rootId })]);
    await page.context().clearCookies();
    await signIn(opened, email, `the first password of ${email}`);
    target.clock.advance(20 * 60);
    await openPart(opened, "data", "Delete your account");
    await page.getByRole("link", { name: "See what deleting means" }).click();
    await page.getByText("no one could manage these roles any more").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Netherlands" }).waitFor();
    await checkLooks(page, "account-leave");
    await page.getByLabel("Your email address").fill(ADA);
    await page.getByRole("button", { name: "Delete my account" }).click();
    await page.getByText("This is not the address of your account.").waitFor();
    await page.getByLabel("Your email address").fill(email.toUpperCase());
    await page.getByRole("button", { name: "Delete my account" }).click();
    await page.getByRole("dialog").getByLabel("Password").fill(`the first password of ${email}`);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: "Your account is deleted" }).waitFor();
    await checkLooks(page, "account-goodbye");
    assert.deepEqual(await query(target, "SELECT email FROM user_account"), [{ email: ADA }]);
    await page.getByRole("link", { name: "To the sign-in page" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);
