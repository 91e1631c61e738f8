/** What managers come for, by pointer and by keys alone, with the presses that it takes. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { logInFully } from "../helpers/http.ts";
import { administrator, invite, type Member, Person } from "../helpers/person.ts";
import { type Hand, HANDS } from "./hand.ts";
import { type Console, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const INES = "ines@example.com";
const SANNE = "sanne@example.com";
const EVA = "eva@example.com";
const DAY_SECONDS = 86_400;

/** An installer with two customers, of which one has a battery, and the people of the stories, for 40 days. */
async function build({ target, rootId }: Console) {
  target.clock.advance((Date.now() - target.clock.now()) / 1000 - 40 * DAY_SECONDS);
  const before = await administrator(target);
  const countryId = await before.create(rootId, "Netherlands");
  const installerId = await before.create(countryId, "Installer X");
  const most = rights("roleManagement", "userManagement", "viewManagement", "deviceManagement");
  const houseId = await before.create(installerId, "Kerkstraat 3", most);
  await before.create(installerId, "Bakker");
  await addDevice(before, houseId, "battery-3");
  await invite(target, before, countryId, INES);
  await invite(target, before, installerId, SANNE);
  target.clock.advance(40 * DAY_SECONDS);
  const sanne = await logIn(target, SANNE);
  return { installerId, houseId, admin: await administrator(target), sanne };
}

async function logIn(target: Console["target"], email: string): Promise<Person> {
  return new Person(target, (await logInFully(target, email, `the first password of ${email}`)).accessToken);
}

async function walkStories(opened: Console, hand: Hand): Promise<Record<string, number>> {
  const { page, url, target } = opened;
  const { installerId, houseId, admin, sanne } = await build(opened);
  const membersOf = async (roleId: number) =>
    (await admin.post<{ member: (Member & { until?: string })[] }>(`/v1/role/${roleId}/member/query`)).member;
  await signIn(opened, INES, `the first password of ${INES}`);
  const presses: Record<string, number> = {};
  const option = (name: string | RegExp) => page.getByRole("option", { name });
  const link = (name: string | RegExp) => page.getByRole("link", { name }).first();
  const button = (name: string | RegExp) => page.getByRole("button", { name, disabled: false });
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  /** Tells a story from the address on, by default the first page. */
  const tell = async (
    story: string,
    walk: () => Promise<void>,
    path = "",
    start: Locator = link(/^Netherlands: /),
  ) => {
    await hand.open(url + path);
    await start.waitFor();
    await walk();
    await hand.keepsFocus();
    presses[story] = hand.presses;
  };
  const find = async (text: string, found: string | RegExp) => {
    await hand.openSearch();
    await hand.type(page.getByRole("combobox", { name: "Find anything" }), text);
    await hand.choose(option(found));
  };
  const undo = async () => {
    const dialog = page.getByRole("dialog", { name: "Undo this change?" });
    // It has the focus.
    await dialog.locator("button:focus", { hasText: "Undo the change" }).waitFor();
    await hand.press(dialog.getByRole("button", { name: "Undo the change", disabled: false }));
    await says("The change was undone.");
  };

  await tell("may Sanne see the battery", async () => {
    await hand.press(link("Why"));
    await hand.type(page.getByLabel("Person"), SANNE);
    await hand.type(page.getByRole("combobox", { name: "Role", exact: true }), "kerk");
    await hand.choose(option(/Kerkstraat 3/));
    await hand.select(page.getByLabel("Right", { exact: true }), "view management");
    await says("sanne@example.com has view management on Kerkstraat 3.");
  });

  const asked = new URL(page.url());
  await tell(
    "why not, its fix, and back to the answer",
    async () => {
      await hand.select(page.getByLabel("Right", { exact: true }), "alarm management");
      await says("sanne@example.com does not have alarm management on Kerkstraat 3.");
      await hand.press(link("See what that would do"));
      await hand.press(button("Give alarm management"));
      await says("sanne@example.com has alarm management on Kerkstraat 3.");
    },
    asked.pathname.replace("/console", "") + asked.search,
    page.getByText("sanne@example.com has view management").first(),
  );

  await tell("invite Eva for a day", async () => {
    await find("invite kerk", "Invite a person to Kerkstraat 3");
    await hand.type(page.getByLabel("Email address", { exact: true }), EVA);
    await hand.press(button("Until tomorrow"));
    await says(/^eva@example.com gains/);
    await hand.press(button("Invite"));
    await says("Invited. An email is on its way.");
  });
  const eva = (await membersOf(houseId)).find(({ userEmail }) => userEmail === EVA);
  assert.ok(Date.parse(eva?.until ?? "") < Date.now() + 2 * 86_400_000);

  await tell("take a right away, and give it back", async () => {
    await hand.press(link(/^Installer X manages Kerkstraat 3/));
    await hand.press(page.getByRole("checkbox", { name: "device management" }));
    await hand.press(button("Take device management away"));
    await hand.press(page.getByRole("status").getByRole("link", { name: "Undo" }));
    await undo();
  }, `/role/${houseId}`);

  await tell("sell a house", async () => {
    await find("battery", /Device battery-3/);
    await hand.press(link("Hand over"));
    await hand.type(page.getByRole("combobox", { name: "Who takes over" }), "Bak");
    await hand.choose(option("Bakker"));
    await hand.press(button("Hand over"));
    await says(/^Handed over to .Bakker.\.$/);
  });

  target.clock.advance(1);
  const row = page.getByRole("listitem").filter({ hasText: "handed battery-3 over" });
  await tell(
    "undo a sale from the log",
    async () => {
      await hand.press(row.getByRole("link", { name: /^Undo/ }));
      await undo();
    },
    "/changes",
    row.first(),
  );

  await tell("sign Sanne out", async () => {
    await find("sanne", /Person sanne@example.com/);
    await hand.press(button("End sessions…"));
    await hand.press(page.getByRole("dialog").getByRole("button", { name: "End all sessions" }));
    await says("1 session ended.");
  });
  assert.equal((await sanne.ask("GET", "/user")).status, 401);

  await tell("dismiss an employee", async () => {
    await find("sanne", /Person sanne@example.com/);
    await hand.press(link(/^End all access below .Netherlands/));
    await says("This ends 1 membership.");
    await hand.press(button("End the access"));
    const counted = hand.presses;
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await hand.type(dialog.getByLabel("Password"), `the first password of ${INES}`);
    await hand.press(dialog.getByRole("button", { name: "Confirm" }));
    hand.presses = counted;
    await says("The access was ended.");
    await says("Of no role whose members you manage.");
  });
  await hand.press(link("What concerns them"));
  await says(/^ines@example.com ended the access of sanne@example.com to Netherlands and below/);
  assert.deepEqual(await membersOf(installerId), []);

  await tell("who had access last month", async () => {
    await find("people with access to kerk", "People with access to Kerkstraat 3");
    const rows = page.locator(".rows > li");
    await rows.filter({ hasText: INES }).waitFor();
    assert.equal(await rows.filter({ hasText: SANNE }).count(), 0);
    await hand.press(page.getByText("Over a period", { exact: true }));
    await hand.press(link("Last month"));
    await rows.filter({ hasText: SANNE }).getByText("No access now").waitFor();
  });
  return presses;
}

for (const { means, handOn } of HANDS) {
  consoleTest(`the stories of a manager take few presses ${means}`, async (opened) => {
    assert.deepEqual(await walkStories(opened, handOn(opened.page)), {
      "may Sanne see the battery": 3,
      "why not, its fix, and back to the answer": 3,
      "invite Eva for a day": 3,
      // With two for the way back, which shows first what it does.
      "take a right away, and give it back": 5,
      "sell a house": 4,
      "undo a sale from the log": 2,
      "sign Sanne out": 3,
      "dismiss an employee": 3,
      "who had access last month": 3,
    });
  });
}
