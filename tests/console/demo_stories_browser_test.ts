/** The stories that the demo offers before the sign-in, by pointer and by keys alone, with the presses that they take. */
import assert from "node:assert/strict";
import type { DemoPeople } from "../../src/console/demo_people.ts";
import { makeDemo } from "../../scripts/lib/demo.ts";
import { demoOrganization } from "../../scripts/lib/demo_organization.ts";
import { openDemoPeople } from "../../scripts/lib/demo_people.ts";
import { type Hand, HANDS } from "./hand.ts";
import { type Console, PASSWORD, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const ADMIN = "admin@example.com";

/** The people of the demo that a test makes once its service is there. */
let people: DemoPeople | undefined;
const demoPeople: DemoPeople = {
  list: async () => await people?.list() ?? [],
  listStories: async () => await people?.listStories() ?? [],
  signIn: async (email, client) => await people?.signIn(email, client),
  prove: async (actor, address) => await people?.prove(actor, address),
};

async function walkStories(opened: Console, hand: Hand): Promise<Record<string, number>> {
  const { page, url, target } = opened;
  target.clock.advance((Date.now() - target.clock.now()) / 1000);
  await makeDemo(target.deps, { adminEmail: ADMIN, adminPassword: PASSWORD, password: PASSWORD });
  people = openDemoPeople({ ...target.deps, clock: target.clock.now }, ADMIN);
  const presses: Record<string, number> = {};
  const button = (name: string | RegExp) => page.getByRole("button", { name, disabled: false });
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const tell = async (story: string, walk: () => Promise<void>) => {
    await hand.open(url);
    await hand.press(button(story));
    await walk();
    await hand.keepsFocus();
    presses[story] = hand.presses;
    await hand.press(page.getByLabel("Your account"));
    await hand.press(button("Sign out"));
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  };

  await tell("Why can Tom read the battery, but not manage it?", async () => {
    await says(/^tom@maasdak.example does not have device management on/);
    await hand.press(page.getByRole("link", { name: "See what that would do" }));
    await hand.press(button("Give device management"));
    await says(/^tom@maasdak.example has device management on/);
  });
  await tell("A house is sold: hand over its devices", async () => {
    await hand.type(page.getByRole("combobox", { name: "Who takes over" }), "zonnestroom");
    await hand.choose(page.getByRole("option", { name: "Zonnestroom Groningen" }));
    await hand.press(button("Hand over"));
    await says(/^Handed over to /);
  });
  await tell("Who had access to the house in the last 30 days?", async () => {
    await page.locator(".rows > li").filter({ hasText: demoOrganization().former.email }).waitFor();
  });
  // It needs proof, for which a click is enough.
  await tell("Femke Hoekstra Noordlicht", async () => {
    // The focus has left the sign-in, and the home view is there.
    await page.getByRole("heading", { name: "Noordlicht Energie" }).first().waitFor();
    await hand.openSearch();
    await hand.type(page.getByRole("combobox", { name: "Find anything" }), "sanne");
    await hand.choose(page.getByRole("option", { name: /Person sanne@vandalen.example/ }));
    await hand.press(page.getByRole("link", { name: /^End all access below .Noordlicht Energie/ }));
    await says(/^This ends /);
    await hand.press(button("End the access"));
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByText("In the demo, a click is enough.").waitFor();
    await hand.press(dialog.getByRole("button", { name: "Confirm" }));
    await says("The access was ended.");
  });
  return presses;
}

for (const { means, handOn } of HANDS) {
  consoleTest(
    `the stories of the demo take few presses ${means}`,
    async (opened) => {
      assert.deepEqual(await walkStories(opened, handOn(opened.page)), {
        "Why can Tom read the battery, but not manage it?": 3,
        "A house is sold: hand over its devices": 3,
        "Who had access to the house in the last 30 days?": 1,
        "Femke Hoekstra Noordlicht": 5,
      });
    },
    { deps: { demoPeople } },
  );
}
