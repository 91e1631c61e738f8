/** Passkeys in a browser: with and without suggestions, as a second step, and after an invitation. */
import assert from "node:assert/strict";
import type { CDPSession, Page } from "playwright-core";
import { ADA, checkLooks, type Console, PASSWORD, signIn, useConsole } from "./open_console.ts";

import { execute } from "../helpers/http.ts";
import { lastMail } from "../helpers/mails.ts";

const { consoleTest } = useConsole();

/** The authenticator of the device, as Chromium plays it. */
interface Device {
  /** Whether its user touches it whenever it asks. Otherwise it waits, like a suggestion that is not chosen. */
  touch(isTouched: boolean): Promise<void>;
  /** Whether it recognizes its user. */
  recognize(isRecognized: boolean): Promise<void>;
  /** Its passkeys. */
  list(): Promise<Credential[]>;
  /** Gives it a passkey. */
  add(credential: Credential): Promise<void>;
}

type Credential = Parameters<typeof sendAdd>[2];

async function sendAdd(
  session: CDPSession,
  authenticatorId: string,
  credential: { credentialId: string; isResidentCredential: boolean; privateKey: string; signCount: number },
): Promise<void> {
  await session.send("WebAuthn.addCredential", { authenticatorId, credential });
}

/** Registers a test whose browser has an authenticator. Its pages begin with the script, if there is one. */
function passkeyTest(
  name: string,
  body: (opened: Console, device: Device) => Promise<void>,
  script?: string,
): void {
  consoleTest(name, async (opened) => {
    const session = await opened.page.context().newCDPSession(opened.page);
    if (script !== undefined) {
      await session.send("Page.enable");
      await session.send("Page.addScriptToEvaluateOnNewDocument", { source: script });
    }
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    try {
      await body(opened, {
        touch: async (enabled) =>
          void await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }),
        recognize: async (isUserVerified) =>
          void await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
        list: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
        add: (credential) => sendAdd(session, authenticatorId, credential),
      });
    } finally {
      await session.detach();
    }
  });
}

/** Adds the account's first passkey. */
async function addPasskey(opened: Console, name: string): Promise<void> {
  const { page, url } = opened;
  await signIn(opened);
  await page.goto(`${url}/account`);
  await page.getByRole("link", { name: "Set up Passkeys" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Make the passkey" }).click();
  await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor();
  await page.getByRole("button", { name: "I have kept them" }).click();
  await page.getByText(`${name}`, { exact: true }).first().waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByLabel("Your account").click();
  await page.getByRole("button", { name: "Sign out" }).click();
}

/** Marks the page once it has asked for a passkey. */
const ASKING_MARKED = `
  const { get } = CredentialsContainer.prototype;
  CredentialsContainer.prototype.get = function (options) {
    const asked = get.call(this, options);
    document.documentElement.dataset.asked = "";
    return asked;
  };`;

passkeyTest(
  "a passkey signs in without a password, by its button and by the suggestions of the browser",
  async (opened, device) => {
    const { page, url, target } = opened;
    await signIn(opened);
    await page.goto(`${url}/account`);
    await page.getByRole("link", { name: "Set up Passkeys" }).click();
    await page.getByText("Once it is confirmed, it signs you in without a password.").waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Chrome on Linux");
    await page.getByRole("button", { name: "Make the passkey" }).click();
    await page.getByText("One step is missing before it signs you in without a password").waitFor();
    await checkLooks(page, "account-passkey-unconfirmed");
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByText("and not used yet").waitFor();
    await page.getByText("Not confirmed yet").waitFor();
    await execute(target, "UPDATE passkey SET meets = 2");

    await device.touch(false);
    await signOut(page);
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    // A suggestion that comes after the touch would sign in by itself.
    await page.locator("html[data-asked]").waitFor({ state: "attached" });
    await checkLooks(page, "sign-in");
    await device.touch(true);
    target.clock.advance(3600);
    await button.click();
    await page.getByText("and last used on").waitFor();

    // The authenticator is touched as soon as the page suggests its passkey.
    const isIn = page.waitForResponse("**/auth/passkey/login");
    await signOut(page);
    assert.equal((await isIn).status(), 200);
    await page.getByText("and last used on").waitFor();

    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("My laptop");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByText("My laptop", { exact: true }).first().waitFor();
    await checkLooks(page, "account-passkeys");

    await page.getByRole("link", { name: "Add another" }).click();
    await page.getByRole("button", { name: "Make the passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("This device has a passkey of your account already.").waitFor();
  },
  ASKING_MARKED,
);

passkeyTest(
  "a passkey completes a sign-in with a password and confirms its own removal, after which it is refused",
  async (opened, device) => {
    const { page, url, target } = opened;
    await addPasskey(opened, "My phone");
    await device.touch(false);
    await signOut(page);
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    await checkLooks(page, "second-step-passkey");
    await device.touch(true);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("and last used on").waitFor();

    target.clock.advance(16 * 60);
    const [credential] = await device.list();
    assert.ok(credential);
    await page.getByRole("button", { name: "Remove My phone" }).click();
    await page.getByText("It is your only second step.").waitFor();
    await checkLooks(page, "account-passkey-remove");
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByText("Your device asks for your fingerprint").waitFor();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("You sign in with your password alone.").waitFor();
    assert.deepEqual(await device.list(), [], "the browser still suggests the passkey");

    await device.add(credential);
    await signOut(page);
    await page.getByText("This passkey was removed from its account.").waitFor();
    await checkLooks(page, "sign-in-passkey-refused");
    assert.deepEqual(await device.list(), [], "the browser still suggests the removed passkey");
    await device.recognize(false);
    await page.goto(url);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("No passkey was given").waitFor();
  },
);

/**
 * A browser without the helpers for JSON, with the extension of a password manager: it answers with objects that have the
 * prototypes of the browser's, whose methods then throw, and names no account where it has none to name.
 */
const PASSWORD_MANAGER = `
  delete PublicKeyCredential.parseCreationOptionsFromJSON;
  delete PublicKeyCredential.parseRequestOptionsFromJSON;
  for (const name of ["create", "get"]) {
    const own = CredentialsContainer.prototype[name];
    CredentialsContainer.prototype[name] = async function (options) {
      const { id, rawId, type, response } = await own.call(this, options);
      const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = response;
      const isAlone = (options.publicKey.allowCredentials ?? []).length === 0;
      const given = name === "create"
        ? { clientDataJSON, attestationObject }
        : { clientDataJSON, authenticatorData, signature, userHandle: isAlone ? userHandle : new ArrayBuffer(0) };
      const wrapped = { id, rawId, type, response: Object.setPrototypeOf(given, Object.getPrototypeOf(response)) };
      return Object.setPrototypeOf(wrapped, PublicKeyCredential.prototype);
    };
  }`;

passkeyTest(
  "a passkey of a password manager is made, completes a sign-in and signs in alone, in a browser without helpers",
  async (opened, device) => {
    const { page, target } = opened;
    await addPasskey(opened, "My manager");
    await execute(target, "UPDATE passkey SET meets = 2");
    await device.touch(false);
    await signOut(page);
    await page.getByLabel("Email address").fill(ADA);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    await device.touch(true);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("and last used on").waitFor();
    // As the page suggests the passkey.
    const isIn = page.waitForResponse("**/auth/passkey/login");
    await signOut(page);
    assert.equal((await isIn).status(), 200);
    await page.getByText("and last used on").waitFor();
  },
  PASSWORD_MANAGER,
);

passkeyTest(
  "an invited person chooses a password, is signed in, and makes a passkey",
  async (opened) => {
    const { page, url, target, rootId } = opened;
    await signIn(opened);
    await page.goto(`${url}/role/${rootId}?do=member`);
    await page.getByLabel("Email address").fill("mia@example.com");
    const language = page.getByLabel("Language of the email");
    assert.equal(await language.inputValue(), "en");
    await language.selectOption("nl");
    await page.getByText("What this does").waitFor();
    await checkLooks(page, "change-invite-language");
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByText("Invited. An email is on its way.").waitFor();
    const { language: mailed, params } = await lastMail(target, "invitation");
    assert.equal(mailed, "nl");
    await signOut(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(params["link"] ?? "");
    await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Repeat the new password").fill(PASSWORD);
    await page.getByRole("button", { name: "Save password" }).click();
    await page.getByText("you are signed in").waitFor();
    await page.getByRole("link", { name: "Make a passkey" }).click();
    await page.getByRole("button", { name: "Make the passkey" }).click();
    await page.getByText("One step is missing before it signs you in without a password").waitFor();
  },
);
