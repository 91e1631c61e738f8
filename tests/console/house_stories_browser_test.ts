/** What the people of a house come for, on a phone, by pointer and by keys alone, with the presses that it takes. */
import assert from "node:assert/strict";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { lastMail } from "../helpers/mails.ts";
import { invite } from "../helpers/person.ts";
import { type Hand, HANDS } from "./hand.ts";
import { type Console, PASSWORD, signIn, signOut, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const VERA = "vera@example.com";
const BO = "bo@example.com";
const EVA = "eva@example.com";

async function walkStories(opened: Console, hand: Hand): Promise<void> {
  const { page, url, target, admin, rootId } = opened;
  const houseId = await admin.create(rootId, "De Vries");
  const buyerId = await admin.create(rootId, "Bakker");
  const batteryId = await addDevice(admin, houseId, "battery-3");
  await invite(target, admin, houseId, VERA);
  await invite(target, admin, buyerId, BO);
  await page.setViewportSize({ width: 390, height: 844 });
  const link = (name: string | RegExp) => page.getByRole("link", { name });
  const heading = (name: string) => page.getByRole("heading", { name, level: 1 });

  await admin.put(`/v1/role/${houseId}/member?userEmail=${EVA}`, {});
  const { params } = await lastMail(target, "invitation");
  await hand.open(params["link"] ?? "");
  await hand.type(page.getByLabel("New password", { exact: true }), PASSWORD);
  await hand.type(page.getByLabel("Repeat the new password"), PASSWORD);
  await hand.press(page.getByRole("button", { name: "Save password" }));
  await hand.press(link("Go to Rolegrid"));
  await hand.press(link(/^battery-3/));
  await heading("battery-3").waitFor();
  // The link in the mail is the first.
  assert.equal(1 + hand.presses, 4);
  await signOut(page);

  /** Opens the battery from the first page of a person, as theirs or as one that was. */
  const find = async (email: string, isTheirs: boolean): Promise<void> => {
    await signIn(opened, email, `the first password of ${email}`);
    await hand.open(url);
    await hand.press(link(/^battery-3/));
    await heading("battery-3").waitFor();
    assert.equal(hand.presses, 1);
    if (isTheirs) await page.getByText("Your rights on the roles that monitor it").waitFor();
    else await page.getByText(/^Yours to read /).waitFor();
  };
  const handOver = async (toRoleId: number): Promise<void> => {
    target.clock.advance(60);
    await admin.post(`/v1/device/transfer?toRoleId=${toRoleId}`, { deviceId: [batteryId] });
    target.clock.advance(60);
  };

  await handOver(buyerId);
  await find(VERA, false);
  await find(BO, true);

  const [sale] = await admin.changes<{ revision: number }>({ kind: "device.transfer" });
  await admin.post(`/v1/change/${sale?.revision}/undo`);
  target.clock.advance(60);
  await find(VERA, true);
  // What was measured until the undo stays theirs to read.
  await find(BO, false);

  await handOver(buyerId);
  await handOver(houseId);
  await find(VERA, true);
  await find(BO, false);
}

for (const { means, handOn } of HANDS) {
  consoleTest(
    `an invited person, a seller and a buyer are soon at their battery ${means}`,
    (opened) => walkStories(opened, handOn(opened.page)),
  );
}
