/** One's own account: second factors, recovery codes, the password, and proofs of identity. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { lastMail } from "../helpers/mails.ts";
import { Authenticator } from "../helpers/second_factors.ts";
import { ADA, checkLooks, type Console, PASSWORD, signIn, signOut, useConsole } from "./open_console.ts";
import { readQrCode } from "./read_qr_code.ts";

const { consoleTest } = useConsole();

/** What the browser writes about a request that the service could not take. */
const MALFORMED = /status of 400/;

/** Signs in, and goes to one's own account by the menu. */
async function openAccount(opened: Console): Promise<void> {
  const { page } = opened;
  await signIn(opened);
  await page.goto(opened.url);
  await page.getByLabel("Your account").click();
  await page.getByRole("link", { name: "My account" }).click();
  await page.getByRole("heading", { name: "My account" }).waitFor();
}

/** Gives the password, and gets as far as the second step. */
async function beginSignIn({ page, url }: Console): Promise<void> {
  await page.goto(`${url}/account`);
  await page.getByLabel("Email address").fill(ADA);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Second step" }).waitFor();
}

/** Types in a code, and waits for what the page says about it. */
async function guess(page: Page, label: string, code: string, response: string | RegExp): Promise<void> {
  await page.getByLabel(label).fill(code);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(response).first().waitFor();
}

/** Sets up an authenticator app from the picture; returns it with the recovery codes, which are still shown. */
async function setUpTotp(opened: Console): Promise<{ app: Authenticator; codes: string[] }> {
  const { page, target } = opened;
  await page.getByRole("link", { name: "Set up Authenticator app" }).click();
  await page.getByRole("button", { name: "Show the picture" }).click();
  const app = new Authenticator(target, await readQrCode(page.getByRole("img", { name: "QR code" })));
  await page.getByLabel("Code", { exact: true }).fill(app.code());
  await page.getByRole("button", { name: "Turn it on" }).click();
  await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor();
  const codes = await page.locator(".recovery-codes li").allInnerTexts();
  assert.equal(codes.length, 10);
  return { app, codes };
}

consoleTest(
  "an authenticator app is set up from a QR code, and recovery codes are shown once, saved and printed",
  async (opened) => {
    const { page } = opened;
    await openAccount(opened);
    await page.getByText("You sign in with your password alone.").waitFor();
    await page.getByRole("link", { name: "Set up Authenticator app" }).click();
    await page.getByRole("button", { name: "Show the picture" }).click();
    // A phone cannot scan its own screen.
    const byHand = page.locator(".totp-secret code");
    await byHand.waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 390, height: 844 });
    await byHand.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await byHand.waitFor({ state: "hidden" });
    await page.getByText("Cannot scan it?").click();
    const url = await readQrCode(page.getByRole("img", { name: "QR code" }));
    const secret = (await byHand.innerText()).replaceAll(/\s/g, "");
    assert.equal(secret, new URL(url).searchParams.get("secret"));
    assert.equal(
      await page.getByRole("link", { name: "Open it in an app on this device" }).getAttribute("href"),
      url,
    );
    await page.goBack();
    await page.getByRole("heading", { name: "My account" }).and(page.locator(":focus")).waitFor();
    assert.ok(!(await page.content()).includes(secret));

    const { codes } = await setUpTotp(opened);
    await checkLooks(page, "account-recovery-codes");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const file = await Deno.readTextFile(await (await download).path());
    assert.ok(file.includes(codes.join("\n")), file);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("banner").isVisible(), false);
    assert.equal(await page.getByRole("button", { name: "Print" }).isVisible(), false);
    assert.equal(await page.getByText(codes[9] ?? "").isVisible(), true);
    await page.getByText(`Recovery codes of ${ADA}`).waitFor();
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByText("You sign in with your password and a second step.").waitFor();
    await page.getByText("10 of 10 left").waitFor();
    assert.ok(!(await page.content()).includes(codes[0] ?? ""));
    await checkLooks(page, "account-security-on");
  },
);

consoleTest(
  "an app's code completes a sign-in, and a recovery code does during the wait after wrong codes",
  async (opened) => {
    const { page, target } = opened;
    await openAccount(opened);
    const { app, codes } = await setUpTotp(opened);
    await page.getByRole("button", { name: "I have kept them" }).click();
    await signOut(page);

    target.clock.advance(30);
    await beginSignIn(opened);
    await page.getByLabel("Code from your authenticator app").fill(` ${app.code().replace(/^.../, "$& ")}`);
    await page.keyboard.press("Enter");
    await page.getByText("10 of 10 left").waitFor();
    await signOut(page);

    target.clock.advance(30);
    await beginSignIn(opened);
    const label = "Code from your authenticator app";
    for (let i = 0; i < 3; i++) await guess(page, label, app.wrongCode(), "The code is wrong, or not valid");
    await guess(page, label, app.wrongCode(), /The code is wrong. You can try again in \d+ seconds?./);
    assert.equal(await page.getByLabel(label).inputValue(), app.wrongCode());
    assert.equal(await page.getByRole("button", { name: "Continue" }).isEnabled(), false);
    await checkLooks(page, "second-step-wait");
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(codes[3]?.toLowerCase() ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("9 of 10 left").waitFor();
  },
);

consoleTest("after five wrong codes a sign-in begins again", async (opened) => {
  const { page, target } = opened;
  await openAccount(opened);
  const { app } = await setUpTotp(opened);
  await page.getByRole("button", { name: "I have kept them" }).click();
  await signOut(page);
  target.clock.advance(30);
  await beginSignIn(opened);
  await guess(page, "Code from your authenticator app", "12", "That is not a whole code.");
  for (let i = 0; i < 3; i++) {
    await guess(page, "Code from your authenticator app", app.wrongCode(), "The code is wrong");
  }
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await guess(page, "Recovery code", "AAAA-AAAA-AAAA-AAAA", "The code is wrong");
  await guess(page, "Recovery code", "AAAA-AAAA-AAAA-AAAA", "too many codes were wrong");
  assert.equal(await page.getByLabel("Email address").inputValue(), ADA);
});

consoleTest(
  "codes by email are set up, required at the next sign-in, and turned off with such a code",
  async (opened) => {
    const { page, target } = opened;
    const mailedCode = async (): Promise<string> => (await lastMail(target, "email_otp")).params["otp"] ?? "";
    await openAccount(opened);
    await page.getByRole("link", { name: "Set up Codes by email" }).click();
    await page.getByLabel("Address for codes").fill("ada");
    await page.getByRole("button", { name: "Send a code there" }).click();
    await page.getByText("That is not an email address.").waitFor();
    await page.getByLabel("Address for codes").fill("ada.codes@example.org");
    await page.getByRole("button", { name: "Send a code there" }).click();
    await page.getByText(/Another one can be sent in \d+ seconds?./).first().waitFor();
    await page.getByLabel("Code from the email").fill(await mailedCode());
    await checkLooks(page, "account-email-otp");
    await page.getByRole("button", { name: "Turn it on" }).click();
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByText("ada.codes@example.org").waitFor();
    await signOut(page);

    target.clock.advance(60);
    await beginSignIn(opened);
    await page.getByText("We send a code to a*").waitFor();
    await checkLooks(page, "second-step-mail");
    await page.getByRole("button", { name: "Send the code" }).click();
    await page.getByText("Another one can be sent in").waitFor();
    await page.getByLabel("Code from the email").fill(await mailedCode());
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("link", { name: "Turn off Codes by email" }).click();
    await page.getByText("It is your only second step.").waitFor();
    await checkLooks(page, "account-turn-off");
    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Nothing was changed, because you did not confirm").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    target.clock.advance(120);
    await dialog.getByRole("button", { name: "Send the code" }).click();
    await dialog.getByText("A code is on its way").waitFor();
    await dialog.getByLabel("Code from the email").fill(await mailedCode());
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page.getByText("You sign in with your password alone.").waitFor();
  },
);

consoleTest(
  "a later change asks for the password once, and new recovery codes ask for a code of the app",
  async (opened) => {
    const { page, target } = opened;
    await openAccount(opened);
    target.clock.advance(16 * 60);
    await page.getByRole("link", { name: "Set up Authenticator app" }).click();
    await page.getByRole("button", { name: "Show the picture" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByLabel("Password").fill("not that");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByText("The password is wrong.").waitFor();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    await page.goBack();
    // Within five minutes, the same proof serves.
    const { app, codes } = await setUpTotp(opened);
    await page.getByRole("button", { name: "I have kept them" }).click();

    await page.getByRole("link", { name: "Make new ones" }).click();
    await page.getByText("The codes that you have now stop working").waitFor();
    await page.getByRole("button", { name: "Make new codes" }).click();
    target.clock.advance(30);
    await dialog.getByLabel("Code from your authenticator app").fill(app.code());
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor();
    assert.ok(!codes.includes(await page.locator(".recovery-codes li").first().innerText()));
  },
);

consoleTest(
  "changing the password takes the old one, explains a refused new one, and counts down a wait",
  async (opened) => {
    const { page, expectFaults } = opened;
    await openAccount(opened);
    await page.getByRole("link", { name: "Change Password" }).click();
    const old = page.getByLabel("Old password");
    const chosen = page.getByLabel("New password");
    const change = page.getByRole("button", { name: "Change password" });
    await old.fill(PASSWORD);
    await chosen.fill("four w");
    await page.getByText("You have 6.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Not the old one again" }).getByText("done")
      .waitFor();
    await change.click();
    await page.getByText("The new password does not have all that it needs yet.").waitFor();
    await checkLooks(page, "account-password");
    await chosen.fill("password1");
    await change.click();
    await page.getByText("Many people use this password").waitFor();
    assert.equal(await chosen.getAttribute("type"), "password");
    await page.getByRole("button", { name: "Show what you typed" }).last().click();
    assert.equal(await chosen.getAttribute("type"), "text");
    await chosen.fill("four words nobody guesses");
    await change.click();
    await page.getByText("Your password is changed.").waitFor();

    await page.getByRole("link", { name: "Change Password" }).click();
    await chosen.fill("other words nobody guesses");
    await old.fill(PASSWORD);
    for (let i = 0; i < 4; i++) {
      await change.click();
      await page.getByText("The old password is wrong.").waitFor();
    }
    await change.click();
    await page.getByText(/Too many attempts. Next one in \d+ seconds?./).first().waitFor();
    assert.equal(await old.inputValue(), PASSWORD);
    assert.equal(await change.isEnabled(), false);

    await signOut(page);
    await signIn(opened, ADA, "four words nobody guesses");
    await page.goto(opened.url);
    expectFaults(MALFORMED);
  },
);

consoleTest(
  "wrong passwords count down and keep the typed one, and a link for a forgotten one is mailed",
  async (opened) => {
    const { page, url, target } = opened;
    await page.goto(url);
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").fill("not that");
    for (let i = 0; i < 4; i++) {
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Address or password is wrong.").waitFor();
    }
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText(/Too many attempts. Next one in \d+ seconds?./).first().waitFor();
    assert.equal(await page.getByLabel("Password").inputValue(), "not that");
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("an email with a link is on its way").waitFor();
    assert.equal((await lastMail(target, "password_reset_link")).recipient, ADA);
  },
);

consoleTest(
  "a session that ends during a request for proof asks to sign in, and then continues",
  async (opened) => {
    const { page, target } = opened;
    await openAccount(opened);
    target.clock.advance(16 * 60);
    await page.getByRole("link", { name: "Set up Authenticator app" }).click();
    await page.getByRole("button", { name: "Show the picture" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    target.clock.advance(15 * 24 * 3600);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Your session has ended.").waitFor();
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").last().fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
  },
);
