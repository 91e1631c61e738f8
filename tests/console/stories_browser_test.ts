/**
 * What people come for, from the page that they see after signing in, with the presses that it takes. Typing is not
 * counted, nor is the password that a change asks for.
 */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { invite, type Member } from "../helpers/person.ts";
import { confirmByPassword, type Console, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const INES = "ines@example.com";
const SANNE = "sanne@example.com";
const EVA = "eva@example.com";

/** How a person works: with a pointer, or with keys alone. */
interface Hand {
  /** Presses of a pointer's button, or of the key that chooses. */
  presses: number;
  /** Presses a link, a button or a checkbox. */
  press(target: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  /** Chooses what a search or a field for a role found. */
  choose(option: Locator): Promise<void>;
  /** Chooses from a list that the browser draws. */
  select(list: Locator, text: string): Promise<void>;
  openSearch(): Promise<void>;
}

function pointerOn(page: Page): Hand {
  return {
    presses: 0,
    async press(target) {
      await target.click();
      this.presses++;
    },
    type: (field, text) => field.fill(text),
    async choose(option) {
      await this.press(option);
    },
    async select(list, text) {
      await list.selectOption(text);
      this.presses++;
    },
    openSearch() {
      return this.press(page.getByRole("button", { name: "Find anything" }));
    },
  };
}

function keysOn(page: Page): Hand {
  return {
    presses: 0,
    async press(target) {
      await reach(page, target);
      await page.keyboard.press(await target.getAttribute("type") === "checkbox" ? "Space" : "Enter");
      this.presses++;
    },
    async type(field, text) {
      await reach(page, field);
      await page.keyboard.type(text);
    },
    async choose(option) {
      await option.waitFor();
      const chosen = page.locator("[role=option][aria-selected=true]");
      for (let i = 0; i < 20 && await option.and(chosen).count() === 0; i++) {
        await page.keyboard.press("ArrowDown");
      }
      await page.keyboard.press("Enter");
      this.presses++;
    },
    async select(list, text) {
      await reach(page, list);
      await page.keyboard.type(text);
      this.presses++;
    },
    async openSearch() {
      await page.keyboard.press("/");
      await page.locator("[role=combobox]:focus").waitFor();
    },
  };
}

const MOST_TABS = 100;

/** Presses Tab until the element has the focus. */
async function reach(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(":focus"));
  await target.waitFor();
  for (let i = 0; i < MOST_TABS; i++) {
    if (await focused.count() > 0) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${target}`);
}

/** An installer with two customers, of which one has a battery, and the people of the stories. */
async function build({ target, admin, rootId }: Console) {
  const countryId = await admin.create(rootId, "Netherlands");
  const installerId = await admin.create(countryId, "Installer X");
  const houseId = await admin.create(installerId, "Kerkstraat 3");
  await admin.create(installerId, "Bakker");
  await addDevice(admin, houseId, "battery-3");
  await invite(target, admin, countryId, INES);
  await invite(target, admin, installerId, SANNE);
  return { installerId, houseId };
}

async function walkStories(opened: Console, hand: Hand): Promise<Record<string, number>> {
  const { page, url, admin } = opened;
  const { installerId, houseId } = await build(opened);
  await signIn(opened, INES, `the first password of ${INES}`);
  await page.goto(opened.url);
  const presses: Record<string, number> = {};
  const option = (name: string | RegExp) => page.getByRole("option", { name });
  const link = (name: string | RegExp) => page.getByRole("link", { name }).first();
  const button = (name: string | RegExp) => page.getByRole("button", { name, disabled: false });
  const search = page.getByRole("combobox", { name: "Find anything" });
  const tell = async (story: string, walk: () => Promise<void>): Promise<void> => {
    await page.goto(url);
    await link(/^Netherlands: /).waitFor();
    hand.presses = 0;
    await walk();
    presses[story] = hand.presses;
  };

  await tell("may Sanne see the battery", async () => {
    await hand.press(link("Why"));
    await hand.type(page.getByLabel("Person"), SANNE);
    await hand.type(page.getByRole("combobox", { name: "Role", exact: true }), "kerk");
    await hand.choose(option(/Kerkstraat 3/));
    await hand.select(page.getByLabel("Right", { exact: true }), "view management");
    await page.getByText("sanne@example.com has view management on Kerkstraat 3.").waitFor();
  });

  await tell("invite Eva for a day", async () => {
    await hand.openSearch();
    await hand.type(search, "invite kerk");
    await hand.choose(option("Invite a person to Kerkstraat 3"));
    await hand.type(page.getByLabel("Email address", { exact: true }), EVA);
    await hand.press(button("Until tomorrow"));
    await page.getByText(/^eva@example.com gains/).first().waitFor();
    await hand.press(button("Invite"));
    await page.getByText("Invited. An email is on its way.").waitFor();
  });
  const [eva] = (await admin.post<{ member: (Member & { until?: string })[] }>(
    `/v1/role/${houseId}/member/query`,
  )).member.filter(({ userEmail }) => userEmail === EVA);
  assert.ok(Date.parse(eva?.until ?? "") < Date.now() + 2 * 86_400_000);

  await tell("take a right away, and give it back", async () => {
    await page.goto(`${url}/role/${houseId}`);
    await hand.press(link(/^Installer X manages Kerkstraat 3/));
    await hand.press(page.getByRole("checkbox", { name: "device management" }));
    await hand.press(button("Take device management away"));
    await hand.press(page.getByRole("status").getByRole("link", { name: "Undo" }));
    const dialog = page.getByRole("dialog", { name: "Undo this change?" });
    // It has the focus.
    await dialog.locator("button:focus", { hasText: "Undo the change" }).waitFor();
    await hand.press(dialog.getByRole("button", { name: "Undo the change", disabled: false }));
    await page.getByText("The change was undone.").waitFor();
  });

  await tell("sell a house", async () => {
    await hand.openSearch();
    await hand.type(search, "battery");
    await hand.choose(option(/Device battery-3/));
    await hand.press(link("Hand over"));
    await hand.type(page.getByRole("combobox", { name: "Who takes over" }), "Bak");
    await hand.choose(option("Bakker"));
    await hand.press(button("Hand over"));
    await page.getByText(/^Handed over to .Bakker.\.$/).waitFor();
  });

  await tell("dismiss an employee", async () => {
    await hand.openSearch();
    await hand.type(search, "sanne");
    await hand.choose(option(/Person sanne@example.com/));
    await hand.press(link(/^End all access below .Netherlands/));
    await page.getByText("This ends 1 membership.").waitFor();
    await hand.press(button("End the access"));
    await confirmByPassword(opened, `the first password of ${INES}`);
    await page.getByText("The access was ended.").waitFor();
  });
  const { member } = await admin.post<{ member: Member[] }>(`/v1/role/${installerId}/member/query`);
  assert.deepEqual(member, []);
  return presses;
}

consoleTest("five stories take few clicks", async (opened) => {
  assert.deepEqual(await walkStories(opened, pointerOn(opened.page)), {
    "may Sanne see the battery": 3,
    "invite Eva for a day": 4,
    "take a right away, and give it back": 5,
    "sell a house": 5,
    "dismiss an employee": 4,
  });
});

consoleTest("five stories are walked with keys alone", async (opened) => {
  assert.deepEqual(await walkStories(opened, keysOn(opened.page)), {
    "may Sanne see the battery": 3,
    "invite Eva for a day": 3,
    "take a right away, and give it back": 5,
    "sell a house": 4,
    "dismiss an employee": 3,
  });
});
