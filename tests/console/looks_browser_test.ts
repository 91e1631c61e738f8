import assert from "node:assert/strict";
import { rights } from "../every_operation/request_catalogue.ts";
import type { Member } from "../helpers/person.ts";
import { type Console, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

/** WCAG 2.2, 1.4.12: what a person may set, and nothing is lost. */
const SPACED = `* {
  line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important;
}
p { margin-bottom: 2em !important; }`;

consoleTest(
  "views fit on the narrowest screen, with any spacing of text and with large text",
  async (opened) => {
    const { page } = opened;
    const addresses = await makeAddresses(opened);
    await page.setViewportSize({ width: 320, height: 640 });
    for (const address of addresses) {
      await page.goto(address);
      await page.locator("h1").waitFor({ state: "attached" });
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      for (const style of ["", SPACED, "html { font-size: 150% !important; }"]) {
        await page.evaluate(`(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(${JSON.stringify(style)});
        document.adoptedStyleSheets = [sheet];
      })()`);
        const width = await page.evaluate("document.documentElement.scrollWidth") as number;
        assert.ok(width <= 320, `${address} is ${width} wide with "${style}"`);
      }
    }
  },
);

consoleTest(
  "in the user's own forced colours, rights that are held, not held and lost look different",
  async (opened) => {
    const { page } = opened;
    const [picture = ""] = await makeAddresses(opened);
    await page.emulateMedia({ forcedColors: "active" });
    await page.goto(picture);
    await page.getByRole("link", { name: /Lost here/ }).first().waitFor();
    const looks = await page.evaluate(`["held", "none", "lost"].map((state) => {
      const tick = document.querySelector(".mark .rights ." + state + ", .legend .rights ." + state);
      const { backgroundColor, borderStyle, textDecorationLine, color } = getComputedStyle(tick);
      const fill = backgroundColor === color ? "illegible" : backgroundColor;
      return [fill, borderStyle, textDecorationLine].join(" ");
    })`) as string[];
    assert.equal(new Set(looks).size, 3, String(looks));
    assert.ok(!looks.some((look) => look.startsWith("illegible")), String(looks));
    const widths = await page.evaluate(`[".box[aria-current]", ".box:not([aria-current])"].map((box) =>
      getComputedStyle(document.querySelector(box)).borderTopWidth)`);
    assert.deepEqual(widths, ["3px", "1px"]);
    await page.emulateMedia({ forcedColors: null });
  },
);

consoleTest("the bar at the top does not cover the focused element", async (opened) => {
  const { page, admin, rootId, url } = opened;
  for (let i = 0; i < 20; i++) await admin.create(rootId, `Customer ${i}`);
  await signIn(opened);
  await page.goto(`${url}/changes`);
  await page.getByRole("link", { name: "Customer 0" }).focus();
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Shift+Tab");
    const isCovered = await page.evaluate(`(({ left, top }) =>
      document.elementFromPoint(left + 2, top + 2).closest("header") !== null)
      (document.activeElement.getBoundingClientRect())`);
    assert.equal(isCovered, false);
  }
});

consoleTest("on a phone, neither a notice nor a bar covers the focused element", async (opened) => {
  const { page, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site");
  for (let i = 0; i < 12; i++) await admin.create(siteId, `Room ${i}`);
  await signIn(opened);
  await page.setViewportSize({ width: 390, height: 640 });
  await page.goto(`${url}/role/${siteId}?do=edit`);
  await page.getByLabel("Name").fill("Home");
  await page.getByRole("button", { name: "Save the changes", disabled: false }).click();
  const notice = page.getByRole("status").filter({ hasText: "The role was changed." });
  await notice.getByRole("link", { name: "Undo" }).waitFor();
  await page.getByRole("link", { name: "Changes", exact: true }).first().press("Enter");
  await page.getByRole("link", { name: "Room 0" }).first().waitFor();
  let isReached = false;
  for (let i = 0; i < 80 && !isReached; i++) {
    await page.keyboard.press("Tab");
    const place = await page.evaluate(`(({ left, bottom }, focused) => {
      const over = document.elementFromPoint(left + 2, bottom - 2)?.closest(".notice, .top");
      return focused.closest(".notice") ? "reached" : !over || over.contains(focused) ? "seen" : "covered";
    })(document.activeElement.getBoundingClientRect(), document.activeElement)`);
    assert.notEqual(place, "covered");
    isReached = place === "reached";
  }
  assert.ok(isReached, "the notice is not reached by keyboard");
});

/** The addresses of views that have something to show. */
async function makeAddresses(opened: Console): Promise<string[]> {
  const { admin, rootId, url } = opened;
  const name = "Kindertagesstättenverwaltungsgesellschaft am Ufer 1";
  const countryId = await admin.create(rootId, name);
  await admin.create(countryId, name, rights("roleManagement", "viewManagement"));
  const deviceId = await addMeasuredDevice(opened, name);
  const email = "kindertagesstaettenverwaltung@gesellschaft.example";
  await admin.put(`/v1/role/${countryId}/member?userEmail=${email}`);
  const { member: [added] } = await admin.post<{ member: Member[] }>(`/v1/role/${countryId}/member/query`);
  const userId = added?.userId;
  await signIn(opened);
  return [
    `/role/${countryId}`,
    `/role/${countryId}?tab=relations`,
    `/role/${countryId}?tab=people`,
    `/role/${countryId}?do=member`,
    `/role/${countryId}?do=demand`,
    `/why?role=${countryId}&right=viewManagement`,
    "/changes",
    "/changes?undo=2",
    `/person/${userId}`,
    `/person/${userId}?do=end`,
    "/devices",
    `/devices/${deviceId}`,
    "/people",
    `/devices/${deviceId}?do=attach`,
    `/devices/${deviceId}?do=properties`,
    `/role/${countryId}?tab=devices&do=add-device`,
    "/account",
    "/account?tab=sessions",
    "/account/password",
    "/account/passkey",
  ].map((path) => url + path);
}

/** Adds a device with two lines in a plot, and returns its id. */
async function addMeasuredDevice({ admin, rootId }: Console, name: string): Promise<number> {
  const fields = ["in_C", "out_C"];
  const nodeInfluxSeries = [{ database: "plant", measurement: "heat", fields, names: { in_C: name } }];
  const { device } = await admin.post<{ device: { id: number } }>(`/v1/device?roleId=${rootId}`, {
    properties: { nodeId: "heating", nodeInfluxSeries },
  });
  await admin.ask("POST", "/v1/telemetry?db=plant", [
    { measurement: "heat", tags: { nodeId: "heating" }, fields: { in_C: 55.25, out_C: 31.5 } },
  ]);
  return device.id;
}
